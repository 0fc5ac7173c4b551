#include "actors/debug_files.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "actors/step/node_timing.h"
#include "graph/ir/graph_def.h"
#include "graph/tensor/tensor_proto.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

namespace pb = ::tensorflow;

int64_t now_us() { return wall_clock_ns() / 1000; }

/// "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0"
std::string device_folder(const std::string& root, const std::string& device) {
  return absl::StrCat(root, "/_tfdbg_device_", absl::StrReplaceAll(device, {{"/", ","}, {":", "_"}}));
}

/// To "<path>_<time>", of a time that no file has yet.
absl::Status write(const std::string& path, int64_t time_us, const pb::Event& event) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  const std::string bytes = event.SerializeAsString();
  std::FILE* file = nullptr;
  std::string name;
  do {
    name = absl::StrCat(path, "_", time_us++);
    file = std::fopen(name.c_str(), "wbx");
  } while (file == nullptr && errno == EEXIST);
  if (file == nullptr)
    return absl::ErrnoToStatus(errno, absl::StrCat("Failed to create the debug dump ", name));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int error = errno;
  if (std::fclose(file) == 0 && written) return absl::OkStatus();
  return absl::ErrnoToStatus(written ? errno : error, absl::StrCat("Failed to write the debug dump ", name));
}

std::string json_list(const std::vector<std::string>& texts) {
  return absl::StrCat(
      "[",
      absl::StrJoin(
          texts, ",",
          [](std::string* out, const std::string& text) {
            absl::StrAppend(out, "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
          }),
      "]");
}

}  // namespace

absl::Status dump_metadata(const std::string& root, const DebugMetadata& about) {
  const int64_t time = now_us();
  pb::Event event;
  event.set_wall_time(static_cast<double>(time));
  // Deprecated, and what TensorFlow writes and its debugger reads.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  event.mutable_log_message()->set_message(absl::StrCat(
      "{\"global_step\":", about.global_step, ",\"session_run_index\":", about.session_run_index,
      ",\"executor_step_index\":", about.executor_step_index, ",\"input_names\":", json_list(about.feeds),
      ",\"output_names\":", json_list(about.fetches), ",\"target_nodes\":", json_list(about.targets), "}"));
#pragma GCC diagnostic pop
  return write(absl::StrFormat("%s/_tfdbg_core_metadata_sessionrun%014d", root, about.session_run_index),
               time, event);
}

absl::Status dump_graph(const std::string& root, const std::string& device, const Graph& graph) {
  const int64_t time = now_us();
  pb::GraphDef def;
  to_graph_def(graph, &def);
  pb::Event event;
  event.set_wall_time(static_cast<double>(time));
  event.set_graph_def(def.SerializeAsString());
  const uint64_t hash = absl::HashOf(event.graph_def());
  return write(absl::StrCat(device_folder(root, device), "/_tfdbg_graph_hash", hash), time, event);
}

absl::Status dump_value(const std::string& root, const WatchedValue& seen) {
  const int64_t time = now_us();
  pb::Event event;
  event.set_wall_time(static_cast<double>(time));
  pb::Summary::Value* value = event.mutable_summary()->add_value();
  value->set_tag(seen.node);
  value->set_node_name(absl::StrCat(seen.node, ":", seen.slot, ":", seen.debug_op));
  to_proto(seen.value, value->mutable_tensor());
  auto* plugin = value->mutable_metadata()->mutable_plugin_data();
  plugin->set_plugin_name("debugger");
  plugin->set_content(absl::StrCat("{\"device\":\"", seen.device, "\",\"outputSlot\":", seen.slot,
                                   ",\"numChunks\":1,\"chunkIndex\":0}"));
  return write(
      absl::StrCat(device_folder(root, seen.device), "/", seen.node, "_", seen.slot, "_", seen.debug_op),
      time, event);
}

}  // namespace troupe
