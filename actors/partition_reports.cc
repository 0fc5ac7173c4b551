#include "actors/partition_reports.h"

#include <caf/all.hpp>

#include "actors/session_core.h"
#include "actors/signature_compiler.h"

namespace troupe {

void PartitionReports::describe(const LeaseRequest& signature, Then then) {
  if (core_->closed()) return then(absl::CancelledError("Session has been closed."));
  if (!core_->has_graph) return then(absl::InvalidArgumentError("the session has no graph"));
  if (const absl::Status no = core_->check_not_finalized(); !no.ok()) return then(no);
  if (core_->options->disable_output_partition_graphs) {
    return then(
        absl::InvalidArgumentError("RunOptions.output_partition_graphs is not supported when "
                                   "disable_output_partition_graphs is true."));
  }
  const int64_t number = next_++;
  waiting_[number] = std::move(then);
  graph_->when_unchanging([this, number, signature] {
    if (!core_->closed()) describe_partitions(core_, graph_->placed(), signature, number, session_);
  });
}

void PartitionReports::finish(const PartitionsDescribed& m) {
  auto waiting = waiting_.extract(m.number);
  if (!waiting.empty()) waiting.mapped()(std::move(*m.result));
}

void PartitionReports::shut(const absl::Status& why) {
  for (auto& [number, then] : std::exchange(waiting_, {})) then(why);
}

}  // namespace troupe
