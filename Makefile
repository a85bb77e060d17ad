# Every target does its own set-up; on a second run the stamp files make it quick.
#   make demo          make test          make test-model      make lint
#   make test-slow     make test-browser  make bench         make prove
#   make compiled      make test-compiled
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.supersede-dev

.DEFAULT_GOAL := help
.PHONY: help setup demo prove test test-slow test-model test-browser lint format bench \
  compiled test-compiled

help:
	@sed -n 's/^#  *make/make/p' Makefile

$(BIN)/python:
	@echo "setting up (about two minutes) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: Supersede needs Python 3.11 or newer; try: make PYTHON=python3.11 ..." >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(BIN)/python
	@echo "installing Supersede and what it needs into $(VENV) ..."
	@PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install -qq --editable '.[dev]'
	@touch $@

setup: $(STAMP)

# Where the weights cannot be had, the demo says so and runs the baselines.
demo: $(STAMP)
	@if weights=$$($(BIN)/supersede model get smollm2); then echo "smollm2 ready: $$weights"; \
	  else echo "the demo goes on without the model" >&2; fi
	$(BIN)/supersede demo

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy src tests $(wildcard benchmarks/*.py)

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: lint
	$(BIN)/pytest --numprocesses 2 --dist loadgroup

test-slow: $(STAMP)
	$(BIN)/pytest -m slow

test-model: $(STAMP)
	$(BIN)/supersede model get smollm2
	SUPERSEDE_REQUIRE=model $(BIN)/pytest -m model

# Debian: apt-get install chromium.
test-browser: $(STAMP)
	SUPERSEDE_REQUIRE=browser $(BIN)/pytest -m browser

# Machine code for the hot path, by mypyc and a C compiler (a minute). It is built of a copy, so that
# the working tree stays as it is: whoever wants it puts $(FAST)/lib first on PYTHONPATH, or installs
# the wheel. Same bytes, about two thirds of the time.
FAST := .compiled
compiled: $(FAST)/lib
$(FAST)/lib: $(STAMP) $(shell find src -type f ! -name '*.pyc')
	@rm -rf $(FAST) && mkdir -p $(FAST)/copy && cp -r pyproject.toml README.md LICENSE src $(FAST)/copy
	@echo "compiling (about a minute) ..."
	@HATCH_BUILD_HOOKS_ENABLE=true PIP_DISABLE_PIP_VERSION_CHECK=1 \
	  $(BIN)/python -m pip wheel -qq --no-deps --wheel-dir $(FAST)/wheel ./$(FAST)/copy
	@PIP_DISABLE_PIP_VERSION_CHECK=1 \
	  $(BIN)/python -m pip install -qq --no-deps --target $@ $(FAST)/wheel/*.whl
	@touch $@
	@echo "ready: PYTHONPATH=$@ $(BIN)/supersede ..., or install $$(ls $(FAST)/wheel/*.whl)"

# That it gives the same bytes, and means the same, as the files that it was made of.
test-compiled: $(FAST)/lib
	PYTHONPATH=$(FAST)/lib $(BIN)/python -c 'from supersede.worlds import sample; \
	  assert not sample.__file__.endswith(".py"), sample.__file__'
	PYTHONPATH=$(FAST)/lib $(BIN)/pytest --numprocesses 2 --dist loadgroup \
	  tests/golden tests/truth_table tests/worlds tests/rendering tests/questions tests/corpus

bench: $(STAMP)
	@set -e; for script in benchmarks/bench_*.py; do \
	  test -f "$$script" || { echo "error: benchmarks/ holds no bench_*.py yet" >&2; exit 2; }; \
	  echo "== $$script"; $(BIN)/python "$$script"; done

# Twenty thousand instances over all prototypes, tiers and operators, each proved from its text.
prove: $(STAMP)
	$(BIN)/python benchmarks/round_trip.py --instances 20000 --workers 2
