# Each target is one command of `python -m course_utils`, which also works where make is missing.
PYTHON ?= $(shell command -v python3 || command -v python)
$(if $(PYTHON),,$(error no Python is here: install 3.11 or later from python.org or with your system's packages))
COURSE = $(PYTHON) -m course_utils

.PHONY: setup lab check notebooks update mutants bench experiments compare play page train grade assignment sample list progress reset

setup:
	@$(COURSE) setup
lab:
	@$(COURSE) lab $(LAB_ARGS)
check:
	@$(COURSE) check $(if $(ONLY),--only $(ONLY)) $(if $(FULL),--full)
notebooks:
	@$(COURSE) notebooks $(if $(filter no,$(SOLUTIONS)),--no-solutions) $(if $(EXECUTE),--execute)
update:
	@$(COURSE) update
mutants:
	@$(COURSE) mutants
bench:
	@$(COURSE) bench $(BENCH_ARGS)
experiments:
	@$(COURSE) experiments $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick)
compare:
	@$(COURSE) compare $(or $(AGENT),$(error say which: make compare AGENT=runs/tictactoe/tictactoe.pt)) $(if $(SIMULATIONS),--simulations $(SIMULATIONS)) $(if $(POSITIONS),--positions $(POSITIONS))
play:
	@$(COURSE) play $(if $(GAME),--game $(GAME)) $(PLAY_ARGS)
page:
	@$(COURSE) page $(if $(OUT),--out "$(OUT)")
train:
	@$(COURSE) train --game $(or $(GAME),tictactoe) --out $(or $(OUT),runs/$(lastword $(subst :, ,$(or $(GAME),tictactoe)))) --minutes $(or $(MINUTES),$(if $(ITERATIONS),600,5)) $(if $(ITERATIONS),--iterations $(ITERATIONS)) $(if $(SEED),--seed $(SEED)) $(if $(WORKERS),--workers $(WORKERS)) $(if $(DEVICE),--device $(DEVICE))
grade:
	@$(COURSE) grade --submissions "$(or $(SUBMISSIONS),$(error say where they lie: make grade SUBMISSIONS=../handed-in))" --out "$(or $(OUT),grades)" $(if $(ONLY),--only "$(ONLY)") $(if $(ROAD),--road "$(ROAD)") $(if $(ROSTER),--roster "$(ROSTER)") $(if $(SEED),--seed $(SEED)) $(if $(WORKERS),--workers $(WORKERS))
assignment:
	@$(COURSE) assignment --out "$(or $(OUT),assignment)" $(if $(ONLY),--only "$(ONLY)") $(if $(ROAD),--road "$(ROAD)") $(if $(filter yes,$(HIDDEN)),--hidden)
sample:
	@$(COURSE) sample --out "$(or $(OUT),sample)"
list:
	@$(COURSE) list
progress:
	@$(COURSE) progress
reset:
	@$(COURSE) reset $(EXERCISE)
