#include "actors/cluster/cluster_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "actors/cluster/cluster_proto.h"
#include "graph/status.h"

#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "nlohmann/json.hpp"
#include "proto/cluster.pb.h"

namespace troupe {
namespace {

using Json = nlohmann::json;

absl::Status not_a_cluster(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("Cluster in JSON: ", what));
}

absl::Status add_task(const std::string& job, int index, const Json& address, ClusterSpec* cluster) {
  if (!address.is_string()) {
    return not_a_cluster(absl::StrCat("the address of ", TaskId{job, index}.to_string(), " is of type ",
                                      address.type_name(), ", expected a string \"HOST:PORT\""));
  }
  return cluster->add({job, index}, address.get_ref<const std::string&>());
}

absl::Status add_job(const std::string& job, const Json& tasks, ClusterSpec* cluster) {
  if (tasks.is_array()) {
    for (size_t i = 0; i < tasks.size(); ++i) {
      TROUPE_RETURN_IF_ERROR(add_task(job, static_cast<int>(i), tasks[i], cluster));
    }
    return absl::OkStatus();
  }
  if (!tasks.is_object()) {
    return not_a_cluster(absl::StrCat("job \"", job, "\" is of type ", tasks.type_name(),
                                      ", expected a list of addresses or an object of them by task number"));
  }
  for (const auto& [key, address] : tasks.items()) {
    int index = 0;
    if (!absl::SimpleAtoi(key, &index)) {
      return not_a_cluster(
          absl::StrCat("job \"", job, "\" has a task \"", key, "\", expected the number of a task"));
    }
    TROUPE_RETURN_IF_ERROR(add_task(job, index, address, cluster));
  }
  return absl::OkStatus();
}

/// Notes a key that an object has twice, of which the library would keep the last.
class TwiceFinder {
 public:
  bool operator()(int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !open_.back().insert(value.get<std::string>()).second) {
      if (twice_.empty()) twice_ = value.get<std::string>();
    }
    return true;
  }
  const std::string& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string twice_;
};

/// Keeps the first error, instead of logging it.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

absl::StatusOr<ClusterSpec> parse_cluster_json(absl::string_view text) {
  TwiceFinder finder;
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), std::ref(finder));
  } catch (const Json::exception& e) {
    return not_a_cluster(e.what());
  }
  if (!finder.twice().empty()) return not_a_cluster(absl::StrCat("\"", finder.twice(), "\" is there twice"));
  if (!json.is_object()) {
    return not_a_cluster(absl::StrCat("it is of type ", json.type_name(), ", expected an object of jobs"));
  }
  if (auto inner = json.find("cluster"); inner != json.end() && inner->is_object()) json = Json(*inner);
  ClusterSpec cluster;
  for (const auto& [job, tasks] : json.items()) TROUPE_RETURN_IF_ERROR(add_job(job, tasks, &cluster));
  if (cluster.empty()) return not_a_cluster("it has no tasks");
  return cluster;
}

absl::StatusOr<ClusterSpec> parse_cluster_text(absl::string_view text) {
  pb::ClusterDef proto;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(std::string(text), &proto)) {
    return absl::InvalidArgumentError(absl::StrCat("ClusterDef in text: ", error.text()));
  }
  if (proto.job().empty()) return absl::InvalidArgumentError("ClusterDef in text: it has no jobs");
  return from_proto(proto);
}

absl::StatusOr<ClusterSpec> read_cluster_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return absl::NotFoundError(
        absl::StrCat("Cannot read the cluster file ", path, ": ", std::strerror(errno)));
  }
  std::string text(kMaxClusterFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (in.bad()) return absl::NotFoundError(absl::StrCat("Cannot read the cluster file ", path));
  if (text.size() > kMaxClusterFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": has more than ", kMaxClusterFileBytes, " bytes"));
  }
  const absl::string_view body = absl::StripAsciiWhitespace(text);
  absl::StatusOr<ClusterSpec> cluster;
  if (!body.empty() && body[0] == '{') {
    cluster = parse_cluster_json(body);
  } else if (body.find('=') != absl::string_view::npos) {
    cluster = ClusterSpec::parse(body);
  } else {
    cluster = parse_cluster_text(body);
  }
  if (!cluster.ok()) return annotate(cluster.status(), absl::StrCat(path, ": "));
  return cluster;
}

}  // namespace troupe
