// Kernels that read or change a shape and share the memory: Shape, Reshape, ExpandDims, Squeeze, identities, copies.
#include <cstring>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

absl::Status write_shape(KernelContext& context, int i) {
  const Shape& shape = context.input(i).shape();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, Shape{shape.rank()}));
  for (int d = 0; d < shape.rank(); ++d) {
    if (out->dtype() == DataType::kInt32 && shape.dim(d) > INT32_MAX) {
      return invalid("Shape output type is 32-bit  but dim ", d, " is ", shape.dim(d));
    }
    set_int(out, d, shape.dim(d));
  }
  return absl::OkStatus();
}

absl::Status shape_of(KernelContext& context) { return write_shape(context, 0); }

absl::Status shape_n(KernelContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) TROUPE_RETURN_IF_ERROR(write_shape(context, i));
  return absl::OkStatus();
}

absl::Status size_of(KernelContext& context) {
  int64_t n = context.input(0).num_elements();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  if (out->dtype() == DataType::kInt32 && n > INT32_MAX) {
    return invalid("Number of elements was larger than representable by 32-bit output type");
  }
  set_int(out, 0, n);
  return absl::OkStatus();
}

absl::Status rank_of(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  set_int(out, 0, context.input(0).rank());
  return absl::OkStatus();
}

absl::Status reshape(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& sizes = context.input(1);
  if (sizes.rank() > 1) return invalid("sizes input must be 1-D, not ", sizes.shape().to_string());
  if (sizes.num_elements() > Shape::kMaxRank) return invalid("Too many dimensions: ", sizes.num_elements());
  Indices dims = ints_of(sizes);
  int64_t known = 1;  // product of the sizes other than -1 and 0
  int unknown = -1;
  bool has_zero = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1) {
      if (unknown != -1) return invalid("Only one input size may be -1, not both ", unknown, " and ", i);
      unknown = static_cast<int>(i);
    } else if (dims[i] < 0) {
      return invalid("Size ", i, " must be non-negative, not ", dims[i]);
    } else if (dims[i] == 0) {
      has_zero = true;
    } else if (multiply_overflows(known, dims[i], &known)) {
      return invalid("Shape [", absl::StrJoin(dims, ", "), "] has too many elements");
    }
  }
  int64_t total = input.num_elements();
  if (unknown != -1) {
    // Beside a size 0 the missing one is what remains of the input's other dimensions, when one of them is 0 too.
    int64_t count = 1;
    bool input_has_zero = false;
    for (int64_t d : input.shape().dims()) {
      if (d > 0 || !has_zero) {
        count *= d;
      } else {
        input_has_zero = true;
      }
    }
    dims[unknown] = count / known;
    if (!input_has_zero && known * dims[unknown] != count) {
      return invalid("Input to reshape is a tensor with ", count,
                     " values, but the requested shape requires a multiple of ", known);
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  if (shape.num_elements() != total) {
    return invalid("Input to reshape is a tensor with ", total, " values, but the requested shape has ",
                   shape.num_elements());
  }
  context.set_output(0, input.reshaped(std::move(shape)));
  return absl::OkStatus();
}

absl::Status expand_dims(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& axis = context.input(1);
  if (axis.num_elements() != 1) return invalid("'dim' must be a tensor with a single value");
  int64_t dim = int_at(axis, 0);
  if (dim < -1 - input.rank() || dim > input.rank()) {
    return invalid("Tried to expand dim index ", dim, " for tensor with ", input.rank(), " dimensions.");
  }
  if (input.rank() >= Shape::kMaxRank) return invalid("Too many dimensions: ", input.rank() + 1);
  Shape shape = input.shape();
  shape.insert_dim(static_cast<int>(dim < 0 ? dim + input.rank() + 1 : dim), 1);
  context.set_output(0, input.reshaped(std::move(shape)));
  return absl::OkStatus();
}

class Squeeze final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("squeeze_dims", &dims_); }
  bool is_expensive() const override { return false; }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    int rank = input.rank();
    bool listed[Shape::kMaxRank] = {};
    for (int64_t d : dims_) {
      if (d < -rank || d >= rank) {
        return invalid("Tried to squeeze dim index ", d, " for tensor with ", rank, " dimensions.");
      }
      listed[d < 0 ? d + rank : d] = true;
    }
    Shape shape;
    for (int i = 0; i < rank; ++i) {
      if (dims_.empty() ? input.dim(i) == 1 : listed[i]) {
        if (input.dim(i) != 1) {
          return invalid("Can not squeeze dim[", i, "], expected a dimension of 1, got ", input.dim(i));
        }
      } else {
        shape.add_dim(input.dim(i));
      }
    }
    context.set_output(0, input.reshaped(std::move(shape)));
    return absl::OkStatus();
  }

 private:
  std::vector<int64_t> dims_;
};

absl::Status identity(KernelContext& context) {
  context.forward_input(0, 0);
  return absl::OkStatus();
}

