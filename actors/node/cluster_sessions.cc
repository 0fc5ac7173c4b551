#include "actors/node/cluster_sessions.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/cluster/device_filters.h"
#include "actors/node/cluster_tasks.h"
#include "actors/node/messages.h"
#include "actors/node/question.h"
#include "actors/runtime_impl.h"
#include "actors/session.h"
#include "devices/cancellation.h"
#include "devices/cpu/cpu_device.h"
#include "graph/status.h"
#include "proto/config.pb.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// Between two questions to a task that is not there yet.
constexpr std::chrono::milliseconds kRetryAfter{50};
/// How long one task may take to hear that another leaves.
constexpr std::chrono::seconds kLeavePatience{3};
/// Between two words in the log about whom a session waits for.
constexpr std::chrono::seconds kWaitingNoteAfter{10};

/// A step that cannot send ends with the reason.
void fail_step(SessionCore& core, int64_t step, const absl::Status& why) {
  for (const auto& weak : core.slots()) {
    const auto slot = weak.lock();
    if (slot != nullptr && slot->life.cancel(step, why) != 0) caf::anon_send(slot->step, CancelStep{step});
  }
}

/// Steps that have parts on all of these tasks end: what they wait for may be lost.
void fail_steps_on(SessionCore& core, const std::vector<std::string>& tasks, const absl::Status& why) {
  for (const auto& weak : core.slots()) {
    const auto slot = weak.lock();
    if (slot == nullptr) continue;
    const auto& remotes = slot->code->remotes;
    const bool concerned = std::all_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
      return std::any_of(remotes.begin(), remotes.end(),
                         [&](const auto& part) { return part->task() == task; });
    });
    if (!concerned) continue;
    if (const int64_t step = slot->life.cancel(0, why); step != 0)
      caf::anon_send(slot->step, CancelStep{step});
  }
}

DeviceAttributes attributes_of(const tensorflow::DeviceAttributes& d) {
  DeviceAttributes a;
  a.name = d.name();
  a.type = d.device_type();
  a.memory_limit_bytes = d.memory_limit();
  a.incarnation = d.incarnation();
  a.physical_description = d.physical_device_desc();
  return a;
}

std::string names_of(const std::vector<TaskId>& tasks) {
  return absl::StrJoin(tasks, ", ", [](std::string* out, const TaskId& t) { *out += t.to_string(); });
}

absl::Status ended() { return absl::CancelledError("the node has ended"); }

/// Answers to one question to several tasks, which their asker waits for.
class Answers {
 public:
  using Answer = absl::StatusOr<absl::Cord>;
  explicit Answers(size_t expected) : left_(expected) {}
  void add(const TaskId& task, Answer answer) {
    std::lock_guard lock(mu_);
    answers_.insert_or_assign(task, std::move(answer));
    --left_;
    all_here_.notify_all();
  }
  /// Those that have come by then, or when nobody waits any more; null: somebody does.
  std::map<TaskId, Answer> wait(std::chrono::steady_clock::time_point until, CancellationToken* given_up) {
    const auto wake = given_up == nullptr ? std::nullopt : given_up->register_callback([this] {
      std::lock_guard lock(mu_);
      all_here_.notify_all();
    });
    auto answers = [&] {
      std::unique_lock lock(mu_);
      all_here_.wait_until(lock, until,
                           [&] { return left_ == 0 || (given_up != nullptr && given_up->cancelled()); });
      return answers_;
    }();
    if (wake) given_up->deregister(*wake);
    return answers;
  }

 private:
  std::mutex mu_;
  std::condition_variable all_here_;
  // Guarded by mu_.
  size_t left_;
  std::map<TaskId, Answer> answers_;
};

/// Of the tasks in their order: the first that did not do what it was asked.
absl::Status first_error(const std::vector<TaskId>& tasks,
                         const std::map<TaskId, absl::StatusOr<absl::Cord>>& answers,
                         absl::string_view what) {
  for (const TaskId& t : tasks) {
    const auto answer = answers.find(t);
    if (answer == answers.end())
      return absl::DeadlineExceededError(absl::StrCat(t.to_string(), " does not answer"));
    if (!answer->second.ok())
      return annotate(answer->second.status(), absl::StrCat(t.to_string(), " does not ", what, ": "));
  }
  return absl::OkStatus();
}

}  // namespace

