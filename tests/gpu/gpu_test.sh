#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make gpu-test: builds on a machine with a GPU, runs there what CI cannot: the primitives, the tests of the library
# on the CUDA backend, some of them with the code for older GPUs, the demo, a sanitizer over a part of them, and the
# timing table. Fails if anything fails, or is skipped. CMocka is taken from build/cmocka/ (header and library) where
# the machine has none. Under five minutes.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/local/cuda/bin
build=build/device sm80=build/device_sm80
tests=(test_scan test_reduce test_select test_cases test_cases_values test_digests test_reserve test_arguments
    test_arguments_select test_context test_unique test_payload test_select_flags)
sm80_tests=(test_scan test_reduce test_select test_digests)
memcheck_tests=(test_scan test_reduce test_select)
arguments=(-DCMAKE_BUILD_TYPE=Release -DONEPASS_CUDA=ON)
if [ -d build/cmocka ]; then
    export LD_LIBRARY_PATH=$PWD/build/cmocka
    arguments+=("-DCMOCKA_INCLUDE_DIR=$PWD/build/cmocka" "-DCMOCKA_LIBRARY=$PWD/build/cmocka/libcmocka.so.0")
fi

# build_in folder configure-argument... -- target...
build_in() {
    local folder=$1 given=()
    shift
    while [ "$1" != -- ]; do
        given+=("$1")
        shift
    done
    mkdir -p "$folder"
    cmake -S . -B "$folder" "${arguments[@]}" ${given[@]+"${given[@]}"} >"$folder/configure.log" 2>&1 &&
        cmake --build "$folder" -j "$(nproc)" --target "${@:2}" >"$folder/build.log" 2>&1 ||
        { tail -n 30 "$folder/configure.log" "$folder/build.log"; echo "FAILED: building in $folder"; return 1; }
}

# must_run name command...: it succeeds, and nothing in it was skipped for want of a GPU.
must_run() {
    local log=$build/$1.log began=$SECONDS
    timeout 250 "${@:2}" >"$log" 2>&1 || { tail -n 30 "$log"; echo "FAILED: ${*:2}"; return 1; }
    ! grep -iE "^\[ +SKIPPED.* on cuda|\*\*\*Skipped" "$log" || { echo "SKIPPED: ${*:2}"; return 1; }
    grep -E "^\[ +OK \].* on cuda|tests passed|all equal" "$log" || { echo "NOTHING RUN: ${*:2}"; return 1; }
    echo "    $1: $((SECONDS - began)) s"
}

# Runs a command in the background, no more than two at a time: processes take turns on the GPU, by slices of time, so
# that each waits for the others at every call. With four test_scan took more than 200 s, alone 36 s.
mkdir -p $build
rm -f $build/failed
start() {
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
        wait -n || true
    done
    { "$@" || touch $build/failed; } &
}
wait_for_all() {
    wait
    [ ! -e $build/failed ]
}

# The first build is as users get it. The second has the code that GPUs from 8.0 on get, without bulk copies and 16-byte
# words, as machine code for this GPU, so that the driver need not compile it.
start build_in $build "-DCMAKE_CUDA_ARCHITECTURES=90-real;90-virtual" -- "${tests[@]}" \
    onepass_gpu_bench onepass_lines gpu_tests
start build_in $sm80 -DCMAKE_CUDA_ARCHITECTURES=OFF "-DCMAKE_CUDA_FLAGS=-gencode arch=compute_80,code=sm_90" \
    -DONEPASS_BUILD_BENCH=OFF -DONEPASS_BUILD_EXAMPLES=OFF -- "${sm80_tests[@]}"
wait_for_all
echo "built in $SECONDS s"

# Side by side: their oracles want cores, and other programs' kernels are what a busy GPU is.
export ONEPASS_TEST_FILTER='* on cuda'
start must_run gpu ctest --test-dir $build -L gpu -j 5 --no-tests=error --output-on-failure
for test in "${tests[@]}"; do
    start must_run "$test" "$build/$test"
done
for test in "${sm80_tests[@]}"; do
    filter='test_every_alignment on cuda'
    [ "$test" != test_digests ] || filter='* on cuda'
    ONEPASS_TEST_FILTER=$filter start must_run "sm80_$test" "$sm80/$test"
done
for test in "${memcheck_tests[@]}"; do
    ONEPASS_TEST_FILTER='test_every_alignment on cuda' \
        start must_run "memcheck_$test" compute-sanitizer --tool memcheck --error-exitcode 9 "$build/$test"
done
start must_run demo $build/onepass_lines include/onepass.h
# The PTX that newer GPUs get, compiled by the driver: of the demo's kernels, a few seconds.
start must_run demo_ptx env CUDA_FORCE_PTX_JIT=1 CUDA_CACHE_DISABLE=1 $build/onepass_lines include/onepass.h
wait_for_all
for log in demo demo_ptx; do
    grep -q "backend *CUDA" $build/$log.log || { echo "FAILED: $log ran on the host"; exit 1; }
done
echo "tested in $SECONDS s with the build"
$build/onepass_gpu_bench
echo "$SECONDS s in all"
