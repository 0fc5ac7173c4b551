// Several of the datasets that a function makes, by turns.

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

struct InterleavePlan {
  DatasetPtr input;
  BoundFunction function;
  int64_t cycle_length = 1;
  int64_t block_length = 1;
  std::string label;
};

/// `cycle_length` slots with a dataset each; each slot in turn gives `block_length` elements. A slot whose
/// dataset has ended gets the next one when its turn comes again.
class Interleaver {
 public:
  Interleaver(std::shared_ptr<const InterleavePlan> plan, const std::string& name)
      : plan_(std::move(plan)), name_(name), input_(plan_->input->iterate(name)) {}

  NextElement next(const ElementContext& step) {
    while (input_ != nullptr || open_ > 0) {
      TROUPE_RETURN_IF_ERROR(step.check());
      // Slots come into being as they are first filled.
      if (slot_ == slots_.size()) slots_.emplace_back();
      IteratorPtr& current = slots_[slot_];
      if (current == nullptr) {
        TROUPE_RETURN_IF_ERROR(fill(step, &current));
        if (current == nullptr) {
          turn();
          continue;
        }
      }
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, current->next(step));
      if (element.has_value()) {
        if (++taken_ == plan_->block_length) turn();
        return element;
      }
      current = nullptr;
      --open_;
      turn();
    }
    return std::nullopt;
  }

 private:
  void turn() {
    taken_ = 0;
    ++slot_;
    // Without input no new slots come.
    const size_t end = input_ != nullptr ? static_cast<size_t>(plan_->cycle_length) : slots_.size();
    if (slot_ >= end) slot_ = 0;
  }
  absl::Status fill(const ElementContext& step, IteratorPtr* slot) {
    if (input_ == nullptr) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
    if (!element.has_value()) {
      input_ = nullptr;
      return absl::OkStatus();
    }
    const absl::StatusOr<Element> results = plan_->function.call(step, *std::move(element));
    if (!results.ok()) return in_function_of(plan_->label, name_, results.status());
    TROUPE_ASSIGN_OR_RETURN(const DatasetPtr inner, only_dataset(*results));
    *slot = inner->iterate(absl::StrCat(name_, "[", made_++, "]"));
    ++open_;
    return absl::OkStatus();
  }

  const std::shared_ptr<const InterleavePlan> plan_;
  const std::string name_;
  IteratorPtr input_;  // null behind the end
  std::vector<IteratorPtr> slots_;
  size_t slot_ = 0;
  int64_t taken_ = 0;
  int64_t open_ = 0;
  int64_t made_ = 0;
};

enum class Kind { kOneByOne, kParallel, kLegacy };

/// The number of parallel calls, the last input: it changes nothing, but must make sense.
absl::Status check_parallel(KernelContext& context, int64_t cycle_length) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t calls,
                          input_count(context, context.num_inputs() - 1, "num_parallel_calls"));
  TROUPE_RETURN_IF_ERROR(check_parallel_calls(calls));
  if (cycle_length == -1 || calls <= cycle_length) return absl::OkStatus();
  return invalid(
      "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or "
      "a "
      "value less than or equal to `cycle_length`. However, `num_parallel_calls` is ",
      calls, " and `cycle_length` is ", cycle_length);
}

/// Cycle length and block length stand behind the captured inputs, and `kTrailing` more behind these.
template <Kind kKind, int kTrailing>
absl::Status output_interleaved(KernelContext& context, const char* part) {
  InterleavePlan plan;
  const int end = context.num_inputs() - kTrailing - 2;
  TROUPE_ASSIGN_OR_RETURN(plan.input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(plan.function, bound_function(context, "f", 1, end));
  TROUPE_ASSIGN_OR_RETURN(plan.cycle_length, input_count(context, end, "cycle_length"));
  TROUPE_ASSIGN_OR_RETURN(plan.block_length, input_count(context, end + 1, "block_length"));
  plan.label = dataset_label(context);
  if (plan.cycle_length <= 0 && plan.cycle_length != -1) {
    return invalid("`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is ", plan.cycle_length,
                   ": cycle_length must be greater than zero.");
  }
  if (plan.block_length <= 0) {
    return invalid("`block_length` must be greater than 0 but is ", plan.block_length,
                   ": block_length must be greater than zero.");
  }
  if constexpr (kKind == Kind::kParallel) TROUPE_RETURN_IF_ERROR(check_parallel(context, plan.cycle_length));
  // -1 leaves the choice.
  if (plan.cycle_length == -1) plan.cycle_length = 10;
  auto shared = std::make_shared<const InterleavePlan>(std::move(plan));
  auto dataset = make_dataset(part, {shared->input}, [shared](const std::string& name) {
    auto interleaver = std::make_unique<Interleaver>(shared, name);
    return iterator_of([interleaver = std::move(interleaver)](const ElementContext& step) {
      return interleaver->next(step);
    });
  });
  dataset->blocks = true;
  dataset->cardinality = shared->input->cardinality == 0 ? 0 : kUnknownCardinality;
  return output_dataset(context, std::move(dataset));
}

template <Kind kKind, int kTrailing>
absl::Status make_interleave(KernelContext& context) {
  const char* const part = kKind == Kind::kOneByOne   ? "Interleave"
                           : kKind == Kind::kParallel ? "ParallelInterleaveV4"
                                                      : "LegacyParallelInterleaveV2";
  return output_interleaved<kKind, kTrailing>(context, part);
}

}  // namespace

void register_dataset_interleave(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"InterleaveDataset"}, make_interleave<Kind::kOneByOne, 0>);
  // num_parallel_calls; V4 has two sizes of buffers before it.
  add({"ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3"}, make_interleave<Kind::kParallel, 1>);
  add({"ParallelInterleaveDatasetV4"}, make_interleave<Kind::kParallel, 3>);
  // Sizes of two buffers; the older ones have the flag `sloppy` before them.
  add({"LegacyParallelInterleaveDatasetV2"}, make_interleave<Kind::kLegacy, 2>);
  add({"ParallelInterleaveDataset", "ExperimentalParallelInterleaveDataset"},
      make_interleave<Kind::kLegacy, 3>);
}

}  // namespace troupe
