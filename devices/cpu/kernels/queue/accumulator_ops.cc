// Conditional accumulators: dense and sparse, for v1 (Ref(string)) and resource handles.

#include "devices/cpu/kernels/queue/accumulator.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/handle_signature.h"
#include "devices/common/variable/resource_access.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using AccumulatorPtr = std::shared_ptr<GradientAccumulator>;

template <bool kSparse>
class MakeAccumulatorKernel final : public ResourceKernel<GradientAccumulator> {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    GradientAccumulator::Options o;
    TROUPE_ASSIGN_OR_RETURN(o.dtype, c.attr<DataType>("dtype"));
    TROUPE_ASSIGN_OR_RETURN(o.shape, c.attr<PartialShape>("shape"));
    const auto reduction = c.node().attrs.get_or<std::string>("reduction_type", "MEAN");
    if (reduction != "MEAN" && reduction != "SUM")
      return invalid("reduction_type must be MEAN or SUM, but is ", reduction);
    o.mean = reduction == "MEAN";
    o.sparse = kSparse;
    TROUPE_ASSIGN_OR_RETURN(ResourceName name, resolve_resource_name(c, UnnamedResource::kPrivate));
    return std::make_unique<MakeAccumulatorKernel>(c, std::move(name), std::move(o));
  }
  MakeAccumulatorKernel(const KernelConstruction& c, ResourceName name, GradientAccumulator::Options options)
      : ResourceKernel(c, std::move(name)), options_(std::move(options)) {}

 protected:
  absl::StatusOr<AccumulatorPtr> make(Allocator*) override {
    return std::make_shared<GradientAccumulator>(options_);
  }

 private:
  const GradientAccumulator::Options options_;
};

absl::StatusOr<AccumulatorPtr> input_accumulator(const KernelContext& context, bool sparse) {
  TROUPE_ASSIGN_OR_RETURN(AccumulatorPtr found, lookup_resource<GradientAccumulator>(context, 0));
  if (found->options().sparse != sparse) {
    return invalid("The accumulator is ", sparse ? "not sparse" : "sparse", ", unlike ",
                   context.node().op->name);
  }
  return found;
}

absl::StatusOr<int64_t> scalar_step(const Tensor& t, const char* what) {
  if (!is_scalar(t))
    return invalid("Argument ", what, " must be scalar, but had bad shape ", t.shape().to_string());
  return t.value<int64_t>();
}

absl::Status apply(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(AccumulatorPtr accumulator, input_accumulator(context, false));
  TROUPE_RETURN_IF_ERROR(
      check_handle_signature(context, {DataType::kInt64, accumulator->options().dtype}, {}));
  TROUPE_ASSIGN_OR_RETURN(int64_t step, scalar_step(context.input(1), "local_step"));
  return accumulator->apply(step, context.input(2));
}

absl::Status apply_slices(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(AccumulatorPtr accumulator, input_accumulator(context, true));
  TROUPE_RETURN_IF_ERROR(check_handle_signature(
      context, {DataType::kInt64, DataType::kInt64, accumulator->options().dtype, DataType::kInt64}, {}));
  TROUPE_ASSIGN_OR_RETURN(int64_t step, scalar_step(context.input(1), "local_step"));
  TROUPE_ASSIGN_OR_RETURN(bool has_known_shape, context.node().attrs.get<bool>("has_known_shape"));
  return accumulator->apply_slices(step, {context.input(2), context.input(3), context.input(4)},
                                   has_known_shape);
}

template <bool kSparse>
class TakeKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<TakeKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    auto found = input_accumulator(context, kSparse);
    if (!found.ok()) return done(found.status());
    const Tensor& required = context.input(1);
    if (!is_scalar(required)) {
      return done(
          invalid("Argument num_required must be scalar, but had bad shape ", required.shape().to_string()));
    }
    const DataType dtype = (*found)->options().dtype;
    std::vector<DataType> outputs{dtype};
    if (kSparse) outputs = {DataType::kInt64, dtype, DataType::kInt64};
    absl::Status s = check_handle_signature(context, {DataType::kInt32}, outputs);
    if (!s.ok()) return done(std::move(s));
    (*found)->take(
        context.cancellation(), required.value<int32_t>(), *found,
        [&context, done = std::move(done)](absl::Status status, GradientAccumulator::Slices taken) {
          if (status.ok() && kSparse) {
            context.set_output(0, std::move(taken.indices));
            context.set_output(1, std::move(taken.values));
            context.set_output(2, std::move(taken.shape));
          } else if (status.ok()) {
            context.set_output(0, std::move(taken.values));
          }
          done(std::move(status));
        });
  }
};

absl::Status num_accumulated(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(AccumulatorPtr accumulator, lookup_resource<GradientAccumulator>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int32_t>()[0] = static_cast<int32_t>(accumulator->num_accumulated());
  return absl::OkStatus();
}

absl::Status set_global_step(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(AccumulatorPtr accumulator, lookup_resource<GradientAccumulator>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(int64_t step, scalar_step(context.input(1), "new_global_step"));
  accumulator->set_global_step(step);
  return absl::OkStatus();
}

}  // namespace

void register_queue_accumulator_ops(KernelRegistry* registry) {
  const std::vector<DataType> types = {DataType::kFloat, DataType::kDouble, DataType::kHalf};
  for (std::string prefix : {"", "Resource"}) {
    registry->add(KernelDef(prefix + "ConditionalAccumulator")
                      .types("dtype", types)
                      .kernel<MakeAccumulatorKernel<false>>());
    registry->add(KernelDef(prefix + "AccumulatorApplyGradient").fn(apply));
    registry->add(KernelDef(prefix + "AccumulatorTakeGradient").kernel<TakeKernel<false>>());
    registry->add(KernelDef(prefix + "AccumulatorNumAccumulated").fn(num_accumulated, /*cheap=*/true));
    registry->add(KernelDef(prefix + "AccumulatorSetGlobalStep").fn(set_global_step, /*cheap=*/true));
  }
  registry->add(
      KernelDef("SparseConditionalAccumulator").types("dtype", types).kernel<MakeAccumulatorKernel<true>>());
  registry->add(KernelDef("SparseAccumulatorApplyGradient").fn(apply_slices));
  registry->add(KernelDef("SparseAccumulatorTakeGradient").kernel<TakeKernel<true>>());
}

}  // namespace troupe
