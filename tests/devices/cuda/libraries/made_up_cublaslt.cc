// A library with the calls of cuBLASLt that Troupe makes, which computes by loops on memory of the host.
#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <cstring>

#include "devices/cuda/libraries/cublaslt_abi.h"
#include "tests/devices/cuda/libraries/made_up_libraries.h"

namespace troupe::cublaslt {

using test::MadeUpLibrary;
TROUPE_MADE_UP MadeUpLibrary made_up_cublaslt;
MadeUpLibrary made_up_cublaslt;

struct cublasLtContext {};
struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  int32_t trans_a = CUBLAS_OP_N, trans_b = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};
struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType_t type;
  uint64_t rows, cols;
  int64_t ld;
  int32_t batch = 1;
  int64_t stride = 0;
};
struct cublasLtMatmulPreferenceOpaque_t {
  uint64_t workspace = 0;
  uint32_t alignment = 256, reduction_mask = 7;
};

namespace {

template <class T>
struct Sum {
  using type = double;
};
template <class T>
struct Sum<std::complex<T>> {
  using type = std::complex<double>;
};

template <class T>
typename Sum<T>::type element(const void* data, const cublasLtMatrixLayoutOpaque_t& m, int32_t op,
                              int64_t batch, uint64_t row, uint64_t col) {
  if (op != CUBLAS_OP_N) std::swap(row, col);
  const auto value = static_cast<typename Sum<T>::type>(static_cast<const T*>(
      data)[batch * m.stride + static_cast<int64_t>(col) * m.ld + static_cast<int64_t>(row)]);
  if constexpr (!std::is_same_v<typename Sum<T>::type, double>)
    return op == CUBLAS_OP_C ? std::conj(value) : value;
  return value;
}

template <class T>
void multiply(const cublasLtMatmulDescOpaque_t& desc, const void* a, const cublasLtMatrixLayoutOpaque_t& la,
              const void* b, const cublasLtMatrixLayoutOpaque_t& lb, void* d,
              const cublasLtMatrixLayoutOpaque_t& ld) {
  const uint64_t inner = desc.trans_a == CUBLAS_OP_N ? la.cols : la.rows;
  for (int64_t batch = 0; batch < ld.batch; ++batch) {
    for (uint64_t col = 0; col < ld.cols; ++col) {
      for (uint64_t row = 0; row < ld.rows; ++row) {
        typename Sum<T>::type sum = 0;
        for (uint64_t i = 0; i < inner; ++i)
          sum +=
              element<T>(a, la, desc.trans_a, batch, row, i) * element<T>(b, lb, desc.trans_b, batch, i, col);
        if ((desc.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0)
          sum += static_cast<typename Sum<T>::type>(static_cast<const T*>(desc.bias)[row]);
        if constexpr (std::is_same_v<typename Sum<T>::type, double>) {
          if ((desc.epilogue & CUBLASLT_EPILOGUE_RELU) != 0) sum = std::max(sum, 0.0);
          if ((desc.epilogue & CUBLASLT_EPILOGUE_GELU) != 0)
            sum = 0.5 * sum * (1 + std::tanh(0.7978845608 * (sum + 0.044715 * sum * sum * sum)));
        }
        static_cast<T*>(
            d)[batch * ld.stride + static_cast<int64_t>(col) * ld.ld + static_cast<int64_t>(row)] =
            static_cast<T>(sum);
      }
    }
  }
}

template <class T>
cublasStatus_t made(T** out, T* object) {
  ++made_up_cublaslt.objects;
  *out = object;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t destroyed(T* object) {
  --made_up_cublaslt.objects;
  delete object;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
void take(const void* value, size_t bytes, T* to) {
  if (bytes == sizeof(T)) std::memcpy(to, value, bytes);
}

}  // namespace

TROUPE_MADE_UP cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return made(handle, new cublasLtContext);
}
TROUPE_MADE_UP cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return destroyed(handle); }
TROUPE_MADE_UP const char* cublasLtGetStatusString(cublasStatus_t) { return "made-up error"; }
TROUPE_MADE_UP size_t cublasLtGetVersion() { return 130000; }

TROUPE_MADE_UP cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc,
                                                       cublasComputeType_t compute, cudaDataType_t scale) {
  return made(desc, new cublasLtMatmulDescOpaque_t{compute, scale});
}
TROUPE_MADE_UP cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { return destroyed(desc); }
TROUPE_MADE_UP cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                                             cublasLtMatmulDescAttributes_t attribute,
                                                             const void* value, size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: take(value, bytes, &desc->trans_a); break;
    case CUBLASLT_MATMUL_DESC_TRANSB: take(value, bytes, &desc->trans_b); break;
    case CUBLASLT_MATMUL_DESC_EPILOGUE: take(value, bytes, &desc->epilogue); break;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: take(value, bytes, &desc->bias); break;
  }
  return CUBLAS_STATUS_SUCCESS;
}

