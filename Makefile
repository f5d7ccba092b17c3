# Everything runs in .venv, which is made on first use and brought up to date when pyproject.toml changes.
# Another interpreter:  make test PYTHON=python3.12

PYTHON ?= python3
BIN    := .venv/bin
unexport PYTHONDONTWRITEBYTECODE    # each of many processes would translate all modules anew
PIP    := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: help demo check test lint docs wheel soak bench clean

help:   ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## */  make \1\t/p' Makefile

demo: .venv/.installed  ## run a slider-crank; its files go to out/
	$(BIN)/python models/slider_crank.py --out out

check: lint             ## for every commit: ruff, mypy, and each test with one of its cases
	$(BIN)/python -m pytest -n 2 --dist loadfile --one-of-each -m "not soak and not slow"

test: lint              ## ruff, mypy, and all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/.testable   ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/mypy mbs_dae

docs: .venv/.documentable ## the site: book, notebooks, models in motion, reference; a warning is an error
	$(BIN)/python docs/site/make.py build

wheel: .venv/.testable  ## a wheel with machine code for the levels of x86-64 up to this processor's, in dist/
	$(BIN)/python tools/wheel.py

soak: .venv/.testable   ## the long random tests and the many combinations that make test leaves out
	$(BIN)/python -m pytest -m soak

bench: .venv/.installed ## run every benchmark; each prints a table
	@set -e; for script in $(sort $(wildcard benchmarks/*.py)); do \
	    echo "== $$script"; $(BIN)/python $$script; done

clean:                  ## remove .venv, caches, and whatever was built or written
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis build dist *.egg-info out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: an installation is as old as its stamp, and a failed one leaves none.

NEW_ENOUGH = $(shell exec 2>/dev/null; $(PYTHON) -c 'import sys; print(sys.version_info >= (3, 11) or "")')

.venv/.installed: pyproject.toml
	$(if $(filter True,$(NEW_ENOUGH)),,$(error mbs_dae needs Python 3.11 or newer, and "$(PYTHON)" is not; say for example: make PYTHON=python3.12))
	$(PYTHON) -m venv .venv
	$(PIP) install -q -e .
	@touch $@

.venv/.testable: .venv/.installed
	$(PIP) install -q -e '.[test]'
	@touch $@

.venv/.documentable: .venv/.installed
	$(PIP) install -q -e '.[docs]'
	@touch $@
