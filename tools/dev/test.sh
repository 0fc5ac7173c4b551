#!/usr/bin/env bash
# test.sh [CONFIG]  installs what is missing, builds and runs all tests but the slow ones, which check.sh runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
config=${1:-release}
tools/dev/install.sh
tools/dev/build.sh "$config"
ctest --test-dir "build/$config" --output-on-failure -j 2 -LE slow
