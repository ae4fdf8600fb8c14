# Two commands do everything: make certify (the main job) and make test (all tests).
# Needed beforehand: Python 3.11 or newer with its venv module, and make.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Not compiled beforehand, since most modules of the lab are never imported; but kept once compiled,
# whatever the environment says: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check \
	--constraint constraints.txt

.PHONY: help certify test check unit kills notebooks lab format schemas clean

help:
	@echo "make certify   certify the reference stores and the systems in conformance/implementations"
	@echo "make test      formatting, types, lint and all tests"
	@echo "make kills     the suite over every seeded fault: what it catches, and what catches nothing"
	@echo "make lab       the notebooks in JupyterLab"
	@echo "make bench     latency of the stores, traces and the sweep, each beside others"
	@echo "make schemas   write docs/schemas anew"
	@echo "make format    format the code"
	@echo "make clean     remove what the other commands made"

# --- environments --------------------------------------------------------------------------------

$(VENV)/.made:
	@if [ -z "$(PYTHON)" ]; then \
		echo "memconform needs Python 3.11 or newer: install it, or say make PYTHON=/path/to/python3" >&2; \
		exit 2; fi
	@echo "Making an environment in $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) has no venv module: install it (Debian: python3-venv)" >&2; \
		rm -rf $(VENV); exit 2; }
	@touch $@

$(VENV)/.core: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing memconform"
	@$(PIP) --editable '.[opencc]'
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing what the tests need"
	@$(PIP) --editable '.[dev]'
	@touch $@

# --- the main job --------------------------------------------------------------------------------

certify: $(VENV)/.core
	@echo "Certifying four reference stores and mnemosyne-os twice; this takes some minutes"
	@$(BIN)/memconform certify reference:filesystem reference:hybrid reference:fusion \
		reference:authority mnemosyne-os --baseline conformance/reports --out build/certify

# --- all tests -----------------------------------------------------------------------------------

test: check kills unit notebooks

check: $(VENV)/.dev
	$(BIN)/ruff format --check kit conformance
	$(BIN)/ruff check kit conformance
	$(BIN)/mypy
	$(BIN)/memconform audit

unit: $(VENV)/.dev
	$(BIN)/python -m pytest kit/tests -n 2 --dist loadgroup

kills: $(VENV)/.dev
	$(BIN)/memconform audit --kills

notebooks: $(VENV)/.dev
	$(BIN)/python -m pytest --nbmake notebooks -n 2

lab: $(VENV)/.dev
	$(BIN)/memconform lab

format: $(VENV)/.dev
	$(BIN)/ruff check --fix kit conformance
	$(BIN)/ruff format kit conformance

schemas: $(VENV)/.dev
	$(BIN)/python -m memconform.wire.schemas --write
	$(BIN)/python -m memconform.traces.publish --write
	$(BIN)/python -m memconform.cli.publish --write

clean:
	rm -rf $(VENV) build dist

# --- how fast, beside others ----------------------------------------------------------------------

.PHONY: bench
bench: $(VENV)/.dev
	$(BIN)/python kit/bench/recall.py
	$(BIN)/python kit/bench/authority.py
	$(BIN)/python kit/bench/wire.py --profile abstention
	$(BIN)/python kit/bench/suite.py
	$(BIN)/python kit/bench/sweep.py
	$(BIN)/python kit/bench/traces.py
