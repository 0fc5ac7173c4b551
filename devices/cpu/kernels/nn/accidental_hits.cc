// ComputeAccidentalHits: sampled classes that happen to be true ones.
#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Where sampled classes happen to be true ones: row, position among the samples, and a weight that rules
/// them out.
class ComputeAccidentalHits final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("num_true", &num_true_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor &classes = context.input(0), &sampled = context.input(1);
    if (classes.rank() != 2 || classes.dim(1) != num_true_)
      return invalid("true_candidates must be a batch_size * num_true matrix");
    if (!is_vector(sampled))
      return invalid(
          "sampled_candidates must be a vector, which is typically an output from CandidateSampler");
    absl::flat_hash_map<int64_t, int64_t> position;
    for (int64_t i = 0; i < sampled.dim(0); ++i) position[sampled.flat<int64_t>()[i]] = i;
    std::vector<int32_t> rows;
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      auto it = position.find(classes.flat<int64_t>()[i]);
      if (it == position.end()) continue;
      rows.push_back(static_cast<int32_t>(i / num_true_));
      ids.push_back(it->second);
    }
    const Shape shape{static_cast<int64_t>(rows.size())};
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_rows, context.allocate_output(0, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_ids, context.allocate_output(1, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * weights, context.allocate_output(2, shape));
    std::copy(rows.begin(), rows.end(), out_rows->flat<int32_t>().begin());
    std::copy(ids.begin(), ids.end(), out_ids->flat<int64_t>().begin());
    std::fill(weights->flat<float>().begin(), weights->flat<float>().end(),
              std::numeric_limits<float>::lowest());
    return absl::OkStatus();
  }

 private:
  int64_t num_true_ = 1;
};

}  // namespace

void register_nn_accidental_hits(KernelRegistry* registry) {
  registry->add(KernelDef("ComputeAccidentalHits").kernel<ComputeAccidentalHits>());
}

}  // namespace troupe
