# The everyday commands. Each sets the machine up and builds what it needs
# first; on a machine that is set up and built that takes seconds.

BUILD := build
JOBS  ?= $(shell scripts/jobs.sh)
CORES := $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help setup build readers rivals demo check quick bench cost-model format docs tidy asan clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## install the Debian packages that are missing
	@scripts/setup.sh

build: setup $(BUILD)/build.ninja ## build everything
	@cmake --build --preset dev -j $(JOBS)

# Ninja reruns CMake when a CMakeLists.txt changes; presets it does not know.
$(BUILD)/build.ninja: CMakePresets.json | setup
	cmake --preset dev
	@touch $@

demo: build ## quantize and run a real layer in all six formats
	@python3 scripts/demo.py --build $(BUILD)

# Other projects' readers of checkpoints, from PyPI where that can be reached.
readers:
	@scripts/install-pypi.sh $(BUILD) readers "the tests that need them are skipped"

# Other projects' matmuls that Debian does not have, from PyPI likewise.
rivals:
	@scripts/install-pypi.sh $(BUILD) rivals "the benchmarks go on without"

check: build readers ## run every test, the format check and the docs check
	ctest --preset dev -j $(CORES)

quick: build ## run the tests that take no more than seconds
	ctest --preset dev -j $(CORES) -LE slow

# `make bench BENCH_FLAGS="-t 1 --seconds=1"` for less of it.
bench: build rivals ## run the benchmarks: tables, figures in JSON, a roofline
	@$(BUILD)/benchmarks/quantize-benchmark
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(BUILD)/benchmarks/matmul-benchmark \
	  benchmarks/suites/full.json --json=$(BUILD)/benchmarks/matmul.json \
	  --ggml="$$(ls $(BUILD)/rivals/lib/python*/site-packages/libggml/lib64/libggml-cpu.so 2>/dev/null)" \
	  $(BENCH_FLAGS)
	@python3 scripts/summarize-bench.py $(BUILD)/benchmarks/matmul.json
	@python3 scripts/plot-bench.py $(BUILD)/benchmarks/matmul.json $(BUILD)/benchmarks/matmul.svg
	@echo "figures: $(BUILD)/benchmarks/matmul.json, roofline: $(BUILD)/benchmarks/matmul.svg"

# `make cost-model COST_FLAGS="--target avx512 --columns 1"` for less of it.
cost-model: build ## predict the speed of kernels for processors not at hand
	@python3 scripts/cost-model.py --build $(BUILD) $(COST_FLAGS)

format: setup ## format the C++ files in place
	@scripts/check-format.sh --fix

docs: setup ## regenerate docs/generated
	@scripts/gen-docs.sh

tidy: build ## run clang-tidy over the project's own sources
	run-clang-tidy-22 -quiet -j $(JOBS) -p $(BUILD) '^$(CURDIR)/(lib|tools|unittests)/'

asan: setup ## build and test with AddressSanitizer and UBSan
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(CORES)

clean: ## remove the build trees
	rm -rf build build-*
