# SPDX-License-Identifier: MIT
# A short front to CMake. `make demo` and `make test` need nothing but Debian or Ubuntu and make: they install the rest.

MAKEFLAGS += --no-print-directory

PREFIX = /usr/local
JOBS = $(shell nproc)

.PHONY: all demo test gpu-test bench install clean

# Without the tests, so that a C compiler and CMake are enough.
all:
	cmake --preset release -DONEPASS_BUILD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --build --preset release -j $(JOBS)

demo:
	scripts/install-packages demo
	cmake --preset release -DONEPASS_BUILD_TESTS=OFF
	cmake --build --preset release -j $(JOBS) --target onepass_lines
	build/release/onepass_lines

# The whole matrix. Current kernels place memory at random where older ThreadSanitizers do not expect it: setarch -R
# stops that, where it is allowed. Where there is nvcc, device code that is not built is an error.
test:
	scripts/install-packages test
	set -e; for preset in release asan tsan; do \
	    cuda=; if [ $$preset = release ] && command -v nvcc; then cuda=-DONEPASS_CUDA=ON; fi; \
	    cmake --preset $$preset $$cuda; \
	    cmake --build --preset $$preset -j $(JOBS); \
	    run=; if [ $$preset = tsan ] && setarch -R true; then run='setarch -R'; fi; \
	    $$run ctest --preset $$preset -j $(JOBS); \
	done
	set -e; if command -v clang; then \
	    cmake --preset release -B build/clang -DCMAKE_C_COMPILER=clang -DONEPASS_CUDA=OFF; \
	    cmake --build build/clang -j $(JOBS) --target onepass_shared onepass_static host_tests; \
	    ctest --test-dir build/clang -j $(JOBS) -L host --output-on-failure; \
	fi

# On a machine with a GPU: what `make test` cannot run.
gpu-test:
	tests/gpu/gpu_test.sh

bench: all
	build/release/onepass_host_bench

install: all
	cmake --install build/release

clean:
	rm -rf build
