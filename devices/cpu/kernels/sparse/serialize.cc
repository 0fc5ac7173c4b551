// Sparse tensors as three strings or variants, and kept on the side under handles: SerializeSparse,
// SerializeManySparse, DeserializeSparse, DeserializeManySparse, AddSparseToTensorsMap,
// AddManySparseToTensorsMap, TakeManySparseFromTensorsMap.
#include <array>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "devices/cpu/kernels/shared/encoded_tensor.h"
#include "devices/common/variable/resource_access.h"
#include "devices/cpu/kernels/shared/tensor_variant.h"
#include "devices/cpu/kernels/sparse/parts.h"
#include "devices/resource_manager.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

/// Indices, values, dense shape.
using Parts = std::array<Tensor, 3>;

absl::Status write_part(const Tensor& part, Tensor* out, int64_t i) {
  if (out->dtype() == DataType::kVariant) {
    out->flat<Variant>()[i] = Variant(std::make_shared<TensorVariant>(part));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(std::string bytes, encode_tensor(part));
  out->flat<TString>()[i].assign(bytes);
  return absl::OkStatus();
}

absl::StatusOr<Tensor> read_part(const Tensor& in, int64_t i) {
  if (in.dtype() == DataType::kVariant) {
    const Variant& v = in.flat<Variant>()[i];
    if (auto* held = v.get<TensorVariant>()) return held->tensor();
    std::string metadata;
    std::vector<Tensor> tensors;
    if (!v.empty() && v.value()->type_name() == "tensorflow::Tensor" &&
        v.value()->serialize(&metadata, &tensors) && tensors.size() == 1) {
      return tensors[0];
    }
    return invalid("Could not get a tensor from the variant: element ", i, " holds ",
                   v.empty() ? "nothing" : v.value()->type_name());
  }
  const TString& bytes = in.flat<TString>()[i];
  pb::TensorProto proto;
  if (bytes.size() > INT32_MAX || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return invalid("Could not parse serialized proto");
  }
  return from_proto(proto);
}

absl::Status serialize_sparse(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_sparse_ranks(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{3}));
  for (int i = 0; i < 3; ++i) TROUPE_RETURN_IF_ERROR(write_part(context.input(i), out, i));
  return absl::OkStatus();
}

/// The sparse tensors that a batch is made of: one for each index of the first dimension.
absl::StatusOr<std::vector<Parts>> split_batch(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_sparse_ranks(context, 0));
  if (context.input(2).dim(0) <= 1) {
    return invalid("Rank of input SparseTensor should be > 1, but saw rank: ", context.input(2).dim(0));
  }
  TROUPE_ASSIGN_OR_RETURN(Sparse batch, read_sparse(context, 0));
  TROUPE_RETURN_IF_ERROR(check_indices(batch.row(0), batch.nnz(), batch.dims, true));
  const int rank = batch.rank();
  const int64_t count = batch.dims[0];
  // One small tensor for each: bounded by what the output holds, which is allocated first.
  Tensor shape(DataType::kInt64, Shape{rank - 1});
  std::copy(batch.dims.begin() + 1, batch.dims.end(), shape.flat<int64_t>().begin());
  const Parts none = {Tensor(DataType::kInt64, Shape{0, rank - 1}), Tensor(batch.values->dtype(), Shape{0}),
                      shape};
  std::vector<Parts> parts(static_cast<size_t>(count), none);
  for (int64_t begin = 0, end = 0; begin < batch.nnz(); begin = end) {
    const int64_t b = batch.row(begin)[0];
    while (end < batch.nnz() && batch.row(end)[0] == b) ++end;
    TROUPE_ASSIGN_OR_RETURN(
        Tensor indices, Tensor::make(DataType::kInt64, Shape{end - begin, rank - 1}, context.allocator()));
    for (int64_t i = begin; i < end; ++i) {
      std::copy_n(batch.row(i) + 1, rank - 1, indices.flat<int64_t>().data() + (i - begin) * (rank - 1));
    }
    parts[b] = {std::move(indices), batch.values->slice_rows(begin, end), shape};
  }
  return parts;
}

absl::Status serialize_many_sparse(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_sparse_ranks(context, 0));
  const int64_t dims[2] = {context.input(2).num_elements() > 0 ? int_at(context.input(2), 0) : 0, 3};
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(std::vector<Parts> parts, split_batch(context));
  for (size_t b = 0; b < parts.size(); ++b) {
    for (int k = 0; k < 3; ++k)
      TROUPE_RETURN_IF_ERROR(write_part(parts[b][k], out, static_cast<int64_t>(b) * 3 + k));
  }
  return absl::OkStatus();
}

