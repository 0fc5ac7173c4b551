// Slice, StridedSlice, its gradient and its assignments.
#include <algorithm>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/variable.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

absl::Status slice(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& begin = context.input(1);
  const Tensor& size = context.input(2);
  int rank = input.rank();
  if (!is_vector(begin) || !is_vector(size) || begin.dim(0) != rank || size.dim(0) != rank) {
    return invalid("Expected begin and size arguments to be 1-D tensors of size ", rank, ", but got shapes ",
                   begin.shape().to_string(), " and ", size.shape().to_string(), " instead.");
  }
  Shape shape = input.shape();
  Indices strides = strides_of(input.shape());
  int64_t offset = 0;
  for (int i = 0; i < rank; ++i) {
    int64_t b = int_at(begin, i);
    int64_t s = int_at(size, i);
    int64_t d = input.dim(i);
    if (b < 0 || b > d) return invalid("Expected begin[", i, "] in [0, ", d, "], but got ", b);
    if (s == -1) s = d - b;
    if (s < 0 || s > d - b) return invalid("Expected size[", i, "] in [0, ", d - b, "], but got ", s);
    shape.set_dim(i, s);
    offset += input.num_elements() == 0 ? 0 : b * strides[i];
  }
  if (shape == input.shape()) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  Indices to = strides_of(shape);
  Box box;
  for (int i = 0; i < rank; ++i) box.add(shape.dim(i), strides[i], to[i]);
  copy_box(context.parallel(), input.dtype(), box, element_at(input, offset), out->raw());
  return absl::OkStatus();
}

struct StridedMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

bool bit(int64_t mask, int64_t i) { return i < 32 && (mask >> i & 1) != 0; }

/// A slice resolved against a shape.
struct StridedRange {
  /// Per dimension of the input: first index, step, and how many.
  Indices begin, stride, size;
  /// What comes out: without shrunk axes, with new ones.
  Shape shape;
  bool identity = true;
};

/// One entry per dimension of the input, before the shape is looked at.
struct DenseSpec {
  Indices begin, end, stride;
  absl::InlinedVector<bool, 8> begin_open, end_open, shrink;
  /// For each output dimension the input's, or kNewAxis.
  absl::InlinedVector<int, 8> source;
  static constexpr int kNewAxis = -1;
};

/// Spreads the sparse spec (with ellipsis and new axes) over the dimensions of the input.
absl::Status spread_spec(const Tensor& begin, const Tensor& end, const Tensor& strides,
                         const StridedMasks& masks, int rank, DenseSpec* spec) {
  int64_t entries = begin.dim(0);
  int64_t new_after_ellipsis = 0;
  bool ellipsis_seen = false;
  for (int64_t i = 0; i < entries; ++i) {
    if (ellipsis_seen && bit(masks.new_axis, i)) ++new_after_ellipsis;
    if (bit(masks.ellipsis, i)) ellipsis_seen = true;
  }
  int64_t all_entries = entries + (ellipsis_seen ? 0 : 1);
  int full = 0;
  for (int64_t i = 0; i < all_entries; ++i) {
    if (i == entries || bit(masks.ellipsis, i)) {
      int64_t next = std::min<int64_t>(rank - (all_entries - i) + 1 + new_after_ellipsis, rank);
      for (; full < next; ++full) {
        spec->begin.push_back(0);
        spec->end.push_back(0);
        spec->stride.push_back(1);
        spec->begin_open.push_back(true);
        spec->end_open.push_back(true);
        spec->shrink.push_back(false);
        spec->source.push_back(full);
      }
    } else if (bit(masks.new_axis, i)) {
      spec->source.push_back(DenseSpec::kNewAxis);
    } else {
      if (full == rank) {
        return invalid("Index out of range using input dim ", full, "; input has only ", rank, " dims");
      }
      spec->begin.push_back(int_at(begin, i));
      spec->end.push_back(int_at(end, i));
      spec->stride.push_back(int_at(strides, i));
      spec->begin_open.push_back(bit(masks.begin, i));
      spec->end_open.push_back(bit(masks.end, i));
      spec->shrink.push_back(bit(masks.shrink, i));
      if (!spec->shrink.back()) spec->source.push_back(full);
      ++full;
    }
  }
  if (full < rank) return invalid("The slice names ", full, " of ", rank, " dimensions");
  return absl::OkStatus();
}

