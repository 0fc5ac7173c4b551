// Datasets of which several forms are given, and ones that take their time.

#include <condition_variable>

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// ChooseFastestBranchDataset: branches that make the same of the input at different speed. The first is taken.
absl::Status make_branches(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(const DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t numerator, input_count(context, 1, "ratio_numerator"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t denominator, input_count(context, 2, "ratio_denominator"));
  TROUPE_ASSIGN_OR_RETURN(const auto branches, attrs.get<std::vector<FunctionRef>>("branches"));
  TROUPE_ASSIGN_OR_RETURN(const auto lengths, attrs.get<std::vector<int64_t>>("other_arguments_lengths"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, attrs.get<int64_t>("num_elements_per_branch"));
  if (numerator <= 0) return invalid("`ratio_numerator` must be greater than zero.");
  if (denominator <= 0) return invalid("`ratio_denominator` must be greater than zero.");
  if (count % denominator != 0) {
    return invalid("`num_elements_per_branch` must be divisible by `ratio_denominator`.");
  }
  if (branches.empty() || lengths.size() != branches.size()) {
    return invalid("branches.size() must be equal to other_arguments_lengths.size() and not 0. Got ",
                   branches.size(), " and ", lengths.size());
  }
  if (lengths[0] < 0 || lengths[0] > context.num_inputs() - 3) {
    return invalid("The first branch takes ", lengths[0], " other arguments, but there are ",
                   context.num_inputs() - 3);
  }
  BoundFunction branch;
  branch.function = branches[0];
  for (int i = 0; i < static_cast<int>(lengths[0]); ++i) branch.captured.push_back(context.input(3 + i));
  auto dataset = make_dataset("ChooseFastestBranch", {input}, [input, branch](const std::string& name) {
    return iterator_of(
        [input, branch, name, current = IteratorPtr()](const ElementContext& step) mutable -> NextElement {
          if (current == nullptr) {
            TROUPE_ASSIGN_OR_RETURN(const Element results, branch.call(step, {dataset_tensor(input)}));
            TROUPE_ASSIGN_OR_RETURN(const DatasetPtr made, only_dataset(results));
            current = made->iterate(name);
          }
          return current->next(step);
        });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

/// Waits, unless the step is cancelled.
absl::Status sleep_for(const ElementContext& step, std::chrono::microseconds time) {
  if (step.cancellation == nullptr) return absl::OkStatus();
  std::mutex mu;
  std::condition_variable cancelled;
  bool over = false;
  const auto hears = step.cancellation->register_callback([&] {
    std::lock_guard lock(mu);
    over = true;
    cancelled.notify_all();
  });
  if (!hears.has_value()) return step.check();
  {
    std::unique_lock lock(mu);
    cancelled.wait_for(lock, time, [&] { return over; });
  }
  step.cancellation->deregister(*hears);
  return step.check();
}

/// The input, each element of which takes some time.
absl::Status make_sleep(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t given, input_count(context, 1, "sleep_microseconds"));
  if (given < 0) return invalid("`sleep_microseconds` must be >= 0");
  // A century, beyond which clocks overflow.
  const std::chrono::microseconds time(std::min<int64_t>(given, int64_t{100} * 366 * 24 * 3600 * 1'000'000));
  auto dataset = make_dataset("Sleep", {input}, [input, time](const std::string& name) {
    return iterator_of([in = input->iterate(name), time](const ElementContext& step) -> NextElement {
      TROUPE_RETURN_IF_ERROR(sleep_for(step, time));
      return in->next(step);
    });
  });
  dataset->blocks = true;
  dataset->cardinality = input->cardinality;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_branches(KernelRegistry* registry) {
  registry->add(KernelDef("ChooseFastestBranchDataset").fn(make_branches, /*cheap=*/true));
  registry->add(KernelDef("ExperimentalSleepDataset").fn(make_sleep, /*cheap=*/true));
}

}  // namespace troupe
