// Ours first: the toolkit's headers make macros of some of the names.
#include "devices/cuda/libraries/cublaslt_abi.h"
#include "devices/cuda/libraries/cudnn_abi.h"

#include <cublasLt.h>
#include <cudnn.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace troupe {
namespace {

template <class Ours, class Theirs>
constexpr bool kSameWhenPassed =
    sizeof(Ours) == sizeof(Theirs) &&
    alignof(Ours) == alignof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class R, class... Ours, class Q, class... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct SameCall<R (*)(Ours...), Q (*)(Theirs...)>
    : std::bool_constant<(kSameWhenPassed<Ours, Theirs> && ... && kSameWhenPassed<R, Q>)> {};

TEST(CublasLtAbi, functions_take_what_those_of_the_library_take) {
  using namespace cublaslt;  // NOLINT
#define TROUPE_SAME_CALL(name, result, parameters) \
  EXPECT_TRUE((SameCall<result(*) parameters, std::decay_t<decltype(::name)>>::value)) << #name;
  TROUPE_CUBLASLT_CALLS(TROUPE_SAME_CALL)
#undef TROUPE_SAME_CALL
}

TEST(CublasLtAbi, numbers_are_those_of_the_library) {
  // One by one: a namespace would make the names ambiguous.
#define TROUPE_SAME(name) EXPECT_EQ(static_cast<int>(cublaslt::name), static_cast<int>(::name)) << #name
  TROUPE_SAME(CUBLAS_STATUS_SUCCESS);
  TROUPE_SAME(CUBLAS_STATUS_NOT_SUPPORTED);
  TROUPE_SAME(CUDA_R_32F);
  TROUPE_SAME(CUDA_R_64F);
  TROUPE_SAME(CUDA_R_16F);
  TROUPE_SAME(CUDA_R_16BF);
  TROUPE_SAME(CUDA_C_32F);
  TROUPE_SAME(CUDA_C_64F);
  TROUPE_SAME(CUBLAS_COMPUTE_32F);
  TROUPE_SAME(CUBLAS_COMPUTE_64F);
  TROUPE_SAME(CUBLAS_COMPUTE_32F_FAST_TF32);
  TROUPE_SAME(CUBLAS_OP_N);
  TROUPE_SAME(CUBLAS_OP_T);
  TROUPE_SAME(CUBLAS_OP_C);
  TROUPE_SAME(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  TROUPE_SAME(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  TROUPE_SAME(CUBLASLT_MATMUL_DESC_TRANSA);
  TROUPE_SAME(CUBLASLT_MATMUL_DESC_TRANSB);
  TROUPE_SAME(CUBLASLT_MATMUL_DESC_EPILOGUE);
  TROUPE_SAME(CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  TROUPE_SAME(CUBLASLT_EPILOGUE_DEFAULT);
  TROUPE_SAME(CUBLASLT_EPILOGUE_RELU);
  TROUPE_SAME(CUBLASLT_EPILOGUE_BIAS);
  TROUPE_SAME(CUBLASLT_EPILOGUE_GELU);
  TROUPE_SAME(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  TROUPE_SAME(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  TROUPE_SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  TROUPE_SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  TROUPE_SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  TROUPE_SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  TROUPE_SAME(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  TROUPE_SAME(CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE);
#undef TROUPE_SAME
  // A bias makes a sum of flags.
  EXPECT_EQ(CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU | CUBLASLT_EPILOGUE_BIAS);
}

TEST(CublasLtAbi, structs_are_laid_out_as_those_of_the_library) {
  using Ours = cublaslt::cublasLtMatmulHeuristicResult_t;
  using Theirs = ::cublasLtMatmulHeuristicResult_t;
  EXPECT_EQ(sizeof(cublaslt::cublasLtMatmulAlgo_t), sizeof(::cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));
  EXPECT_EQ(offsetof(Ours, workspaceSize), offsetof(Theirs, workspaceSize));
  EXPECT_EQ(offsetof(Ours, state), offsetof(Theirs, state));
}

TEST(CudnnAbi, functions_take_what_those_of_the_library_take) {
  using namespace cudnn;  // NOLINT
#define TROUPE_SAME_CALL(name, result, parameters) \
  EXPECT_TRUE((SameCall<result(*) parameters, std::decay_t<decltype(::name)>>::value)) << #name;
  TROUPE_CUDNN_CALLS(TROUPE_SAME_CALL)
#undef TROUPE_SAME_CALL
}

TEST(CudnnAbi, numbers_are_those_of_the_library) {
#define TROUPE_SAME(name) EXPECT_EQ(static_cast<int>(cudnn::name), static_cast<int>(::name)) << #name
  TROUPE_SAME(CUDNN_STATUS_SUCCESS);
  TROUPE_SAME(CUDNN_STATUS_BAD_PARAM);
  TROUPE_SAME(CUDNN_STATUS_NOT_SUPPORTED);
  TROUPE_SAME(CUDNN_DATA_FLOAT);
  TROUPE_SAME(CUDNN_DATA_DOUBLE);
  TROUPE_SAME(CUDNN_DATA_HALF);
  TROUPE_SAME(CUDNN_DATA_BFLOAT16);
  TROUPE_SAME(CUDNN_DEFAULT_MATH);
  TROUPE_SAME(CUDNN_TENSOR_OP_MATH);
  TROUPE_SAME(CUDNN_FMA_MATH);
  TROUPE_SAME(CUDNN_NON_DETERMINISTIC);
  TROUPE_SAME(CUDNN_DETERMINISTIC);
  TROUPE_SAME(CUDNN_TENSOR_NCHW);
  TROUPE_SAME(CUDNN_TENSOR_NHWC);
  TROUPE_SAME(CUDNN_CROSS_CORRELATION);
#undef TROUPE_SAME
}

template <class Theirs>
void expect_same_layout() {
  using Ours = cudnn::AlgoPerf;
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));
  EXPECT_EQ(offsetof(Ours, algo), offsetof(Theirs, algo));
  EXPECT_EQ(offsetof(Ours, status), offsetof(Theirs, status));
  EXPECT_EQ(offsetof(Ours, memory), offsetof(Theirs, memory));
  EXPECT_EQ(offsetof(Ours, determinism), offsetof(Theirs, determinism));
  EXPECT_EQ(offsetof(Ours, mathType), offsetof(Theirs, mathType));
}

TEST(CudnnAbi, structs_are_laid_out_as_those_of_the_library) {
  expect_same_layout<::cudnnConvolutionFwdAlgoPerf_t>();
  expect_same_layout<::cudnnConvolutionBwdDataAlgoPerf_t>();
  expect_same_layout<::cudnnConvolutionBwdFilterAlgoPerf_t>();
}

}  // namespace
}  // namespace troupe
