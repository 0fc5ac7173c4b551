#include "tools/troupe/local_cluster.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

constexpr std::chrono::seconds kStartPatience{30};
constexpr std::chrono::seconds kStopPatience{10};

/// A port that nobody listens on, kept for as long as this is there.
class FreePort {
 public:
  FreePort() {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, at, size) == 0 && ::getsockname(socket_, at, &size) == 0)
      number_ = ntohs(address.sin_port);
  }
  ~FreePort() { ::close(socket_); }
  FreePort(const FreePort&) = delete;
  /// 0: there is none.
  uint16_t number() const { return number_; }

 private:
  int socket_ = -1;
  uint16_t number_ = 0;
};

/// All ports are chosen before one is given back: so they differ.
absl::StatusOr<ClusterSpec> choose_ports(const LocalClusterOptions& options) {
  if (options.nodes < 1)
    return absl::InvalidArgumentError(absl::StrCat("a cluster of ", options.nodes, " nodes"));
  ClusterSpec spec;
  std::vector<std::unique_ptr<FreePort>> ports;
  for (int i = 0; i < options.nodes; ++i) {
    ports.push_back(std::make_unique<FreePort>());
    if (ports.back()->number() == 0) return absl::ErrnoToStatus(errno, "there is no free port");
    TROUPE_RETURN_IF_ERROR(spec.add({options.job, i}, absl::StrCat("127.0.0.1:", ports.back()->number())));
  }
  return spec;
}

std::vector<std::string> arguments_of(const LocalClusterOptions& options, const ClusterSpec& spec,
                                      const TaskId& task) {
  std::vector<std::string> out{"serve",  "--cluster", spec.to_string(),        "--job",
                               task.job, "--task",    absl::StrCat(task.index)};
  if (!options.config.empty()) out.insert(out.end(), {"--config", options.config});
  if (!options.grpc.empty() && task.index == 0) out.insert(out.end(), {"--grpc", options.grpc});
  return out;
}

/// The next line that says so; others are its log's.
absl::StatusOr<std::string> line_with(NodeProcess& process, const std::string& phrase,
                                      std::chrono::steady_clock::time_point until) {
  for (;;) {
    TROUPE_ASSIGN_OR_RETURN(const std::string line, process.read_line(until));
    if (line.find(phrase) != std::string::npos) return line;
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalCluster>> LocalCluster::start(const LocalClusterOptions& options) {
  std::unique_ptr<LocalCluster> cluster(new LocalCluster);
  TROUPE_ASSIGN_OR_RETURN(cluster->spec_, choose_ports(options));
  for (const TaskId& task : cluster->spec_.tasks()) {
    TROUPE_ASSIGN_OR_RETURN(auto process, NodeProcess::start(arguments_of(options, cluster->spec_, task)));
    cluster->nodes_.push_back({task, std::move(process)});
  }
  const auto until = std::chrono::steady_clock::now() + kStartPatience;
  for (Node& node : cluster->nodes_) {
    // "/job:worker/replica:0/task:0 listens on port 7001", and the door's target.
    absl::StatusOr<std::string> line = line_with(*node.process, " listens on port ", until);
    if (line.ok() && !options.grpc.empty() && node.task.index == 0) {
      line = line_with(*node.process, "grpc://", until);
      if (line.ok()) cluster->target_ = *line;
    }
    if (!line.ok()) return annotate(line.status(), absl::StrCat(node.task.to_string(), ": "));
  }
  return cluster;
}

LocalCluster::~LocalCluster() {
  for (const Node& node : nodes_) node.process->terminate();
  const auto until = std::chrono::steady_clock::now() + kStopPatience;
  for (Node& node : nodes_) (void)node.process->wait(until);
}

std::vector<std::string> LocalCluster::processes() const {
  std::vector<std::string> out;
  for (const Node& node : nodes_)
    out.push_back(absl::StrCat(node.task.to_string(), " is process ", node.process->pid()));
  return out;
}

std::vector<std::string> LocalCluster::news() {
  std::vector<std::string> out;
  for (Node& node : nodes_) {
    const std::optional<std::string> end = node.process->ended();
    if (!end || node.told) continue;
    node.told = true;
    out.push_back(absl::StrCat(node.task.to_string(), " has ended: ", *end));
  }
  return out;
}

std::string LocalCluster::output() {
  std::string out;
  for (Node& node : nodes_) out += node.process->take_output();
  return out;
}

bool LocalCluster::any_alive() {
  for (Node& node : nodes_) {
    if (!node.process->ended()) return true;
  }
  return false;
}

}  // namespace troupe