/// Snapshot, Copy, CopyHost, DeepCopy: own memory with the same elements. Snapshot may keep memory nobody shares.
absl::Status copy_into(KernelContext& context, bool may_forward) {
  const Tensor& input = context.input(0);
  if (!input.initialized()) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  auto out = may_forward ? context.forward_or_allocate_output({0}, 0, input.shape())
                         : context.allocate_output(0, input.shape());
  if (!out.ok()) return out.status();
  if (!(*out)->shares_buffer_with(input)) {
    copy_flat(context.parallel(), input.dtype(), input.raw(), (*out)->raw(), input.num_elements());
  }
  return absl::OkStatus();
}
absl::Status snapshot(KernelContext& context) { return copy_into(context, true); }
absl::Status deep_copy(KernelContext& context) { return copy_into(context, false); }

class EnsureShape final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("shape", &expected_); }
  bool is_expensive() const override { return false; }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    if (!expected_.compatible_with(input.shape())) {
      return invalid("Shape of tensor ", context.node().name, " ", input.shape().to_string(),
                     " is not compatible with expected shape ", expected_.to_string(), ".");
    }
    context.forward_input(0, 0);
    return absl::OkStatus();
  }

 private:
  PartialShape expected_;
};

absl::Status fill(KernelContext& context) {
  const Tensor& dims = context.input(0);
  const Tensor& value = context.input(1);
  if (dims.rank() > 1) return invalid("dims must represent a vector, got shape ", dims.shape().to_string());
  if (value.rank() > 1 || value.num_elements() != 1) {
    return invalid("value must represent a scalar, got shape ", value.shape().to_string());
  }
  Indices sizes = ints_of(dims);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({sizes.data(), sizes.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  fill_flat(context.parallel(), value.dtype(), value.raw(), out->raw(), out->num_elements());
  return absl::OkStatus();
}

absl::Status ones_like(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  Tensor one(input.dtype(), Shape());
  std::memset(one.raw(), 0, dtype_size(input.dtype()));
  switch (input.dtype()) {
    case DataType::kFloat:
    case DataType::kComplex64: *static_cast<float*>(one.raw()) = 1; break;
    case DataType::kDouble:
    case DataType::kComplex128: *static_cast<double*>(one.raw()) = 1; break;
    case DataType::kHalf: *static_cast<uint16_t*>(one.raw()) = 0x3c00; break;
    case DataType::kBfloat16: *static_cast<uint16_t*>(one.raw()) = 0x3f80; break;
    default: {  // An integer or bool: its low byte, wherever this machine keeps it.
      const uint64_t number = 1;
      const char* bytes = reinterpret_cast<const char*>(&number);
      size_t size = dtype_size(input.dtype());
      std::memcpy(one.raw(), *bytes == 1 ? bytes : bytes + sizeof(number) - size, size);
    }
  }
  fill_flat(context.parallel(), input.dtype(), one.raw(), out->raw(), out->num_elements());
  return absl::OkStatus();
}

absl::Status zeros_like(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  fill_zero(context.parallel(), input.dtype(), out->raw(), out->num_elements());
  return absl::OkStatus();
}

/// Elements are zero whatever `init` says: memory of others must not show.
absl::Status empty(KernelContext& context) {
  const Tensor& sizes = context.input(0);
  if (!is_vector(sizes))
    return invalid("shape must be a vector of int32, got shape ", sizes.shape().to_string());
  Indices dims = ints_of(sizes);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
  return absl::OkStatus();
}

}  // namespace

void register_array_shape(KernelRegistry* registry) {
  registry->add(KernelDef("Shape").fn(shape_of, true));
  registry->add(KernelDef("ShapeN").fn(shape_n, true));
  registry->add(KernelDef("Size").fn(size_of, true));
  registry->add(KernelDef("Rank").fn(rank_of, true));
  registry->add(KernelDef("Reshape").types("Tshape", index_types()).fn(reshape, true));
  registry->add(KernelDef("ExpandDims").types("Tdim", index_types()).fn(expand_dims, true));
  registry->add(KernelDef("Squeeze").kernel<Squeeze>());
  for (const char* op : {"StopGradient", "PreventGradient", "GuaranteeConst", "PlaceholderWithDefault"}) {
    registry->add(KernelDef(op).fn(identity, true));
  }
  registry->add(KernelDef("EnsureShape").kernel<EnsureShape>());
  registry->add(KernelDef("Snapshot").types("T", pod_types()).fn(snapshot));
  for (const char* op : {"Copy", "CopyHost", "DeepCopy"}) registry->add(KernelDef(op).fn(deep_copy));
  registry->add(KernelDef("Fill")
                    .types("T", with(with(every_type(), {DataType::kInt4, DataType::kUint4}),
                                     {DataType::kQint8, DataType::kQuint8, DataType::kQint16,
                                      DataType::kQuint16, DataType::kQint32}))
                    .fn(fill));
  registry->add(KernelDef("ZerosLike").types("T", with(value_types(), {DataType::kVariant})).fn(zeros_like));
  registry->add(KernelDef("OnesLike").types("T", pod_types()).fn(ones_like));
  registry->add(KernelDef("Empty").types("dtype", value_types()).fn(empty));
}

}  // namespace troupe
