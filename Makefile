# Everything from a fresh clone: needs Python 3.11 or newer, make and bash.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
# Where Python may not keep what it compiled, each process reads both frameworks for 14 seconds longer.
export PYTHONDONTWRITEBYTECODE :=
PORT ?= 8000
SOLUTIONS ?= yes
HASHES ?= no
BIN := .venv/bin
BOOK_BIN := .venv-book/bin
# As many tests at once as the machine has cores; each process takes about 1.5 GB.
TESTING = --jobs $(or $(JOBS),auto) $(if $(filter yes,$(AGAIN)),--again)
CHOSEN = $(if $(TOPIC),--topic "$(TOPIC)") $(if $(filter yes,$(QUICK)),--quick)
TRITON := triton==3.9.0
READ = _build/html _build/.doctrees _build/jupyter_execute
BOOK_SOURCES := $(shell find book src/attn_course tools -type f -not -name '*.pyc') _config.yml _toc.yml pyproject.toml

comma := ,

ifeq ($(origin PYTHON),command line)
$(foreach made,$(wildcard .venv .venv-book),$(warning $(made) exists and keeps its Python; remove it to have one of $(PYTHON)))
endif

.PHONY: help FORCE book port a-version serve epub pdf slides figures test test-code test-notebooks test-changed notebooks test-site test-frameworks test-install \
  test-clients test-compiled test-gpu test-versions bench costs records mutate-records gpu lint lock screenshots derived new-mechanism new-part new-chapter new-exercise repository version release dist clean

# What a command installs first is read from its prerequisites.
help: ## this list
	@sed -nE 's/^([a-z-]+):([^#]*)## (.*)/\1|\2|\3/p' $(MAKEFILE_LIST) | awk -F'|' '{ \
	  needs = $$2 ~ /\.venv\/(clients\/)?stamp/ ? "3 GB" : $$2 ~ /\.venv-book\/stamp|html|book/ ? "0.3 GB" : ""; \
	  printf "  make %-16s %6s  %s\n", $$1, needs, $$3 }'
	@echo "Installed once, before the first: 0.3 GB for the book; 3 GB with PyTorch and TensorFlow (6 GB where PyTorch brings CUDA)."

# pyproject.toml too: the installed package carries the publisher's address, which stands there.
.venv/stamp: requirements.txt requirements/book.txt pyproject.toml
	$(call environment,.venv,-r requirements.txt,PyTorch$(comma) TensorFlow and the tools: 3 GB (6 GB where PyTorch brings CUDA)$(comma) 5 to 20 minutes)
	@touch $@

# Triton, for the test of a kernel, stands aside: it and TensorFlow bring LLVM each, and a process that has imported
# TensorFlow dies when it imports Triton, which PyTorch's compiler does wherever it finds it. It exists for Linux alone.
.venv/triton/stamp: .venv/stamp
	@mkdir -p $(@D)
	test "$$(uname)" != Linux || $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps \
	  --upgrade --target $(@D) $(TRITON)
	@touch $@

# Tools that our layers are tried with, aside too: what the tests import is what requirements.txt says.
.venv/clients/stamp: .venv/stamp requirements/clients.txt
	@mkdir -p $(@D)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps --upgrade --target $(@D) \
	  -r requirements/clients.txt
	@touch $@

