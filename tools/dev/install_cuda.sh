#!/usr/bin/env bash
# install_cuda.sh [--compiler-only]  installs CUDA 13.0 of NVIDIA's wheels (PyPI) into build/cuda_toolkit, where `build.sh cuda` finds nvcc and
# programs find cuBLASLt and cuDNN. A toolkit that the machine has comes first, and makes this needless. Some 3 GB; the compiler alone 0.5.
#   --compiler-only  without cuBLAS and cuDNN, which only running needs
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=(nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl)
libraries=(nvidia-cublas==13.* nvidia-cudnn-cu13)
if [ "${1:-}" = --compiler-only ]; then
  libraries=()
fi
python3 -m venv build/cuda_toolkit
build/cuda_toolkit/bin/pip install --quiet --disable-pip-version-check "${packages[@]/%/==13.0.*}" "${libraries[@]}"
echo "nvcc: $(echo build/cuda_toolkit/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)"
