#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make gpu-test: builds on a machine with a GPU, runs there what CI cannot: the primitives, the tests of the library
# on the CUDA backend, the demo, a sanitizer over a part of them, and the timing table. Fails if anything fails, or is
# skipped. CMocka is taken from build/cmocka/ (header and library) where the machine has none. Under five minutes.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/local/cuda/bin
build=build/device
tests=(test_scan test_reduce test_select test_cases test_cases_values test_digests test_reserve test_arguments
    test_arguments_select test_context)
arguments=(-DCMAKE_BUILD_TYPE=Release -DONEPASS_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90-real)
if [ -d build/cmocka ]; then
    export LD_LIBRARY_PATH=$PWD/build/cmocka
    arguments+=("-DCMOCKA_INCLUDE_DIR=$PWD/build/cmocka" "-DCMOCKA_LIBRARY=$PWD/build/cmocka/libcmocka.so.0")
fi
mkdir -p $build
cmake -S . -B $build "${arguments[@]}" >$build/configure.log
cmake --build $build -j "$(nproc)" --target "${tests[@]}" onepass_gpu_bench onepass_lines test_gpu_primitives \
    test_gpu_primitives_sm80 >$build/build.log

# must_run name command...: it succeeds, and nothing in it was skipped for want of a GPU.
must_run() {
    local log=$build/$1.log
    timeout 250 "${@:2}" >"$log" 2>&1 || { tail -30 "$log"; echo "FAILED: ${*:2}"; return 1; }
    ! grep -iE "^\[ +SKIPPED.* on cuda|\*\*\*Skipped" "$log" || { echo "SKIPPED: ${*:2}"; return 1; }
    grep -E "^\[ +OK \].* on cuda|tests passed|all equal" "$log"
}

# Side by side: their oracles want cores, and other programs' kernels are what a busy GPU is.
jobs=()
export ONEPASS_TEST_FILTER='* on cuda'
for test in "${tests[@]}"; do
    must_run "$test" "$build/$test" &
    jobs+=($!)
done
for job in "${jobs[@]}"; do
    wait "$job"
done
must_run primitives ctest --test-dir $build -L gpu --no-tests=error --output-on-failure
must_run demo $build/onepass_lines include/onepass.h
grep -q "backend *CUDA" $build/demo.log
ONEPASS_TEST_FILTER='test_every_alignment on cuda'
for test in test_scan test_reduce test_select; do
    must_run "memcheck_$test" compute-sanitizer --tool memcheck --error-exitcode 9 "$build/$test"
done
$build/onepass_gpu_bench
