#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cuda/driver_abi.h"

/// The part of cuBLASLt's interface (versions 12 and 13) that Troupe calls, under its own names, so that nothing here needs its headers:
/// the library is found at run time. `library_abi_test` compares it with cublasLt.h where that is there.
namespace troupe::cublaslt {

using cudaStream_t = cuda::CUstream;
using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = struct cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = struct cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = struct cublasLtMatmulPreferenceOpaque_t*;

/// Those that code asks for; the library returns others, too.
enum cublasStatus_t : int { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_SUPPORTED = 15 };

enum cudaDataType_t : int {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_16BF = 14,
};

enum cublasComputeType_t : int {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };

enum cublasLtMatrixLayoutAttribute_t : int {
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,           // int32_t
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,  // int64_t, elements
};

enum cublasLtMatmulDescAttributes_t : int {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,        // int32_t
  CUBLASLT_MATMUL_DESC_TRANSB = 4,        // int32_t
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,      // uint32_t
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,  // const void*
};

enum cublasLtEpilogue_t : int {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_GELU = 32,
};

enum cublasLtMatmulPreferenceAttributes_t : int {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,    // uint64_t
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,  // uint32_t
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,  // uint32_t, as the next three
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
};

/// How parts of sums that several blocks made are added: in place is in no order.
enum cublasLtReductionScheme_t : int {
  CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
  CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4,
};

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};

struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

/// X(name, what it returns, parameters)
#define TROUPE_CUBLASLT_CALLS(X)                                                                             \
  X(cublasLtCreate, cublasStatus_t, (cublasLtHandle_t * handle))                                             \
  X(cublasLtDestroy, cublasStatus_t, (cublasLtHandle_t handle))                                              \
  X(cublasLtGetStatusString, const char*, (cublasStatus_t status))                                           \
  X(cublasLtGetVersion, size_t, ())                                                                          \
  X(cublasLtMatmulDescCreate, cublasStatus_t,                                                                \
    (cublasLtMatmulDesc_t * desc, cublasComputeType_t compute, cudaDataType_t scale))                        \
  X(cublasLtMatmulDescDestroy, cublasStatus_t, (cublasLtMatmulDesc_t desc))                                  \
  X(cublasLtMatmulDescSetAttribute, cublasStatus_t,                                                          \
    (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void* value, size_t bytes))  \
  X(cublasLtMatrixLayoutCreate, cublasStatus_t,                                                              \
    (cublasLtMatrixLayout_t * layout, cudaDataType_t type, uint64_t rows, uint64_t cols, int64_t ld))        \
  X(cublasLtMatrixLayoutDestroy, cublasStatus_t, (cublasLtMatrixLayout_t layout))                            \
  X(cublasLtMatrixLayoutSetAttribute, cublasStatus_t,                                                        \
    (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void* value,            \
     size_t bytes))                                                                                          \
  X(cublasLtMatmulPreferenceCreate, cublasStatus_t, (cublasLtMatmulPreference_t * preference))               \
  X(cublasLtMatmulPreferenceDestroy, cublasStatus_t, (cublasLtMatmulPreference_t preference))                \
  X(cublasLtMatmulPreferenceSetAttribute, cublasStatus_t,                                                    \
    (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,                  \
     const void* value, size_t bytes))                                                                       \
  X(cublasLtMatmulAlgoGetHeuristic, cublasStatus_t,                                                          \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, \
     cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int asked,   \
     cublasLtMatmulHeuristicResult_t* results, int* found))                                                  \
  X(cublasLtMatmul, cublasStatus_t,                                                                          \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,                   \
     cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,      \
     const void* c, cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,               \
     const cublasLtMatmulAlgo_t* algo, void* workspace, size_t workspace_bytes, cudaStream_t stream))

/// The library as a table of its functions.
struct Calls {
#define TROUPE_CUBLASLT_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  TROUPE_CUBLASLT_CALLS(TROUPE_CUBLASLT_MEMBER)
#undef TROUPE_CUBLASLT_MEMBER
};

}  // namespace troupe::cublaslt
