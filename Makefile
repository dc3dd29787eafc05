# make run: the lab's main job.  make test: lint, types, tests.  make notebooks: run docs/notebooks again and store what
# they show.  make faults: kill every command at every moment.  All set up .venv first.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: run test fuzz faults notebooks clean

# It starts several processes: what the first one compiles, the others load.
run: .venv/ready
	PYTHONDONTWRITEBYTECODE= $(BIN)/attnlab run
	@echo 'the same in a browser, to try with your own seeds: $(BIN)/attnlab studio'

# The tests start many processes: what the first one compiles, the others load. pyright, which uses one core, works beside
# them; what it says is printed at the end.
test: .venv/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@types=$$(mktemp); $(BIN)/pyright >$$types 2>&1 & checker=$$!; trap "kill $$checker; rm -f $$types" INT TERM; \
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --maxprocesses 8; tested=$$?; \
	wait $$checker; typed=$$?; echo pyright:; cat $$types; rm -f $$types; [ $$tested = 0 ] && [ $$typed = 0 ]

# Hostile inputs by the hour, on all cores: make fuzz MINUTES=60 SEED=1 KINDS=formulas,hf
MINUTES ?= 10
SEED ?= 0
fuzz: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --seconds $$((60 * $(MINUTES))) --inputs 10000000 --seed $(SEED) \
	  $(if $(KINDS),--kinds $(KINDS)) --json fuzz.json

faults: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.faults --random 1000 --edits 2000 --json faults.json

notebooks: .venv/ready
	$(BIN)/python docs/notebooks/execute.py

# Made last, so an interrupted set-up starts again.
.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "attnlab needs Python 3.11 or newer, found " + sys.version.split()[0] + ": make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv runs
