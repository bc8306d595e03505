# Every target starts from a machine that has only Python (>= 3.11) and pip: it creates .venv, installs, and runs.
# PYTHON chooses the interpreter, PYTEST_ARGS adds options to pytest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-dev
TORCH_STAMP := $(VENV)/.installed-build
PYTEST := $(BIN)/python -m pytest -p no:cacheprovider -n 2 --dist loadfile $(PYTEST_ARGS)

.PHONY: help demo test test-all heavy lint types validate wheel clean

help:  ## Say what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

# torch first and pinned: a CPU build that is already there is kept, and nothing else decides on its version.
$(TORCH_STAMP): $(STAMP)
	$(BIN)/python -c 'import torch' 2>/dev/null || $(BIN)/python -m pip install --quiet 'torch==2.13.0'
	$(BIN)/python -m pip install --quiet -e '.[dev,build]'
	touch $@

demo: $(STAMP)  ## Compact the shipped examples and show what happened
	$(BIN)/python examples/demo.py

test: $(STAMP)  ## Everything that needs no torch
	$(PYTEST) -m 'not heavy'

test-all: $(TORCH_STAMP)  ## Everything, the parity with sentence-transformers included
	$(PYTEST)

heavy: $(TORCH_STAMP)  ## Only what `test` leaves out
	$(BIN)/python -m pytest -p no:cacheprovider -m heavy $(PYTEST_ARGS)

lint: $(STAMP)  ## Style
	$(BIN)/python -m ruff check surgeon tests examples

types: $(STAMP)  ## Types, strict
	$(BIN)/python -m mypy

validate: $(STAMP)  ## Rules and templates, with their inline tests
	$(BIN)/surgeon validate

wheel: $(STAMP)  ## Build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation

clean:  ## Remove what was built and installed
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
