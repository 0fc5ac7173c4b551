#include "devices/cuda/kernels/enqueue_fold.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Elements from which on a block folds one output; below, a thread does.
constexpr int64_t kRowElements = 128;
/// Elements of a piece that a block folds at least: some for each of its threads.
constexpr int64_t kRowChunk = 4096;
/// Pieces that fill a GPU with blocks.
constexpr int64_t kBlocks = 1024;
/// Elements of a piece that a thread folds at least, and the pieces that fill a GPU with threads.
constexpr int64_t kColumnChunk = 64;
constexpr int64_t kThreads = 65536;
/// Outputs from which on their threads are enough: the second pass takes a block each.
constexpr int64_t kManyOutputs = 8192;

int64_t rounded_up(int64_t n, int64_t d) { return n / d + (n % d == 0 ? 0 : 1); }

int64_t elements_of(const FoldWalk& walk) {
  int64_t n = 1;
  for (int d = 0; d < walk.rank; ++d) n *= walk.sizes[d];
  return n;
}

}  // namespace

absl::Status add_dim(FoldWalk* walk, int64_t size, int64_t stride) {
  if (size == 1) return absl::OkStatus();
  if (walk->rank == FoldWalk::kMaxRank) {
    return absl::UnimplementedError(absl::StrCat("GPUs fold tensors of at most ", 2 * FoldWalk::kMaxRank,
                                                 " dimensions that are kept and folded in turn"));
  }
  walk->sizes[walk->rank] = size;
  walk->strides[walk->rank] = stride;
  ++walk->rank;
  return absl::OkStatus();
}

bool cut_plan(FoldPlan* plan) {
  plan->outputs = elements_of(plan->kept);
  plan->count = elements_of(plan->reduced);
  const FoldWalk& reduced = plan->reduced;
  const bool rows = plan->count >= kRowElements && reduced.strides[reduced.rank - 1] == 1;
  int64_t chunks = 1;
  if (rows) {
    chunks = std::min(rounded_up(kBlocks, std::max<int64_t>(plan->outputs, 1)),
                      rounded_up(plan->count, kRowChunk));
  } else if (plan->outputs > 0 && plan->outputs < kManyOutputs) {
    chunks = std::min(kThreads / plan->outputs, rounded_up(plan->count, kColumnChunk));
  }
  plan->chunk = rounded_up(plan->count, std::max<int64_t>(chunks, 1));
  plan->chunks = plan->count == 0 ? 1 : rounded_up(plan->count, plan->chunk);
  return rows;
}

absl::Status enqueue_fold(KernelContext& c, absl::string_view op, DataType dtype, const void* x, void* y,
                          const FoldPlan& plan, FoldFinish finish) {
  const FoldKernels kernels = {with_suffix(absl::StrCat(op, "_rows"), dtype),
                               with_suffix(absl::StrCat(op, "_columns"), dtype),
                               with_suffix(absl::StrCat(op, "_pieces"), dtype)};
  return enqueue_fold_of(c, kernels, y, plan, finish, x);
}

absl::StatusOr<FoldPlan> plan_of_channels(int64_t outer, int64_t channels, int64_t inner) {
  FoldPlan plan;
  TROUPE_RETURN_IF_ERROR(add_dim(&plan.kept, channels, inner));
  TROUPE_RETURN_IF_ERROR(add_dim(&plan.reduced, outer, channels * inner));
  TROUPE_RETURN_IF_ERROR(add_dim(&plan.reduced, inner, 1));
  return plan;
}

}  // namespace troupe
