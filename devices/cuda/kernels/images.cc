#include "devices/cuda/kernels/images.h"

#include <cstdint>

#ifdef TROUPE_CUDA_IMAGES
// A fat binary for each source. The file, which the build writes, has for each of them
//   .balign 64 / image_N: .incbin "its file"
// and behind all of them, from troupe_cuda_images on, how far before that label each begins; 0 at the end.
asm(".section .rodata\n"
    ".include \"" TROUPE_CUDA_IMAGES
    "\"\n"
    ".previous\n");
extern "C" {
extern const int64_t troupe_cuda_images[] __attribute__((visibility("hidden")));
}
#endif

namespace troupe {

GpuKernels kernel_images() {
  GpuKernels kernels;
#ifdef TROUPE_CUDA_IMAGES
  const char* const end = reinterpret_cast<const char*>(troupe_cuda_images);
  for (const int64_t* distance = troupe_cuda_images; *distance != 0; ++distance) kernels.images.push_back(end - *distance);
#endif
  return kernels;
}

}  // namespace troupe
