#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: check_tidy.sh [cuda-toolkit]
# clang-tidy-19, with the checks of .clang-tidy, over the plain C of the library, the examples and the benchmarks, and
# over the .cu files as device code for sm_90. Every finding is an error. Without a toolkit nothing that needs its
# headers is read; without clang-tidy-19 all is skipped (77).
set -eu

cd "$(dirname "$0")/.."
cuda=${1-}
tidy=${CLANG_TIDY:-clang-tidy-19}
if ! command -v "$tidy" >/dev/null; then
    echo "skipped: no $tidy (Debian: clang-tidy-19)"
    exit 77
fi

# No compilation database: nvcc's options mean nothing to clang, and one call for all of C is quicker.
c_flags=(-std=gnu11 -Wall -Wextra -Iinclude -Isrc -I.)
c_sources=(src/*.c src/host/[!k]*.c examples/*.c bench/host_bench.c) # kernels.c has a call of its own
if [ -n "$cuda" ]; then
    c_flags+=(-DONEPASS_HAVE_CUDA -isystem "$cuda/include")
    c_sources+=(src/cuda/*.c bench/gpu_bench.c)
fi

# Device code has reasons of its own: 32-bit offsets inside a tile save registers; x != x asks for NaN in templates that
# are written for integers too; so does sizeof(out) / sizeof(in), where both are one type; bulk copies take addresses
# as integers.
cuda_checks=-bugprone-implicit-widening-of-multiplication-result,-bugprone-sizeof-expression
cuda_checks+=,-misc-redundant-expression,-performance-no-int-to-ptr
cuda_flags=(-x cuda --cuda-device-only --cuda-gpu-arch=sm_90 "--cuda-path=$cuda" -nocudalib -Wno-unknown-cuda-version
    -std=c++17 -Iinclude -Isrc -I. -Itests/tidy)

failed=0
num_sources=0
check() { # clang-tidy's arguments, "--", the compiler's
    local output
    if ! output=$("$tidy" --quiet "$@" 2>&1); then
        failed=1
        grep -vE '^\[[0-9]+/[0-9]+\] |^[0-9]+ (warnings?|errors?)|^Suppressed |^Use -' <<<"$output" >&2 || true
    fi
}

check "${c_sources[@]}" -- "${c_flags[@]}"
num_sources=$((${#c_sources[@]} + 1))
# Vector kernels multiply small constants: places inside a row.
kernel_checks=-bugprone-implicit-widening-of-multiplication-result
check --checks="$kernel_checks" src/host/kernels.c -- "${c_flags[@]}" -DHOST_ISA=generic
if [ "$(uname -m)" = x86_64 ]; then
    check --checks="$kernel_checks" src/host/kernels.c -- "${c_flags[@]}" -DHOST_ISA=avx512 -DHOST_HAVE_X86 \
        -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2
fi
if [ -n "$cuda" ]; then
    cuda_sources=()
    for source in lookback/*.cu compaction/*.cu; do
        [ ! -f "$source" ] || cuda_sources+=("$source")
    done
    check --checks="$cuda_checks" "${cuda_sources[@]}" -- "${cuda_flags[@]}"
    num_sources=$((num_sources + ${#cuda_sources[@]}))
else
    echo "no CUDA toolkit: device code and what calls it were not read"
fi

if [ $failed != 0 ]; then
    echo "a finding that is wrong is switched off in its line, NOLINT(check), with the reason beside it" >&2
    exit 1
fi
echo "$num_sources files"
