#include "actors/node/cluster_tasks.h"

#include <caf/all.hpp>

#include <algorithm>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "actors/node/messages.h"
#include "actors/node/question.h"
#include "actors/node/status_proto.h"
#include "actors/node/task_stats.h"
#include "actors/step/node_timing.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"
#include "graph/status.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// That of no task: who is asked as that says only that he is there.
constexpr uint64_t kNoIncarnation = ~uint64_t{0};

/// Of `_Arg` or `_Retval` nodes of a part, each once, in order.
std::vector<int> indices(const RemoteTasks::Part& part, absl::string_view op) {
  std::vector<int> out;
  for (const PlanPartition& p : part.partitions) {
    for (int i = 0; i < p.graph.num_ids(); ++i) {
      const Node& n = p.graph.node(i);
      if (!n.removed() && n.op->name == op) out.push_back(n.attrs.get_or<int>("index", 0));
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

int num_nodes(const RemoteTasks::Part& part) {
  int n = 0;
  for (const PlanPartition& p : part.partitions) n += p.graph.num_nodes();
  return n;
}

}  // namespace

/// One part, registered.
class ClusterTasks::PartOfTask final : public RemotePart {
 public:
  PartOfTask(std::shared_ptr<const ClusterTasks> tasks, TaskId where, uint64_t part, const Part& what)
      : RemotePart(what.task, troupe::num_nodes(what), indices(what, "_Arg"), indices(what, "_Retval")),
        tasks_(std::move(tasks)), where_(std::move(where)), part_(part) {}
  ~PartOfTask() override {
    wire::DeregisterPart m;
    m.set_session(tasks_->session_);
    m.set_part(part_);
    tasks_->ask(where_, Method::kDeregisterPart, pack(m), [](const absl::StatusOr<absl::Cord>&) {});
  }

  void run(Step step, std::function<void(End)> done) const override {
    wire::RunPart m;
    m.set_session(tasks_->session_);
    m.set_part(part_);
    m.set_step(step.id);
    m.set_collect_stats(step.collect_stats);
    tasks_->ask(where_, Method::kRunPart, pack(m, step.args),
                [tasks = tasks_, where = where_, sent = wall_clock_ns(), done = std::move(done)](
                    const absl::StatusOr<absl::Cord>& body) { done(tasks->end_of(body, where, sent)); });
  }

  void cancel(int64_t step_id, const absl::Status& why) const override {
    wire::CancelPart m;
    m.set_session(tasks_->session_);
    m.set_step(step_id);
    to_proto(why, m.mutable_why());
    tasks_->ask(where_, Method::kCancelPart, pack(m), [](const absl::StatusOr<absl::Cord>&) {});
  }

  void inspect(int64_t step_id, std::function<void(std::vector<std::string>)> done) const override {
    wire::InspectPart m;
    m.set_session(tasks_->session_);
    m.set_step(step_id);
    tasks_->ask(where_, Method::kInspectPart, pack(m),
                [done = std::move(done)](const absl::StatusOr<absl::Cord>& body) {
                  wire::PartFrontier frontier;
                  if (body.ok()) (void)unpack(*body, &frontier);
                  done({frontier.lines().begin(), frontier.lines().end()});
                });
  }

 private:
  const std::shared_ptr<const ClusterTasks> tasks_;
  const TaskId where_;
  const uint64_t part_;
};

ClockOffset ClusterTasks::clock_after(const TaskId& task, int64_t sent_ns, int64_t came_ns,
                                      int64_t answered_ns) const {
  const int64_t now = wall_clock_ns();
  std::lock_guard lock(clocks_mu_);
  ClockOffset& clock = clocks_[task];
  // A round trip that makes no sense tells nothing.
  (void)clock.add(sent_ns, came_ns, answered_ns, now);
  return clock;
}

RemotePart::End ClusterTasks::end_of(const absl::StatusOr<absl::Cord>& body, const TaskId& task,
                                     int64_t sent_ns) const {
  RemotePart::End end;
  if (!body.ok()) {
    end.status = body.status();
    return end;
  }
  auto parcel = unpack(*body);
  wire::PartEnded m;
  if (!parcel.ok() || !m.ParseFromString(parcel->proto)) {
    end.status = parcel.ok() ? absl::InternalError("an answer that is no PartEnded") : parcel.status();
    return end;
  }
  end.status = from_proto(m.status());
  end.nodes_run = m.nodes_run();
  end.retvals = std::move(parcel->tensors);
  const ClockOffset clock = clock_after(task, sent_ns, m.came_ns(), m.answered_ns());
  if (!m.metadata().empty()) end.step_stats = step_stats_of(m.metadata(), clock);
  return end;
}

ClusterTasks::~ClusterTasks() {
  wire::DeleteWorkerSession m;
  m.set_session(session_);
  for (const auto& [task, life] : lives_)
    ask(task, Method::kDeleteWorkerSession, pack(m), [](const absl::StatusOr<absl::Cord>&) {});
}

void ClusterTasks::ask(const TaskId& task, Method method, absl::StatusOr<absl::Cord> body,
                       Answered done) const {
  if (!body.ok()) return done(body.status());
  const auto life = lives_.find(task);
  if (life == lives_.end())
    return done(absl::InternalError(absl::StrCat(task.to_string(), " is not the session's")));
  uint64_t incarnation = life->second;
  if ((method == Method::kRegisterPart || method == Method::kRunPart) && was_lost(task)) {
    incarnation = kNoIncarnation;
    done = [task, done = std::move(done)](absl::StatusOr<absl::Cord> answer) {
      if (!absl::IsAborted(answer.status())) return done(std::move(answer));
      done(absl::AbortedError(
          absl::StrCat(task.to_string(), " was lost: what it had for this session is lost, too")));
    };
  }
  auto question = std::make_shared<Question>(std::move(done));
  caf::anon_send(node_, NodeCall{task, incarnation, method, *std::move(body),
                                 [question](absl::StatusOr<absl::Cord> answer) {
                                   question->answer(std::move(answer));
                                 }});
}

void ClusterTasks::register_parts(std::vector<Part> parts, Registered done) {
  /// What the tasks have answered.
  struct Gathered {
    std::mutex mu;
    std::vector<Part> parts;
    std::vector<std::shared_ptr<const RemotePart>> registered;
    absl::Status status;
    size_t left = 0;
    Registered done;
  };
  auto all = std::make_shared<Gathered>();
  all->left = parts.size();
  all->registered.resize(parts.size());
  all->parts = std::move(parts);
  all->done = std::move(done);
  for (size_t i = 0; i < all->parts.size(); ++i) {
    const Part& part = all->parts[i];
    wire::RegisterPart m;
    m.set_session(session_);
    for (size_t p = 0; p < part.partitions.size(); ++p) {
      auto* def = m.add_partitions();
      to_graph_def(part.partitions[p].graph, def);
      m.add_devices(part.devices[p]);
    }
    m.set_num_feeds(part.num_feeds);
    m.set_num_fetches(part.num_fetches);
    for (int arg : indices(part, "_Arg")) m.add_args(arg);
    for (int retval : indices(part, "_Retval")) m.add_retvals(retval);
    const TaskId task = *TaskId::parse(part.task);
    ask(task, Method::kRegisterPart, pack(m),
        [me = shared_from_this(), all, i, task](const absl::StatusOr<absl::Cord>& body) {
          wire::RegisteredPart answer;
          const absl::Status status = body.ok() ? unpack(*body, &answer) : body.status();
          std::unique_lock lock(all->mu);
          if (status.ok()) {
            all->registered[i] = std::make_shared<PartOfTask>(me, task, answer.part(), all->parts[i]);
          } else if (all->status.ok()) {
            all->status = status;
          }
          if (--all->left > 0) return;
          lock.unlock();
          if (!all->status.ok()) return all->done(all->status);
          all->done(std::move(all->registered));
        });
  }
}

void ClusterTasks::watch_links(Lost lost) {
  lost_ = std::move(lost);
  for (const auto& [task, life] : lives_) watch_links_of(task);
}

void ClusterTasks::watch_links_of(const TaskId& task) {
  wire::WatchLinks m;
  m.set_session(session_);
  // What waits for the answer keeps no session.
  ask(task, Method::kWatchLinks, pack(m),
      [me = weak_from_this(), task](const absl::StatusOr<absl::Cord>& body) {
        if (const auto tasks = me.lock()) tasks->note_lost(task, body);
      });
}

bool ClusterTasks::was_lost(const TaskId& task) const {
  std::lock_guard lock(gone_mu_);
  return gone_.contains(task);
}

void ClusterTasks::note_lost(const TaskId& task, const absl::StatusOr<absl::Cord>& body) {
  wire::LostLink link;
  const absl::Status status = body.ok() ? unpack(*body, &link) : body.status();
  if (!status.ok()) {
    {
      std::lock_guard lock(gone_mu_);
      gone_.insert(task);
    }
    // After that: a step that did not see it runs, and ends by this.
    return lost_({task.to_string()}, status);
  }
  if (link.step() != 0) {
    exchange_->fail(link.step(), annotate(from_proto(link.why()), absl::StrCat(task.to_string(), ": ")));
    return watch_links_of(task);
  }
  std::vector<std::string> ends = {task.to_string()};
  // The session's own task has a part in every step.
  if (exchange_->is_elsewhere(absl::StrCat(link.task(), "/"))) ends.push_back(link.task());
  lost_(ends, annotate(from_proto(link.why()), absl::StrCat(task.to_string(), ": ")));
  watch_links_of(task);
}

void ClusterTasks::clear_containers(const std::vector<std::string>& containers) {
  wire::CleanupAll m;
  m.set_session(session_);
  for (const std::string& c : containers) m.add_containers(c);
  for (const auto& [task, life] : lives_)
    ask(task, Method::kCleanupAll, pack(m), [](const absl::StatusOr<absl::Cord>&) {});
}

}  // namespace troupe
