#include "devices/cpu/folding_evaluator.h"

#include "absl/strings/str_cat.h"
#include "devices/cpu/cpu_device.h"
#include "devices/flush_denormals.h"
#include "graph/ir/in_place.h"

namespace troupe {
namespace {

/// What the evaluation on this thread may still allocate; kernels run on the thread that evaluates.
thread_local int64_t bytes_left = 0;

/// The plain heap, up to what the evaluation may take. Blocks are the heap's own: they may be freed anywhere, at any time.
class LimitedAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    if (bytes > static_cast<uint64_t>(bytes_left)) return nullptr;
    bytes_left -= static_cast<int64_t>(bytes);
    return plain_allocator()->allocate(bytes);
  }
  void deallocate(void* block, size_t bytes) override { plain_allocator()->deallocate(block, bytes); }
  absl::string_view name() const override { return "folding"; }
};

Allocator* limited_allocator() {
  // Never destroyed: constants may be freed by other statics' destructors.
  static auto* allocator = new LimitedAllocator;
  return allocator;
}

}  // namespace

std::shared_ptr<Device> FoldingEvaluator::make_device() {
  return make_cpu_device("/job:localhost/replica:0/task:0", 0, limited_allocator(), serial_runner());
}

FoldingEvaluator::FoldingEvaluator(const KernelRegistry* kernels, CancellationToken* token,
                                   std::shared_ptr<Device> device)
    : kernels_(kernels), token_(token), device_(std::move(device)) {}

bool FoldingEvaluator::can_evaluate(const Node& node) const {
  // What writes to its input would write to a constant of the graph.
  if (writes_to_input(node)) return false;
  if (node.op->is_stateful || (token_ != nullptr && token_->cancelled())) return false;
  for (DataType t : node.input_types) {
    if (is_ref(t) || t == DataType::kResource || t == DataType::kVariant) return false;
  }
  for (DataType t : node.output_types) {
    if (is_ref(t) || t == DataType::kResource || t == DataType::kVariant) return false;
  }
  auto def = kernels_->find(node.op->name, "CPU", node.attrs);
  return def.ok() && *def != nullptr;
}

absl::StatusOr<std::vector<Tensor>> FoldingEvaluator::evaluate(const Node& node,
                                                               const std::vector<Tensor>& inputs,
                                                               int graph_producer_version) const {
  bytes_left = kMaxBytes;
  const KernelNode info(node, graph_producer_version);
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, kernels_->create(info, device_.get()));
  if (kernel->is_async())
    return absl::UnimplementedError(absl::StrCat(node.op->name, " waits: it is not folded"));
  CancellationToken own_token;
  StepState step;
  step.device = device_.get();
  step.cancellation = token_ != nullptr ? token_ : &own_token;
  std::vector<Value> in(inputs.size()), out(info.output_types.size());
  for (size_t i = 0; i < inputs.size(); ++i) in[i].tensor = inputs[i];
  KernelContext context(&step, &info, in, out);
  const FlushDenormals flush;
  TROUPE_RETURN_IF_ERROR(kernel->compute(context));
  std::vector<Tensor> result;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out[i].tensor.initialized() || out[i].tensor.dtype() != info.output_types[i]) {
      return absl::InternalError(
          absl::StrCat("output ", i, " of ", node.name, " is missing or of another dtype"));
    }
    result.push_back(std::move(out[i].tensor));
  }
  return result;
}

}  // namespace troupe
