# gpualert: make (build into .venv), make test, make check, make demo, make bench.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# Debian's own interpreter first: service users must be able to run it, which one in a private home forbids.
PYTHON ?= $(shell for p in /usr/bin/python3 python3; do command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
C_PROGRAMS := gpualert-run gpualert-epilog
PY_FILES := setup.py gpualert_slurm spank epilog classifier notify tests demo doc corpus

.PHONY: all build deps venv c nvml test unit integration system torch check typing lint law shell fuzz demo matrix matrix-quick matrix-full sanitize bench bench-capture bench-node bench-scan bench-notify bench-judge soak docs goldens eval corpus experiments clean help

all: build

help: ## what the targets do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

TORCH_HOME ?= /opt/gpualert-torch
# The CPU build where pip knows one under that version (2.13.0+cpu comes before 2.13.0), else the CUDA build. Any from 2.6 on will do.
TORCH ?= torch==2.13.0

torch: deps ## PyTorch for the system tests with real ranks, where every user can run it (TORCH_HOME=/opt/gpualert-torch, TORCH='torch>=2.6')
	@bash tests/testbed/make-torch.sh "$(TORCH_HOME)" "$(PYTHON)" '$(TORCH)' numpy

deps: ## Debian packages for building, the test bed and the demo (root; skipped elsewhere)
	@bash tests/testbed/install-packages.sh

venv: $(VENV)/.stamp

$(VENV)/.stamp: pyproject.toml setup.py
	@test -n "$(PYTHON)" || { echo "gpualert needs Python 3.10 or later; on Debian: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) cannot make environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

c: ## the C programs, and the SPANK plugin where Slurm's headers are
	$(MAKE) --no-print-directory -C spank/plugin all

nvml: ## the test bed's NVML library
	@if [ -f tests/testbed/nvml/Makefile ]; then $(MAKE) --no-print-directory -C tests/testbed/nvml; fi

build: venv c nvml ## everything into .venv/
	@for p in $(C_PROGRAMS); do if [ -x spank/plugin/build/$$p ]; then install -m 0755 spank/plugin/build/$$p $(BIN)/$$p; fi; done

test: deps build unit integration system ## environment, build, and all tests

# Real daemons, clocks and signals on a busy machine: what fails is run once more after a pause (a service may still be ending), and named as
# rerun in the summary; twice is a failure.
AGAIN := --reruns 1 --reruns-delay 5 -raR

unit: ; $(BIN)/python -m pytest tests/unit -q $(AGAIN)
integration: ; $(BIN)/python -m pytest tests/integration -q $(AGAIN)
system: ; GPUALERT_TORCH_HOME='$(TORCH_HOME)' $(BIN)/python -m pytest tests/system -q $(AGAIN)

check: build lint typing law shell fuzz ## ruff, mypy, room law, shellcheck, a minute of fuzzing

lint: ; $(BIN)/ruff check $(PY_FILES)

# mypy -p finds only the core behind package_dir; .typing/ holds links that show it every room, and the count must match git's.
typing:
	@rm -rf .typing && mkdir -p .typing/gpualert_slurm
	@for f in gpualert_slurm/*; do ln -s "$$PWD/$$f" .typing/gpualert_slurm/; done
	@for r in spank epilog classifier notify; do ln -s "$$PWD/$$r" .typing/gpualert_slurm/$$r; done
	@want=$$(git ls-files 'gpualert_slurm/*.py' 'spank/*.py' 'epilog/*.py' 'classifier/*.py' 'notify/*.py' | wc -l); \
	out=$$(MYPYPATH=.typing $(BIN)/mypy -p gpualert_slurm --python-executable $(BIN)/python --no-namespace-packages) || { echo "$$out"; exit 1; }; \
	echo "$$out"; have=$$(grep -oE 'in [0-9]+ source file' <<< "$$out" | grep -oE '[0-9]+'); \
	test "$$have" = "$$want" || { echo "mypy looked at $$have files, git has $$want: commit new files, or mend .typing" >&2; exit 1; }
	@MYPYPATH=.typing $(BIN)/mypy --strict --explicit-package-bases --exclude '^demo/train/' demo tests/testbed corpus

law: ; $(BIN)/python -m pytest tests/unit/test_room_law.py -q

shell:
	@git ls-files '*.sh' .ci/run | xargs -r $(BIN)/shellcheck

fuzz: venv ## random bytes against what reads logs and verdicts (GPUALERT_FUZZ_S seconds a target, default 9)
	$(BIN)/python -m tests.fuzz

demo: ## five jobs, an array and a requeue on a real Slurm cluster on this machine, and the mails their owners get
	@bash demo/run.sh

matrix: deps build ## the system tests on three Slurm versions, two ways of tracking processes (root; half an hour, 3 GB); writes doc/matrix.md
	@bash tests/testbed/install-packages.sh tests/matrix/packages.txt
	$(BIN)/python -m tests.matrix --jobs 2 --page doc/matrix.md

QUICK := $(foreach t,plugin tracking node_reports,--tests tests/system/test_$(t).py)

matrix-quick: deps build ## the plugin on Debian's two newer Slurm versions, as far as they can be had (root; a quarter of an hour)
	@bash tests/testbed/install-packages.sh tests/matrix/packages.txt
	$(BIN)/python -m tests.matrix --suite trixie --suite newest $(QUICK) --limit-min 40 --run-limit-min 12 || test $$? = 2 # nothing could be had: said

matrix-full: deps build ## every way a job ends under everything that can be wrong with gpualert (root; three quarters of an hour); writes doc/exit-status-matrix.md
	$(BIN)/python -m tests.system.exit_matrix --page doc/exit-status-matrix.md

sanitize: deps build ## the C code under ASan, UBSan, TSan and valgrind, with failing calls, and a minute of fuzzing (ten minutes)
	@bash tests/testbed/install-packages.sh spank/plugin/tests/sanitize-packages.txt
	$(MAKE) --no-print-directory -C spank/plugin sanitize
	$(BIN)/python -m pytest tests/integration/spank tests/integration/run -q
	GPUALERT_BUILD=asan $(BIN)/python -m pytest tests/integration/spank/test_failing_calls.py -q
	$(MAKE) --no-print-directory -C spank/plugin fuzz

bench: build ## what gpualert costs, as differences on one machine; writes its section of doc/performance.md
	$(BIN)/python -m tests.bench --group bench

bench-capture: build ## what capture costs a job and gpualert-run a command (root, half an hour); writes its section of doc/performance.md
	$(BIN)/python -m tests.bench --group bench-capture

bench-notify: build ## 10,000 mails through a relay that fails, the sender killed twenty times; 5,000 jobs that end within a minute (root; ten minutes); writes its section of doc/performance.md
	$(BIN)/python -m tests.bench.notify

bench-scan: build ## how fast logs are read, beside ripgrep where it is installed (a few minutes, 2.5 GB in TMPDIR); writes its section of doc/performance.md
	$(BIN)/python -m tests.bench.scan

bench-judge: build ## a job of 1,024 ranks, merged and judged (a minute); writes its section of doc/performance.md
	$(BIN)/python -m tests.bench.judge

bench-node: build ## what gpualert-node costs a node (root, three minutes); writes its section of doc/performance.md
	$(BIN)/python -m tests.bench.node

SOAK_S ?= 600

soak: build ## random writers, killed at random times, for SOAK_S seconds: not a byte may be lost
	GPUALERT_SOAK_S=$(SOAK_S) $(BIN)/python -m pytest -q tests/integration/spank/test_nothing_lost.py

docs: build ## pages that are generated from the code
	$(BIN)/python doc/generate.py

goldens: venv ## what real frameworks print, against the recorded logs (UPDATE=1 records; 9 GB, half an hour; doc/goldens.md)
	$(BIN)/python -m tests.goldens $(if $(GOLDENS_HOME),--home $(GOLDENS_HOME)) $(if $(ONLY),--only $(ONLY)) $(if $(UPDATE),--update)

eval: venv ## how right the verdicts are over corpus/cases; writes corpus/report.md and its pictures (a few minutes)
	$(BIN)/python -m corpus.score

corpus: build ## make cases of the corpus again: RECIPE=name, NUMBER=n (root and the test bed; doc/corpus.md)
	$(BIN)/python -m corpus.make $(foreach r,$(RECIPE),--recipe $(r)) $(foreach n,$(NUMBER),--number $(n))

experiments: build ## five questions beside classification, on the test bed (root, some minutes); writes corpus/experiments.md
	$(BIN)/python -m corpus.experiments

clean:
	rm -rf build dist .typing *.egg-info demo-out
	$(MAKE) --no-print-directory -C spank/plugin clean
