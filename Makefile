# Each target is one command of `python -m course_utils`, which also works where make is missing. `make help` lists them.
PYTHON ?= $(shell command -v python3 || command -v python)
$(if $(PYTHON),,$(error There is no Python here: install 3.11 or later from python.org or with your system's package manager))
one = '$(subst ','\'',$(1))'# one word of the shell, whatever is in it
option = $(if $($(2)),--$(1) $(call one,$($(2))))# --out and the value of OUT, if OUT is set
list = $(if $($(2)),--$(1) $($(2)))# the same for a value of several words
flag = $(if $(filter-out no 0,$($(2))),--$(1))# --full, if FULL is set to anything but no
unless = $(if $(filter no,$($(2))),--$(1))# --no-solutions, if SOLUTIONS is set to no
COURSE = $(call one,$(PYTHON)) -m course_utils

.DEFAULT_GOAL := help
.PHONY: help lab check progress reset list update play match train compare page assignment grade sample site setup notebooks mutants bench experiments

help:
	@$(COURSE) --help
lab:
	@$(COURSE) lab $(LAB_ARGS)
check:
	@$(COURSE) check $(call list,only,ONLY) $(call flag,full,FULL)
progress:
	@$(COURSE) progress
reset:
	@$(COURSE) reset $(call one,$(or $(EXERCISE),$(error Say which exercise: make reset EXERCISE=backup)))
list:
	@$(COURSE) list $(call flag,json,JSON)
update:
	@$(COURSE) update
play:
	@$(COURSE) play $(call option,game,GAME) $(call flag,terminal,TERMINAL) $(call option,against,AGAINST) $(call option,simulations,SIMULATIONS) $(call flag,second,SECOND) $(call option,seed,SEED) $(PLAY_ARGS)
match:
	@$(COURSE) match $(AGENTS) $(call option,game,GAME) $(call option,simulations,SIMULATIONS) $(call option,games,GAMES) $(call option,seed,SEED) $(call option,run,RUN) $(call option,out,OUT)
train:
	@$(COURSE) train $(call option,game,GAME) $(call option,out,OUT) $(call option,minutes,MINUTES) $(call option,iterations,ITERATIONS) $(call option,seed,SEED) $(call flag,batched,BATCHED) $(call option,device,DEVICE) $(call option,workers,WORKERS)
compare:
	@$(COURSE) compare $(call one,$(or $(AGENT),$(error Say which agent: make compare AGENT=runs/tictactoe/tictactoe.pt))) $(call option,game,GAME) $(call list,simulations,SIMULATIONS) $(call option,positions,POSITIONS)
page:
	@$(COURSE) page $(call option,out,OUT) $(call option,agent,AGENT) $(call option,by,BY) $(call unless,no-functions,FUNCTIONS)
assignment:
	@$(COURSE) assignment $(call option,out,OUT) $(call option,only,ONLY) $(call option,road,ROAD) $(call flag,hidden,HIDDEN)
grade:
	@$(COURSE) grade --submissions $(call one,$(or $(SUBMISSIONS),$(error Say where the submissions are: make grade SUBMISSIONS=../handed-in))) $(call option,out,OUT) $(call option,only,ONLY) $(call option,road,ROAD) $(call option,roster,ROSTER) $(call option,seed,SEED) $(call option,workers,WORKERS) $(call flag,unprotected,UNPROTECTED)
sample:
	@$(COURSE) sample $(call option,out,OUT)
site:
	@$(COURSE) site $(call option,out,OUT) $(call option,pyodide,PYODIDE) $(call option,only,ONLY) $(call option,road,ROAD) $(call flag,hidden,HIDDEN)
setup:
	@$(COURSE) setup
notebooks:
	@$(COURSE) notebooks $(call unless,no-solutions,SOLUTIONS) $(call flag,execute,EXECUTE) $(call option,only,ONLY)
mutants:
	@$(COURSE) mutants $(MUTANTS_ARGS)
bench:
	@$(COURSE) bench $(BENCH_ARGS)
experiments:
	@$(COURSE) experiments $(call option,only,ONLY) $(call flag,quick,QUICK)
