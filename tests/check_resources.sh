#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: check_resources.sh [--write] nvcc-version object.cu.o...
# What each kernel takes of a multiprocessor (sm_90), against the table kernel_resources.txt: a register more may cost a
# resident warp, and a change that was not meant to touch a kernel shows when it does. No kernel may have a stack or
# spill, whatever the table says. The figures are ptxas's own, so another nvcc has others: then only that is checked,
# and the rest skipped (77). --write brings the table up to date.
set -eu
export LC_ALL=C # sorted alike everywhere

table=$(cd "$(dirname "$0")" && pwd)/kernel_resources.txt
write=
if [ "$1" = --write ]; then
    write=yes
    shift
fi
version=$1
shift
built=$(mktemp)
trap 'rm -f "$built"' EXIT

for object; do
    [ -f "$object.resources" ] || { echo "$object.resources is not there: build the library again" >&2; exit 1; }
done

# A kernel's lines follow the one that names it (cmake/record-resources); its stack is the largest of its functions'.
# Names lose what all have in common.
{
    echo "# nvcc $version, sm_90: registers, static shared memory, stack and spills (bytes), kernel"
    for object; do cat "$object.resources"; done | awk '
        function number_before(words) { return match($0, "[0-9]+ " words) ? substr($0, RSTART) + 0 : 0 }
        /Compiling entry function/ {
            split($0, quoted, "\047")
            here = quoted[4] == "sm_90"
            name = quoted[2]
            stack = spills = 0
        }
        !here { next }
        / bytes stack frame/ {
            if (number_before("bytes stack frame") > stack) stack = number_before("bytes stack frame")
            spills += number_before("bytes spill stores") + number_before("bytes spill loads")
        }
        /: Used / { print number_before("registers"), number_before("bytes smem"), stack, spills, name; here = 0 }' |
        c++filt | sed -E 's/ void / /; s/\bonepass:://g; s/\([^()]*\)$//; s/([0-9])u\b/\1/g; s/> >/>>/g; s/> >/>>/g' |
        sort -k5
} >"$built"

num_kernels=$(($(wc -l <"$built") - 1))
if [ $num_kernels = 0 ]; then
    echo "skipped: the library was not built for sm_90"
    exit 77
fi
if grep -v '^#' "$built" | awk '$3 != 0 || $4 != 0' | grep .; then
    echo "these kernels have a stack or spill: third and fourth column" >&2
    exit 1
fi

if [ -n "$write" ]; then
    cp "$built" "$table"
    echo "$num_kernels kernels written to $table"
elif [ "$(head -n 1 "$built")" != "$(head -n 1 "$table")" ]; then
    echo "skipped: the table is not for this nvcc ($version); its $num_kernels kernels have no stack and no spills"
    exit 77
elif ! diff "$table" "$built"; then
    echo "'<' is in tests/kernel_resources.txt, '>' is what was built. If that is meant, build kernel_resources:" >&2
    echo "    cmake --build --preset release --target kernel_resources" >&2
    exit 1
else
    echo "$num_kernels kernels as in the table"
fi