absl::Status check_read_parts(const Parts& p, size_t i, DataType dtype, int64_t rank_before) {
  const auto& [indices, values, shape] = p;
  if (indices.dtype() != DataType::kInt64) {
    return invalid("Expected SparseTensor[", i, "] indices of type int64 but got ",
                   dtype_name(indices.dtype()));
  }
  if (indices.rank() != 2) {
    return invalid("Expected SparseTensor[", i, "] indices to represent an index matrix but received shape ",
                   indices.shape().to_string());
  }
  if (!is_vector(values)) {
    return invalid("Expected SparseTensor[", i, "] values to represent a values vector but received shape ",
                   values.shape().to_string());
  }
  if (!is_vector(shape) || shape.dtype() != DataType::kInt64) {
    return invalid("Expected SparseTensor[", i, "] shape to represent a shape vector but received shape ",
                   shape.shape().to_string());
  }
  if (values.dtype() != dtype) {
    return invalid("Requested SparseTensor of type ", dtype_name(dtype), " but SparseTensor[", i,
                   "].values.dtype() == ", dtype_name(values.dtype()));
  }
  if (indices.dim(0) != values.dim(0)) {
    return invalid("Expected row counts of SparseTensor[", i, "].indices and SparseTensor[", i,
                   "].values to match but they do not: ", indices.dim(0), " vs. ", values.dim(0));
  }
  if (indices.dim(1) != shape.dim(0)) {
    return invalid("Expected column counts of SparseTensor[", i, "].indices to match size of SparseTensor[",
                   i, "].shape but they do not: ", indices.dim(1), " vs. ", shape.dim(0));
  }
  if (shape.dim(0) != rank_before) {
    return invalid("Inconsistent shape across SparseTensors: rank prior to SparseTensor[", i,
                   "] was: ", rank_before, " but rank of SparseTensor[", i, "] is: ", shape.dim(0));
  }
  return absl::OkStatus();
}

/// Outputs 0 to 2: the sparse tensors joined, under new leading dimensions `outer` (whose product is their
/// number).
absl::Status join(KernelContext& context, const std::vector<Parts>& parts, const Indices& outer) {
  const DataType dtype = context.output_type(1);
  const int64_t inner = parts.empty() || parts[0][2].rank() != 1 ? 0 : parts[0][2].dim(0);
  Indices dims = outer;
  dims.resize(outer.size() + static_cast<size_t>(inner), 0);
  int64_t total = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    TROUPE_RETURN_IF_ERROR(check_read_parts(parts[i], i, dtype, inner));
    total += parts[i][0].dim(0);
    for (int64_t d = 0; d < inner; ++d)
      dims[outer.size() + d] = std::max(dims[outer.size() + d], int_at(parts[i][2], d));
  }
  const int rank = static_cast<int>(dims.size());
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(0, Shape{total, rank}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(1, Shape{total}));
  int64_t* to = indices->flat<int64_t>().data();
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t* from = parts[i][0].flat<int64_t>().data();
    const int64_t nnz = parts[i][0].dim(0);
    for (int64_t k = 0; k < nnz; ++k) {
      auto rest = static_cast<int64_t>(i);
      for (size_t d = outer.size(); d-- > 0;) {
        to[(at + k) * rank + static_cast<int64_t>(d)] = rest % outer[d];
        rest /= outer[d];
      }
      std::copy_n(from + k * inner, inner, to + (at + k) * rank + static_cast<int64_t>(outer.size()));
    }
    copy_elements(parts[i][1], 0, *values, at, nnz);
    at += nnz;
  }
  return output_dims(context, 2, dims);
}

absl::Status deserialize_sparse(KernelContext& context) {
  const Tensor& in = context.input(0);
  if (in.rank() == 0)
    return invalid("Serialized sparse should have non-zero rank but received shape ", in.shape().to_string());
  if (in.dim(in.rank() - 1) != 3) {
    return invalid("Serialized sparse should have 3 as the last dimension ", in.shape().to_string());
  }
  if (in.num_elements() == 0) {
    return invalid("Serialized sparse should have at least 1 serialized tensor, but has a zero dimension ",
                   in.shape().to_string());
  }
  std::vector<Parts> parts(static_cast<size_t>(in.num_elements() / 3));
  for (size_t i = 0; i < parts.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      TROUPE_ASSIGN_OR_RETURN(parts[i][k], read_part(in, static_cast<int64_t>(i) * 3 + k));
    }
  }
  Indices outer;
  for (int d = 0; d + 1 < in.rank(); ++d) outer.push_back(in.dim(d));
  return join(context, parts, outer);
}

