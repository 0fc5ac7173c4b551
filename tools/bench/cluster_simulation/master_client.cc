#include "tools/bench/cluster_simulation/master_client.h"

#include <chrono>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "proto/config.pb.h"
#include "tools/bench/cluster_simulation/sum_graph.h"

namespace troupe::simulation {
namespace {

constexpr int kMaster = SimulatedCluster::kMaster;
/// Of virtual time.
constexpr Nanos kStepPatience = 60 * kSecond;

/// Lets a session see these hosts alone; all of them when there are no others.
absl::StatusOr<SessionOptions> options_of(const SimulatedCluster& cluster, const std::vector<int>& hosts) {
  if (static_cast<int>(hosts.size()) == cluster.num_workers()) return SessionOptions();
  tensorflow::ConfigProto config;
  for (const int host : hosts) config.add_device_filters(SimulatedCluster::task_of(host).to_string());
  return SessionOptions::from_config(config.SerializeAsString());
}

}  // namespace

Span Watch::read() const {
  Span s;
  VirtualNetwork& net = cluster_->net();
  s.virtual_time = net.now();
  s.master_cpu = net.usage(kMaster, Load::kWork).cpu;
  s.workers_cpu = net.usage_of_others(kMaster, Load::kWork).cpu;
  s.real_time = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  const Traffic& traffic = cluster_->node(kMaster).traffic();
  s.messages = traffic.work();
  s.requests = traffic.of(MessageKind::kRequest) + traffic.of(MessageKind::kReply);
  s.values = traffic.of(MessageKind::kPush);
  s.heartbeats = traffic.of(MessageKind::kPing);
  const auto& usage = net.usage(kMaster, Load::kWork);
  s.bytes = usage.bytes_sent + usage.bytes_received;
  return s;
}

Span Watch::so_far() const {
  Span s = read();
  s.virtual_time -= before_.virtual_time;
  s.master_cpu -= before_.master_cpu;
  s.workers_cpu -= before_.workers_cpu;
  s.real_time -= before_.real_time;
  s.messages -= before_.messages;
  s.requests -= before_.requests;
  s.values -= before_.values;
  s.heartbeats -= before_.heartbeats;
  s.bytes -= before_.bytes;
  return s;
}

absl::Status MasterClient::open(const std::vector<int>& hosts,
                                const std::shared_ptr<CancellationToken>& given_up, Span* span) {
  const Watch watch(cluster_);
  hosts_ = hosts;
  TROUPE_ASSIGN_OR_RETURN(SessionOptions options, options_of(*cluster_, hosts));
  options.given_up = given_up;
  absl::Status status;
  const Nanos cpu = cluster_->on_client_thread([&] {
    auto opened = cluster_->sessions().new_session(options);
    status = opened.status();
    if (!opened.ok()) return;
    session_ = *std::move(opened);
    status = session_->create(sum_graph(hosts_));
  });
  if (!status.ok()) close();
  *span = watch.so_far();
  span->client_cpu = cpu;
  return status;
}

absl::Status MasterClient::step(Span* span) {
  const Watch watch(cluster_);
  const float value = static_cast<float>(++steps_ % 16);
  std::optional<absl::StatusOr<std::vector<Tensor>>> end;
  Nanos ended = 0;
  const auto begin = [&] {
    const RunCallback hear = [&](absl::StatusOr<std::vector<Tensor>> fetches, const RunStats&) {
      ended = cluster_->net().time_of_work();
      end = std::move(fetches);
    };
    session_->run_async({{"x", feed_of(floats_, value)}}, {"sum"}, {}, {}, hear);
  };
  const Nanos began = cluster_->now();
  if (!cluster_->work_until(
          begin, [&] { return end.has_value(); }, kStepPatience)) {
    (void)session_->cancel("it took too long");
    cluster_->work_until([] {}, [&] { return end.has_value(); }, kStepPatience);
    return absl::DeadlineExceededError(absl::StrCat("step ", steps_, " does not end"));
  }
  *span = watch.so_far();
  span->virtual_time = ended - began;
  // Whoever has the sum goes on when it is there.
  cluster_->net().run_until(ended);
  if (!end->ok()) return end->status();
  if (end->value().size() == 1 && is_sum(end->value()[0], hosts_, floats_, value)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the sum of step ", steps_, " is wrong"));
}

void MasterClient::close() {
  if (session_) cluster_->on_client_thread([this] { session_ = nullptr; });
}

}  // namespace troupe::simulation
