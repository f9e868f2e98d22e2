#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_sass.sh program: looks into the machine code of the primitive tests (sm_90) for what the sources count on:
# shuffles with their predicate, one-instruction reductions, 16-byte accesses, the asynchronous copies; and for what must
# not be there: local memory, a contracted multiply and add. Exits with 77 (skipped) where there is no cuobjdump.
set -u
cuobjdump=${CUOBJDUMP:-cuobjdump}
command -v "$cuobjdump" >/dev/null || { echo "skipped: no cuobjdump"; exit 77; }
sass=$(mktemp)
trap 'rm -f "$sass"' EXIT
"$cuobjdump" -sass "$1" >"$sass" || exit 1
failures=0

# count function-pattern instruction-pattern: how often the instruction is in the first such function
count() {
    awk -v f="$1" -v i="$2" '
        /Function : /       { here = !seen && $0 ~ f; if (here) seen = 1 }
        here && $0 ~ "^[ \t]*/\\*[0-9a-f]+\\*/" && $0 ~ i { n++ }
        END                 { print seen ? n + 0 : "none" }' "$sass"
}

# expect what function-pattern instruction-pattern at-least
expect() {
    local n
    n=$(count "$2" "$3")
    if [ "$n" = none ] || [ "$n" -lt "$4" ]; then
        echo "$1: $3 in $2: $n, expected at least $4"
        failures=$((failures + 1))
    fi
}

# Three scans of five steps each and the shift to `before`. The operator is applied under the shuffle's own predicate.
expect "scan by shuffles" 'scan_kernelILj32EfN7onepass6op_SUM' 'SHFL.UP P[0-9]' 16
expect "predicated operator" 'scan_kernelILj32EfN7onepass6op_SUM' '@P[0-9] FADD' 15
expect "one-instruction sum" 'reduce_kernelIiN7onepass6op_SUM' 'REDUX.SUM' 1
expect "one-instruction minimum" 'reduce_kernelIiN7onepass6op_MIN' 'REDUX.MIN.S32' 1
expect "lanes by value" 'group_kernelIj' 'MATCH.ANY' 1
expect "block barriers" 'reduce_kernelIiN7onepass6op_SUM' 'BAR.SYNC' 2
expect "16-byte loads of rows" 'copy_rows_kernelIjj' 'LDG?.E.128' 2
expect "16-byte stores of rows" 'copy_rows_kernelIjj' 'STG?.E.EF.128' 1
expect "16-byte stores of widened rows" 'copy_rows_kernelIhm' 'STG?.E.EF.128' 8
expect "bulk copy" 'ring_kernelILb1E' 'UBLKCP' 1
expect "16-byte asynchronous copy" 'ring_kernelILb0E' 'LDGSTS.E.BYPASS.128' 1
expect "128-bit relaxed load" 'chain_kernelIL9hand_over3E' 'LDG.E.128.STRONG.GPU' 1
expect "128-bit relaxed store" 'chain_kernelIL9hand_over3E' 'STG.E.128.STRONG.GPU' 1
expect "fences" 'chain_kernelIL9hand_over1E' 'MEMBAR' 3

for forbidden in LDL STL FFMA DFMA; do
    if grep -qE "^[[:space:]]*/\*[0-9a-f]+\*/.*[ ;]$forbidden[. ]" "$sass"; then
        echo "$forbidden is in the code of a primitive"
        failures=$((failures + 1))
    fi
done
[ "$failures" -eq 0 ] && echo "machine code as expected"
exit $((failures != 0))