TROUPE_MADE_UP cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType_t type,
                                                         uint64_t rows, uint64_t cols, int64_t ld) {
  return made(layout, new cublasLtMatrixLayoutOpaque_t{type, rows, cols, ld});
}
TROUPE_MADE_UP cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroyed(layout);
}
TROUPE_MADE_UP cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                               cublasLtMatrixLayoutAttribute_t attribute,
                                                               const void* value, size_t bytes) {
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) take(value, bytes, &layout->batch);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) take(value, bytes, &layout->stride);
  return CUBLAS_STATUS_SUCCESS;
}

TROUPE_MADE_UP cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return made(preference, new cublasLtMatmulPreferenceOpaque_t);
}
TROUPE_MADE_UP cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroyed(preference);
}
TROUPE_MADE_UP cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
    size_t bytes) {
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) take(value, bytes, &preference->workspace);
  if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
    take(value, bytes, &preference->reduction_mask);
  if (attribute == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES) take(value, bytes, &preference->alignment);
  return CUBLAS_STATUS_SUCCESS;
}

TROUPE_MADE_UP cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                                                             cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                             cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                             cublasLtMatmulPreference_t preference, int asked,
                                                             cublasLtMatmulHeuristicResult_t* results,
                                                             int* found) {
  ++made_up_cublaslt.heuristics;
  made_up_cublaslt.alignment = preference->alignment;
  made_up_cublaslt.reduction_mask = preference->reduction_mask;
  const bool bias_is_missing = (desc->epilogue & CUBLASLT_EPILOGUE_BIAS) != 0 && desc->bias == nullptr;
  if (made_up_cublaslt.has_nothing || bias_is_missing) return CUBLAS_STATUS_NOT_SUPPORTED;
  *found = asked > 0 && made_up_cublaslt.workspace_bytes <= preference->workspace ? 1 : 0;
  if (*found == 1) results[0] = {{{7}}, made_up_cublaslt.workspace_bytes, CUBLAS_STATUS_SUCCESS, 1.0F, {}};
  return CUBLAS_STATUS_SUCCESS;
}

TROUPE_MADE_UP cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void* alpha,
                                             const void* a, cublasLtMatrixLayout_t la, const void* b,
                                             cublasLtMatrixLayout_t lb, const void* beta, const void*,
                                             cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t ld,
                                             const cublasLtMatmulAlgo_t* algo, void* workspace, size_t,
                                             cudaStream_t stream) {
  MadeUpLibrary& account = made_up_cublaslt;
  const bool wide = desc->scale == CUDA_R_64F || desc->scale == CUDA_C_64F;
  const double one = wide ? *static_cast<const double*>(alpha) : *static_cast<const float*>(alpha);
  const double zero = wide ? *static_cast<const double*>(beta) : *static_cast<const float*>(beta);
  if (account.fails || one != 1 || zero != 0) return static_cast<cublasStatus_t>(13);
  account.synchronize(stream);
  ++account.computed;
  account.algo = static_cast<int>(algo->data[0]);
  account.had_workspace = workspace != nullptr;
  account.epilogue = desc->epilogue;
  account.compute_type = desc->compute;
  switch (la->type) {
    case CUDA_R_32F: multiply<float>(*desc, a, *la, b, *lb, d, *ld); break;
    case CUDA_R_64F: multiply<double>(*desc, a, *la, b, *lb, d, *ld); break;
    case CUDA_R_16F: multiply<Eigen::half>(*desc, a, *la, b, *lb, d, *ld); break;
    case CUDA_R_16BF: multiply<Eigen::bfloat16>(*desc, a, *la, b, *lb, d, *ld); break;
    case CUDA_C_32F: multiply<std::complex<float>>(*desc, a, *la, b, *lb, d, *ld); break;
    case CUDA_C_64F: multiply<std::complex<double>>(*desc, a, *la, b, *lb, d, *ld); break;
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace troupe::cublaslt
