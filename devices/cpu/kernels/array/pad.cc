// Pad, PadV2, MirrorPad, MirrorPadGrad, OneHot.
#include <Eigen/Core>
#include <algorithm>
#include <complex>

#include "devices/common/array/paddings.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/storage.h"
#include "devices/cpu/loops/whole_lines.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Writes the rows of the innermost axis: padding, the input's row, padding; rows that are all padding too.
template <class T>
void pad_rows(ParallelRunner& runner, const Tensor& input, const Indices& paddings, const T& value,
              const Shape& shape, Tensor* out) {
  int rank = shape.rank();
  int64_t row = shape.dim(rank - 1);
  int64_t in_row = input.dim(rank - 1);
  int64_t before = paddings[2 * (rank - 1)];
  Indices from_strides = strides_of(input.shape());
  const T* from = static_cast<const T*>(input.raw());
  T* to = static_cast<T*>(out->raw());
  runner.parallel_for(shape.num_elements() / row, row * static_cast<int64_t>(sizeof(T)) / 5 + 4 * rank,
                      [&](int64_t begin, int64_t end) {
                        Indices index(rank, 0);
                        int64_t rest = begin;
                        for (int i = rank - 2; i >= 0; --i) {
                          index[i] = rest % shape.dim(i);
                          rest /= shape.dim(i);
                        }
                        for (int64_t r = begin; r < end; ++r) {
                          int64_t offset = 0;
                          bool inside = in_row > 0;
                          for (int i = 0; i < rank - 1; ++i) {
                            int64_t at = index[i] - paddings[2 * i];
                            inside &= at >= 0 && at < input.dim(i);
                            offset += at * from_strides[i];
                          }
                          T* t = to + r * row;
                          if (inside) {
                            std::fill_n(t, before, value);
                            std::copy_n(from + offset, in_row, t + before);
                            std::fill_n(t + before + in_row, row - before - in_row, value);
                          } else {
                            std::fill_n(t, row, value);
                          }
                          for (int i = rank - 2; i >= 0 && ++index[i] == shape.dim(i); --i) index[i] = 0;
                        }
                      });
}

absl::Status pad(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto padded, pad_shape(context));
  auto& [paddings, shape] = padded;
  Tensor input = context.input(0);
  const Tensor* constant = context.num_inputs() > 2 ? &context.input(2) : nullptr;
  if (shape == input.shape()) {
    context.set_output(0, std::move(input));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  if (input.num_elements() == 0) {
    if (constant != nullptr) {
      fill_flat(context.parallel(), input.dtype(), constant->raw(), out->raw(), out->num_elements());
    } else {
      fill_zero(context.parallel(), input.dtype(), out->raw(), out->num_elements());
    }
    return absl::OkStatus();
  }
  melt_axes(&input, &paddings, &shape);
  with_storage(input.dtype(), [&]<class T>(T*) {
    pad_rows(context.parallel(), input, paddings,
             constant != nullptr ? *static_cast<const T*>(constant->raw()) : T(), shape, out);
  });
  return absl::OkStatus();
}

class MirrorPadKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_ASSIGN_OR_RETURN(kernel->offset_, read_mirror_offset(c));
    return kernel;
  }

 protected:
  /// 1 when the border itself is not repeated.
  int64_t offset_ = 0;
};

/// Grows the already padded block outwards axis by axis: the part of `t` that is done so far is copied mirrored.
void mirror_axis(ParallelRunner& runner, Tensor* t, const Shape& inner, const Indices& paddings, int axis,
                 int64_t offset) {
  Indices strides = strides_of(t->shape());
  int64_t start = 0;
  // Axes after `axis` are complete; those before hold only the input.
  for (int i = 0; i < axis; ++i) start += paddings[2 * i] * strides[i];
  int64_t before = paddings[2 * axis], after = paddings[2 * axis + 1], d = inner.dim(axis);
  auto copy = [&](int64_t count, int64_t from, int64_t to) {
    if (count == 0) return;
    Box box;
    for (int i = 0; i < axis; ++i) box.add(inner.dim(i), strides[i], strides[i]);
    box.add(count, -strides[axis], strides[axis]);
    for (int i = axis + 1; i < t->rank(); ++i) box.add(t->dim(i), strides[i], strides[i]);
    copy_box(runner, t->dtype(), box,
             element_at(static_cast<const Tensor&>(*t), start + from * strides[axis]),
             element_at(*t, start + to * strides[axis]));
  };
  copy(before, before + before - 1 + offset, 0);
  copy(after, before + d - 1 - offset, before + d);
}

