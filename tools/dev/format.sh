#!/usr/bin/env bash
# format.sh [--check] [--all | FILE ...]  formats C++ sources as .clang-format says.
#   Without files: those that differ from the branch's upstream, or from HEAD where there is none, and new ones.
#   --check  changes nothing; lists the files that differ and fails when there are any.
set -euo pipefail
cd "$(dirname "$0")/../.."
check=0
all=0
files=()
for argument in "$@"; do
  case $argument in
    --check) check=1 ;;
    --all) all=1 ;;
    -*) echo "format.sh: no option $argument" >&2; exit 2 ;;
    *) files+=("$argument") ;;
  esac
done
if ! command -v clang-format >/dev/null; then
  echo "format.sh: clang-format is not installed (apt-get install clang-format)" >&2
  exit 3
fi

patterns=('*.h' '*.cc' '*.cu' '*.cuh')
if [ "$all" -eq 1 ]; then
  mapfile -t files < <(git ls-files -- "${patterns[@]}")
elif [ "${#files[@]}" -eq 0 ]; then
  base=$(git rev-parse --verify --quiet '@{upstream}' 2>/dev/null || git rev-parse HEAD)
  mapfile -t files < <({
    git diff --name-only --diff-filter=d "$base" -- "${patterns[@]}"
    git ls-files --others --exclude-standard -- "${patterns[@]}"
  } | sort -u)
fi

different=0
for file in "${files[@]}"; do
  if [ "$check" -eq 0 ]; then
    clang-format -i "$file"
  elif ! clang-format "$file" | cmp -s - "$file"; then
    echo "$file"
    different=$((different + 1))
  fi
done
[ "$different" -eq 0 ]
