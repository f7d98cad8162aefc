# The commands of this project; `make` alone lists them. Results: build/lib and build/bin.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BUILD ?= build
JOBS ?= $(shell nproc)
TEST_JOBS ?= 2
# Arguments for one run, e.g. make test CTEST_ARGS="-R pattern", make demo DEMO_ARGS="--ranks 8".
CMAKE_ARGS ?=
CTEST_ARGS ?=
DEMO_ARGS ?=
TEST_CEPH_ARGS ?=
BENCH_ARGS ?=

CTEST = ctest --test-dir $(BUILD) -j$(TEST_JOBS) --output-on-failure --timeout 300

.PHONY: help deps deps-ceph configure build test test-unit test-ceph demo bench lint lint-tidy format clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

deps: ## install missing Debian packages (root or sudo)
	@scripts/install-deps

configure: deps
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_ARGS) > $(BUILD).configure.log 2>&1 \
	  || { cat $(BUILD).configure.log; rm -f $(BUILD).configure.log; exit 1; }
	@mv $(BUILD).configure.log $(BUILD)/configure.log
	@grep 'not built' $(BUILD)/configure.log || true

build: configure ## build everything for every MPI found
	@cmake --build $(BUILD) -j $(JOBS)

test: build ## install, build and run all tests
	@$(CTEST) $(CTEST_ARGS)

test-unit: build ## only the tests that need no MPI launcher
	@$(CTEST) -L unit $(CTEST_ARGS)

deps-ceph:
	@scripts/install-deps scripts/debian-packages-ceph.txt

test-ceph: deps-ceph build ## the ceph device on a throw-away cluster of this machine
	@scripts/test-ceph --build $(BUILD) $(TEST_CEPH_ARGS)

demo: build ## a 16-rank program through the preload, beside the host's MPI-IO
	@scripts/demo --build $(BUILD) $(DEMO_ARGS)

bench: build ## all benchmarks, beside the host and hand-written code (BENCH_ARGS=--quick)
	@bench/run.py --build $(BUILD) $(BENCH_ARGS)

lint: deps ## formatting and include directions
	@scripts/check_includes.py
	@scripts/format --check

lint-tidy: configure ## clang-tidy (FILES="..." for a selection)
	@scripts/tidy $(BUILD) $(FILES)

format: deps ## format all sources in place
	@scripts/format

clean: ## remove the build directory
	@rm -rf $(BUILD)
