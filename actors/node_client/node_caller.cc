#include "actors/node_client/node_caller.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/node/hello.h"
#include "actors/node_client/node_line.h"
#include "devices/cpu/cpu_device.h"
#include "graph/status.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

using Clock = std::chrono::steady_clock;

/// The one that leases are about.
const TaskId& node_key() {
  static const TaskId* const key = new TaskId{"node", 0};
  return *key;
}

absl::Status stopped() { return absl::CancelledError("the client's runtime has ended"); }

}  // namespace

/// What the thread does. Shared with it, so that it may outlive who asks.
class NodeCaller::Worker {
 public:
  explicit Worker(NodeCallerOptions options)
      : options_(std::move(options)), wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Worker() { ::close(wake_); }

  const std::string& target() const { return options_.target; }

  // --- from any thread ---

  struct Question {
    Method method = Method::kNone;
    absl::Cord body;
    Answered done;
    /// Clock::time_point::max(): none.
    Clock::time_point deadline;
  };

  void ask(Question question) {
    if (ask_here(&question)) return;
    {
      std::lock_guard lock(mu_);
      if (!stopping_) {
        inbox_.push_back(std::move(question));
        return wake();
      }
    }
    question.done(stopped());
  }

  void count_use(int change) {
    std::lock_guard lock(mu_);
    uses_ += change;
    if (uses_ == 0) wake();
  }

  void stop() {
    std::lock_guard lock(mu_);
    stopping_ = true;
    wake();
  }

  // --- its thread ---

  void run() {
    bool goes_on = true;
    while (goes_on) {
      std::vector<Told> told;
      {
        std::lock_guard line(line_mu_);
        goes_on = take_inbox();
        if (goes_on) {
          const absl::Status well = guarded("a connection to a node", [&] { return go_on(); });
          if (!well.ok()) lose(well);
        } else {
          hang_up();
          lose(stopped());
        }
        told.swap(told_);
        prepare_to_wait();
      }
      for (Told& t : told) t.done(std::move(t.answer));
      if (goes_on) wait();
    }
  }

 private:
  struct Call {
    /// Null: nobody waits for it any more.
    Answered done;
  };
  /// Answers are told when the line is nobody's: who hears one may ask again.
  struct Told {
    Answered done;
    absl::StatusOr<absl::Cord> answer;
  };

  /// Writes it on the calling thread, so that no other is waked for that: where the line is open and free, and nothing waits before it.
  bool ask_here(Question* question) {
    const std::unique_lock line(line_mu_, std::try_to_lock);
    if (!line || line_ == nullptr || !known_ || !to_ask_.empty()) return false;
    {
      std::lock_guard lock(mu_);
      if (!inbox_.empty() || stopping_) return false;
    }
    const Clock::time_point deadline = question->deadline;
    put(std::move(*question));
    // What cannot go yet, and whatever goes wrong, is for the thread that reads.
    if (!line_->flush().ok() || line_->waits_to_write() || deadline < due_) wake();
    return true;
  }

  void wake() const {
    const uint64_t one = 1;
    // It is full when the thread is to wake already.
    (void)!::write(wake_, &one, sizeof(one));
  }

  /// False when the thread is to end.
  bool take_inbox() {
    std::lock_guard lock(mu_);
    std::move(inbox_.begin(), inbox_.end(), std::back_inserter(to_ask_));
    inbox_.clear();
    in_use_ = uses_ > 0;
    return !stopping_;
  }

  absl::Status go_on() {
    if (line_ == nullptr && !to_ask_.empty()) TROUPE_RETURN_IF_ERROR(connect());
    if (line_ == nullptr) return absl::OkStatus();
    TROUPE_RETURN_IF_ERROR(read());
    if (known_) {
      for (Question& q : std::exchange(to_ask_, {})) put(std::move(q));
    }
    TROUPE_RETURN_IF_ERROR(turn(Clock::now()));
    tell_late(Clock::now());
    TROUPE_RETURN_IF_ERROR(line_->flush());
    if (!in_use_ && waiting_ == 0 && to_ask_.empty()) hang_up();
    return absl::OkStatus();
  }

