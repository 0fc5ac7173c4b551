// _FusedElementwise: a tree of element-wise operations in one kernel.
#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "devices/common/array_values.h"
#include "devices/common/cwise/fused_elementwise.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/broadcasting.h"
#include "devices/cuda/kernels/cwise_parts.h"
#include "devices/cuda/kernels/fused_program.h"

namespace troupe {
namespace {

struct FusedOperation {
  FusedOp op;
  size_t operands;
  /// Its operands must be of one shape.
  bool same_shape = false;
};

/// Nothing for an op that programs do not have.
const FusedOperation* operation_of(const std::string& op) {
  using enum FusedOp;
  static const auto* const kOperations =
      new absl::flat_hash_map<std::string, FusedOperation>{{"Add", {kAdd, 2}},
                                                           {"AddV2", {kAdd, 2}},
                                                           {"Sub", {kSub, 2}},
                                                           {"Mul", {kMul, 2}},
                                                           {"RealDiv", {kDivide, 2}},
                                                           {"Div", {kDivide, 2}},
                                                           {"Maximum", {kMaximum, 2}},
                                                           {"Minimum", {kMinimum, 2}},
                                                           {"SquaredDifference", {kSquaredDifference, 2}},
                                                           {"MulNoNan", {kMulNoNan, 2}},
                                                           {"DivNoNan", {kDivNoNan, 2}},
                                                           {"SigmoidGrad", {kSigmoidGrad, 2, true}},
                                                           {"TanhGrad", {kTanhGrad, 2, true}},
                                                           {"SqrtGrad", {kSqrtGrad, 2, true}},
                                                           {"RsqrtGrad", {kRsqrtGrad, 2, true}},
                                                           {"ReciprocalGrad", {kReciprocalGrad, 2, true}},
                                                           {"InvGrad", {kReciprocalGrad, 2, true}},
                                                           {"ReluGrad", {kReluGrad, 2, true}},
                                                           {"Relu6Grad", {kRelu6Grad, 2, true}},
                                                           {"EluGrad", {kEluGrad, 2, true}},
                                                           {"SeluGrad", {kSeluGrad, 2, true}},
                                                           {"SoftplusGrad", {kSoftplusGrad, 2, true}},
                                                           {"SoftsignGrad", {kSoftsignGrad, 2, true}},
                                                           {"Abs", {kAbs, 1}},
                                                           {"Neg", {kNeg, 1}},
                                                           {"Sign", {kSign, 1}},
                                                           {"Square", {kSquare, 1}},
                                                           {"Reciprocal", {kReciprocal, 1}},
                                                           {"Inv", {kReciprocal, 1}},
                                                           {"Sqrt", {kSqrt, 1}},
                                                           {"Rsqrt", {kRsqrt, 1}},
                                                           {"Exp", {kExp, 1}},
                                                           {"Expm1", {kExpm1, 1}},
                                                           {"Log", {kLog, 1}},
                                                           {"Log1p", {kLog1p, 1}},
                                                           {"Sigmoid", {kSigmoid, 1}},
                                                           {"Tanh", {kTanh, 1}},
                                                           {"Erf", {kErf, 1}},
                                                           {"Floor", {kFloor, 1}},
                                                           {"Ceil", {kCeil, 1}},
                                                           {"Relu", {kRelu, 1}},
                                                           {"Relu6", {kRelu6, 1}},
                                                           {"Elu", {kElu, 1}},
                                                           {"Selu", {kSelu, 1}},
                                                           {"Softplus", {kSoftplus, 1}},
                                                           {"Softsign", {kSoftsign, 1}}};
  const auto found = kOperations->find(op);
  return found == kOperations->end() ? nullptr : &found->second;
}

struct Step {
  std::unique_ptr<KernelNode> node;
  std::unique_ptr<Kernel> kernel;
  const FusedOperation* operation = nullptr;
  size_t a = 0;
  /// As a where there is none.
  size_t b = 0;
};

class FusedElementwise final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c,
                                                        const KernelRegistry& kernels) {
    auto k = std::make_unique<FusedElementwise>();
    TROUPE_RETURN_IF_ERROR(k->read(c, kernels));
    k->write_program();
    return k;
  }

