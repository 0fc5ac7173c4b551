#!/usr/bin/env bash
# build.sh [CONFIG [TARGET ...]]  configures and builds in build/CONFIG; CONFIG is release, debug, asan, tsan, or cuda:
# the release with kernels of GPUs.
set -euo pipefail
cd "$(dirname "$0")/../.."
config=${1:-release}
shift || true
# Depend mode: a precompiled header of sources that differ in comments only is another one.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros,pch_defines CCACHE_DEPEND=1
cmake -S . -B "build/$config" -G Ninja -C "tools/dev/$config.cmake" >/dev/null
cmake --build "build/$config" -- "$@"