absl::StatusOr<StridedRange> resolve_slice(std::span<const int64_t> dims, const Tensor& begin,
                                           const Tensor& end, const Tensor& strides,
                                           const StridedMasks& masks) {
  if (!is_vector(begin) || !is_vector(end) || !is_vector(strides) || begin.dim(0) != end.dim(0) ||
      begin.dim(0) != strides.dim(0) || begin.dim(0) >= 32) {
    return invalid("Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
                   begin.shape().to_string(), ", ", end.shape().to_string(), ", and ",
                   strides.shape().to_string(), " instead.");
  }
  int64_t ellipsis = masks.ellipsis & 0xffffffff;
  if ((ellipsis & (ellipsis - 1)) != 0) return invalid("Multiple ellipses in slice spec not allowed");
  int rank = static_cast<int>(dims.size());
  DenseSpec spec;
  TROUPE_RETURN_IF_ERROR(spread_spec(begin, end, strides, masks, rank, &spec));
  StridedRange range;
  for (int i = 0; i < rank; ++i) {
    int64_t dim = dims[i];
    int64_t stride = spec.stride[i];
    if (stride == 0) return invalid("strides[", i, "] must be non-zero");
    if (spec.shrink[i] && stride <= 0) return invalid("only stride 1 allowed on non-range indexing.");
    int64_t low = stride > 0 ? 0 : -1;
    int64_t high = stride > 0 ? dim : dim - 1;
    auto canonical = [&](int64_t x) { return std::clamp(x < 0 ? x + dim : x, low, high); };
    int64_t b, e;
    if (spec.shrink[i]) {
      b = spec.begin[i] < 0 ? spec.begin[i] + dim : spec.begin[i];
      if (b < 0 || b >= dim)
        return invalid("slice index ", spec.begin[i], " of dimension ", i, " out of bounds.");
      e = b + 1;
      stride = 1;
    } else {
      b = spec.begin_open[i] ? (stride > 0 ? low : high) : canonical(spec.begin[i]);
      e = spec.end_open[i] ? (stride > 0 ? high : low) : canonical(spec.end[i]);
    }
    int64_t length = e - b;
    int64_t size =
        length == 0 || (length < 0) != (stride < 0) ? 0 : length / stride + (length % stride != 0 ? 1 : 0);
    range.begin.push_back(b);
    range.stride.push_back(stride);
    range.size.push_back(size);
    range.identity &= size == dim && (stride == 1 || size <= 1);
  }
  for (int s : spec.source) range.shape.add_dim(s == DenseSpec::kNewAxis ? 1 : range.size[s]);
  return range;
}

class StridedKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_ASSIGN_OR_RETURN(kernel->masks_.begin, c.attr<int64_t>("begin_mask"));
    TROUPE_ASSIGN_OR_RETURN(kernel->masks_.end, c.attr<int64_t>("end_mask"));
    TROUPE_ASSIGN_OR_RETURN(kernel->masks_.ellipsis, c.attr<int64_t>("ellipsis_mask"));
    TROUPE_ASSIGN_OR_RETURN(kernel->masks_.new_axis, c.attr<int64_t>("new_axis_mask"));
    TROUPE_ASSIGN_OR_RETURN(kernel->masks_.shrink, c.attr<int64_t>("shrink_axis_mask"));
    return kernel;
  }

 protected:
  absl::StatusOr<StridedRange> resolve(KernelContext& context, std::span<const int64_t> dims) const {
    return resolve_slice(dims, context.input(1), context.input(2), context.input(3), masks_);
  }
  StridedMasks masks_;
};

/// Offset of the first element of the range, and per dimension the step in elements.
int64_t range_strides(const StridedRange& range, const Shape& shape, Indices* steps) {
  *steps = strides_of(shape);
  int64_t offset = 0;
  for (size_t i = 0; i < steps->size(); ++i) {
    offset += range.begin[i] * (*steps)[i];
    // A step over a range of one element is not taken, and might not fit.
    (*steps)[i] = range.size[i] > 1 ? (*steps)[i] * range.stride[i] : 0;
  }
  return offset;
}

class StridedSlice final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<StridedSlice>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, input.shape().dims()));
    if (range.identity) {
      context.set_output(0, input.reshaped(std::move(range.shape)));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, range.shape));
    if (range.shape.num_elements() == 0) return absl::OkStatus();
    Indices steps;
    int64_t offset = range_strides(range, input.shape(), &steps);
    int64_t to = range.shape.num_elements();
    Box box;
    for (int i = 0; i < input.rank(); ++i) {
      to /= range.size[i];
      box.add(range.size[i], steps[i], to);
    }
    copy_box(context.parallel(), input.dtype(), box, element_at(input, offset), out->raw());
    return absl::OkStatus();
  }
};

