#!/usr/bin/env bash
# check.sh [CONFIG] [--fast]  all that must hold before a change goes in, one OK or FAILED line each.
#   --fast leaves out what needs a compiler: build, tests and headers.
set -uo pipefail
cd "$(dirname "$0")/../.."
config=release
fast=0
for argument in "$@"; do
  case $argument in
    --fast) fast=1 ;;
    -*) echo "check.sh: no option $argument" >&2; exit 2 ;;
    *) config=$argument ;;
  esac
done

failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# check NAME COMMAND...  prints the end of what a check said only when it fails.
check() {
  local name=$1
  shift
  if "$@" >"$log" 2>&1; then
    echo "$name: OK"
  else
    tail -n 60 "$log"
    echo "$name: FAILED"
    failed=1
  fi
}

check layering python3 tools/dev/check_layering.py
check border python3 tools/dev/check_border.py
check words python3 tools/dev/check_words.py
check scenarios python3 tools/dev/check_scenarios.py
check sizes python3 tools/dev/check_sizes.py
check face python3 tools/dev/check_face.py
check picture python3 tools/dev/draw_step.py --check
if command -v clang-format >/dev/null; then
  check format tools/dev/format.sh --check
else
  echo "format: skipped, there is no clang-format"
fi
if [ "$fast" -eq 0 ]; then
  check build tools/dev/build.sh "$config"
  check tests ctest --test-dir "build/$config" --output-on-failure -j 2 -LE slow
  check wheel ctest --test-dir "build/$config" --output-on-failure -R '^python_wheel$'
  check headers tools/dev/build.sh "$config" check_headers
fi
exit "$failed"
