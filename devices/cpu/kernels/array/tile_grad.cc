// TileGrad, for graphs older than version 3: what Tile has made several of, added up.
#include <Eigen/Core>
#include <complex>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

template <class T>
absl::Status tile_grad(KernelContext& context) {
  const Tensor &input = context.input(0), &multiples = context.input(1);
  if (!is_vector(multiples) || multiples.dim(0) != input.rank()) {
    return invalid("Expected multiples argument to be a vector of length ", input.rank(), " but got shape ",
                   multiples.shape().to_string());
  }
  Shape shape = input.shape();
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t m = int_at(multiples, i);
    if (m < 1 || input.dim(i) % m != 0) {
      return invalid("Expected multiples[", i, "] to be positive and to divide ", input.dim(i), ", but got ",
                     m);
    }
    shape.set_dim(i, input.dim(i) / m);
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  std::fill_n(out->flat<T>().data(), out->num_elements(), T(0));
  const Indices strides = strides_of(shape);
  Indices at(static_cast<size_t>(input.rank()), 0);
  for (const T& v : input.flat<T>()) {
    int64_t to = 0;
    for (int i = 0; i < input.rank(); ++i) to += at[i] % shape.dim(i) * strides[i];
    out->flat<T>()[to] = static_cast<T>(out->flat<T>()[to] + v);
    for (int i = input.rank() - 1; i >= 0 && ++at[i] == input.dim(i); --i) at[i] = 0;
  }
  return absl::OkStatus();
}

template <class... T>
void add_tile_grad(KernelRegistry* registry) {
  (registry->add(KernelDef("TileGrad").type<T>("T").fn(tile_grad<T>)), ...);
}

}  // namespace

void register_array_tile_grad(KernelRegistry* registry) {
  add_tile_grad<float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>>(registry);
}

}  // namespace troupe
