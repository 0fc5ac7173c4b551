#!/usr/bin/env bash
# demo.sh [FOLDER]  the main job, from a bare Debian 12: installs, builds, trains a small classifier, saves it in FOLDER
# (default: build/demo_model) and asks the saved files for answers. Needs root, or sudo.
set -euo pipefail
cd "$(dirname "$0")/../.."
model=${1:-build/demo_model}
bin=build/release/bin

tools/dev/install.sh
tools/dev/build.sh release troupe example_training

echo
echo "== train: which of three spiral arms is a point on?"
"$bin/example_training" "$model"
echo
echo "== inspect what was saved"
"$bin/troupe" inspect "$model" >"$model/summary.txt"
head -n 12 "$model/summary.txt"
echo
echo "== run: one point on each arm, from the saved files"
"$bin/troupe" run "$model" --feed 'points=[[0.45,-0.21],[-0.14,0.48],[-0.27,-0.42]]'
