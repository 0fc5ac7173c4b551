// ScatterNd, TensorScatter*, ScatterNdNonAliasingAdd.
#include "devices/cuda/kernels/array_scatter_nd.h"

#include "absl/strings/str_cat.h"
#include "devices/common/array/scatter_shape.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

constexpr absl::string_view kAssign = "assign";

/// Indices are on the GPU, so that nobody can say which is bad: it is passed over.
absl::Status check_policy(const KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(BadIndices policy, read_bad_indices_policy(context.node()));
  if (policy != BadIndices::kError) return absl::OkStatus();
  return invalid("ERROR bad_indices_policy is not supported on GPU devices.");
}

absl::Status scatter_nd(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const Tensor& updates = context.input(1);
  const Tensor& sizes = context.input(2);
  if (!is_vector(sizes)) return invalid("Shape must be a vector");
  const Indices dims = ints_of(sizes);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_RETURN_IF_ERROR(check_scatter_shapes(ScatterWording::kNew, indices, updates, shape));
  TROUPE_RETURN_IF_ERROR(check_policy(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, out));
  return enqueue_scatter_nd(context, "add", indices, updates, out);
}

/// An op whose output is its input, changed.
class ScatterCopy final : public Kernel {
 public:
  ScatterCopy(const char* op, ScatterWording wording) : op_(op), wording_(wording) {}
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_RETURN_IF_ERROR(check_scatter_shapes(wording_, context.input(1), context.input(2), input.shape()));
    TROUPE_RETURN_IF_ERROR(check_policy(context));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
    TROUPE_RETURN_IF_ERROR(enqueue_copy(context, input.raw(), out->raw(), input.bytes()));
    return enqueue_scatter_nd(context, op_, context.input(1), context.input(2), out);
  }

 private:
  const char* const op_;
  const ScatterWording wording_;
};

void add_copy(KernelRegistry* registry, const char* op, const char* kernel, std::vector<DataType> types,
              ScatterWording wording = ScatterWording::kTensor) {
  KernelDef def = KernelDef(op).device("GPU").types("T", std::move(types)).types("Tindices", index_types());
  def.factory = [kernel, wording](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<ScatterCopy>(kernel, wording);
  };
  registry->add(std::move(def));
}

}  // namespace

absl::Status enqueue_scatter_nd(KernelContext& context, absl::string_view op, const Tensor& indices,
                                const Tensor& updates, Tensor* target) {
  if (target->num_elements() == 0 || updates.num_elements() == 0) return absl::OkStatus();
  const ScatterShape shape = scatter_shape(indices);
  IndexedDims dims = {};
  if (shape.depth > IndexedDims::kMax)
    return absl::UnimplementedError(absl::StrCat("Scatter to ", shape.depth, " dimensions"));
  dims.rank = static_cast<int32_t>(shape.depth);
  for (int i = 0; i < dims.rank; ++i) dims.sizes[i] = target->dim(i);
  int64_t run = count_dims(target->shape(), dims.rank, target->rank()), n = updates.num_elements();
  std::string kernel = absl::StrCat("scatter_nd_", op);
  if (op == kAssign) {
    const WideRuns wide = widest_runs(target->dtype(), run, {updates.raw(), target->raw()});
    n = n / run * wide.run;
    run = wide.run;
    kernel = by_size(kernel, wide.element);
  } else {
    kernel = with_suffix(kernel, target->dtype());
  }
  return enqueue(context, with_suffix(kernel, indices.dtype()), n, dims, indices.raw(), updates.raw(),
                 target->raw(), run, n);
}

void register_cuda_array_scatter_nd(KernelRegistry* registry) {
  std::vector<DataType> numbers = gpu_types();
  std::erase(numbers, DataType::kBool);
  std::vector<DataType> real_numbers = numbers;
  std::erase_if(real_numbers, is_complex);
  registry->add(KernelDef("ScatterNd")
                    .device("GPU")
                    .types("T", numbers)
                    .types("Tindices", index_types())
                    .host_memory({"shape"})
                    .fn(scatter_nd));
  add_int32_on_host(registry, "ScatterNd", {"indices", "updates", "shape", "output"});
  add_copy(registry, "ScatterNdNonAliasingAdd", "add", numbers, ScatterWording::kUpdate);
  add_int32_on_host(registry, "ScatterNdNonAliasingAdd", {"input", "indices", "updates", "output"});
  add_copy(registry, "TensorScatterUpdate", "assign", gpu_types());
  add_copy(registry, "TensorScatterAdd", "add", numbers);
  add_copy(registry, "TensorScatterSub", "sub", numbers);
  add_copy(registry, "TensorScatterMax", "max", real_numbers);
  add_copy(registry, "TensorScatterMin", "min", real_numbers);
  for (const char* op : {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax",
                         "TensorScatterMin"}) {
    add_int32_on_host(registry, op, {"tensor", "indices", "updates", "output"});
  }
}

}  // namespace troupe
