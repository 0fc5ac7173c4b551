// Cast between all number types, and Bitcast.
#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/cast_narrow.h"
#include "devices/cpu/kernels/cwise/cast_rows.h"
#include "devices/cpu/kernels/cwise/rows.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Quantised numbers are cast as the integers that store them.
DataType plain_integer(DataType t) {
  switch (t) {
    case DataType::kQint8: return DataType::kInt8;
    case DataType::kQuint8: return DataType::kUint8;
    case DataType::kQint16: return DataType::kInt16;
    case DataType::kQuint16: return DataType::kUint16;
    case DataType::kQint32: return DataType::kInt32;
    default: return t;
  }
}

class Cast final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(bool truncate, c.attr<bool>("Truncate"));
    const DataType from = c.input_type(0);
    const DataType to = c.output_type(0);
    if (from == to) return std::make_unique<Cast>(nullptr, 0, 0);
    UnaryRow row = cast_row(plain_integer(from), plain_integer(to), truncate);
    if (row == nullptr) row = narrow_cast_row(plain_integer(from), plain_integer(to));
    if (row == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat("Cast ", dtype_name(from), " to ", dtype_name(to), " is not supported"));
    }
    return std::make_unique<Cast>(row, dtype_size(from), dtype_size(to));
  }
  Cast(UnaryRow row, size_t in_size, size_t out_size)
      : row_(row), in_size_(static_cast<int64_t>(in_size)), out_size_(static_cast<int64_t>(out_size)) {}

  absl::Status compute(KernelContext& context) override {
    if (row_ == nullptr) {
      context.forward_input(0, 0);
      return absl::OkStatus();
    }
    const Tensor& in = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
    const char* x = static_cast<const char*>(in.raw());
    char* o = static_cast<char*>(out->raw());
    const int64_t n = in.num_elements();
    if (n < kParallelElements) {
      row_(x, o, n);
    } else {
      context.parallel().parallel_for(n, 1, [&](int64_t begin, int64_t end) {
        row_(x + begin * in_size_, o + begin * out_size_, end - begin);
      });
    }
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const UnaryRow row_;
  const int64_t in_size_;
  const int64_t out_size_;
};

/// The same bytes as elements of another size: a larger one takes up the last dimension, a smaller one adds one.
absl::Status bitcast(KernelContext& context) {
  const Tensor& in = context.input(0);
  const DataType from = in.dtype();
  const DataType to = base_type(context.output_type(0));
  const int64_t from_size = static_cast<int64_t>(dtype_size(from));
  const int64_t to_size = static_cast<int64_t>(dtype_size(to));
  if (!is_trivial(from) || !is_trivial(to) || (to_size % from_size != 0 && from_size % to_size != 0)) {
    return invalid("Cannot bitcast from ", static_cast<int>(from), " to ", static_cast<int>(to));
  }
  Shape shape = in.shape();
  if (to_size > from_size) {
    const int last = in.rank() - 1;
    if (last < 0 || in.dim(last) != to_size / from_size) {
      return invalid("Cannot bitcast from ", static_cast<int>(from), " to ", static_cast<int>(to));
    }
    shape.remove_dim(last);
  } else if (to_size < from_size) {
    int64_t ignored;
    if (multiply_overflows(in.num_elements(), from_size / to_size, &ignored) ||
        in.rank() >= Shape::kMaxRank) {
      return invalid("Cannot bitcast ", in.shape().to_string(), ": too many elements");
    }
    shape.add_dim(from_size / to_size);
  }
  in.buffer()->ref();
  context.set_output(0, Tensor(to, std::move(shape), in.buffer()));
  return absl::OkStatus();
}

}  // namespace

void register_cwise_cast(KernelRegistry* r) {
  r->add(KernelDef("Cast").kernel<Cast>());
  r->add(KernelDef("_HostCast").kernel<Cast>());
  r->add(KernelDef("Bitcast").fn(bitcast, true));
}

}  // namespace troupe
