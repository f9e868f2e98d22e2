#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The public header alone, without a warning, in every C and C++ standard it promises, under each compiler that is
# there; and every _INIT macro makes a struct that knows its own size.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# ONEPASS_SCAN_SPEC_INIT starts an onepass_scan_spec.
structs=$(sed -nE 's/^#define (ONEPASS_[A-Z_]+)_INIT\b.*/\L\1/p' "$root/include/onepass.h")
[ -n "$structs" ] || { echo "no _INIT macro found in include/onepass.h" >&2; exit 1; }

{
    echo '#include "onepass.h"'
    for struct in $structs; do
        echo "static const $struct from_$struct = ${struct^^}_INIT;"
    done
    echo 'int main(void)'
    echo '{'
    for struct in $structs; do
        echo "    const $struct local_$struct = ${struct^^}_INIT;"
        echo "    if (from_$struct.size != sizeof($struct) || local_$struct.size != sizeof($struct)) return 1;"
    done
    echo '    return 0;'
    echo '}'
} >"$dir/use.c"
cp "$dir/use.c" "$dir/use.cpp"

num_checked=0
check() { # compiler source standard...
    local compiler=$1 source=$2 standard
    shift 2
    command -v "$compiler" >/dev/null || return 0
    for standard; do
        if ! "$compiler" -std="$standard" -pedantic -Wall -Wextra -Werror -I "$root/include" -o "$dir/use" "$source" ||
            ! "$dir/use"; then
            echo "include/onepass.h fails with $compiler -std=$standard" >&2
            exit 1
        fi
        num_checked=$((num_checked + 1))
    done
}

for compiler in gcc clang; do check $compiler "$dir/use.c" c99 c11 c17; done
for compiler in g++ clang++; do check $compiler "$dir/use.cpp" c++11 c++14 c++17 c++20; done

[ $num_checked -gt 0 ] || { echo "neither gcc nor clang found" >&2; exit 1; }
echo "$num_checked pairs of compiler and standard;" "${structs//$'\n'/ }"
