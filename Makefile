# make demo: install and score the embedded sample. make check: lint and quick tests. make test: all tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DOCS_VENV ?= .venv-docs
# pip need not compile everything to bytecode beforehand: Python does so for what it loads ("no" is how pip spells it).
export PIP_NO_COMPILE ?= no
# The distributions beside the core. All are installed by one pip command, so that no index is asked for a sibling.
PACKAGES := packages/errata-gec-correct packages/errata-gec-server packages/errata-gec-studies
# Released as well, but not installed beside the official programs, whose command names it has.
RELEASED := $(PACKAGES) packages/errata-gec-compat
LOCAL := -e . $(PACKAGES:%=-e %)
LOCAL_TEST := -e '.[chinese,cloud,plot,tokenize]' -e 'packages/errata-gec-correct[documents]' -e 'packages/errata-gec-server[postgres]' \
	-e packages/errata-gec-studies -e packages/errata-gec-lang-de
# The installation is editable: only these files need a new one.
SOURCES := pyproject.toml setup.py $(wildcard src/errata/native/*.py) $(wildcard packages/*/pyproject.toml packages/*/setup.py) \
	$(wildcard packages/*/src/*/native/*.py)

.PHONY: demo check test integrations lint docs wheel sdist pure-wheels packs newcomer workflows release-check image bench fuzz mutants audit models clean

demo: $(VENV)/installed
	$(BIN)/errata demo

# What a contributor needs before a commit: three minutes on two cores. Less: make check TESTS=tests/human
check: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -n 2 -q -m 'not slow and not browser and not crash' $(TESTS)

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -n 2 -q

# TRL, the lm-evaluation-harness, EuroEval and evaluate in an environment of their own, and mbrs, which needs older packages, in another.
# PyTorch for processors alone is enough: PIP_CONSTRAINT=FILE may name it.
integrations:
	for group in integrations mbrs; do \
		$(PYTHON) -m venv .venv-$$group && .venv-$$group/bin/python -m pip install -q 'pip>=25.1' && \
		.venv-$$group/bin/python -m pip install -q -e . --group $$group && \
		.venv-$$group/bin/python -m pytest -q -p no:cacheprovider -rs tests/integrations/test_harnesses.py || exit 1; done

lint: $(VENV)/installed-test
	$(BIN)/python -m pip install -q --group lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Wheels of all distributions in dist/, for this Python and platform, checked by auditwheel (Linux) and by a newcomer
# without a compiler.
# Another Python: make wheel PYTHON=python3.13 VENV=.venv-3.13
wheel: $(VENV)/release
	rm -rf build/wheel && mkdir -p build/wheel dist
	for path in . $(RELEASED); do $(BIN)/python -m build --quiet --wheel --outdir build/wheel $$path || exit 1; done
	mkdir build/wheel/repaired && mv build/wheel/*-none-any.whl build/wheel/repaired
	if [ "$$(uname)" = Linux ]; then PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir build/wheel/repaired build/wheel/*.whl; \
	else cp build/wheel/*.whl build/wheel/repaired; fi
	cp build/wheel/repaired/*.whl dist/
	$(BIN)/python -m twine check --strict build/wheel/repaired/*.whl
	$(BIN)/python tools/newcomer.py build/wheel/repaired/*.whl

sdist: $(VENV)/release
	for path in . $(RELEASED); do $(BIN)/python -m build --quiet --sdist --outdir dist $$path || exit 1; done
	$(BIN)/python -m twine check --strict dist/*.tar.gz

# Wheels of the distributions without native code, which any Python and platform can use.
pure-wheels: $(VENV)/release
	for path in packages/errata-gec-compat packages/errata-gec-server packages/errata-gec-studies; do $(BIN)/python -m build --quiet --wheel --outdir dist $$path || exit 1; done

# Wheels of the language packs.
packs: $(VENV)/release
	for path in packages/errata-gec-lang-*; do $(BIN)/python -m build --quiet --wheel --outdir dist $$path || exit 1; done

# The newcomer's path alone: make newcomer WHEELS='dist/*.whl'
newcomer:
	$(PYTHON) tools/newcomer.py $(WHEELS)

# Lints what runs on GitHub: .github/workflows and action.yml.
workflows: $(VENV)/release
	$(BIN)/zizmor --offline --quiet --persona regular .github action.yml

# The version, the changelog and the citation agree; with TAG=v0.2.0, the tag too.
release-check:
	$(PYTHON) tools/release_check.py $(TAG)

# An image with the program alone; it needs Docker or Podman.
image:
	$(shell command -v docker || command -v podman || echo docker) build --tag errata-gec .

# The documentation site, in build/site: tutorials are run, every warning is an error, nothing is downloaded.
# It has an environment of its own, without PyTorch; tutorial 5 has its output in the page (tools/docs/outputs.py).
docs: $(DOCS_VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/python -m mkdocs build --quiet --strict
	@echo "open build/site/index.html"

# errata against every alternative that is installed; writes benchmarks/RESULTS.md. It wants an idle machine.
# A few rounds only: make bench BENCH=--quick. See docs/benchmarks.md.
bench: $(VENV)/installed-test
	$(BIN)/python -m pip install -q --group bench
	$(BIN)/python benchmarks/run.py $(BENCH)

# 50,000 mutated files for all readers, 10,000 mutated models and 10,000 wrong calls of native functions (an hour).
# Fewer, others, or one kind: make fuzz COUNT=1000 SEED=7 FUZZ='-k models'. See docs/security.md.
COUNT ?= 50000
SEED ?= 1
fuzz: $(VENV)/installed-test
	FUZZ_COUNT=$(COUNT) $(BIN)/python -m pytest -n 2 -q tests/corpus/test_fuzzing.py --hypothesis-seed=$(SEED) $(FUZZ)

# Changes one token of the program at a time and reports the changes that no test notices (the time of all tests and more).
# Fewer: make mutants MUTANTS='--count 20 --only human/'. See docs/testing.md.
mutants: $(VENV)/installed-test
	$(BIN)/python -m pip install -q --group mutants
	$(BIN)/python tools/mutants/run.py $(MUTANTS)

# Known vulnerabilities of what is installed, and risky calls in the code. See docs/security.md.
audit: $(VENV)/installed
	$(BIN)/python -m pip install -q --group audit
	$(BIN)/pip-audit --skip-editable
	$(BIN)/bandit -q -r src $(PACKAGES:%=%/src) -c pyproject.toml --severity-level medium

# A noisy-channel corrector from texts you have: make models LANGUAGE=cs TEXTS="a.txt b.txt.xz" ANNOTATED=dev.m2
# More of tools/models/build.py: OPTIONS="--error-model counts --lexicon 400000"
models: $(VENV)/installed
	$(BIN)/python -m pip install -q --group tagger-training
	$(BIN)/python tools/models/build.py $(TEXTS) --lang $(LANGUAGE) --annotated $(ANNOTATED) --output $(LANGUAGE).channel $(OPTIONS)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q 'pip>=25.1'

# The native modules are compiled while pip fetches the large packages; each one is a line on the screen.
$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	@echo "Installing errata into $(VENV), which takes a minute or two"
	@$(BIN)/python -m pip install -q 'setuptools>=77' 'Cython>=3.1,<4'
	@$(BIN)/python setup.py -q build_ext --inplace & $(BIN)/python -m pip install -q numpy scipy; wait
	@echo "Installing the packages of errata"
	@$(BIN)/python -m pip install -q --no-build-isolation $(LOCAL)
	touch $@

$(VENV)/installed-test: $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install -q $(LOCAL_TEST) --group test
	touch $@ $(VENV)/installed

$(DOCS_VENV)/installed: $(SOURCES)
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install -q 'pip>=25.1' 'setuptools>=77' 'Cython>=3.1,<4'
	$(DOCS_VENV)/bin/python setup.py -q build_ext --inplace >/dev/null & \
	$(DOCS_VENV)/bin/python -m pip install -q numpy scipy --group docs; wait
	$(DOCS_VENV)/bin/python -m pip install -q --no-build-isolation $(LOCAL)
	touch $@

$(VENV)/release: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install -q --group release
	touch $@

clean:
	rm -rf $(VENV) $(DOCS_VENV) build dist src/*.egg-info src/errata/native/*.so src/errata/native/*.c \
		packages/*/build packages/*/src/*.egg-info packages/*/src/*/native/*.so
