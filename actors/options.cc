#include "actors/options.h"

#include <google/protobuf/text_format.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "actors/option_rows.h"
#include "graph/status.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

absl::Status check_not_negative(absl::string_view path, int value, absl::string_view zero) {
  if (value >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("ConfigProto.", path, " is ", value, ", which is no number of threads; 0: ", zero));
}

absl::Status check_threads(const pb::ConfigProto& c) {
  constexpr absl::string_view kCores = "as many as cores";
  TROUPE_RETURN_IF_ERROR(
      check_not_negative("intra_op_parallelism_threads", c.intra_op_parallelism_threads(), kCores));
  for (const auto& pool : c.session_inter_op_thread_pool()) {
    TROUPE_RETURN_IF_ERROR(
        check_not_negative("session_inter_op_thread_pool.num_threads", pool.num_threads(), kCores));
  }
  return check_not_negative("global_io_parallelism_threads", c.global_io_parallelism_threads(),
                            "the runtime's limit");
}

/// Names in a list of passes that are none of ours.
std::vector<std::string> unknown_passes(const pb::RewriterConfig& rewriter) {
  static constexpr absl::string_view kOurs[] = {
      "constfold", "arithmetic", "common_subgraph_elimination", "dependency", "loop", "remap", "function"};
  std::vector<std::string> out;
  for (const std::string& name : rewriter.optimizers()) {
    if (std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs)) continue;
    out.push_back(
        absl::StrCat("graph_options.rewrite_options.optimizers: \"", name, "\" is no pass of this planner."));
  }
  return out;
}

absl::StatusOr<SessionOptions> from_proto(const pb::ConfigProto& c) {
  TROUPE_RETURN_IF_ERROR(config_table().check_enums(c));
  TROUPE_RETURN_IF_ERROR(check_threads(c));
  SessionOptions o;
  read_rows(config_rows(), c, &o);
  read_rows(gpu_rows(), c, &o);
  read_rows(graph_rows(), c, &o);
  read_rows(experimental_rows(), c, &o);
  o.without_meaning = config_table().without_meaning(c);
  for (std::string& pass : unknown_passes(c.graph_options().rewrite_options()))
    o.without_meaning.push_back(std::move(pass));
  o.config = c.SerializeAsString();
  return o;
}

absl::StatusOr<RunOptions> from_proto(const pb::RunOptions& proto) {
  TROUPE_RETURN_IF_ERROR(run_table().check_enums(proto));
  RunOptions o;
  read_rows(run_rows(), proto, &o);
  o.without_meaning = run_table().without_meaning(proto);
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
  CallableOptions o;
  read_rows(callable_rows(), proto, &o);
  TROUPE_ASSIGN_OR_RETURN(o.run_options, from_proto(proto.run_options()));
  return o;
}

}  // namespace troupe