  absl::Status connect() {
    TROUPE_ASSIGN_OR_RETURN(
        line_, NodeLine::connect(options_.address, options_.connect_patience, options_.tls, options_.limits));
    known_ = false;
    leases_.emplace(options_.lease);
    leases_->watch(node_key(), 1, Clock::now());
    next_turn_ = Clock::now();
    line_->send({MessageKind::kHello, Method::kNone, 0, pack_hello({std::nullopt, new_incarnation()}, "")});
    return absl::OkStatus();
  }

  absl::Status read() {
    std::vector<NodeMessage> arrived;
    const absl::Status good = line_->read(&arrived);
    if (!arrived.empty()) (void)leases_->heard(node_key(), 1, Clock::now());
    for (const NodeMessage& m : arrived) TROUPE_RETURN_IF_ERROR(take(m));
    // The node may have to be told why.
    if (!good.ok()) (void)line_->flush();
    return good;
  }

  absl::Status take(const NodeMessage& m) {
    switch (m.kind) {
      case MessageKind::kHello: return known_ ? out_of_turn() : meet(m.body);
      case MessageKind::kBye:
        return absl::UnavailableError(m.body.empty() ? "it has left" : std::string(m.body));
      case MessageKind::kPing: return known_ ? absl::OkStatus() : out_of_turn();
      case MessageKind::kReply: return answered(m);
      default: return out_of_turn();
    }
  }

  static absl::Status out_of_turn() { return absl::InvalidArgumentError("a message out of turn"); }

  absl::Status meet(const absl::Cord& body) {
    TROUPE_ASSIGN_OR_RETURN(const PeerId id, unpack_hello(body));
    if (!id.task) return absl::FailedPreconditionError("it is no task of a cluster");
    line_->trust();
    known_ = true;
    return absl::OkStatus();
  }

  absl::Status answered(const NodeMessage& m) {
    const auto call = calls_.find(m.id);
    if (call == calls_.end())
      return absl::InvalidArgumentError(absl::StrCat("it answers question ", m.id, ", which was not asked"));
    auto answer = unpack_answer(m.body);
    tell(m.id, answer.ok() ? *std::move(answer) : answer.status());
    calls_.erase(m.id);
    return answer.status();
  }

  void put(Question question) {
    const uint64_t id = ++last_call_;
    calls_.emplace(id, Call{std::move(question.done)});
    ++waiting_;
    if (question.deadline != Clock::time_point::max()) deadlines_.emplace(question.deadline, id);
    line_->send({MessageKind::kRequest, question.method, id, std::move(question.body)},
                [this, id](const absl::Status& why) {
                  tell(id, annotate(why, absl::StrCat(target(), ": ")));
                  calls_.erase(id);
                });
  }

  /// Answers a call, if somebody waits for it.
  void tell(uint64_t id, absl::StatusOr<absl::Cord> answer) {
    const auto call = calls_.find(id);
    if (call == calls_.end()) return;
    Answered done = std::exchange(call->second.done, nullptr);
    if (done == nullptr) return;
    --waiting_;
    told_.push_back({std::move(done), std::move(answer)});
  }