/// What the options of a session say about the cluster.
struct ClusterSessions::Wish {
  std::string config;
  DeviceFilters filters;
  bool isolated = false;
  /// Other than the master's.
  std::vector<TaskId> tasks;
};

/// `stop` waits for it. False when there are to be no more.
class ClusterSessions::Call {
 public:
  explicit Call(ClusterSessions* sessions) : sessions_(sessions) {
    std::lock_guard lock(sessions_->mu_);
    admitted_ = !sessions_->stopping_;
    if (admitted_) ++sessions_->calls_;
  }
  ~Call() {
    if (!admitted_) return;
    std::lock_guard lock(sessions_->mu_);
    --sessions_->calls_;
    // Under the lock: whoever waits may destroy it next.
    sessions_->idle_.notify_all();
  }
  Call(const Call&) = delete;
  explicit operator bool() const { return admitted_; }

 private:
  ClusterSessions* const sessions_;
  bool admitted_ = false;
};

absl::Status ClusterSessions::Patience::given_up() const {
  return token == nullptr ? absl::OkStatus() : token->reason();
}

bool ClusterSessions::stopping() const {
  std::lock_guard lock(mu_);
  return stopping_;
}

void ClusterSessions::drain() {
  std::lock_guard lock(mu_);
  draining_ = true;
}

absl::Status ClusterSessions::leave() {
  const Call call(this);
  if (!call) return ended();
  wire::LeaveCluster m;
  m.set_task(parts_.task.to_string());
  TROUPE_ASSIGN_OR_RETURN(const absl::Cord body, pack(m));
  absl::Status heard;
  for (const TaskId& task : parts_.cluster->get().tasks()) {
    if (task == parts_.task) continue;
    const Patience patience{std::chrono::steady_clock::now() + kLeavePatience, nullptr};
    heard =
        first_error({task}, ask_all({task}, Method::kLeaveCluster, body, patience), "hear that one leaves");
    if (heard.ok()) return heard;
  }
  return heard;
}

size_t ClusterSessions::num_open() const {
  std::lock_guard lock(mu_);
  size_t n = static_cast<size_t>(calls_);
  for (const auto& session : opened_) {
    const auto core = session.lock();
    n += core != nullptr && !core->gate.is_shut();
  }
  return n;
}

void ClusterSessions::stop() {
  std::unique_lock lock(mu_);
  stopping_ = true;
  idle_.wait(lock, [this] { return calls_ == 0; });
}

absl::StatusOr<ClusterSessions::Wish> ClusterSessions::wish_of(const SessionOptions& options) const {
  tensorflow::ConfigProto config;
  if (!config.ParseFromString(options.config))
    return absl::InvalidArgumentError("the session's config is no ConfigProto");
  if (config.has_cluster_def()) {
    return absl::UnimplementedError(
        "ConfigProto.cluster_def: a session is over the cluster that its node was started with, and cannot "
        "bring another.");
  }
  Wish wish;
  wish.config = options.config;
  wish.isolated = config.isolate_session_state();
  const std::vector<std::string> filters(config.device_filters().begin(), config.device_filters().end());
  TROUPE_ASSIGN_OR_RETURN(wish.filters, DeviceFilters::parse(filters));
  wish.tasks = others(wish.filters);
  return wish;
}

std::vector<TaskId> ClusterSessions::others(const DeviceFilters& filters) const {
  std::vector<TaskId> tasks = filters.choose(parts_.cluster->get().tasks(), parts_.task);
  std::erase(tasks, parts_.task);
  return tasks;
}