class MirrorPad final : public MirrorPadKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<MirrorPad>(c);
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(auto padded, mirror_pad_shape(context, offset_));
    const auto& [paddings, shape] = padded;
    const Tensor& input = context.input(0);
    if (shape == input.shape()) {
      context.set_output(0, input);
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    Indices from = strides_of(input.shape());
    Indices to = strides_of(shape);
    Box box;
    int64_t start = 0;
    for (int i = 0; i < input.rank(); ++i) {
      box.add(input.dim(i), from[i], to[i]);
      start += paddings[2 * i] * to[i];
    }
    copy_box(context.parallel(), input.dtype(), box, input.raw(), element_at(*out, start));
    for (int i = input.rank() - 1; i >= 0; --i) {
      mirror_axis(context.parallel(), out, input.shape(), paddings, i, offset_);
    }
    return absl::OkStatus();
  }
};

/// Folds the mirrored borders of `t` back onto the block they came from, along one axis; axes before it are folded.
template <class T>
void fold_axis(Tensor* t, const Shape& inner, const Indices& paddings, int axis, int64_t offset) {
  int64_t before = paddings[2 * axis], after = paddings[2 * axis + 1], d = inner.dim(axis);
  int64_t full = t->dim(axis);
  int64_t run = count_dims(t->shape(), axis + 1, t->rank());
  int64_t rows = count_dims(t->shape(), 0, axis);
  T* data = t->flat<T>().data();
  auto add = [&](T* to, const T* from) {
    for (int64_t k = 0; k < run; ++k) to[k] = static_cast<T>(to[k] + from[k]);
  };
  for (int64_t r = 0; r < rows; ++r) {
    T* base = data + r * full * run;
    for (int64_t i = 0; i < before; ++i) add(base + (2 * before - 1 - i + offset) * run, base + i * run);
    for (int64_t i = 0; i < after; ++i) {
      add(base + (before + d - 1 - offset - i) * run, base + (before + d + i) * run);
    }
  }
}

class MirrorPadGrad final : public MirrorPadKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<MirrorPadGrad>(c);
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(auto padded, mirror_pad_grad_shape(context, offset_));
    const auto& [paddings, shape] = padded;
    const Tensor& input = context.input(0);
    if (shape == input.shape()) {
      context.set_output(0, input);
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor scratch, context.allocate_temp(input.dtype(), input.shape()));
    copy_flat(context.parallel(), input.dtype(), input.raw(), scratch.raw(), input.num_elements());
    for (int i = 0; i < input.rank(); ++i) {
      if (paddings[2 * i] == 0 && paddings[2 * i + 1] == 0) continue;
      TROUPE_RETURN_IF_ERROR(fold(&scratch, shape, paddings, i));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    Indices from = strides_of(input.shape());
    Indices to = strides_of(shape);
    Box box;
    int64_t start = 0;
    for (int i = 0; i < input.rank(); ++i) {
      box.add(shape.dim(i), from[i], to[i]);
      start += paddings[2 * i] * from[i];
    }
    copy_box(context.parallel(), input.dtype(), box, element_at(static_cast<const Tensor&>(scratch), start),
             out->raw());
    return absl::OkStatus();
  }

 private:
  absl::Status fold(Tensor* t, const Shape& shape, const Indices& paddings, int axis) const {
    switch (t->dtype()) {
#define TROUPE_FOLD(name, type) \
  case DataType::name: fold_axis<type>(t, shape, paddings, axis, offset_); return absl::OkStatus();
      TROUPE_FOLD(kFloat, float)
      TROUPE_FOLD(kDouble, double)
      TROUPE_FOLD(kHalf, Eigen::half)
      TROUPE_FOLD(kBfloat16, Eigen::bfloat16)
      TROUPE_FOLD(kComplex64, std::complex<float>)
      TROUPE_FOLD(kComplex128, std::complex<double>)
#undef TROUPE_FOLD
      // Integers wrap: signed ones are added as unsigned ones.
      default: break;
    }
    switch (dtype_size(t->dtype())) {
      case 1:
        *t = t->with_dtype(DataType::kUint8, t->shape());
        fold_axis<uint8_t>(t, shape, paddings, axis, offset_);
        break;
      case 2:
        *t = t->with_dtype(DataType::kUint16, t->shape());
        fold_axis<uint16_t>(t, shape, paddings, axis, offset_);
        break;
      case 4:
        *t = t->with_dtype(DataType::kUint32, t->shape());
        fold_axis<uint32_t>(t, shape, paddings, axis, offset_);
        break;
      case 8:
        *t = t->with_dtype(DataType::kUint64, t->shape());
        fold_axis<uint64_t>(t, shape, paddings, axis, offset_);
        break;
      default: return absl::UnimplementedError(absl::StrCat("MirrorPadGrad of ", dtype_name(t->dtype())));
    }
    return absl::OkStatus();
  }
};

