#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "devices/common/array/box_copy.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/array_args.h"

namespace troupe {

// Elements that move as they are: one kernel an element's size. Pointers are to the device's memory, unless said otherwise.

/// "fill" and 4: "fill_4".
std::string by_size(absl::string_view base, size_t element_bytes);

/// A box of elements on the move. Axes are added from the outermost of the destination to the innermost; those that are contiguous on
/// both sides melt together. Strides are in elements, negative ones for reversal, 0 in the source for repetition.
class StridedCopy {
 public:
  void add(int64_t size, int64_t from_stride, int64_t to_stride);
  int64_t elements() const { return elements_; }

  /// Enqueues the copy of elements of `dtype`; source and destination do not overlap.
  absl::Status enqueue(KernelContext& c, DataType dtype, const void* from, void* to) const;

 private:
  struct Axis {
    int64_t size, from, to;
  };
  /// Tensors have fewer than 2^63 elements, so that no more axes are longer than one.
  static constexpr int kMaxAxes = 63;

  absl::Status enqueue_axes(KernelContext& c, size_t element, const char* from, char* to) const;
  /// Takes two elements for one, where both sides have pairs only.
  bool widen(size_t element, const void* from, const void* to);
  bool transposes(TransposePlan* plan) const;

  Axis axes_[kMaxAxes];
  int count_ = 0;
  int64_t elements_ = 1;
};

/// The BoxCopy of GPUs.
absl::Status enqueue_axes(KernelContext& c, const Tensor& from, int64_t start, std::span<const BoxAxis> axes,
                          Tensor* to);

/// A run of elements of each row: `count` of them in memory of their own.
struct Piece {
  void* data;
  int64_t count;
};
/// `rows` rows of `whole`, each made of the next run of every piece; and back, whole into pieces.
absl::Status enqueue_join(KernelContext& c, DataType dtype, int64_t rows, std::span<const Piece> pieces,
                          void* whole);
absl::Status enqueue_split(KernelContext& c, DataType dtype, int64_t rows, std::span<const Piece> pieces,
                           const void* whole);

/// `count` copies of one element: of one in the host's memory, or of one in the device's.
absl::Status enqueue_fill(KernelContext& c, DataType dtype, const void* host_value, void* to, int64_t count);
absl::Status enqueue_fill_from(KernelContext& c, DataType dtype, const void* value, void* to, int64_t count);

/// Runs of neighbouring elements as fewer and wider ones: of up to 16 bytes, where `run` and all `pointers` allow.
struct WideRuns {
  size_t element;
  int64_t run;
};
WideRuns widest_runs(DataType dtype, int64_t run, std::initializer_list<const void*> pointers);

/// Calls fn with a value of the type that stores elements of so many bytes: 1, 2, 4, 8 or 16. Internal for others.
template <class F>
absl::Status with_element(size_t bytes, F&& fn) {
  switch (bytes) {
    case 1: return fn(uint8_t());
    case 2: return fn(uint16_t());
    case 4: return fn(uint32_t());
    case 8: return fn(uint64_t());
    case 16: return fn(Element16());
    default: return absl::InternalError("no kernel moves elements of this size");
  }
}

/// The address of element `offset` of a tensor.
inline const void* element_at(const Tensor& t, int64_t offset) {
  return static_cast<const char*>(t.raw()) + offset * static_cast<int64_t>(dtype_size(t.dtype()));
}
inline void* element_at(Tensor& t, int64_t offset) {
  return static_cast<char*>(t.raw()) + offset * static_cast<int64_t>(dtype_size(t.dtype()));
}

}  // namespace troupe