std::map<TaskId, ClusterSessions::Answer> ClusterSessions::ask_all(const std::vector<TaskId>& tasks,
                                                                   Method method, const absl::Cord& body,
                                                                   const Patience& patience) const {
  auto answers = std::make_shared<Answers>(tasks.size());
  for (const TaskId& t : tasks) {
    auto question = std::make_shared<Question>(
        [answers, t](absl::StatusOr<absl::Cord> answer) { answers->add(t, std::move(answer)); });
    caf::anon_send(parts_.node, NodeCall{t, 0, method, body, [question](absl::StatusOr<absl::Cord> answer) {
                                           question->answer(std::move(answer));
                                         }});
  }
  return answers->wait(patience.until, patience.token.get());
}

/// The devices of these tasks, when all are there.
absl::StatusOr<ClusterSessions::Lives> ClusterSessions::meet(const DeviceFilters& filters,
                                                             const Patience& patience) const {
  Lives lives;
  std::string last_words;
  Time note_at = std::chrono::steady_clock::now() + kWaitingNoteAfter;
  // Whom one asks tells first which tasks he knows of.
  const auto not_met = [&] {
    std::vector<TaskId> tasks = others(filters);
    const std::set<TaskId> wanted(tasks.begin(), tasks.end());
    std::erase_if(lives, [&](const auto& life) { return !wanted.contains(life.first); });
    std::erase_if(tasks, [&](const TaskId& t) { return lives.contains(t); });
    return tasks;
  };
  for (std::vector<TaskId> missing = not_met(); !missing.empty();) {
    for (const auto& [task, answer] : ask_all(missing, Method::kGetStatus, *pack_nothing(), patience)) {
      wire::TaskStatus status;
      const absl::Status good = answer.ok() ? unpack(*answer, &status) : answer.status();
      if (!good.ok()) {
        last_words = std::string(good.message());
        continue;
      }
      Life& life = lives[task];
      life.incarnation = status.incarnation();
      for (const auto& d : status.devices()) life.devices.push_back(attributes_of(d));
    }
    missing = not_met();
    if (missing.empty()) break;
    if (stopping()) return ended();
    TROUPE_RETURN_IF_ERROR(patience.given_up());
    const std::string waits =
        absl::StrCat("the session waits for ", names_of(missing), last_words.empty() ? "" : " (", last_words,
                     last_words.empty() ? "" : ")");
    const Time now = std::chrono::steady_clock::now();
    if (now + kRetryAfter >= patience.until) return absl::DeadlineExceededError(waits);
    if (now >= note_at) {
      spdlog::info("{}: {}", parts_.task.to_string(), waits);
      note_at = now + kWaitingNoteAfter;
    }
    std::this_thread::sleep_for(kRetryAfter);
  }
  return lives;
}

absl::Status ClusterSessions::create_on(const Wish& wish, uint64_t key, const Patience& patience) const {
  wire::CreateWorkerSession m;
  m.set_session(key);
  m.set_isolate(wish.isolated);
  m.set_config(wish.config);
  TROUPE_ASSIGN_OR_RETURN(const absl::Cord body, pack(m));
  const auto answers = ask_all(wish.tasks, Method::kCreateWorkerSession, body, patience);
  TROUPE_RETURN_IF_ERROR(patience.given_up());
  return first_error(wish.tasks, answers, "open the session");
}

/// The task's own, all of them, and of the others those that the filters let through.
absl::StatusOr<std::shared_ptr<DeviceSet>> ClusterSessions::devices_of(const Wish& wish, Lives lives) const {
  std::shared_ptr<DeviceSet> local = parts_.devices;
  if (wish.isolated) {
    TROUPE_ASSIGN_OR_RETURN(local, parts_.own_devices());
  }
  auto all = std::make_shared<DeviceSet>(parts_.runtime->impl().kernels);
  for (int i = 0; i < local->size(); ++i) all->add(local->share(i), local->entries()[i].priority);
  for (auto& [task, life] : lives) {
    for (DeviceAttributes& d : life.devices) {
      if (wish.filters.pass(d.name)) all->add_elsewhere(std::move(d), kCpuPriority);
    }
  }
  return all;
}

