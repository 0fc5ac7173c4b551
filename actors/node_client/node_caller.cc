#include "actors/node_client/node_caller.h"

#include <poll.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "actors/node/hello.h"
#include "actors/node/node_line.h"
#include "actors/node_client/call_table.h"
#include "actors/sockets/short_look.h"
#include "actors/sockets/wake_signal.h"
#include "actors/units/lent_thread.h"
#include "devices/cpu/cpu_device.h"
#include "graph/status.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

using Clock = CallTable::Clock;

/// The one that leases are about.
const TaskId& node_key() {
  static const TaskId* const key = new TaskId{"node", 0};
  return *key;
}

/// How long the thread leaves the line to others who hear, after the last of them has left.
constexpr std::chrono::milliseconds kAside{50};
/// How long it hears itself when several wait, before one of them may.
constexpr std::chrono::milliseconds kTogether{10};

absl::Status stopped() { return absl::CancelledError("the client's runtime has ended"); }

}  // namespace

/// What the thread does. Shared with it, so that it may outlive who asks.
///
/// Who waits for the only answer that anybody waits for hears it himself; the thread stands aside meanwhile, and for a while after, so that it need not be waked
/// for each. When several wait the thread hears.
class NodeCaller::Worker final : public AnswerSource,
                                 public std::enable_shared_from_this<NodeCaller::Worker> {
 public:
  explicit Worker(NodeCallerOptions options) : options_(std::move(options)) {}

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
        return wake_.give();
      }
    }
    question.done(stopped());
  }

  void count_use(int change) {
    std::lock_guard lock(mu_);
    uses_ += change;
    if (uses_ == 0) wake_.give();
  }

  void stop() {
    std::lock_guard lock(mu_);
    stopping_ = true;
    wake_.give();
  }

  // --- who waits ---

  bool hear() override {
    const std::shared_ptr<NodeLine> line = line_to_hear();
    if (line == nullptr) return false;
    pollfd ready[2] = {interrupt_.awaited(), {line->socket(), POLLIN, 0}};
    // Only who hears is here.
    if (!look_.look([&] { return ::poll(ready, 2, 0) > 0; })) (void)::poll(ready, 2, -1);
    if (ready[0].revents != 0) interrupt_.take();
    if (ready[1].revents != 0) hear_what_has_come(line);
    return true;
  }

  void interrupt() override { interrupt_.give(); }

  void leave() override {
    std::lock_guard lock(line_mu_);
    if (leader_ == std::this_thread::get_id()) leader_ = {};
    if (calls_.waiting() == 0 || leader_ != std::thread::id()) return;
    together_until_ = Clock::now() + kTogether;
    wake_.give();
  }

  // --- its thread ---

  void run() {
    bool goes_on = true;
    while (goes_on) {
      std::vector<CallTable::Told> told;
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
        told = calls_.take_told();
        prepare_to_wait();
      }
      tell(told);
      if (goes_on) wait();
    }
  }

 private:
  static void tell(std::vector<CallTable::Told>& told) {
    for (CallTable::Told& t : told) t.done(std::move(t.answer));
  }

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
    LentThread* const waits = LentThread::here();
    // What cannot go yet, whatever goes wrong, and what nobody else hears is for the thread.
    if (!line_->flush().ok() || line_->waits_to_write() || deadline < due_ ||
        (waits == nullptr && is_unheard()))
      wake_.give();
    if (waits != nullptr) waits->hear_from(shared_from_this());
    return true;
  }

  bool is_unheard() const { return stands_aside_ && leader_ == std::thread::id(); }

  /// The calling thread hears it from now on; null: another does.
  std::shared_ptr<NodeLine> line_to_hear() {
    std::lock_guard lock(line_mu_);
    const std::thread::id here = std::this_thread::get_id();
    if (leader_ != std::thread::id()) return leader_ == here ? line_ : nullptr;
    const bool alone = line_ != nullptr && calls_.waiting() == 1 && Clock::now() >= together_until_;
    if (alone != stands_aside_) wake_.give();
    if (!alone) return nullptr;
    leader_ = here;
    has_led_ = true;
    return line_;
  }

  void hear_what_has_come(const std::shared_ptr<NodeLine>& line) {
    std::vector<CallTable::Told> told;
    {
      std::lock_guard lock(line_mu_);
      // The thread has lost it.
      if (line_ != line) return;
      const absl::Status well = guarded("a connection to a node", [&] {
        TROUPE_RETURN_IF_ERROR(read());
        return line_->flush();
      });
      if (!well.ok()) lose(well);
      if (!well.ok() || line_->waits_to_write()) wake_.give();
      told = calls_.take_told();
    }
    tell(told);
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
    calls_.tell_late(Clock::now(), target());
    TROUPE_RETURN_IF_ERROR(line_->flush());
    if (!in_use_ && calls_.waiting() == 0 && to_ask_.empty()) hang_up();
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
    auto answer = unpack_answer(m.body);
    if (!calls_.end(m.id, answer.ok() ? *std::move(answer) : answer.status()))
      return absl::InvalidArgumentError(absl::StrCat("it answers question ", m.id, ", which was not asked"));
    return answer.status();
  }

  void put(Question question) {
    const uint64_t id = calls_.add(std::move(question.done), question.deadline);
    line_->send({MessageKind::kRequest, question.method, id, std::move(question.body)},
                [this, id](const absl::Status& why) {
                  (void)calls_.end(id, annotate(why, absl::StrCat(target(), ": ")));
                });
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
    stands_aside_ = false;
    polled_ = line_;
    if (line_ == nullptr) return;
    stands_aside_ = leader_ != std::thread::id() || (calls_.waiting() == 0 && has_led_);
    has_led_ = false;
    const int events = (stands_aside_ ? 0 : POLLIN) | (line_->waits_to_write() ? POLLOUT : 0);
    awaited_ = {line_->socket(), static_cast<short>(events), 0};
    due_ = std::min(next_turn_, calls_.next_deadline());
    if (stands_aside_) due_ = std::min(due_, Clock::now() + kAside);
  }

  /// Until something has come, may be sent, or is due.
  void wait() const {
    pollfd ready[2] = {wake_.awaited(), awaited_};
    int ms = -1;
    if (due_ != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - Clock::now()).count();
      ms = static_cast<int>(std::clamp<int64_t>(left, 0, INT32_MAX));
    }
    (void)::poll(ready, 2, ms);
    if (ready[0].revents != 0) wake_.take();
  }

  void hang_up() {
    if (line_ == nullptr) return;
    if (known_) line_->send({MessageKind::kBye, Method::kNone, 0, {}});
    (void)line_->flush();
    line_ = nullptr;
    // Somebody waits at the caller's end alone.
    calls_.lose(stopped());
  }

  /// The connection is lost, or could not be had: whoever waits hears why.
  void lose(const absl::Status& why) {
    const absl::Status told =
        absl::IsCancelled(why)
            ? why
            : absl::UnavailableError(absl::StrCat(target(), " does not answer: ", why.message()));
    line_ = nullptr;
    calls_.lose(told);
    for (Question& q : std::exchange(to_ask_, {})) calls_.tell(std::move(q.done), told);
  }

  const NodeCallerOptions options_;
  /// For the thread, and for who hears in its place.
  const WakeSignal wake_;
  const WakeSignal interrupt_;
  /// Of who hears.
  ShortLook look_;
  std::mutex mu_;
  // Guarded by mu_.
  std::vector<Question> inbox_;
  int uses_ = 0;
  bool stopping_ = false;

  std::mutex line_mu_;
  // Guarded by line_mu_, which is taken before mu_. The thread alone opens the line.
  bool in_use_ = false;
  /// What waits for the node to say who it is.
  std::vector<Question> to_ask_;
  std::shared_ptr<NodeLine> line_;
  bool known_ = false;
  std::optional<LeaseTable> leases_;
  Clock::time_point next_turn_;
  CallTable calls_;
  /// Who hears in the thread's place; and whether somebody has since the thread looked.
  std::thread::id leader_;
  bool has_led_ = false;
  bool stands_aside_ = false;
  Clock::time_point together_until_;
  /// What the thread waits for. Written by it alone; who polls a line keeps it.
  Clock::time_point due_;
  std::shared_ptr<NodeLine> polled_;
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
