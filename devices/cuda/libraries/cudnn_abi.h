#pragma once

#include <cstddef>

#include "devices/cuda/driver_abi.h"

/// The part of cuDNN's interface (version 9) that Troupe calls, under its own names, so that nothing here needs its headers: the library
/// is found at run time. `library_abi_test` compares it with cudnn.h where that is there. Enumerations of algorithms are ints here: what
/// the heuristics name is handed back.
namespace troupe::cudnn {

using cudaStream_t = cuda::CUstream;
using cudnnHandle_t = struct cudnnContext*;
using cudnnTensorDescriptor_t = struct cudnnTensorStruct*;
using cudnnFilterDescriptor_t = struct cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = struct cudnnConvolutionStruct*;

/// Those that code asks for. Thousands are categories: 2xxx bad parameters, 3xxx not supported.
enum cudnnStatus_t : int {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_NOT_SUPPORTED = 3000
};

enum cudnnDataType_t : int {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_BFLOAT16 = 9
};

/// DEFAULT allows TF32 for floats, FMA nothing but float.
enum cudnnMathType_t : int { CUDNN_DEFAULT_MATH = 0, CUDNN_TENSOR_OP_MATH = 1, CUDNN_FMA_MATH = 3 };

enum cudnnDeterminism_t : int { CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1 };

enum cudnnTensorFormat_t : int { CUDNN_TENSOR_NCHW = 0, CUDNN_TENSOR_NHWC = 1 };

enum cudnnConvolutionMode_t : int { CUDNN_CROSS_CORRELATION = 1 };

/// What the heuristics say of an algorithm: one struct for the three passes, whose own differ in the name of `algo`'s type.
struct AlgoPerf {
  int algo;
  cudnnStatus_t status;
  float time;
  size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t mathType;
  int reserved[3];
};

/// X(name, what it returns, parameters)
#define TROUPE_CUDNN_CALLS(X)                                                                               \
  X(cudnnGetVersion, size_t, ())                                                                            \
  X(cudnnGetErrorString, const char*, (cudnnStatus_t status))                                               \
  X(cudnnCreate, cudnnStatus_t, (cudnnHandle_t * handle))                                                   \
  X(cudnnDestroy, cudnnStatus_t, (cudnnHandle_t handle))                                                    \
  X(cudnnSetStream, cudnnStatus_t, (cudnnHandle_t handle, cudaStream_t stream))                             \
  X(cudnnCreateTensorDescriptor, cudnnStatus_t, (cudnnTensorDescriptor_t * desc))                           \
  X(cudnnDestroyTensorDescriptor, cudnnStatus_t, (cudnnTensorDescriptor_t desc))                            \
  X(cudnnSetTensorNdDescriptor, cudnnStatus_t,                                                              \
    (cudnnTensorDescriptor_t desc, cudnnDataType_t type, int rank, const int* dims, const int* strides))    \
  X(cudnnCreateFilterDescriptor, cudnnStatus_t, (cudnnFilterDescriptor_t * desc))                           \
  X(cudnnDestroyFilterDescriptor, cudnnStatus_t, (cudnnFilterDescriptor_t desc))                            \
  X(cudnnSetFilterNdDescriptor, cudnnStatus_t,                                                              \
    (cudnnFilterDescriptor_t desc, cudnnDataType_t type, cudnnTensorFormat_t format, int rank,              \
     const int* dims))                                                                                      \
  X(cudnnCreateConvolutionDescriptor, cudnnStatus_t, (cudnnConvolutionDescriptor_t * desc))                 \
  X(cudnnDestroyConvolutionDescriptor, cudnnStatus_t, (cudnnConvolutionDescriptor_t desc))                  \
  X(cudnnSetConvolutionNdDescriptor, cudnnStatus_t,                                                         \
    (cudnnConvolutionDescriptor_t desc, int spatial, const int* pads, const int* strides,                   \
     const int* dilations, cudnnConvolutionMode_t mode, cudnnDataType_t compute))                           \
  X(cudnnSetConvolutionMathType, cudnnStatus_t, (cudnnConvolutionDescriptor_t desc, cudnnMathType_t type))  \
  X(cudnnSetConvolutionGroupCount, cudnnStatus_t, (cudnnConvolutionDescriptor_t desc, int groups))          \
  X(cudnnGetConvolutionForwardAlgorithm_v7, cudnnStatus_t,                                                  \
    (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,                            \
     cudnnConvolutionDescriptor_t conv, cudnnTensorDescriptor_t y, int asked, int* found,                   \
     AlgoPerf* results))                                                                                    \
  X(cudnnGetConvolutionBackwardDataAlgorithm_v7, cudnnStatus_t,                                             \
    (cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,                           \
     cudnnConvolutionDescriptor_t conv, cudnnTensorDescriptor_t dx, int asked, int* found,                  \
     AlgoPerf* results))                                                                                    \
  X(cudnnGetConvolutionBackwardFilterAlgorithm_v7, cudnnStatus_t,                                           \
    (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,                           \
     cudnnConvolutionDescriptor_t conv, cudnnFilterDescriptor_t dw, int asked, int* found,                  \
     AlgoPerf* results))                                                                                    \
  X(cudnnConvolutionForward, cudnnStatus_t,                                                                 \
    (cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_desc, const void* x,                \
     cudnnFilterDescriptor_t w_desc, const void* w, cudnnConvolutionDescriptor_t conv, int algo,            \
     void* workspace, size_t workspace_bytes, const void* beta, cudnnTensorDescriptor_t y_desc, void* y))   \
  X(cudnnConvolutionBackwardData, cudnnStatus_t,                                                            \
    (cudnnHandle_t handle, const void* alpha, cudnnFilterDescriptor_t w_desc, const void* w,                \
     cudnnTensorDescriptor_t dy_desc, const void* dy, cudnnConvolutionDescriptor_t conv, int algo,          \
     void* workspace, size_t workspace_bytes, const void* beta, cudnnTensorDescriptor_t dx_desc, void* dx)) \
  X(cudnnConvolutionBackwardFilter, cudnnStatus_t,                                                          \
    (cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_desc, const void* x,                \
     cudnnTensorDescriptor_t dy_desc, const void* dy, cudnnConvolutionDescriptor_t conv, int algo,          \
     void* workspace, size_t workspace_bytes, const void* beta, cudnnFilterDescriptor_t dw_desc, void* dw))

/// The library as a table of its functions.
struct Calls {
#define TROUPE_CUDNN_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  TROUPE_CUDNN_CALLS(TROUPE_CUDNN_MEMBER)
#undef TROUPE_CUDNN_MEMBER
};

}  // namespace troupe::cudnn