absl::StatusOr<std::unique_ptr<Session>> ClusterSessions::new_session(const SessionOptions& options) {
  const Call call(this);
  if (!call) return ended();
  {
    std::lock_guard lock(mu_);
    if (draining_) return draining(parts_.task);
  }
  return open(options);
}

absl::StatusOr<std::unique_ptr<Session>> ClusterSessions::open(const SessionOptions& options) {
  std::chrono::milliseconds time = parts_.open_patience;
  if (options.operation_timeout.count() > 0) time = std::min(time, options.operation_timeout);
  const Patience patience{std::chrono::steady_clock::now() + time, options.given_up};
  TROUPE_ASSIGN_OR_RETURN(Wish wish, wish_of(options));
  TROUPE_ASSIGN_OR_RETURN(Lives lives, meet(wish.filters, patience));
  std::map<TaskId, uint64_t> incarnations;
  wish.tasks.clear();
  for (const auto& [task, life] : lives) {
    wish.tasks.push_back(task);
    incarnations[task] = life.incarnation;
  }
  const uint64_t key = new_incarnation();
  auto exchange = std::make_shared<NodeExchange>(parts_.node, parts_.words, parts_.task, key, parts_.steps);
  // First: when one task refuses the others are told with its end.
  auto tasks = std::make_shared<ClusterTasks>(parts_.node, key, std::move(incarnations), exchange);
  TROUPE_RETURN_IF_ERROR(create_on(wish, key, patience));
  SessionOptions own = options;
  own.target.clear();
  own.given_up = nullptr;
  // Here these have.
  std::erase_if(own.without_meaning, [](const std::string& text) {
    return text.starts_with("isolate_session_state") || text.starts_with("device_filters");
  });
  own.exchange = exchange;
  own.remote = tasks;
  TROUPE_ASSIGN_OR_RETURN(own.devices, devices_of(wish, std::move(lives)));
  caf::actor_system& system = parts_.runtime->system();
  TROUPE_ASSIGN_OR_RETURN(const SessionActor actor,
                          ask<SessionActor>(system, runtime_actor(*parts_.runtime), OpenSession{own}));
  TROUPE_ASSIGN_OR_RETURN(const CoreReply reply, ask<CoreReply>(system, actor, CoreRequest{}));
  const std::weak_ptr<SessionCore> core = reply.core;
  exchange->on_lost([core](int64_t step, const absl::Status& why) {
    if (const auto alive = core.lock()) fail_step(*alive, step, why);
  });
  tasks->watch_links([core](const std::vector<std::string>& ends, const absl::Status& why) {
    if (const auto alive = core.lock()) fail_steps_on(*alive, ends, why);
  });
  {
    std::lock_guard lock(mu_);
    std::erase_if(opened_, [](const auto& session) { return session.expired(); });
    opened_.push_back(core);
  }
  return adopt_session(actor);
}

absl::Status ClusterSessions::reset(const SessionOptions& options,
                                    const std::vector<std::string>& containers) {
  const Call call(this);
  if (!call) return ended();
  TROUPE_ASSIGN_OR_RETURN(const Wish wish, wish_of(options));
  std::vector<std::weak_ptr<SessionCore>> sessions;
  {
    std::lock_guard lock(mu_);
    sessions = opened_;
  }
  for (const auto& session : sessions) {
    const auto core = session.lock();
    if (core == nullptr) continue;
    core->gate.shut();
    if (core->actor) caf::anon_send(core->actor, CloseRequest{});
  }
  if (wish.filters.pass(parts_.task.to_string())) parts_.devices->clear_containers(containers);
  wire::CleanupAll m;
  for (const std::string& c : containers) m.add_containers(c);
  TROUPE_ASSIGN_OR_RETURN(const absl::Cord body, pack(m));
  const Patience patience{std::chrono::steady_clock::now() + parts_.open_patience, options.given_up};
  return first_error(wish.tasks, ask_all(wish.tasks, Method::kCleanupAll, body, patience),
                     "clear its containers");
}

}  // namespace troupe
