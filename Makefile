# Each target is one command of `python -m course_utils`, which also works where make is missing.
PYTHON ?= $(shell command -v python3 || command -v python)
$(if $(PYTHON),,$(error no Python is here: install 3.11 or later from python.org or with your system's packages))
one = '$(subst ','\'',$(1))'# one word of the shell, whatever is in it
option = $(if $($(2)),--$(1) $(call one,$($(2))))# --out and what OUT says, if it says anything
COURSE = $(call one,$(PYTHON)) -m course_utils

.PHONY: setup lab check notebooks update mutants bench experiments compare match play page site train grade assignment sample list progress reset

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
	@$(COURSE) experiments $(call option,only,ONLY) $(if $(QUICK),--quick)
compare:
	@$(COURSE) compare $(call one,$(or $(AGENT),$(error say which: make compare AGENT=runs/tictactoe/tictactoe.pt))) $(call option,game,GAME) $(if $(SIMULATIONS),--simulations $(SIMULATIONS)) $(call option,positions,POSITIONS)
match:
	@$(COURSE) match $(AGENTS) $(call option,run,RUN) $(call option,game,GAME) $(call option,games,GAMES) $(call option,simulations,SIMULATIONS) $(call option,seed,SEED) $(call option,out,OUT)
play:
	@$(COURSE) play $(call option,game,GAME) $(if $(TERMINAL),--terminal $(call option,against,AGAINST) $(call option,simulations,SIMULATIONS)) $(PLAY_ARGS)
page:
	@$(COURSE) page $(call option,out,OUT) $(call option,agent,AGENT) $(call option,by,BY) $(if $(filter no,$(FUNCTIONS)),--no-functions)
site:
	@$(COURSE) site $(call option,out,OUT) $(call option,pyodide,PYODIDE) $(call option,only,ONLY) $(call option,road,ROAD) $(if $(filter yes,$(HIDDEN)),--hidden)
train:
	@$(COURSE) train $(call option,game,GAME) $(call option,out,OUT) --minutes $(call one,$(or $(MINUTES),$(if $(ITERATIONS),600,5))) $(call option,iterations,ITERATIONS) $(call option,seed,SEED) $(call option,workers,WORKERS) $(call option,device,DEVICE)
grade:
	@$(COURSE) grade --submissions $(call one,$(or $(SUBMISSIONS),$(error say where they lie: make grade SUBMISSIONS=../handed-in))) --out $(call one,$(or $(OUT),grades)) $(call option,only,ONLY) $(call option,road,ROAD) $(call option,roster,ROSTER) $(call option,seed,SEED) $(call option,workers,WORKERS) $(if $(filter yes,$(UNPROTECTED)),--unprotected)
assignment:
	@$(COURSE) assignment --out $(call one,$(or $(OUT),assignment)) $(call option,only,ONLY) $(call option,road,ROAD) $(if $(filter yes,$(HIDDEN)),--hidden)
sample:
	@$(COURSE) sample --out $(call one,$(or $(OUT),sample))
list:
	@$(COURSE) list
progress:
	@$(COURSE) progress
reset:
	@$(COURSE) reset $(call one,$(EXERCISE))
