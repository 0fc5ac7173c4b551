#pragma once

#include <string>

#include "devices/cpu/kernels/shared/element_types.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// What an element-wise kernel of two operands is made of.
struct BinarySpec {
  BinaryRow row;
  /// Message of the InvalidArgument when a row reports an element without result.
  const char* error;
  uint8_t in_size;
  uint8_t out_size;
  /// Nanoseconds an element, roughly.
  uint8_t cost;
};

/// What an element-wise kernel of one operand is made of.
struct UnarySpec {
  UnaryRow row;
  uint8_t in_size;
  uint8_t out_size;
  uint8_t cost;
};

/// From this many elements on, a loop may be worth a second thread.
inline constexpr int64_t kParallelElements = 16384;
/// Kernels of at most this cost an element count as cheap: their big tensors are split over threads anyway.
inline constexpr int kCheapCost = 2;

KernelFactory binary_factory(BinarySpec spec);
KernelFactory unary_factory(UnarySpec spec);
/// As binary_factory, for operands that must be of one shape (gradient helpers): `message` is the InvalidArgument
/// when they are not.
KernelFactory same_shape_factory(BinarySpec spec, const char* message);
/// Equal and NotEqual: with incompatible_shape_error=false operands that do not broadcast give `otherwise`.
KernelFactory equality_factory(BinarySpec spec, bool otherwise);

/// What a kernel of binary_factory or unary_factory is made of; null for other kernels.
const BinarySpec* binary_spec(const Kernel& kernel);
const UnarySpec* unary_spec(const Kernel& kernel);

/// Registers `factory` for dtype T of attr `attr`.
void add_cwise(KernelRegistry* registry, const char* op, const char* attr, DataType dtype,
               KernelFactory factory);

template <class Op, class... T>
void add_binary(KernelRegistry* r, const char* op, Types<T...>, int cost = 1, const char* error = nullptr) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             binary_factory({binary_row<Op, T, T>, error, sizeof(T), sizeof(T), static_cast<uint8_t>(cost)})),
   ...);
}
template <class Op, class... T>
void add_same_shape(KernelRegistry* r, const char* op, Types<T...>, const char* message, int cost = 1) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             same_shape_factory(
                 {binary_row<Op, T, T>, nullptr, sizeof(T), sizeof(T), static_cast<uint8_t>(cost)}, message)),
   ...);
}
template <class Op, class... T>
void add_unary(KernelRegistry* r, const char* op, Types<T...>, int cost = 1) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             unary_factory({unary_row<Op, T, T>, sizeof(T), sizeof(T), static_cast<uint8_t>(cost)})),
   ...);
}
/// Unary kernels whose results are of type R.
template <class Op, class R, class... T>
void add_unary_to(KernelRegistry* r, const char* op, Types<T...>, int cost = 1) {
  (add_cwise(r, op, "T", dtype_of<T>(),
             unary_factory({unary_row<Op, T, R>, sizeof(T), sizeof(R), static_cast<uint8_t>(cost)})),
   ...);
}

}  // namespace troupe
