#!/usr/bin/env bash
# install.sh [--browser]  installs what the build and the tests need on Debian 12. Needs root, or sudo.
#   --browser  Chromium, too (400 MB), in which a test opens the console's page; it skips without
set -euo pipefail
# ocl-icd-opencl-dev: oneDNN's CMake package asks for OpenCL, which libdnnl-dev only recommends.
packages=(
  g++ cmake ninja-build ccache mold python3
  libcaf-dev libprotobuf-dev protobuf-compiler libabsl-dev libeigen3-dev libdnnl-dev libmimalloc-dev
  libcli11-dev nlohmann-json3-dev libspdlog-dev libleveldb-dev libsnappy-dev
  ocl-icd-opencl-dev pkgconf libre2-dev libicu-dev zlib1g-dev libpng-dev libjpeg62-turbo-dev libgif-dev libsqlite3-dev
  libgtest-dev libgmock-dev gdb
  libgrpc++-dev protobuf-compiler-grpc libssl-dev
  pybind11-dev python3-dev python3-numpy python3-pytest mypy python3-venv python3-pip
  patchelf dpkg-dev
)
[ "${1:-}" != --browser ] || packages+=(chromium)
missing=()
for p in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ "${#missing[@]}" -gt 0 ]; then
  run=()
  [ "$(id -u)" -eq 0 ] || run=(sudo)
  "${run[@]}" apt-get update -qq
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
