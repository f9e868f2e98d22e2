#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: check_includes.sh [folder]
# Includes go one way: primitives -> lookback -> compaction -> (seam in plain C) -> src. Plain C, the seam's headers too,
# never sees CUDA C++, CUB stays in baselines/, the tests in tests/, and the public header needs nothing but <stddef.h>
# and <stdint.h>.
set -eu

cd "${1:-"$(dirname "$0")/.."}"

failed=0
fault() {
    echo "$1: includes $2: $3" >&2
    failed=1
}

# Sets target to the project's file that an include names, written in any way that a search path could resolve; or to
# the name itself.
resolve() { # including-file name
    local dir
    target=$2
    for dir in "${1%/*}" . include src src/primitives src/host src/cuda lookback compaction baselines tests tests/simt; do
        if [ -f "$dir/$2" ]; then
            target=${dir#.}/$2
            target=${target#/}
            [[ $target != *..* ]] || target=$(realpath --relative-to=. "$target")
            return
        fi
    done
}

num_includes=0
while IFS=: read -r file line; do
    num_includes=$((num_includes + 1))
    [[ $line =~ include[[:space:]]*[\<\"]?([^\>\"]*) ]]
    name=${BASH_REMATCH[1]}
    resolve "$file" "$name"

    case $file in
    include/*)
        [[ $name == stddef.h || $name == stdint.h ]] || fault "$file" "$name" "the public header stands alone" ;;
    src/primitives/*)
        [[ $target != @(lookback|compaction|baselines)/* ]] || fault "$file" "$target" "a higher layer" ;;
    lookback/*)
        [[ $target != @(compaction|baselines)/* ]] || fault "$file" "$target" "a higher layer" ;;
    compaction/*)
        [[ $target != baselines/* ]] || fault "$file" "$target" "only tests and benchmarks may" ;;
    src/*)
        [[ $target != baselines/* ]] || fault "$file" "$target" "only tests and benchmarks may" ;;
    esac
    # Of src/, device code sees what it has in common with plain C, and nothing that calls it.
    if [[ $file == @(src/primitives|lookback|compaction)/* &&
        $target == @(src/@(host|cuda)/*|src/@(backend|check|context).h) ]]; then
        fault "$file" "$target" "a higher layer"
    fi
    # The emulator's headers are C++.
    [[ $file != *.[ch] || $file == tests/simt/*.h || $target != *.@(cuh|cu) ]] ||
        fault "$file" "$target" "plain C never sees CUDA C++"
    [[ $file == baselines/* || $name != cub/* ]] || fault "$file" "$name" "CUB is for baselines/ only"
    # ptx.cuh is the one door to the emulator that runs the kernels without a GPU.
    [[ $file == tests/* || $target != tests/* || $file:$target == src/primitives/ptx.cuh:tests/simt/simt_ptx.h ]] ||
        fault "$file" "$target" "the tests are for tests/ only"
done < <(grep -rE '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' --include='*.cu' --include='*.cuh' \
    --include='*.[ch]pp' include src lookback compaction baselines tests bench examples 2>/dev/null)

[ $num_includes -gt 0 ] || fault "." "nothing" "no include directive was found to check"
[ $failed = 0 ] || exit 1
echo "$num_includes includes"
