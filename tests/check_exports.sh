#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: check_exports.sh libonepass.so libonepass.a
# The shared library exports the functions that the header declares, and nothing else, and the archive that is installed
# shows the linker no others; the soname is by major version.
set -eu

library=$1
archive=$2
header=$(cd "$(dirname "$0")/.." && pwd)/include/onepass.h

# Every function that the header declares, also one whose ONEPASS_API was forgotten.
declared=$("${CC:-cc}" -E -P "$header" | grep -oE '\bonepass_[a-z0-9_]+ *\(' | tr -d ' (' | sort)

compare() { # file nm-option
    if ! diff <(echo "$declared") <(nm "$2" --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort); then
        echo "$1: '<' is declared in the header and not there, '>' is there and not declared" >&2
        exit 1
    fi
}
compare "$library" --dynamic
compare "$archive" --extern-only

major=$(sed -nE 's/^#define ONEPASS_VERSION_MAJOR ([0-9]+)$/\1/p' "$header")
soname=$(readelf -d "$library" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')
if [ "$soname" != "libonepass.so.$major" ]; then
    echo "$library: its soname is '$soname', and should be libonepass.so.$major" >&2
    exit 1
fi
echo "$(echo "$declared" | wc -l) functions, $soname"
