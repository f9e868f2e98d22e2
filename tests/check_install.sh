#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: check_install.sh build-folder
# Installs the library, moves what was installed, and builds and runs a program of somebody else's with it: through the
# CMake package and through pkg-config, against the shared and against the static library.
set -eu

build=$1
root=$(cd "$(dirname "$0")/.." && pwd)
cc=${CC:-cc}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset DESTDIR

cmake --install "$build" --prefix "$dir/installed" >/dev/null
mv "$dir/installed" "$dir/moved"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$dir/moved" -name onepass.pc)")
libdir=$(pkg-config --variable=libdir onepass)

# A program must work, and must need the shared library or not, as its name says.
check() {
    local kind=${1##*-}
    LD_LIBRARY_PATH=$libdir "$1"
    if readelf -d "$1" | grep -q 'NEEDED.*libonepass\.so'; then
        [ "$kind" = shared ] || { echo "$1 needs the shared library" >&2; exit 1; }
    else
        [ "$kind" = static ] || { echo "$1 does not need the shared library" >&2; exit 1; }
    fi
    echo "${1##*/}: works"
}

program=$root/tests/outside
cmake -S "$program" -B "$dir/outside" -DCMAKE_PREFIX_PATH="$dir/moved" -DCMAKE_C_COMPILER="$cc" >/dev/null
cmake --build "$dir/outside" >/dev/null
check "$dir/outside/cmake-shared"
check "$dir/outside/cmake-static"

# pkg-config prints words for the shell to split.
# shellcheck disable=SC2046
"$cc" "$program/main.c" $(pkg-config --cflags --libs onepass) -o "$dir/pkg-config-shared"
# shellcheck disable=SC2046
"$cc" -static "$program/main.c" $(pkg-config --static --cflags --libs onepass) -o "$dir/pkg-config-static"
check "$dir/pkg-config-shared"
check "$dir/pkg-config-static"

version=$(sed -nE 's/^#define ONEPASS_VERSION_(MAJOR|MINOR|PATCH) (.*)/\2/p' "$root/include/onepass.h" | paste -sd.)
if [ "$(pkg-config --modversion onepass)" != "$version" ]; then
    echo "pkg-config says version $(pkg-config --modversion onepass), the header $version" >&2
    exit 1
fi