/// Sparse tensors on their way from one step to another.
class SparseTensorsMap final : public Resource {
 public:
  static constexpr char kTypeName[] = "SparseTensorsMap";
  explicit SparseTensorsMap(std::string name) : name_(std::move(name)) {}
  std::string type_name() const override { return kTypeName; }

  int64_t add(Parts parts) {
    std::lock_guard lock(mu_);
    parts_.emplace(next_, std::move(parts));
    return next_++;
  }
  absl::StatusOr<Parts> take(int64_t handle) {
    std::lock_guard lock(mu_);
    auto it = parts_.find(handle);
    if (it == parts_.end()) return invalid("Unable to find SparseTensor: ", handle, " in map: ", name_);
    Parts parts = std::move(it->second);
    parts_.erase(it);
    return parts;
  }

 private:
  const std::string name_;
  std::mutex mu_;
  int64_t next_ = 0;                           // guarded by mu_
  absl::flat_hash_map<int64_t, Parts> parts_;  // guarded by mu_
};

/// Base of the kernels that use a map: they find it by container and name.
class MapKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_ASSIGN_OR_RETURN(kernel->name_, resolve_resource_name(c, UnnamedResource::kNodeName));
    return kernel;
  }

 protected:
  absl::StatusOr<std::shared_ptr<SparseTensorsMap>> map(KernelContext& context) const {
    return context.resources().lookup_or_create<SparseTensorsMap>(
        name_.container, name_.name, [this]() -> absl::StatusOr<std::shared_ptr<SparseTensorsMap>> {
          return std::make_shared<SparseTensorsMap>(name_.name);
        });
  }
  ResourceName name_;
};

class AddSparseToTensorsMap final : public MapKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<AddSparseToTensorsMap>(c);
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_RETURN_IF_ERROR(check_sparse_ranks(context, 0));
    TROUPE_RETURN_IF_ERROR(read_sparse(context, 0).status());
    TROUPE_ASSIGN_OR_RETURN(auto target, map(context));
    TROUPE_ASSIGN_OR_RETURN(Tensor * handle, context.allocate_output(0, Shape()));
    handle->flat<int64_t>()[0] = target->add({context.input(0), context.input(1), context.input(2)});
    return absl::OkStatus();
  }
};

class AddManySparseToTensorsMap final : public MapKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<AddManySparseToTensorsMap>(c);
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_RETURN_IF_ERROR(check_sparse_ranks(context, 0));
    const int64_t dims[1] = {context.input(2).num_elements() > 0 ? int_at(context.input(2), 0) : 0};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * handles, context.allocate_output(0, shape));
    TROUPE_ASSIGN_OR_RETURN(std::vector<Parts> parts, split_batch(context));
    TROUPE_ASSIGN_OR_RETURN(auto target, map(context));
    // Those that hold something come first, then the empty ones.
    for (bool empty : {false, true}) {
      for (size_t b = 0; b < parts.size(); ++b) {
        if ((parts[b][1].num_elements() == 0) == empty) handles->flat<int64_t>()[b] = target->add(parts[b]);
      }
    }
    return absl::OkStatus();
  }
};

class TakeManySparseFromTensorsMap final : public MapKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<TakeManySparseFromTensorsMap>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& handles = context.input(0);
    if (!is_vector(handles))
      return invalid("sparse_handles should be a vector but received shape ", handles.shape().to_string());
    TROUPE_ASSIGN_OR_RETURN(auto source, map(context));
    std::vector<Parts> parts;
    for (int64_t handle : handles.flat<int64_t>()) {
      TROUPE_ASSIGN_OR_RETURN(Parts taken, source->take(handle));
      parts.push_back(std::move(taken));
    }
    return join(context, parts, Indices{static_cast<int64_t>(parts.size())});
  }
};

}  // namespace

void register_sparse_serialize(KernelRegistry* registry) {
  registry->add(KernelDef("SerializeSparse").fn(serialize_sparse));
  registry->add(KernelDef("SerializeManySparse").types("T", every_type()).fn(serialize_many_sparse));
  registry->add(KernelDef("DeserializeSparse").fn(deserialize_sparse));
  registry->add(KernelDef("DeserializeManySparse").fn(deserialize_sparse));
  registry->add(KernelDef("AddSparseToTensorsMap").kernel<AddSparseToTensorsMap>());
  registry->add(
      KernelDef("AddManySparseToTensorsMap").types("T", every_type()).kernel<AddManySparseToTensorsMap>());
  registry->add(KernelDef("TakeManySparseFromTensorsMap")
                    .types("dtype", every_type())
                    .kernel<TakeManySparseFromTensorsMap>());
}

}  // namespace troupe
