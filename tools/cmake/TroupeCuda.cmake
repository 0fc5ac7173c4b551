# TROUPE_WITH_CUDA: compiles kernels of GPUs (devices/cuda/kernels/source) by nvcc. All else of GPUs is built always.
#   TROUPE_NVCC           the compiler: found by itself on the PATH, where CUDA_PATH or CUDA_HOME say, in /usr/local/cuda, or in what
#                         tools/dev/install_cuda.sh has installed, in this order
#   TROUPE_CUDA_TARGETS   options of nvcc that say for which GPUs
#
# troupe_cuda_images(TARGET [SOURCES ...])  takes the fat binary of each source into the target, as its images.cc has it.
option(TROUPE_WITH_CUDA "Compile kernels of GPUs; needs nvcc of CUDA 13" OFF)
set(TROUPE_CUDA_TARGETS "-gencode=arch=compute_80,code=sm_80;-gencode=arch=compute_90,code=sm_90;-gencode=arch=compute_90,code=compute_90"
  CACHE STRING "For which GPUs: options of nvcc")
if(NOT TROUPE_WITH_CUDA)
  function(troupe_cuda_images target)
  endfunction()
  return()
endif()

file(GLOB installed ${CMAKE_SOURCE_DIR}/build/cuda_toolkit/lib/python3*/site-packages/nvidia/cu13/bin)
find_program(TROUPE_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda/bin ${installed} PATH_SUFFIXES bin)
if(NOT TROUPE_NVCC)
  message(FATAL_ERROR "TROUPE_WITH_CUDA needs nvcc: install CUDA's toolkit, or run tools/dev/install_cuda.sh")
endif()
message(STATUS "Kernels of GPUs by ${TROUPE_NVCC}")

function(troupe_cuda_images target)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  set(folder ${CMAKE_BINARY_DIR}/cuda)
  file(MAKE_DIRECTORY ${folder})
  set(images)
  set(text)
  set(distances)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    set(image ${folder}/${name}.fatbin)
    # Eigen has functions that are for both sides (cwise_special.cu), and says so of some that need not be told.
    add_custom_command(OUTPUT ${image}
      COMMAND ${TROUPE_NVCC} -fatbin -std=c++20 -O3 ${TROUPE_CUDA_TARGETS} --compress-mode=size --expt-relaxed-constexpr -diag-suppress 20012
              -I ${CMAKE_SOURCE_DIR} -isystem "${eigen}" -ccbin ${CMAKE_CXX_COMPILER} -MD -MT ${image} -MF ${image}.d -o ${image} ${source}
      DEPENDS ${source}
      DEPFILE ${image}.d
      COMMENT "Building kernels of GPUs ${name}"
      VERBATIM)
    list(APPEND images ${image})
    string(APPEND text ".balign 64\ntroupe_image_${name}: .incbin \"${image}\"\n")
    string(APPEND distances ".quad troupe_cuda_images - troupe_image_${name}\n")
  endforeach()
  string(APPEND text ".balign 8\ntroupe_cuda_images:\n${distances}.quad 0\n")
  file(CONFIGURE OUTPUT ${folder}/images.s CONTENT "${text}" @ONLY)
  set_property(SOURCE images.cc APPEND PROPERTY COMPILE_DEFINITIONS TROUPE_CUDA_IMAGES="${folder}/images.s")
  set_property(SOURCE images.cc APPEND PROPERTY OBJECT_DEPENDS ${images} ${folder}/images.s)
endfunction()