class OneHot final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& indices = context.input(0);
    const Tensor& depth_tensor = context.input(1);
    const Tensor& on = context.input(2);
    const Tensor& off = context.input(3);
    int rank = indices.rank();
    if (axis_ != -1 && (axis_ < 0 || axis_ > rank)) {
      return invalid("Expected axis to be -1 or between [0, ", rank + 1, ").  But received: ", axis_);
    }
    if (!is_scalar(depth_tensor))
      return invalid("depth must be a scalar, but got: ", depth_tensor.shape().to_string());
    if (!is_scalar(on)) return invalid("on_value must be a scalar, but got: ", on.shape().to_string());
    if (!is_scalar(off)) return invalid("off_value must be a scalar, but got: ", off.shape().to_string());
    int64_t depth = int_at(depth_tensor, 0);
    if (depth < 0) return invalid("depth must be non-negative, got: ", depth);
    int64_t total = 0;
    if (rank >= Shape::kMaxRank || multiply_overflows(indices.num_elements(), depth, &total)) {
      return invalid("OneHot result would have shape ", indices.shape().to_string(), " + [", depth,
                     "], which exceeds 2**63 - 1 elements");
    }
    int axis = axis_ == -1 ? rank : static_cast<int>(axis_);
    Shape shape = indices.shape();
    shape.insert_dim(axis, depth);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (total == 0) return absl::OkStatus();
    const int64_t suffix = count_dims(indices.shape(), axis, rank), n = indices.num_elements();
    // The common one in one pass, row by row.
    if (suffix > 1) fill_flat(context.parallel(), off.dtype(), off.raw(), out->raw(), total);
    with_storage(on.dtype(), [&]<class T>(T*) {
      const T &value = *static_cast<const T*>(on.raw()), &rest = *static_cast<const T*>(off.raw());
      T* const to = static_cast<T*>(out->raw());
      const auto put = [&](int64_t i) {
        const int64_t v = int_at(indices, i);
        if (v >= 0 && v < depth) to[i / suffix * depth * suffix + v * suffix + i % suffix] = value;
      };
      if (suffix > 1) {
        for (int64_t i = 0; i < n; ++i) put(i);
        return;
      }
      context.parallel().parallel_for(n, depth / 8 + 1, [&](int64_t begin, int64_t end) {
        // Some rows at once, which stay in the cache until they have their ones.
        const int64_t rows =
            std::max<int64_t>(1, (int64_t{64} << 10) / (depth * static_cast<int64_t>(sizeof(T))));
        for (int64_t first = begin; first < end; first += rows) {
          const int64_t last = std::min(end, first + rows);
          fill_run(to + first * depth, (last - first) * depth, rest);
          for (int64_t i = first; i < last; ++i) put(i);
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  int64_t axis_ = -1;
};

}  // namespace

void register_array_pad(KernelRegistry* registry) {
  auto types = with(value_types(), {DataType::kQint8, DataType::kQuint8, DataType::kQint32});
  registry->add(KernelDef("Pad").types("T", types).fn(pad));
  registry->add(KernelDef("PadV2").types("T", types).fn(pad));
  registry->add(KernelDef("MirrorPad").types("T", types).kernel<MirrorPad>());
  registry->add(KernelDef("MirrorPadGrad").types("T", number_types()).kernel<MirrorPadGrad>());
  registry->add(KernelDef("OneHot").types("T", every_type()).kernel<OneHot>());
}

}  // namespace troupe