  void tell_late(Clock::time_point now) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const uint64_t id = deadlines_.extract(deadlines_.begin()).value().second;
      tell(id, absl::DeadlineExceededError(absl::StrCat(target(), " has not answered in time")));
    }
  }

  absl::Status turn(Clock::time_point now) {
    if (now < next_turn_) return absl::OkStatus();
    next_turn_ = now + options_.lease.period;
    for (const LeaseEvent& e : leases_->turn(now)) {
      if (e.kind == LeaseEvent::Kind::kExpired)
        return absl::UnavailableError(
            absl::StrCat("it has not been heard of for ", e.silence.count(), " ms"));
    }
    if (known_) line_->send({MessageKind::kPing, Method::kNone, 0, {}});
    return absl::OkStatus();
  }

  void prepare_to_wait() {
    due_ = Clock::time_point::max();
    awaited_ = {-1, 0, 0};
    if (line_ == nullptr) return;
    const short writing = line_->waits_to_write() ? POLLOUT : 0;
    awaited_ = {line_->socket(), static_cast<short>(POLLIN | writing), 0};
    due_ = next_turn_;
    if (!deadlines_.empty()) due_ = std::min(due_, deadlines_.begin()->first);
  }

  /// Until something has come, may be sent, or is due. The line is this thread's to close, so that it is there meanwhile.
  void wait() const {
    pollfd ready[2] = {{wake_, POLLIN, 0}, awaited_};
    int ms = -1;
    if (due_ != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - Clock::now()).count();
      ms = static_cast<int>(std::clamp<int64_t>(left, 0, INT32_MAX));
    }
    (void)::poll(ready, 2, ms);
    uint64_t count = 0;
    (void)!::read(wake_, &count, sizeof(count));
  }

  void hang_up() {
    if (line_ == nullptr) return;
    if (known_) line_->send({MessageKind::kBye, Method::kNone, 0, {}});
    (void)line_->flush();
    line_ = nullptr;
    // What is left nobody waits for.
    if (waiting_ > 0) return;
    calls_.clear();
    deadlines_.clear();
  }

  /// The connection is lost, or could not be had: whoever waits hears why.
  void lose(const absl::Status& why) {
    const absl::Status told =
        absl::IsCancelled(why)
            ? why
            : absl::UnavailableError(absl::StrCat(target(), " does not answer: ", why.message()));
    line_ = nullptr;
    deadlines_.clear();
    waiting_ = 0;
    for (auto& [id, call] : std::exchange(calls_, {})) {
      if (call.done) told_.push_back({std::move(call.done), told});
    }
    for (Question& q : std::exchange(to_ask_, {})) told_.push_back({std::move(q.done), told});
  }

  const NodeCallerOptions options_;
  const int wake_;
  std::mutex mu_;
  // Guarded by mu_.
  std::vector<Question> inbox_;
  int uses_ = 0;
  bool stopping_ = false;

  std::mutex line_mu_;
  // Guarded by line_mu_, which is taken before mu_. The thread alone opens and closes the line.
  std::vector<Told> told_;
  bool in_use_ = false;
  /// What waits for the node to say who it is.
  std::vector<Question> to_ask_;
  std::unique_ptr<NodeLine> line_;
  bool known_ = false;
  std::optional<LeaseTable> leases_;
  Clock::time_point next_turn_;
  absl::flat_hash_map<uint64_t, Call> calls_;
  /// Of those that somebody waits for.
  size_t waiting_ = 0;
  std::set<std::pair<Clock::time_point, uint64_t>> deadlines_;
  uint64_t last_call_ = 0;
  /// What the thread waits for. Written by it alone.
  Clock::time_point due_;
  pollfd awaited_{-1, 0, 0};
};

NodeCaller::NodeCaller(NodeCallerOptions options)
    : worker_(std::make_shared<Worker>(std::move(options))), thread_([worker = worker_] { worker->run(); }) {}

NodeCaller::~NodeCaller() { stop(); }

const std::string& NodeCaller::target() const { return worker_->target(); }

std::shared_ptr<NodeCaller> NodeCaller::use(const std::shared_ptr<NodeCaller>& caller) {
  caller->worker_->count_use(1);
  return {caller.get(), [caller](NodeCaller*) { caller->worker_->count_use(-1); }};
}

void NodeCaller::ask(Method method, absl::Cord body, Answered done, std::chrono::milliseconds patience) {
  const auto deadline = patience.count() > 0 ? Clock::now() + patience : Clock::time_point::max();
  worker_->ask({method, std::move(body), std::move(done), deadline});
}

absl::StatusOr<absl::Cord> NodeCaller::ask_and_wait(Method method, absl::Cord body,
                                                    std::chrono::milliseconds patience) {
  std::promise<absl::StatusOr<absl::Cord>> answered;
  auto answer = answered.get_future();
  ask(
      method, std::move(body),
      [&answered](absl::StatusOr<absl::Cord> heard) { answered.set_value(std::move(heard)); }, patience);
  return answer.get();
}

void NodeCaller::stop() {
  worker_->stop();
  std::lock_guard lock(mu_);
  if (!thread_.joinable()) return;
  // The last who used it may be an answer.
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

}  // namespace troupe
