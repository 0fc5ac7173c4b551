#include "tools/bench/cluster_simulation/faults.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "tools/bench/cluster_simulation/figures.h"
#include "tools/bench/cluster_simulation/master_client.h"

namespace troupe::simulation {
namespace {

using nlohmann::json;

/// Between two looks whether a draining node has sessions, as ClusterNode::drain looks.
constexpr Nanos kDrainPause = 20 * kMilli;
/// More than a lease, and all that is under way.
constexpr Nanos kQuiet = 2 * kSecond;

/// One cluster.
class FaultRun {
 public:
  FaultRun(const FaultOptions& options, int workers)
      : options_(options), cluster_(workers, options.network), client_(&cluster_, options.floats),
        random_(options.seed) {
    for (int host = 1; host <= workers; ++host) there_.insert(host);
    cluster_.node(SimulatedCluster::kMaster).on_lost = [this](const TaskId& task) { lost(task); };
  }

  json run();

 private:
  /// Of one that has failed.
  struct Failure {
    bool with_machine = false;
    Nanos at = 0;
    /// When the master's node knew, and when a step was good again; 0: not yet.
    Nanos found = 0;
    Nanos recovered = 0;
  };

  // --- what happens to the cluster ---
  void plan(double percent_a_minute, const std::function<void()>& what);
  int some_host();
  void fail_one();
  void drain_one();
  void leave_when_idle(int host);
  void start_later(int host);
  void lost(const TaskId& task);

  // --- what the client does ---
  void open();
  void step();
  void note_good_step();
  void note_lost_step(const absl::Status& status);
  int64_t sessions_left();
  json report();

