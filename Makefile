# Every target sets up what it needs; on a bare Debian 12 nothing but git and make is assumed.
.PHONY: help portable install uninstall deb docs demo demo-slurm test check bench build clean format conformance conformance-long conformance-random conformance-workload conformance-import conformance-pools conformance-advice conformance-blast fuzz proofs
.DEFAULT_GOAL := help

JOBS := $(shell nproc)

help:
	@echo 'make demo         build sluice and watch it work'
	@echo 'make demo-slurm   two accounts on a real local Slurm, one filled by a neighbour (root)'
	@echo 'make build        build/sluice'
	@echo 'make install      to PREFIX (/usr/local), with man pages, completions and systemd units'
	@echo 'make deb          Debian packages in build/: sluice, and its debug symbols apart'
	@echo 'make portable     build/sluice-portable: no shared libraries, for a home directory on any cluster'
	@echo 'make docs         the documentation as pages in build/site (mkdocs)'
	@echo 'make check        quick: layers, format, release build, unit tests, stories'
	@echo 'make test         everything, and again with clang and sanitizers'
	@echo 'make bench        a table of figures, each against a peer or a floor (SLURM=1: a real Slurm too)'
	@echo 'make conformance  run every story on a real Slurm (STORY=… some, RESUME=1 continues), 10 minutes'
	@echo 'make conformance-long   routing, chains and policies on a real Slurm at length, two hours'
	@echo 'make conformance-import SEED=1   clusters made by hand, imported and restored from the file alone (COUNT=10)'
	@echo 'make conformance-random SEED=1   the same on random cases (COUNT=10)'
	@echo 'make conformance-workload SEED=1   five days of 400 jobs, every start against a real Slurm'
	@echo 'make conformance-pools SEED=1   how many tasks pools say fit, against a real Slurm (COUNT=60)'
	@echo 'make conformance-advice SEED=1   the advice of sluice why, taken literally on a real Slurm (COUNT=40)'
	@echo 'make conformance-blast SEED=1   which jobs a policy plan says it affects, against a real Slurm (COUNT=30)'
	@echo 'make proofs       the long proofs of docs/reference/promises.md, hours'
	@echo 'make fuzz         fuzz every notation for a minute each'
	@echo 'make format       rewrite the C++ files as .clang-format has them'
	@echo 'make clean        remove what was built'

build:
	@scripts/setup build
	@test -f build/build.ninja || cmake --preset release --log-level=WARNING
	@cmake --build build --target sluice --parallel $(JOBS)

# Building says nothing here, so that the demo is what one sees.
demo:
	@scripts/setup build
	@test -f build/build.ninja || cmake --preset release --log-level=WARNING >/dev/null
	@test -f build/sluice || echo 'Building build/sluice; the first time this takes some minutes.'
	@said=$$(cmake --build build --target sluice --parallel $(JOBS) -- --quiet 2>&1) || \
	  { echo "$$said"; exit 1; }
	@scripts/demo

PREFIX := /usr/local
# What root builds and writes here belongs to the clone's owner, who builds here again later.
install: build
	@cmake --install build --prefix $(PREFIX) >/dev/null
	@test "$$(id -u)" -ne 0 || chown --recursive --no-dereference --reference=Makefile build
	@echo 'sluice is in $(PREFIX)/bin; next: sluice doctor'

# What the last install put there.
uninstall:
	@test -f build/install_manifest.txt || { echo 'nothing was installed from this folder' >&2; exit 1; }
	@xargs -d '\n' rm -f <build/install_manifest.txt
	@sed -n 's|\(.*/share/doc/sluice\)/.*|\1|p' build/install_manifest.txt | sort -u | \
	  xargs -r -d '\n' -I '{}' find '{}' -depth -type d -empty -delete
	@echo 'removed'

deb: build
	@cd build && cpack >/dev/null
	@ls -l build/sluice*.deb

portable:
	@scripts/setup build
	@test -f build/build.ninja || cmake --preset release --log-level=WARNING
	@cmake --build build --target sluice-portable --parallel $(JOBS)
	@ls -l build/sluice-portable

docs:
	@scripts/setup docs
	@scripts/check-docs

demo-slurm: build
	@scripts/demo-slurm

check:
	@scripts/setup build test
	@scripts/run-tests check

test:
	@scripts/setup build test
	@scripts/run-tests all

bench: build
	@cmake --build build --target benches --parallel $(JOBS)
	@SLURM=$(SLURM) scripts/bench

conformance: build
	@scripts/conformance $(if $(RESUME),--resume) $(STORY)

conformance-long: build
	@tests/slurm/routing
	@tests/clients/snakemake
	@scripts/setup clients
	@tests/clients/shims snakemake-cluster snakemake-slurm batchtools makeflow
	@tests/clients/shims slurm snakemake-cluster snakemake-slurm batchtools makeflow
	@tests/slurm/chains
	@tests/slurm/policy-as-code long
	@tests/slurm/policy-as-code site
	@tests/embedded/chains levels mixed_fail mixed large maximum

SEED := 1
COUNT := 10
conformance-import: build
	@tests/slurm/restore --seed $(SEED) --count $(COUNT)

conformance-random: build
	@scripts/conformance-random $(SEED) --count $(COUNT)

conformance-workload: build
	@scripts/conformance-workload $(SEED)

conformance-pools: COUNT := 60
conformance-pools: build
	@tests/slurm/pools --seed $(SEED) --count $(COUNT)

conformance-advice: COUNT := 40
conformance-advice: build
	@tests/slurm/advice --seed $(SEED) --count $(COUNT)

conformance-blast: COUNT := 30
conformance-blast: build
	@tests/slurm/blast --seed $(SEED) --count $(COUNT)

proofs: build
	@scripts/proofs

fuzz:
	@scripts/setup build fuzz
	@test -f build-fuzz/build.ninja || cmake --preset fuzz --log-level=WARNING
	@cmake --build build-fuzz --target fuzzers --parallel $(JOBS)
	@scripts/fuzz

format:
	@scripts/setup test
	@scripts/check-format --fix

clean:
	rm -rf build build-debug build-fuzz build-tsan build-coverage
