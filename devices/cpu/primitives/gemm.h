#pragma once

#include <complex>
#include <cstdint>

#include "devices/device.h"
#include "graph/tensor/dtype.h"

namespace troupe {

/// How a matrix operand is read.
enum class MatrixOp : uint8_t { kNone, kTranspose, kAdjoint };

/// C[m,n] = op(A) * op(B), row-major and dense: A is [m,k] (or [k,m] when transposed), B [k,n] (or [n,k]). k may be 0.
/// Serial; the float form is oneDNN's, that of doubles our own where the processor has fused multiply-add, the others are Eigen's. half and bfloat16 multiply and add in float.
/// Instantiated in gemm.cc for the dtypes that MatMul has kernels for.
template <class T>
void gemm(MatrixOp op_a, MatrixOp op_b, int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c);

/// The same, cut into blocks of rows (or columns, when there are few rows) that run on the runner's threads when the
/// product is large.
template <class T>
void parallel_gemm(ParallelRunner& runner, MatrixOp op_a, MatrixOp op_b, int64_t m, int64_t n, int64_t k,
                   const T* a, const T* b, T* c);

/// C += op(A) * op(B) with leading dimensions, for kernels that build on products. float, double, int32; for half and
/// bfloat16 every single step is rounded, in the order of k, as Eigen does.
template <class T>
void gemm_accumulate(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const T* a,
                     int64_t lda, const T* b, int64_t ldb, T* c, int64_t ldc);

}  // namespace troupe