  const FaultOptions options_;
  SimulatedCluster cluster_;
  MasterClient client_;
  std::mt19937_64 random_;
  /// Whom the next session is opened over.
  std::set<int> there_;
  std::shared_ptr<CancellationToken> given_up_;
  std::vector<Failure> failures_;
  /// The last failure of each host.
  std::map<int, size_t> failure_of_;
  int down_ = 0;
  bool over_ = false;
  int64_t drains_ = 0, joins_ = 0, sessions_ = 0, given_up_opens_ = 0, failed_opens_ = 0;
  int64_t steps_ = 0, wrong_steps_ = 0, nameless_ = 0;
  std::map<std::string, int64_t> lost_steps_;
  int64_t most_left_ = 0;
  Figures open_virtual_, open_cpu_, open_messages_, step_virtual_, step_messages_;
};

void FaultRun::plan(double percent_a_minute, const std::function<void()>& what) {
  if (percent_a_minute <= 0) return;
  const double a_second = percent_a_minute / 100 / 60 * cluster_.num_workers();
  const double seconds = std::exponential_distribution<double>(a_second)(random_);
  cluster_.net().at(cluster_.now() + static_cast<Nanos>(seconds * kSecond), [=, this] {
    if (over_) return;
    what();
    plan(percent_a_minute, what);
  });
}

int FaultRun::some_host() {
  std::vector<int> hosts(there_.begin(), there_.end());
  std::erase_if(hosts, [this](int host) { return !cluster_.serves(host); });
  // Somebody is left to work.
  if (hosts.size() <= 2) return -1;
  return hosts[random_() % hosts.size()];
}

void FaultRun::fail_one() {
  const int host = some_host();
  if (host < 0 || static_cast<int>(failures_.size()) >= options_.failures) return;
  const bool with_machine = failures_.size() % 2 == 0;
  failure_of_[host] = failures_.size();
  failures_.push_back({with_machine, cluster_.now(), 0, 0});
  cluster_.fail(host, with_machine);
  start_later(host);
}

void FaultRun::drain_one() {
  const int host = some_host();
  if (host < 0) return;
  ++drains_;
  there_.erase(host);
  cluster_.drain(host);
  leave_when_idle(host);
}

void FaultRun::leave_when_idle(int host) {
  cluster_.net().at(cluster_.now() + kDrainPause, [this, host] {
    if (cluster_.sessions_on(host) > 0) return leave_when_idle(host);
    cluster_.leave(host);
    start_later(host);
  });
}

void FaultRun::start_later(int host) {
  ++down_;
  cluster_.net().at(cluster_.now() + options_.down_time, [this, host] {
    cluster_.start(host);
    there_.insert(host);
    --down_;
    ++joins_;
  });
}

void FaultRun::lost(const TaskId& task) {
  const int host = cluster_.host_of(task);
  if (there_.erase(host) == 0) return;
  if (const auto failure = failure_of_.find(host); failure != failure_of_.end())
    failures_[failure->second].found = cluster_.now();
  if (given_up_) given_up_->cancel(absl::CancelledError("a task of the session is lost"));
}

void FaultRun::open() {
  given_up_ = std::make_shared<CancellationToken>();
  const std::vector<int> hosts(there_.begin(), there_.end());
  Span span;
  const absl::Status status = client_.open(hosts, given_up_, &span);
  if (status.ok()) {
    ++sessions_;
    open_virtual_.add(span.virtual_time);
    open_cpu_.add(span.master_cpu + span.client_cpu);
    open_messages_.add(span.messages);
  } else {
    // The next look at leases may tell more.
    ++(given_up_->cancelled() ? given_up_opens_ : failed_opens_);
    cluster_.net().run_until(cluster_.now() + 10 * kMilli);
  }
  given_up_ = nullptr;
}

void FaultRun::step() {
  const Nanos began = cluster_.now();
  Span span;
  const absl::Status status = client_.step(&span);
  if (status.ok()) {
    step_virtual_.add(span.virtual_time);
    step_messages_.add(span.messages);
    note_good_step();
  } else {
    note_lost_step(status);
  }
  cluster_.net().run_until(std::max(cluster_.now(), began + options_.step_every));
}

void FaultRun::note_good_step() {
  ++steps_;
  bool is_new = false;
  for (Failure& f : failures_) {
    // One that the session still has is none that it has got over.
    if (f.found == 0 || f.recovered != 0) continue;
    f.recovered = cluster_.now();
    is_new = true;
  }
  if (is_new) most_left_ = std::max(most_left_, sessions_left());
}

void FaultRun::note_lost_step(const absl::Status& status) {
  ++lost_steps_[std::string(absl::StatusCodeToString(status.code()))];
  wrong_steps_ += absl::IsDataLoss(status);
  const bool names_task = absl::StrContains(status.message(), "/job:worker/replica:0/task:");
  nameless_ += !names_task;
  if (!names_task) std::fprintf(stderr, "a step is lost: %s\n", status.ToString().c_str());
  client_.close();
}

/// Beside the client's own, on all that serve.
int64_t FaultRun::sessions_left() {
  int64_t left = 0;
  for (int host = 1; host <= cluster_.num_workers(); ++host) {
    if (!cluster_.serves(host)) continue;
    const bool is_of_session =
        client_.is_open() && std::binary_search(client_.hosts().begin(), client_.hosts().end(), host);
    left += std::abs(static_cast<int64_t>(cluster_.sessions_on(host)) - (is_of_session ? 1 : 0));
  }
  return left;
}

json FaultRun::run() {
  plan(options_.failing_percent, [this] { fail_one(); });
  plan(options_.draining_percent, [this] { drain_one(); });
  while (static_cast<int>(failures_.size()) < options_.failures || down_ > 0) {
    over_ = static_cast<int>(failures_.size()) >= options_.failures;
    const std::vector<int> hosts(there_.begin(), there_.end());
    if (client_.is_open() && client_.hosts() != hosts) client_.close();
    if (!client_.is_open()) open();
    if (client_.is_open()) step();
  }
  over_ = true;
  const Nanos end = cluster_.now();
  client_.close();
  cluster_.net().run_until(end + kQuiet);
  json out = report();
  out["virtual_s"] = static_cast<double>(end) / kSecond;
  return out;
}

json FaultRun::report() {
  Figures found[2], recovered[2];
  int64_t never = 0;
  for (const Failure& f : failures_) {
    never += f.recovered == 0;
    if (f.found != 0) found[f.with_machine].add(f.found - f.at);
    if (f.recovered != 0) recovered[f.with_machine].add(f.recovered - f.at);
  }
  return {{"workers", cluster_.num_workers()},
          {"failures", failures_.size()},
          {"never_recovered", never},
          {"drains", drains_},
          {"joins", joins_},
          {"sessions", sessions_},
          {"opens_given_up", given_up_opens_},
          {"opens_failed", failed_opens_},
          {"steps", steps_},
          {"lost_steps", lost_steps_},
          {"wrong_steps", wrong_steps_},
          {"lost_without_a_name", nameless_},
          {"process_found_us", found[0].to_json(kMicro)},
          {"machine_found_us", found[1].to_json(kMicro)},
          {"process_recovered_us", recovered[0].to_json(kMicro)},
          {"machine_recovered_us", recovered[1].to_json(kMicro)},
          {"open_us", open_virtual_.to_json(kMicro)},
          {"open_master_cpu_us", open_cpu_.to_json(kMicro)},
          {"open_messages", open_messages_.to_json(1)},
          {"step_us", step_virtual_.to_json(kMicro)},
          {"step_messages", step_messages_.to_json(1)},
          {"left_after_recovery", most_left_},
          {"left_at_end",
           {{"sessions_on_workers", sessions_left()},
            {"sessions", cluster_.sessions_of_runtime()},
            {"slots", cluster_.slots_alive()},
            {"steps", cluster_.steps_open()},
            {"values", cluster_.values_waiting()}}}};
}

}  // namespace

json measure_faults(const FaultOptions& options) {
  json out = json::array();
  for (const int workers : options.workers) {
    std::fprintf(stderr, "%d workers that fail and drain\n", workers);
    out.push_back(FaultRun(options, workers).run());
  }
  return out;
}

}  // namespace troupe::simulation