class StridedSliceGrad final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<StridedSliceGrad>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& sizes = context.input(0);
    const Tensor& dy = context.input(4);
    if (!is_vector(sizes)) return invalid("shape must be 1-D, got shape.shape = ", sizes.shape().to_string());
    Indices dims = ints_of(sizes);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, shape.dims()));
    if (!(dy.shape() == range.shape)) {
      return invalid("shape of dy was ", dy.shape().to_string(), " instead of ", range.shape.to_string());
    }
    if (range.identity) {
      context.set_output(0, dy.reshaped(std::move(shape)));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    if (range.shape.num_elements() == 0) return absl::OkStatus();
    Indices steps;
    int64_t offset = range_strides(range, shape, &steps);
    int64_t from = dy.num_elements();
    Box box;
    for (int i = 0; i < shape.rank(); ++i) {
      from /= range.size[i];
      box.add(range.size[i], from, steps[i]);
    }
    copy_box(context.parallel(), dy.dtype(), box, dy.raw(), element_at(*out, offset));
    return absl::OkStatus();
  }
};

/// target[range] = value, which broadcasts to the range.
absl::Status assign_range(KernelContext& context, const StridedRange& range, const Tensor& value,
                          Tensor* target) {
  // Strides of the value along the output dimensions, then along those of the target.
  int value_rank = value.rank(), rank = range.shape.rank();
  bool fits = value_rank <= rank;
  Indices value_strides = strides_of(value.shape());
  Indices along(rank, 0);
  for (int i = 0; fits && i < value_rank; ++i) {
    int64_t d = value.dim(value_rank - 1 - i);
    if (d == range.shape.dim(rank - 1 - i)) {
      along[rank - 1 - i] = d == 1 ? 0 : value_strides[value_rank - 1 - i];
    } else if (d != 1) {
      fits = false;
    }
  }
  if (!fits) {
    return invalid("Cannot broadcast input shape ", value.shape().to_string(), " into final shape ",
                   range.shape.to_string());
  }
  if (range.shape.num_elements() == 0) return absl::OkStatus();
  Indices steps;
  int64_t offset = range_strides(range, target->shape(), &steps);
  // Axes of the output and of the target agree in order once those of size 1 are left out.
  Box box;
  int o = 0;
  for (int i = 0; i < target->rank(); ++i) {
    if (range.size[i] == 1) continue;
    while (range.shape.dim(o) == 1) ++o;
    box.add(range.size[i], along[o++], steps[i]);
  }
  copy_box(context.parallel(), target->dtype(), box, value.raw(), element_at(*target, offset));
  return absl::OkStatus();
}

class TensorStridedSliceUpdate final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<TensorStridedSliceUpdate>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, input.shape().dims()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
    if (!out->shares_buffer_with(input)) {
      copy_flat(context.parallel(), input.dtype(), input.raw(), out->raw(), input.num_elements());
    }
    return assign_range(context, range, context.input(4), out);
  }
};

class StridedSliceAssign final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<StridedSliceAssign>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const std::shared_ptr<RefTensor>& ref = context.input_ref(0);
    if (ref == nullptr) return invalid("StridedSliceAssign needs a variable");
    {
      std::lock_guard lock(ref->mu);
      if (!ref->tensor.initialized()) return uninitialized_ref(*ref);
      TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, ref->tensor.shape().dims()));
      TROUPE_RETURN_IF_ERROR(make_unique(&ref->tensor, context.allocator()));
      TROUPE_RETURN_IF_ERROR(assign_range(context, range, context.input(4), &ref->tensor));
    }
    context.set_output_ref(0, ref);
    return absl::OkStatus();
  }
};

class ResourceStridedSliceAssign final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<ResourceStridedSliceAssign>(c);
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    const Tensor& value = context.input(4);
    std::unique_lock lock(var->mu());
    if (var->dtype() != value.dtype()) {
      return invalid("l-value dtype ", dtype_name(var->dtype()), " does not match r-value dtype ",
                     dtype_name(value.dtype()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * target, var->writable(context.allocator()));
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, target->shape().dims()));
    return assign_range(context, range, value, target);
  }
};

}  // namespace

void register_array_slice(KernelRegistry* registry) {
  auto slice_types = with(value_types(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn, DataType::kQint8,
                                          DataType::kQuint8, DataType::kQint32});
  auto types = with(slice_types, {DataType::kResource, DataType::kVariant});
  registry->add(KernelDef("Slice").types("T", slice_types).fn(slice));
  registry->add(KernelDef("StridedSlice").types("T", types).kernel<StridedSlice>());
  registry->add(KernelDef("StridedSliceGrad").types("T", types).kernel<StridedSliceGrad>());
  registry->add(KernelDef("TensorStridedSliceUpdate").types("T", types).kernel<TensorStridedSliceUpdate>());
  registry->add(KernelDef("StridedSliceAssign").types("T", types).kernel<StridedSliceAssign>());
  registry->add(
      KernelDef("ResourceStridedSliceAssign").types("T", types).kernel<ResourceStridedSliceAssign>());
}

}  // namespace troupe
