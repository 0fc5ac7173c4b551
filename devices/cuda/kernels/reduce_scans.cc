// Cumulative sums, products and log-sum-exps along one axis.
#include <algorithm>

#include "devices/common/array_values.h"
#include "devices/common/reduce/axis.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/reduce_parts.h"
#include "devices/cuda/kernels/scan_plan.h"

namespace troupe {
namespace {

/// Elements of a piece at least, pieces of a line at most (one thread adds them up), and pieces that fill a GPU.
constexpr int64_t kChunk = 32;
constexpr int64_t kMaxChunks = 512;
constexpr int64_t kThreads = 32768;

/// Cuts long lines where there are few of them. The order of sums depends on sizes only.
void cut_lines(ScanPlan* plan) {
  const int64_t wanted = std::min(kThreads / plan->lines, kMaxChunks);
  const int64_t chunks = std::clamp<int64_t>(plan->length / kChunk, 1, std::max<int64_t>(wanted, 1));
  plan->chunk = (plan->length + chunks - 1) / chunks;
  plan->chunks = (plan->length + plan->chunk - 1) / plan->chunk;
}

struct Sums {
  static constexpr char kName[] = "cumsum";
};
struct Products {
  static constexpr char kName[] = "cumprod";
};
struct LogSumExps {
  static constexpr char kName[] = "cumulative_logsumexp";
};

template <class Op>
class Scan final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("exclusive", &exclusive_)("reverse", &reverse_); }

  absl::Status compute(KernelContext& c) override {
    const Tensor& x = c.input(0);
    TROUPE_ASSIGN_OR_RETURN(const int at, scan_axis(x, c.input(1)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * y, c.allocate_output(0, x.shape()));
    if (x.num_elements() == 0) return absl::OkStatus();
    ScanPlan plan;
    plan.inner = count_dims(x.shape(), at + 1, x.rank());
    plan.lines = count_dims(x.shape(), 0, at) * plan.inner;
    plan.length = x.dim(at);
    plan.exclusive = exclusive_ ? 1 : 0;
    plan.reverse = reverse_ ? 1 : 0;
    cut_lines(&plan);
    return enqueue_scan(c, x, y, plan);
  }

 private:
  static absl::Status enqueue_scan(KernelContext& c, const Tensor& x, Tensor* y, const ScanPlan& plan) {
    const DataType t = x.dtype();
    const int64_t pieces = plan.lines * plan.chunks;
    Tensor totals;
    if (plan.chunks > 1) {
      // No sum takes more than 8 bytes.
      TROUPE_ASSIGN_OR_RETURN(totals, c.allocate_temp(DataType::kInt64, Shape{pieces}));
      TROUPE_RETURN_IF_ERROR(enqueue(c, with_suffix(absl::StrCat(Op::kName, "_totals"), t), pieces, x.raw(),
                                     totals.raw(), plan));
      TROUPE_RETURN_IF_ERROR(enqueue(c, with_suffix(absl::StrCat(Op::kName, "_starts"), t), plan.lines,
                                     totals.raw(), plan.lines, plan.chunks));
    }
    return enqueue(c, with_suffix(Op::kName, t), pieces, x.raw(), totals.raw(), y->raw(), plan);
  }

  bool exclusive_ = false;
  bool reverse_ = false;
};

template <class Op>
void add(KernelRegistry* r, const char* op, std::vector<DataType> types) {
  r->add(KernelDef(op)
             .device("GPU")
             .types("T", std::move(types))
             .types("Tidx", index_types())
             .host_memory({"axis"})
             .template kernel<Scan<Op>>());
}

}  // namespace

void register_cuda_scans(KernelRegistry* r) {
  const std::vector<DataType> numbers = with(float_types(), {DataType::kInt32, DataType::kInt64});
  add<Sums>(r, "Cumsum", numbers);
  add<Products>(r, "Cumprod", numbers);
  add<LogSumExps>(r, "CumulativeLogsumexp", float_types());
}

}  // namespace troupe
