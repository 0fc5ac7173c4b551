#!/usr/bin/env bash
# build.sh [CONFIG [TARGET ...]]  configures and builds in build/CONFIG; CONFIG is release, debug, asan or tsan.
set -euo pipefail
cd "$(dirname "$0")/../.."
config=${1:-release}
shift || true
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros,pch_defines
cmake -S . -B "build/$config" -G Ninja -C "tools/dev/$config.cmake" >/dev/null
cmake --build "build/$config" -- "$@"
