#!/usr/bin/env bash
# packages.sh [--as-built] [FOLDER]  makes Debian packages in FOLDER (default: build/packages), unpacks them into a folder of their own
# and tries them there: programs in C and C++ by pkg-config and by CMake, `troupe run`, `import troupe`. Nothing is installed.
#   --as-built  packs what lies in build/package, without building first
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/build/package
as_built=0
if [ "${1:-}" = --as-built ]; then
  as_built=1
  shift
fi
case ${1:-} in -*) echo "packages.sh: no option $1" >&2; exit 2 ;; esac
folder=$(realpath -m "${1:-build/packages}")

if [ "$as_built" -eq 0 ]; then
  # For Debian's Python, whatever else is on the path.
  cmake -S . -B "$build" -G Ninja -C tools/dev/package.cmake -DPython_EXECUTABLE=/usr/bin/python3 >/dev/null
  tools/dev/build.sh package
fi
rm -rf "$folder"
mkdir -p "$folder"
(cd "$build" && cpack -G DEB -B "$folder" >"$folder/cpack.log" 2>&1) || { cat "$folder/cpack.log" >&2; exit 1; }
rm -rf "$folder/_CPack_Packages" "$folder/cpack.log"
# All that they depend on is to be had.
if ! apt-get install --simulate "$folder"/*.deb >"$folder/apt.log" 2>&1; then
  cat "$folder/apt.log" >&2
  exit 1
fi
rm "$folder/apt.log"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
for package in "$folder"/*.deb; do dpkg -x "$package" "$root"; done
libraries=$(dirname "$(find "$root" -name 'libtroupe_c.so.2')")
export PKG_CONFIG_PATH=$libraries/pkgconfig PYTHONPATH=$root/usr/lib/python3/dist-packages
consumer=tests/system/consumer
# try NAME COMMAND...
try() {
  local name=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then
    echo "$name: OK"
  else
    cat "$scratch/log" >&2
    echo "$name: FAILED" >&2
    exit 1
  fi
}
# The .pc files say where they are relative to themselves.
flags() { pkg-config --dont-define-prefix --cflags --libs "$1"; }
c_by_pkg_config() {
  # shellcheck disable=SC2046
  cc $consumer/c_program.c -o "$scratch/c_program" $(flags troupe_c) "-Wl,-rpath,$libraries" && "$scratch/c_program"
}
cc_by_pkg_config() {
  # shellcheck disable=SC2046
  c++ $consumer/cc_program.cc -o "$scratch/cc_program" $(flags troupe) && "$scratch/cc_program"
}
by_find_package() {
  cmake -G Ninja -S $consumer -B "$scratch/build" -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_BUILD_TYPE=Release
  cmake --build "$scratch/build"
  "$scratch/build/c_program" && "$scratch/build/cc_program"
}
python_writes_graph() {
  (cd "$scratch" && /usr/bin/python3) <<'END'
import os
import troupe as tf
assert tf.__file__.startswith(os.environ["PYTHONPATH"]), tf.__file__
x = tf.placeholder(tf.float32, [None], name="x")
y = tf.reduce_sum(x * x, name="y")
with tf.Session() as session:
    assert session.run(y, {x: [1, 2, 3]}) == 14
with open("graph.pb", "wb") as file:
    file.write(tf.get_default_graph().as_graph_def().SerializeToString())
END
}
troupe_runs() { "$root/usr/bin/troupe" run "$scratch/graph.pb" --feed 'x=[1,2,3]' --fetch y | grep -x '.*14.*'; }

try "a C program by pkg-config" c_by_pkg_config
try "a C++ program by pkg-config" cc_by_pkg_config
try "both by find_package" by_find_package
try "import troupe" python_writes_graph
try "troupe run" troupe_runs
du -h --apparent-size "$folder"/*.deb