  absl::Status compute(KernelContext& context) override {
    const std::optional<Shape> shape = has_program_ ? result_shape(context) : std::nullopt;
    if (!shape) return run_steps(context);
    FusedProgram program = program_;
    std::array<const Shape*, kFusedInputs> shapes;
    int reused = 0;
    for (int k = 0; k < context.num_inputs(); ++k) {
      const Tensor& in = context.input(k);
      program.inputs[k] = in.raw();
      shapes[static_cast<size_t>(k)] = &in.shape();
      if (in.unique() && in.num_elements() == shape->num_elements()) reused = k;
    }
    BroadcastPlan<kFusedInputs>& plan = program.plan;
    if (!plan_broadcast(*shape, {shapes.data(), num_inputs_}, &plan.rank, plan.sizes, plan.strides[0],
                        plan.kMaxRank))
      return run_steps(context);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({reused}, 0, *shape));
    return enqueue(context, kernel_, shape->num_elements(), program, out->raw());
  }
  bool is_expensive() const override { return false; }

 private:
  absl::Status read(const KernelConstruction& c, const KernelRegistry& kernels) {
    num_inputs_ = static_cast<size_t>(c.num_inputs());
    kernel_ = with_suffix("fused", c.output_type(0));
    TROUPE_ASSIGN_OR_RETURN(std::vector<FusedElementwiseStep> steps, read_fused_elementwise(c, kernels));
    for (FusedElementwiseStep& s : steps) {
      const FusedOperation* operation = operation_of(s.node->op->name);
      steps_.push_back({std::move(s.node), std::move(s.kernel), operation, static_cast<size_t>(s.a),
                        static_cast<size_t>(s.b < 0 ? s.a : s.b)});
    }
    return absl::OkStatus();
  }

  /// By value: the last step that takes it; -1 for none.
  std::vector<int> last_uses() const {
    std::vector<int> last(num_inputs_ + steps_.size(), -1);
    for (size_t i = 0; i < steps_.size(); ++i) last[steps_[i].a] = last[steps_[i].b] = static_cast<int>(i);
    return last;
  }

  /// Where each step finds its operands. A slot is free again when its last user has read it.
  void write_program() {
    has_program_ =
        steps_.size() <= kFusedSteps && num_inputs_ <= kFusedInputs &&
        std::all_of(steps_.begin(), steps_.end(), [](const Step& s) { return s.operation != nullptr; });
    if (!has_program_) return;
    program_.num_inputs = static_cast<int32_t>(num_inputs_);
    program_.num_steps = static_cast<int32_t>(steps_.size());
    const std::vector<int> last = last_uses();
    // By slot: the step from which on it is free.
    std::array<int, kFusedSlots> free_from = {};
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const int now = static_cast<int>(i);
      auto place = [&](size_t value) -> uint8_t {
        if (value < num_inputs_) return static_cast<uint8_t>(value);
        const size_t of = value - num_inputs_;
        return of + 1 == i ? kFusedLast : static_cast<uint8_t>(kFusedSlot + program_.steps[of].slot);
      };
      FusedStep& out = program_.steps[i];
      out.op = step.operation->op;
      out.a = place(step.a);
      out.b = step.operation->operands == 1 ? kFusedNone : place(step.b);
      out.slot = kFusedNone;
      const int last_use = last[num_inputs_ + i];
      if (last_use <= now + 1) continue;
      const auto slot =
          std::find_if(free_from.begin(), free_from.end(), [now](int from) { return from <= now; });
      if (slot == free_from.end()) {
        has_program_ = false;
        return;
      }
      out.slot = static_cast<uint8_t>(slot - free_from.begin());
      *slot = last_use;
    }
  }

  /// Of the last step. Nothing when operands do not fit, so that a step has an error to give, or when there are no steps.
  std::optional<Shape> result_shape(const KernelContext& context) const {
    absl::InlinedVector<Shape, 24> shapes;
    for (int k = 0; k < context.num_inputs(); ++k) shapes.push_back(context.input(k).shape());
    for (const Step& step : steps_) {
      const Shape& a = shapes[step.a];
      const Shape& b = shapes[step.b];
      if (a == b) {
        shapes.push_back(Shape(a));
        continue;
      }
      if (step.operation->same_shape) return std::nullopt;
      std::optional<Shape> shape = common_shape(a, b);
      if (!shape) return std::nullopt;
      shapes.push_back(*std::move(shape));
    }
    return steps_.empty() ? std::nullopt : std::optional<Shape>(shapes.back());
  }

  /// Each step as a node of its own.
  absl::Status run_steps(KernelContext& context) const {
    const std::vector<int> last = last_uses();
    std::vector<Tensor> values(num_inputs_ + steps_.size());
    for (size_t i = 0; i < num_inputs_; ++i) values[i] = context.take_input(static_cast<int>(i));
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      auto taken = [&](size_t value) {
        return last[value] == static_cast<int>(i) ? std::move(values[value]) : values[value];
      };
      Value operands[2], output;
      if (step.node->input_types.size() == 2)
        operands[1].tensor = step.a == step.b ? values[step.b] : taken(step.b);
      operands[0].tensor = taken(step.a);
      KernelContext inner(&context.step(), step.node.get(),
                          std::span<Value>(operands, step.node->input_types.size()),
                          std::span<Value>(&output, 1));
      inner.own_allocator = context.own_allocator;
      if (absl::Status failed = step.kernel->compute(inner); !failed.ok()) {
        return annotate(failed, "", absl::StrCat("\n\t [[{{node ", step.node->name, "}}]]"));
      }
      values[num_inputs_ + i] = std::move(output.tensor);
    }
    if (!steps_.empty()) context.set_output(0, std::move(values.back()));
    return absl::OkStatus();
  }

  size_t num_inputs_ = 0;
  std::vector<Step> steps_;
  /// "fused_f32"
  std::string kernel_;
  /// Without inputs and plan.
  FusedProgram program_;
  bool has_program_ = false;
};

}  // namespace

void register_cuda_fused_elementwise(KernelRegistry* registry) {
  KernelDef def =
      KernelDef("_FusedElementwise").device("GPU").types("T", {DataType::kFloat, DataType::kDouble});
  def.factory = [registry](const KernelConstruction& c) { return FusedElementwise::create(c, *registry); };
  registry->add(std::move(def));
}

}  // namespace troupe
