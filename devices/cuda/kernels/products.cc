#include "devices/cuda/kernels/products.h"

#include "devices/cuda/kernels/product_args.h"
#include "devices/cuda/kernels/workspace.h"

namespace troupe {
namespace {

/// Rows and columns that a block of the kernel makes (source/matmul.cu).
constexpr int64_t kTile = 64;

int64_t tiles(int64_t extent) { return (extent + kTile - 1) / kTile; }

absl::Status enqueue_own(KernelContext& context, const MatrixProduct& p, const void* a, const void* b,
                         void* c) {
  ProductArgs args;
  args.m = p.m;
  args.n = p.n;
  args.k = p.k;
  args.batch = p.batch;
  args.a_batch = p.a_stride;
  args.b_batch = p.b_stride;
  const bool plain_a = p.a == MatrixForm::kPlain, plain_b = p.b == MatrixForm::kPlain;
  args.a_row = plain_a ? p.k : 1;
  args.a_along = plain_a ? 1 : p.m;
  args.b_row = plain_b ? p.n : 1;
  args.b_along = plain_b ? 1 : p.k;
  args.conjugate_a = p.a == MatrixForm::kAdjoint;
  args.conjugate_b = p.b == MatrixForm::kAdjoint;
  return enqueue_blocks(context, with_suffix("product", p.dtype), p.batch * tiles(p.m) * tiles(p.n), a, b, c,
                        args);
}

}  // namespace

absl::StatusOr<bool> enqueue_product(KernelContext& context, const MatrixProduct& product, const void* a,
                                     const void* b, void* c, const ProductEnd& end) {
  if (product.batch == 0 || product.m == 0 || product.n == 0) return end.none();
  CudaDevice& device = CudaDevice::of(context);
  if (product.k == 0) {
    const int64_t count = product.batch * product.m * product.n;
    TROUPE_RETURN_IF_ERROR(
        device.compute().fill(c, 0, static_cast<size_t>(count) * dtype_size(product.dtype)));
    return end.none();
  }
  if (ProductLibrary* library = Libraries::of(device.gpu()).products()) {
    KernelLibraryCall call(context);
    absl::Status status = library->multiply(product, a, b, c, end, call.call());
    if (status.ok()) return true;
    if (!absl::IsUnimplemented(status)) return status;
    if (!end.none()) {
      status = library->multiply(product, a, b, c, ProductEnd(), call.call());
      if (status.ok()) return false;
      if (!absl::IsUnimplemented(status)) return status;
    }
  }
  TROUPE_RETURN_IF_ERROR(enqueue_own(context, product, a, b, c));
  return end.none();
}

absl::Status enqueue_product(KernelContext& context, const MatrixProduct& product, const void* a,
                             const void* b, void* c) {
  return enqueue_product(context, product, a, b, c, ProductEnd()).status();
}

}  // namespace troupe