# The package without what it needs: its pages are written with stand-ins for the frameworks.
.venv-book/stamp: requirements/book.txt pyproject.toml
	$(call environment,.venv-book,$(if $(filter yes,$(HASHES)),--require-hashes -r requirements/book.lock,-r requirements/book.txt),the builder of the book: 0.3 GB$(comma) 1 to 3 minutes)
	$(BOOK_BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

define new_enough
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name it: make PYTHON=python3.11 ..." >&2; exit 1; }
endef

define environment
	$(new_enough)
	@echo "$(1): installing $(3)"
	test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check $(2)
endef

book: _build/html/index.html ## build the book into _build/html; warnings are errors, nothing is executed [SOLUTIONS=no]
	@echo "The book: _build/html/index.html (make serve shows it)"
	@$(BOOK_BIN)/python tools/publisher.py

# Its content, and with it its date, changes when SOLUTIONS does, the settings or what is not a page: then all is read anew.
_build/solutions: FORCE
	@mkdir -p _build
	@made="$(SOLUTIONS) $$(cat $(sort $(filter-out book/% %.md,$(BOOK_SOURCES)) $(wildcard book/_ext/*.py book/_templates/*)) | cksum)"; \
	  echo "$$made" | cmp -s - $@ || echo "$$made" > $@

FORCE:

# A page that was read stays read while nothing but pages changed. Where a warning stopped the build, nothing is kept: a
# page that is not read again would not warn again.
_build/html/index.html: .venv-book/stamp _build/solutions $(BOOK_SOURCES)
	$(BOOK_BIN)/python tools/notebooks.py fill
	@test _build/.doctrees -nt _build/solutions || rm -rf $(READ)
	ATTN_COURSE_SOLUTIONS=$(SOLUTIONS) $(BOOK_BIN)/jupyter-book build . -W -n --keep-going || { rm -rf $(READ); exit 1; }
	@touch $@

epub: .venv-book/stamp ## the book as an e-book, in _build/epub [SOLUTIONS=no]
	$(BOOK_BIN)/python tools/notebooks.py fill
	rm -rf _build/epub $(READ)
	ATTN_COURSE_SOLUTIONS=$(SOLUTIONS) ATTN_COURSE_BUILDER=epub $(BOOK_BIN)/jupyter-book build . -W -n --keep-going --builder custom --custom-builder epub \
	  || { rm -rf _build/epub $(READ); exit 1; }
	@rm -rf $(READ)
	$(BOOK_BIN)/python tools/epub.py _build/epub/*.epub

pdf: book ## the book as one PDF with outline and tags, in _build/pdf; needs Chromium [FRAMEWORK=tf] [CH=04]
	$(BOOK_BIN)/python tools/pdf.py $(if $(FRAMEWORK),--framework $(FRAMEWORK)) $(CH)

slides: book ## slides of eight core chapters from the book's pages, in _build/slides [CH=04]
	$(BOOK_BIN)/python tools/slides.py $(CH)

figures: .venv-book/stamp ## the figures as SVG under CC BY, in _build/figures and as a zip
	$(BOOK_BIN)/python tools/figures.py

port:
	@[[ "$(PORT)" =~ ^[0-9]+$$ ]] && (( $(PORT) > 0 && $(PORT) < 65536 )) || \
	  { echo "PORT must be a number from 1 to 65535, got $(PORT)" >&2; exit 1; }

serve: port book ## build the book if something changed, and serve it on this machine [PORT=8000]
	@echo "http://127.0.0.1:$(PORT)/ (stop with Ctrl-C)"
	$(BOOK_BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

test: .venv/stamp .venv/triton/stamp ## all tests, then all notebooks [QUICK=yes] [TOPIC=window] [AGAIN=yes] [JOBS=2]
	@$(BIN)/python tools/run_tests.py $(TESTING) $(CHOSEN)

test-code: .venv/stamp .venv/triton/stamp ## the first half of make test: all tests, no notebook [QUICK=yes] [TOPIC=window] [JOBS=2]
	@$(BIN)/python tools/run_tests.py --only code $(TESTING) $(CHOSEN)

test-notebooks: .venv/stamp ## the second half: the notebooks run again and compared [TOPIC=window] [AGAIN=yes] [JOBS=2]
	@$(BIN)/python tools/run_tests.py --only notebooks $(TESTING) $(CHOSEN)

test-changed: .venv/stamp .venv/triton/stamp ## the tests and notebooks that changed files can reach [SINCE=main]
	@$(BIN)/python tools/run_tests.py $(TESTING) --changed "$(or $(SINCE),main)"

notebooks: .venv/stamp ## execute the chapters and write their .ipynb [CH=02]
	$(BIN)/python tools/notebooks.py build $(CH)

test-site: .venv/stamp ## the built book in a real Chromium (after make book)
	$(BIN)/python -m pytest -n $(or $(JOBS),auto) --dist worksteal tests/site

test-frameworks: .venv/stamp ## the notebooks of one framework, run where the other can't be imported [CH=02]
	$(BIN)/python tools/notebooks.py alone --jobs $(or $(JOBS),auto) $(CH)

test-install: .venv/stamp ## the wheel in empty environments: with PyTorch alone, TensorFlow alone, neither; chapter 2 from an empty folder
	$(BIN)/python -m pytest -n $(or $(JOBS),auto) --dist worksteal --durations 0 tests/install

test-clients: .venv/clients/stamp ## our layers in others' tools: transformers, peft, torchao, safetensors, accelerate, FSDP
	PYTHONPATH=.venv/clients $(BIN)/python -m pytest -n $(or $(JOBS),auto) --dist worksteal tests/clients

test-compiled: .venv/stamp ## every layer as machine code by PyTorch's compiler and XLA, in one graph of any size, and in ONNX; needs a C++ compiler
	$(BIN)/python -m pytest -n $(or $(JOBS),auto) --dist worksteal tests/compiled

mutate-records: .venv/stamp ## numbers of the records moved: which of a page's checks mind [CH=07]
	$(BIN)/python tools/mutate_records.py $(CH)

test-gpu: .venv/stamp .venv/triton/stamp ## the kernels and every layer, compiled too, on the GPU that is here; without one, the names of what is skipped
	$(BIN)/python -m pytest -v tests/gpu

bench: .venv/stamp ## our speed beside the libraries', as ratios [ONLY=word] [QUICK=yes] [GPU=yes]
	$(BIN)/python -m experiments.bench $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick) $(if $(GPU),--gpu)

costs: .venv/stamp ## the page of costs, from the catalog and what was measured [MEASURE=yes: measure first, on a quiet machine; ONLY=word: these rows]
	$(if $(MEASURE),$(BIN)/python -m experiments.costs $(if $(ONLY),--only $(ONLY)))
	PYTHONPATH=. $(BIN)/python tools/complexity.py

records: .venv/stamp ## runs the first entry of every stored experiment again, and says which no longer comes out or has no plan [ONLY=dates]
	$(BIN)/python -m experiments.again $(ONLY)

gpu: .venv/stamp ## the chapters' demos in their large size, on the GPU that is here [CH=14]
	$(BIN)/python -m attn_course.course.labs.gpu $(if $(CH),--only $(CH))

# Links of the Markdown files to each other; that they stand in no table of contents is no fault.
LINKS = ! $(BIN)/sphinx-build -b dummy -E -q -C -D extensions=myst_parser -D myst_heading_anchors=4 -D root_doc=README \
  -D include_patterns=*.md,docs/*.md,examples/*.md,src/**/README.md,experiments/README.md,tests/README.md,tools/README.md . _build/links 2>&1 | grep -v "in any toctree"

lint: .venv/stamp ## ruff, imports, spelling, links of the Markdown files, the workflow files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	git ls-files -z -- '*.md' '*.py' '*.toml' '*.yml' '*.txt' Makefile ':!*/tasks/*.txt' | xargs -0 $(BIN)/codespell
	$(LINKS)
	$(BIN)/python tools/derived.py --check
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet --min-severity medium .github

# For every platform and every index, and for the oldest Python. The course itself is no package of an index.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11.0 --generate-hashes --no-annotate --custom-compile-command "make lock"
lock: .venv/stamp ## the hashed locks, after a change of a requirements file
	grep -v '^-e ' requirements.txt | $(COMPILE) - -o requirements/requirements.lock
	$(COMPILE) requirements/book.txt -o requirements/book.lock
	$(COMPILE) --no-deps requirements/clients.txt -o requirements/clients.lock

screenshots: .venv/stamp ## pictures of every page of the built book into _build/screenshots, and README's
	$(BIN)/python tools/screenshots.py

derived: ## the public modules attn_course.pytorch, .tf and .reference, the pages of the API, tables in README.md, experiments and tools
	$(new_enough)
	@$(PYTHON) tools/derived.py
	@$(PYTHON) tools/readme.py

new-mechanism: ## a skeleton for a new mechanism: folder, test, line in the catalog; no chapter [NAME=my_mechanism]
	$(new_enough)
	@$(PYTHON) tools/new.py mechanism "$(NAME)"

new-part: ## a skeleton for what is handed to a layer, as a softmax [NAME=my_part]
	$(new_enough)
	@$(PYTHON) tools/new.py part "$(NAME)"

new-chapter: ## a skeleton for a new chapter [NAME=my_chapter]
	$(new_enough)
	@$(PYTHON) tools/new.py chapter "$(NAME)"

new-exercise: ## a skeleton for a new exercise: its file, its name in the order, cells for answers [NAME=04.my_exercise]
	$(new_enough)
	@$(PYTHON) tools/new.py exercise "$(NAME)"

repository: ## set where the course is published [URL=https://github.com/ORG/NAME] [REF=main] [EMAIL=a@b.org] [EDITORS="A. One, B. Two"]
	$(new_enough)
	@$(PYTHON) tools/repository.py "$(URL)" $(if $(REF),--ref "$(REF)") $(if $(EMAIL),--email "$(EMAIL)") $(if $(EDITORS),--editors "$(EDITORS)")

version: a-version .venv-book/stamp ## set the version in every file that states it [VERSION=1.2.3]
	$(BOOK_BIN)/python tools/release.py version "$(VERSION)"

a-version:
	@[[ "$(VERSION)" =~ ^[0-9]+\.[0-9]+\.[0-9]+(\.dev[0-9]+)?$$ ]] || \
	  { echo "VERSION must be written 1.2.3, or 1.2.3.dev0 between releases; got '$(VERSION)'" >&2; exit 1; }

release: .venv-book/stamp ## check, tag the version on a commit of its own, build its files into dist; publishes nothing
	$(BOOK_BIN)/python tools/release.py tag

dist: .venv-book/stamp ## the files of a release from the tree as it stands, into dist: wheel, notebooks, book, EPUB, slides
	$(BOOK_BIN)/python tools/release.py files

test-versions: .venv/stamp ## lowest, locked and newest versions of each extra, Python 3.11 to 3.13 [EXTRA=tf] [PY=3.11] [SET=lowest]
	CUDA=$(CUDA) $(BIN)/python -m nox -s versions -k "versions$(if $(EXTRA), and $(EXTRA))$(if $(SET), and $(SET))" $(if $(PY),--python $(PY))

clean: ## remove what was made, except the environments
	rm -rf _build build dist .nox .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +
