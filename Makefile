# Every target does its own set-up; on a second run the stamp files make it quick.
#   make demo          make test          make test-model      make lint
#   make test-slow     make test-browser  make bench         make prove
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.supersede-dev

.DEFAULT_GOAL := help
.PHONY: help setup demo prove test test-slow test-model test-browser lint format bench

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

bench: $(STAMP)
	@set -e; for script in benchmarks/bench_*.py; do \
	  test -f "$$script" || { echo "error: benchmarks/ holds no bench_*.py yet" >&2; exit 2; }; \
	  echo "== $$script"; $(BIN)/python "$$script"; done

# Twenty thousand instances over all prototypes, tiers and operators, each proved from its text.
prove: $(STAMP)
	$(BIN)/python benchmarks/round_trip.py --instances 20000 --workers 2
