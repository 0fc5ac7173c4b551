#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

namespace troupe::simulation {

/// Virtual time, since the simulation began.
using Nanos = int64_t;
inline constexpr Nanos kMicro = 1000, kMilli = 1000 * kMicro, kSecond = 1000 * kMilli;

/// CPU time of the calling thread.
Nanos thread_cpu_ns();

/// The model's numbers.
struct NetworkModel {
  /// From the end of the sender's link to the beginning of the receiver's.
  Nanos latency = 50 * kMicro;
  /// Of each host's link, each way, in 10^9 bits a second. A message waits for those before it on both.
  double gbits = 10;
  /// Of a message beside its body: the protocol's header, and those of TCP, IP and Ethernet.
  int64_t overhead_bytes = 94;
  /// What a host's processor has to do for a message that it sends or receives beside what its actors do: frames, sockets, the kernel.
  Nanos node_cost = 2 * kMicro;
  /// What its actors do upon a message; below 0: what they are measured to take.
  Nanos handling = -1;
};

/// What a host is busy with.
enum class Load { kWork, kHeartbeat };

/// Hosts with a link and a processor each, in virtual time: messages wait for links, and what they bring about for the processor. One thread's.
class VirtualNetwork {
 public:
  using Action = std::function<void()>;
  /// `settle`: called within `work`; takes the turns of all actors that have some.
  VirtualNetwork(NetworkModel model, Action settle) : model_(model), settle_(std::move(settle)) {}

  int add_host();
  Nanos now() const { return now_; }
  const NetworkModel& model() const { return model_; }

  /// Does that at a time, the earlier of two with the same time first. It is no work of a host unless it calls `work`.
  void at(Nanos when, Action what);
  /// The next of all that is to come; false when there is nothing.
  bool run_next();
  /// All that is to come until then, and lets time go on to it.
  void run_until(Nanos when);

  /// The host's processor does that, now or when it is free, and what its actors then do. What it sends leaves when it is sent.
  void work(int host, Load load, const Action& what);
  /// When what is said within `work` is said; now outside of it.
  Nanos time_of_work() const;
  /// A message leaves a host, within work of it or now. `arrived`: work of the receiver, unless that is cut off by then.
  void send(int from, int to, size_t body_bytes, Load load, Action arrived);
  /// Nothing comes to it any more, and what waits for it is lost, until it is joined again.
  void cut(int host);
  void join(int host) { hosts_[host].there = true; }
  bool is_there(int host) const { return hosts_[host].there; }

  /// What a host has done so far.
  struct Usage {
    int64_t messages = 0;
    int64_t bytes_sent = 0;
    int64_t bytes_received = 0;
    /// Measured, of its actors.
    Nanos cpu = 0;
    /// Its processor's, in the model.
    Nanos busy = 0;
  };
  const Usage& usage(int host, Load load) const { return hosts_[host].usage[static_cast<int>(load)]; }
  /// Of all but one.
  Usage usage_of_others(int host, Load load) const;

 private:
  struct Event {
    Nanos when;
    uint64_t number;
    Action what;
    bool operator<(const Event& other) const {
      return when != other.when ? when > other.when : number > other.number;
    }
  };
  struct Waiting {
    Nanos ready;
    Load load;
    Action what;
  };
  struct Host {
    bool there = true;
    /// When its links and its processor are free.
    Nanos sends_free = 0, receives_free = 0, processor_free = 0;
    std::deque<Waiting> inbox;
    bool is_woken = false;
    Usage usage[2];
  };
  Nanos time_on_link(int64_t bytes) const;
  void arrive(int to, int64_t bytes, Load load, Action what);
  void wake(int host);
  void take_next(int host);

  const NetworkModel model_;
  const Action settle_;
  Nanos now_ = 0;
  uint64_t last_event_ = 0;
  std::priority_queue<Event> events_;
  std::deque<Host> hosts_;
  /// The work under way: whose, since when (virtual, and of this thread), and what the model adds.
  int working_ = -1;
  Load work_load_ = Load::kWork;
  Nanos work_began_ = 0, work_cpu_ = 0, work_extra_ = 0;
};

}  // namespace troupe::simulation
