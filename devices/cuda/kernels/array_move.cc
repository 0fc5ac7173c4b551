// Elements in another order: Transpose, Tile, Reverse, Roll and their like.
#include "absl/strings/str_cat.h"
#include "devices/common/array/reorder.h"
#include "devices/common/array/reorder_kernels.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

absl::Status transpose_any(KernelContext& context, bool conjugates) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Transposed transposed, transpose_of(context));
  const Shape& shape = transposed.shape;
  conjugates = conjugates && is_complex(input.dtype());
  if (!conjugates && (!transposed.moves || input.num_elements() == 0)) {
    context.set_output(0, input.reshaped(shape));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  const Indices from = strides_of(input.shape());
  const Indices to = strides_of(shape);
  StridedCopy copy;
  for (int i = 0; i < input.rank(); ++i) copy.add(shape.dim(i), from[transposed.perm[i]], to[i]);
  TROUPE_RETURN_IF_ERROR(copy.enqueue(context, input.dtype(), input.raw(), out->raw()));
  if (!conjugates) return absl::OkStatus();
  return enqueue(context, with_suffix("conjugate", out->dtype()), out->num_elements(), out->raw(),
                 out->num_elements());
}

absl::Status transpose(KernelContext& context) { return transpose_any(context, false); }
absl::Status conjugate_transpose(KernelContext& context) { return transpose_any(context, true); }

/// Lengths are on the GPU: ones out of range, an error on the CPU, count as 0 or as all steps.
class ReverseSequence final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("seq_dim", &seq_)("batch_dim", &batch_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& lengths = context.input(1);
    TROUPE_RETURN_IF_ERROR(check_reverse_sequence(input, lengths, seq_, batch_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    const Indices strides = strides_of(input.shape());
    const auto seq = static_cast<int>(seq_), batch = static_cast<int>(batch_);
    return enqueue(context,
                   with_suffix(by_size("reverse_sequence", dtype_size(input.dtype())), lengths.dtype()),
                   input.num_elements(), input.raw(), lengths.raw(), out->raw(), input.dim(seq), strides[seq],
                   input.dim(batch), strides[batch], input.num_elements());
  }

 private:
  int64_t seq_ = 0;
  int64_t batch_ = 0;
};

absl::Status roll(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Indices moved, rolled_axes(context));
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  if (input.num_elements() == 0) return absl::OkStatus();
  RollAxes axes = {};
  bool last_moves = true;
  for (int i = 0; i < input.rank(); ++i) {
    // Neighbouring axes that stay are one.
    if (!last_moves && moved[i] == 0) {
      axes.sizes[axes.rank - 1] *= input.dim(i);
      continue;
    }
    if (axes.rank == RollAxes::kMax)
      return absl::UnimplementedError(absl::StrCat("Roll of ", input.rank(), " axes"));
    last_moves = moved[i] != 0;
    axes.sizes[axes.rank] = input.dim(i);
    axes.shifts[axes.rank++] = moved[i];
  }
  const int64_t n = input.num_elements();
  return enqueue(context, by_size("roll", dtype_size(input.dtype())), n, axes, input.raw(), out->raw(), n);
}

}  // namespace

void register_cuda_array_move(KernelRegistry* registry) {
  auto add = [registry](const char* op, std::vector<DataType> types, std::vector<std::string> host,
                        KernelFn fn) {
    registry->add(
        KernelDef(op).device("GPU").types("T", std::move(types)).host_memory(std::move(host)).fn(fn));
  };
  add("Transpose", gpu_types_and_int32(), {"perm"}, transpose);
  add("ConjugateTranspose", gpu_types_and_int32(), {"perm"}, conjugate_transpose);
  add("Tile", gpu_types_and_int32(), {"multiples"}, tile<enqueue_axes>);
  add("Reverse", gpu_types(), {"dims"}, reverse<enqueue_axes>);
  add("ReverseV2", gpu_types(), {"axis"}, reverse_v2<enqueue_axes>);
  add("Roll", gpu_types_and_int32(), {"shift", "axis"}, roll);
  registry->add(KernelDef("ReverseSequence")
                    .device("GPU")
                    .types("T", gpu_types_and_int32())
                    .types("Tlen", index_types())
                    .kernel<ReverseSequence>());
  add_int32_on_host(registry, "Reverse", {"tensor", "dims", "output"});
  add_int32_on_host(registry, "ReverseV2", {"tensor", "axis", "output"});
}

}  // namespace troupe
