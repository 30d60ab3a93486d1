# make demo: install and score the embedded sample. make test: install and run all tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml setup.py $(shell find src -name '*.py')

.PHONY: demo test lint bench models clean

demo: $(VENV)/installed
	$(BIN)/errata demo

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -n 2 -q

lint: $(VENV)/installed-test
	$(BIN)/python -m pip install -q -e '.[lint]'
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/cli_reference.py --check

# errata against every alternative that is installed; writes benchmarks/RESULTS.md. It wants an idle machine.
# A few rounds only: make bench BENCH=--quick. See docs/benchmarks.md.
bench: $(VENV)/installed-test
	$(BIN)/python -m pip install -q -e '.[bench]'
	$(BIN)/python benchmarks/run.py $(BENCH)

# A noisy-channel corrector from texts you have: make models LANGUAGE=cs TEXTS="a.txt b.txt.xz" ANNOTATED=dev.m2
# More of tools/models/build.py: OPTIONS="--error-model counts --lexicon 400000"
models: $(VENV)/installed
	$(BIN)/python -m pip install -q -e '.[taggers]'
	$(BIN)/python tools/models/build.py $(TEXTS) --lang $(LANGUAGE) --annotated $(ANNOTATED) --output $(LANGUAGE).channel $(OPTIONS)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip

$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install -q -e .
	touch $@

$(VENV)/installed-test: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install -q -e '.[test]'
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist src/*.egg-info src/errata/kernels/*.so src/errata/kernels/*.c
