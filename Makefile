# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/base
STAMP := $(VENV)/installed
JOBS ?= 2
PEERS := .peers
# Those that compare speed; the scores of `examine` and `watch` are commands of their own.
BENCHMARKS := connectionism curvature expressivity generation kernels real_sizes robustness \
  scaling_curves spectra subwords training
# Numbers repeat bit for bit only at a fixed thread count.
export OMP_NUM_THREADS ?= 1
# Tests start many processes; each would compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test lint docs check-full bench clean
.DEFAULT_GOAL := help

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv with everything that development needs

# What users install; `demo` needs no more.
$(BASE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[data,lab]'
	$(BIN)/python tools/fetch_assets.py
	touch $(BASE)

$(STAMP): $(BASE)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

demo: $(BASE) ## check some claims of every area, examine a small network, and write two pages
	$(BIN)/corollary check --suite quick --jobs $(JOBS) \
	  --json out/results.json --report out/report.html
	$(BIN)/corollary examine --demo --lr 0.1 --batch-size 32 \
	  --json out/examination.json --out out/examination.html
	@echo "Two pages to open in a browser:"
	@echo "  file://$(CURDIR)/out/examination.html  what is wrong with the network, and how to fix it"
	@echo "  file://$(CURDIR)/out/report.html  the claims, each with its figure and counterexample"
	@echo "Next: $(BIN)/corollary lab, a playground in the browser;"
	@echo "      $(BIN)/corollary examine net.py:build --data digits, your own network."

test: $(STAMP) ## run the test suite
	$(BIN)/python -m pytest -n $(JOBS)

lint: $(STAMP) ## check form and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP) ## build the documentation into docs/_build/html
	$(BIN)/python tools/fetch_assets.py
	$(BIN)/sphinx-build -W -q -j $(JOBS) -b html docs docs/_build/html
	@echo "Open $(CURDIR)/docs/_build/html/index.html in a browser."

check-full: $(STAMP) ## every claim, twenty seeds, all tests with shapes checked
	$(BIN)/corollary check --suite full --jobs $(JOBS) --resume \
	  --json out/full.json --report out/full.html
	$(BIN)/python tools/seed_table.py --seeds 20 --jobs $(JOBS)
	COROLLARY_SHAPES=1 $(BIN)/python -m pytest -n $(JOBS) -m 'slow or not slow'

$(PEERS)/installed: $(STAMP) benchmarks/peers/requirements.txt benchmarks/peers/neural_tangents.txt
	$(BIN)/pip install --quiet --upgrade --target $(PEERS)/site --no-deps \
	  -r benchmarks/peers/requirements.txt
	$(PYTHON) -m venv $(PEERS)/neural-tangents
	$(PEERS)/neural-tangents/bin/pip install --quiet -r benchmarks/peers/neural_tangents.txt
	touch $@

bench: $(PEERS)/installed ## compare with peers: one core, CPU time, one run; about 30 minutes
	@mkdir -p out/bench
	set -e; for area in $(BENCHMARKS); do \
	  PYTHONPATH=$(PEERS)/site NEURAL_TANGENTS_PYTHON=$(PEERS)/neural-tangents/bin/python \
	  $(BIN)/python benchmarks/$$area.py --json out/bench/$$area.json; done
	$(BIN)/python tools/speed_page.py out/bench docs/howto/speed.md

clean: ## remove what was built
	rm -rf $(VENV) $(PEERS) out docs/_build build dist
