#include "actors/options.h"

#include <google/protobuf/text_format.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/option_table.h"
#include "proto/config.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

SessionOptions from_proto(const pb::ConfigProto& c) {
  SessionOptions o;
  for (const OptionRow& row : option_rows()) {
    if (row.read != nullptr) row.read(c, &o);
  }
  for (const SetOption& option : set_options(c)) {
    if (option.row != nullptr && option.row->use == OptionUse::kWithoutMeaning)
      o.without_meaning.push_back(absl::StrCat(option.path, ": ", option.row->sentence));
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
  o.report_tensor_allocations_upon_oom = proto.report_tensor_allocations_upon_oom();
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
