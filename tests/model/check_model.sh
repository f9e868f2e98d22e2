#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# check_model.sh model.pml folder outcome [-Dname=value...]: lets spin search all states of the model, in the folder.
# The outcome says what must come of it:
#   holds     no assertion fails, nothing waits for ever, and every statement of the model is reached
#   ends      in every execution every launch ends (the model's formula), and the above
#   ends-not  the formula fails
#   other     the first error, in spin's words: what a planted bug must lead to
set -eu

model=$1 folder=$2 outcome=$3
shift 3
mkdir -p "$folder"
cd "$folder"
rm -f pan pan.* spin.out ./*.trail

fail() {
    echo "$(basename "$model"): $*"
    cat spin.out pan.out 2>/dev/null || true
    exit 1
}

# A planted bug is found in no time, so there it is the compiler that must not take long. The largest model has two
# million states, 250 MB, and is 550 steps deep.
case $outcome in
holds) options=(-O1 -DSAFETY -DNOCLAIM) search=() ;;
ends*) options=(-O1) search=(-a) ;;
*) options=(-O0 -DSAFETY -DNOCLAIM) search=() ;;
esac

spin -a "$@" "$model" >spin.out 2>&1 || fail "spin does not take the model"
"${CC:-cc}" -w "${options[@]}" -DMEMLIM=1000 -o pan pan.c || fail "the search does not compile"
./pan -m1000 -w21 "${search[@]}" >pan.out || fail "the search broke off"
grep -E '^pan:1|errors:|states, stored' pan.out || true

error=$(sed -n 's/^pan:1: \(.*\) (at depth .*/\1/p' pan.out)
case $outcome in
holds | ends)
    grep -q 'errors: 0$' pan.out || fail "expected no error"
    ! grep -E 'Search not completed|search depth too small' pan.out || fail "expected a search of all states"
    # Roles have no end, and the formula is no part of the model.
    ! grep ', state [0-9]*, ' pan.out | grep -v '"-end-"\|_spin_nvr' || fail "not all of the model is reached"
    ;;
ends-not) [ "$error" = "acceptance cycle" ] || fail "expected a launch that does not end" ;;
*) [ "$error" = "$outcome" ] || fail "expected $outcome" ;;
esac
