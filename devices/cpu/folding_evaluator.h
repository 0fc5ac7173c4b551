#pragma once

#include <memory>

#include "devices/cancellation.h"
#include "devices/device.h"
#include "devices/kernel_registry.h"
#include "graph/passes/evaluator.h"

namespace troupe {

/// Runs stateless nodes with CPU kernels, for constant folding. A node gets no more than kMaxBytes for its tensors, and
/// fails with ResourceExhausted when it wants more. Thread-safe.
class FoldingEvaluator final : public Evaluator {
 public:
  static constexpr int64_t kMaxBytes = 256 << 20;

  /// `kernels` must outlive it, and so must the token, which kernels poll: once it has tripped, nothing is evaluated. Evaluators may
  /// share their device.
  explicit FoldingEvaluator(const KernelRegistry* kernels, CancellationToken* token = nullptr,
                            std::shared_ptr<Device> device = make_device());
  /// A CPU whose memory is bounded as above.
  static std::shared_ptr<Device> make_device();

  bool can_evaluate(const Node& node) const override;
  absl::StatusOr<std::vector<Tensor>> evaluate(const Node& node, const std::vector<Tensor>& inputs,
                                               int graph_producer_version) const override;

 private:
  const KernelRegistry* kernels_;
  CancellationToken* const token_;
  const std::shared_ptr<Device> device_;
};

}  // namespace troupe
