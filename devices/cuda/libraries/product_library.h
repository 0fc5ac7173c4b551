#pragma once

#include <cstdint>

#include "devices/cuda/libraries/library_call.h"
#include "graph/tensor/dtype.h"

namespace troupe {

/// How an operand of a product is read.
enum class MatrixForm : uint8_t { kPlain, kTransposed, kAdjoint };

/// C[b] = op(A[b]) op(B[b]) for every b of a batch. All are row-major and dense; op(A) is m by k, op(B) k by n. No extent is 0.
struct MatrixProduct {
  /// float, double, half, bfloat16 (summed in float), complex64 or complex128.
  DataType dtype = DataType::kFloat;
  MatrixForm a = MatrixForm::kPlain, b = MatrixForm::kPlain;
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  /// Elements from one matrix to the next; 0 takes the same again. C's follow each other.
  int64_t a_stride = 0, b_stride = 0;

  friend bool operator==(const MatrixProduct&, const MatrixProduct&) = default;
  template <class H>
  friend H AbslHashValue(H h, const MatrixProduct& p) {
    return H::combine(std::move(h), p.dtype, p.a, p.b, p.m, p.n, p.k, p.batch, p.a_stride, p.b_stride);
  }
};

/// What is done to a product before it is written.
struct ProductEnd {
  enum Activation : uint8_t { kNone, kRelu, kGeluApproximate };
  /// n elements of the product's dtype that every row gets added; null: none.
  const void* bias = nullptr;
  Activation activation = kNone;

  bool none() const { return bias == nullptr && activation == kNone; }
};

/// A library of matrix products on one GPU. Thread-safe.
class ProductLibrary {
 public:
  virtual ~ProductLibrary() = default;
  /// Enqueues. Unimplemented when the library does not have that product: nothing has been enqueued then.
  virtual absl::Status multiply(const MatrixProduct& p, const void* a, const void* b, void* c,
                                const ProductEnd& end, LibraryCall& call) = 0;
};

}  // namespace troupe
