#include "devices/cuda/kernels/fused_steps.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "devices/cuda/kernels/broadcasting.h"
#include "devices/cuda/kernels/fused_args.h"

namespace troupe {
namespace {

using Activation = FusedSteps::Activation;

/// The arguments of a run: of the vectors, then of the sum.
struct Args {
  absl::InlinedVector<Shape, 6> shapes;
  absl::InlinedVector<const void*, 6> data;
};

absl::StatusOr<Args> read_args(const KernelContext& context, const FusedSteps& steps, int first) {
  TROUPE_RETURN_IF_ERROR(steps.check_count(context.num_inputs(), first));
  Args args;
  for (int i = 0; i < steps.num_args(); ++i) {
    args.shapes.push_back(context.input(first + i).shape());
    args.data.push_back(context.input(first + i).raw());
  }
  return args;
}

/// All of the steps, on a tensor that every argument fits.
absl::Status enqueue_in_place(KernelContext& c, const FusedSteps& steps, const Args& args, bool channels_last,
                              Tensor* data) {
  const Shape& shape = data->shape();
  const int axis = channels_last ? shape.rank() - 1 : 1;
  const int64_t channels = shape.dim(axis), inner = shape.num_elements(axis + 1, shape.rank());
  TROUPE_RETURN_IF_ERROR(steps.check(args.shapes, shape.num_elements(0, axis) * inner, channels));
  FusedArgs kernel;
  kernel.count = data->num_elements();
  kernel.channels = channels;
  kernel.channel_stride = inner;
  kernel.activation = static_cast<int32_t>(steps.activation);
  kernel.epsilon = steps.epsilon;
  kernel.alpha = steps.alpha;
  const void* const none = nullptr;
  const void* const bias = steps.bias ? args.data[0] : none;
  const void* const summand = steps.add ? args.data.back() : none;
  auto normal = [&](size_t i) { return steps.batch_norm ? args.data[i] : none; };
  return enqueue(c, with_suffix("fused_steps", data->dtype()), kernel.count, data->raw(), bias, normal(0),
                 normal(1), normal(2), normal(3), summand, kernel);
}

absl::StatusOr<Tensor> enqueue_sum(KernelContext& c, const Tensor& a, const Shape& b_shape, const void* b) {
  const std::optional<Shape> shape = common_shape(a.shape(), b_shape);
  if (!shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("Incompatible shapes: ", a.shape().to_string(), " vs. ", b_shape.to_string()));
  }
  const Shape* const operands[] = {&a.shape(), &b_shape};
  TROUPE_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan, broadcast_plan(*shape, operands));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, c.allocate_temp(a.dtype(), *shape));
  TROUPE_RETURN_IF_ERROR(
      enqueue(c, with_suffix("add", a.dtype()), out.num_elements(), a.raw(), b, out.raw(), plan));
  return out;
}

/// As the ops one after the other, where a sum makes the result larger.
absl::StatusOr<Tensor> enqueue_one_by_one(KernelContext& c, const FusedSteps& steps, const Args& args,
                                          Tensor output) {
  if (steps.bias && steps.bias_broadcasts) {
    TROUPE_ASSIGN_OR_RETURN(output, enqueue_sum(c, output, args.shapes[0], args.data[0]));
  } else if (steps.bias || steps.batch_norm) {
    FusedSteps vectors = steps;
    vectors.add = false;
    vectors.activation = Activation::kNone;
    TROUPE_RETURN_IF_ERROR(enqueue_in_place(c, vectors, args, true, &output));
  }
  if (steps.add) {
    TROUPE_ASSIGN_OR_RETURN(output, enqueue_sum(c, output, args.shapes.back(), args.data.back()));
  }
  if (steps.activation == Activation::kNone) return output;
  FusedSteps last;
  last.activation = steps.activation;
  last.alpha = steps.alpha;
  // A scalar is a row of one channel.
  Tensor rows = output.rank() == 0 ? output.reshaped(Shape{1}) : output;
  TROUPE_RETURN_IF_ERROR(enqueue_in_place(c, last, Args(), true, &rows));
  return output;
}

}  // namespace

absl::Status enqueue_fused_steps(KernelContext& context, const FusedSteps& steps, int first,
                                 bool channels_last, Tensor output) {
  TROUPE_ASSIGN_OR_RETURN(const Args args, read_args(context, steps, first));
  if (channels_last && !steps.fits(args.shapes, output.shape())) {
    TROUPE_ASSIGN_OR_RETURN(output, enqueue_one_by_one(context, steps, args, std::move(output)));
  } else {
    TROUPE_RETURN_IF_ERROR(enqueue_in_place(context, steps, args, channels_last, &output));
  }
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

ProductEnd product_end(const KernelContext& context, const FusedSteps& steps, int first, int64_t n) {
  if (steps.batch_norm || steps.add || !steps.bias || !steps.check_count(context.num_inputs(), first).ok())
    return {};
  const Tensor& bias = context.input(first);
  if (bias.rank() != 1 || bias.dim(0) != n) return {};
  switch (steps.activation) {
    case Activation::kNone: return {bias.raw(), ProductEnd::kNone};
    case Activation::kRelu: return {bias.raw(), ProductEnd::kRelu};
    case Activation::kGeluApproximate: return {bias.raw(), ProductEnd::kGeluApproximate};
    default: return {};
  }
}

}  // namespace troupe
