#include "actors/options.h"

#include <google/protobuf/text_format.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/config.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

SessionOptions from_proto(const pb::ConfigProto& c) {
  SessionOptions o;
  for (const auto& [type, count] : c.device_count()) o.device_count[type] = count;
  o.inter_op_threads = c.inter_op_parallelism_threads();
  o.intra_op_threads = c.intra_op_parallelism_threads();
  o.use_per_session_threads = c.use_per_session_threads();
  for (const auto& p : c.session_inter_op_thread_pool())
    o.inter_op_pools.push_back({p.num_threads(), p.global_name()});
  o.operation_timeout = std::chrono::milliseconds(c.operation_timeout_in_ms());
  o.allow_soft_placement = c.allow_soft_placement();
  o.log_device_placement = c.log_device_placement();
  o.place_pruned_graph = c.graph_options().place_pruned_graph();
  const auto& opt = c.graph_options().optimizer_options();
  o.optimize = opt.opt_level() != pb::OptimizerOptions::L0 || opt.do_constant_folding() ||
               opt.do_common_subexpression_elimination();
  if (opt.max_folded_constant_in_bytes() > 0)
    o.max_folded_constant_bytes = opt.max_folded_constant_in_bytes();
  const auto& e = c.experimental();
  o.optimize_for_static_graph = e.optimize_for_static_graph();
  o.disable_output_partition_graphs = e.disable_output_partition_graphs();
  o.build_cost_model = c.graph_options().build_cost_model();
  o.build_cost_model_after = c.graph_options().build_cost_model_after();
  o.executor_type = e.executor_type();
  if (e.has_session_metadata()) {
    o.has_metadata = true;
    o.metadata_name = e.session_metadata().name();
    o.metadata_version = e.session_metadata().version();
  }
  o.config = c.SerializeAsString();
  return o;
}

}  // namespace

absl::StatusOr<SessionOptions> SessionOptions::from_config(absl::string_view config_bytes) {
  pb::ConfigProto config;
  if (!config.ParseFromArray(config_bytes.data(), static_cast<int>(config_bytes.size()))) {
    return absl::InvalidArgumentError("Unparseable ConfigProto");
  }
  return from_proto(config);
}

absl::StatusOr<SessionOptions> SessionOptions::from_config_text(absl::string_view text) {
  pb::ConfigProto config;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), &config)) {
    return absl::InvalidArgumentError(absl::StrCat("Unparseable ConfigProto text: ", text));
  }
  return from_proto(config);
}

static RunOptions from_proto(const pb::RunOptions& proto) {
  RunOptions o;
  o.timeout = std::chrono::milliseconds(std::max<int64_t>(0, proto.timeout_in_ms()));
  o.inter_op_pool = proto.inter_op_thread_pool();
  o.collect_stats = proto.trace_level() != pb::RunOptions::NO_TRACE;
  o.output_partition_graphs = proto.output_partition_graphs();
  return o;
}

absl::StatusOr<RunOptions> RunOptions::from_bytes(absl::string_view bytes) {
  pb::RunOptions proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("Unparseable RunOptions proto");
  }
  return from_proto(proto);
}

absl::StatusOr<CallableOptions> CallableOptions::from_bytes(absl::string_view bytes) {
  pb::CallableOptions proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("Unparseable CallableOptions proto");
  }
  for (const auto* devices : {&proto.feed_devices(), &proto.fetch_devices()}) {
    for (const auto& [tensor, device] : *devices) {
      if (absl::EndsWithIgnoreCase(device, "CPU:0")) continue;
      return absl::InvalidArgumentError(absl::StrCat("Tensor ", tensor,
                                                     " cannot be fed or fetched on device ", device,
                                                     ": only the client's CPU holds them here"));
    }
  }
  if (!proto.fetch_devices().empty() && !proto.fetch_skip_sync()) {
    return absl::UnimplementedError(
        "CallableOptions.fetch_skip_sync = false is not yet implemented. You can set it to true instead, but "
        "MUST "
        "ensure that Device::Sync() is invoked on the Device corresponding to the fetched tensor before "
        "dereferencing the Tensor's memory.");
  }
  CallableOptions o;
  o.feeds.assign(proto.feed().begin(), proto.feed().end());
  o.fetches.assign(proto.fetch().begin(), proto.fetch().end());
  o.targets.assign(proto.target().begin(), proto.target().end());
  o.run_options = from_proto(proto.run_options());
  for (const auto& c : proto.tensor_connection()) {
    o.tensor_connections.emplace_back(c.from_tensor(), c.to_tensor());
  }
  return o;
}

}  // namespace troupe
