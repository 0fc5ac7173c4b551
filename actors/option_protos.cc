#include "actors/option_protos.h"

namespace troupe {

tensorflow::RunOptions to_proto(const RunOptions& options) {
  tensorflow::RunOptions out;
  if (options.collect_stats) out.set_trace_level(tensorflow::RunOptions::FULL_TRACE);
  if (options.timeout.count() > 0) out.set_timeout_in_ms(options.timeout.count());
  out.set_inter_op_thread_pool(options.inter_op_pool);
  out.set_output_partition_graphs(options.output_partition_graphs);
  out.set_report_tensor_allocations_upon_oom(options.report_tensor_allocations_upon_oom);
  if (options.use_run_handler_pool) {
    auto* experimental = out.mutable_experimental();
    experimental->set_use_run_handler_pool(true);
    experimental->mutable_run_handler_pool_options()->set_priority(options.priority);
  }
  return out;
}

tensorflow::CallableOptions to_proto(const CallableOptions& options) {
  tensorflow::CallableOptions out;
  out.mutable_feed()->Add(options.feeds.begin(), options.feeds.end());
  out.mutable_fetch()->Add(options.fetches.begin(), options.fetches.end());
  out.mutable_target()->Add(options.targets.begin(), options.targets.end());
  *out.mutable_run_options() = to_proto(options.run_options);
  for (const auto& [from, to] : options.tensor_connections) {
    auto* connection = out.add_tensor_connection();
    connection->set_from_tensor(from);
    connection->set_to_tensor(to);
  }
  out.mutable_feed_devices()->insert(options.feed_devices.begin(), options.feed_devices.end());
  out.mutable_fetch_devices()->insert(options.fetch_devices.begin(), options.fetch_devices.end());
  out.set_fetch_skip_sync(options.fetch_skip_sync);
  return out;
}

}  // namespace troupe
