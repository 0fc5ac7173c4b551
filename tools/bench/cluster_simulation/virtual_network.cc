#include "tools/bench/cluster_simulation/virtual_network.h"

#include <time.h>

#include <algorithm>
#include <utility>

namespace troupe::simulation {

Nanos thread_cpu_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

int VirtualNetwork::add_host() {
  hosts_.emplace_back();
  return static_cast<int>(hosts_.size()) - 1;
}

void VirtualNetwork::at(Nanos when, Action what) {
  events_.push({std::max(when, now_), ++last_event_, std::move(what)});
}

bool VirtualNetwork::run_next() {
  if (events_.empty()) return false;
  // What the queue gives is constant, and goes with the next line.
  Event next = std::move(const_cast<Event&>(events_.top()));
  events_.pop();
  now_ = next.when;
  next.what();
  return true;
}

void VirtualNetwork::run_until(Nanos when) {
  while (!events_.empty() && events_.top().when <= when) run_next();
  now_ = std::max(now_, when);
}

Nanos VirtualNetwork::time_of_work() const {
  if (working_ < 0) return now_;
  Nanos handling = thread_cpu_ns() - work_cpu_;
  if (model_.handling >= 0) handling = work_load_ == Load::kWork ? model_.handling : 0;
  return work_began_ + work_extra_ + handling;
}

void VirtualNetwork::work(int host, Load load, const Action& what) {
  Host& h = hosts_[host];
  // Somebody tells another host something in person: at the end of a simulation.
  if (working_ >= 0) return what();
  working_ = host;
  work_load_ = load;
  work_began_ = std::max(now_, h.processor_free);
  work_extra_ = 0;
  work_cpu_ = thread_cpu_ns();
  what();
  settle_();
  h.usage[static_cast<int>(load)].cpu += thread_cpu_ns() - work_cpu_;
  h.processor_free = time_of_work();
  h.usage[static_cast<int>(load)].busy += h.processor_free - work_began_;
  working_ = -1;
}

Nanos VirtualNetwork::time_on_link(int64_t bytes) const {
  return static_cast<Nanos>(static_cast<double>(bytes) * 8 / model_.gbits);
}

void VirtualNetwork::send(int from, int to, size_t body_bytes, Load load, Action arrived) {
  Host& sender = hosts_[from];
  if (!sender.there) return;
  const int64_t bytes = static_cast<int64_t>(body_bytes) + model_.overhead_bytes;
  if (working_ == from) work_extra_ += model_.node_cost;
  const Nanos begins = std::max(working_ == from ? time_of_work() : now_, sender.sends_free);
  sender.sends_free = begins + time_on_link(bytes);
  Usage& usage = sender.usage[static_cast<int>(load)];
  ++usage.messages;
  usage.bytes_sent += bytes;
  at(sender.sends_free + model_.latency, [this, to, bytes, load, arrived = std::move(arrived)]() mutable {
    arrive(to, bytes, load, std::move(arrived));
  });
}

void VirtualNetwork::arrive(int to, int64_t bytes, Load load, Action what) {
  Host& host = hosts_[to];
  if (!host.there) return;
  host.receives_free = std::max(now_, host.receives_free) + time_on_link(bytes);
  Usage& usage = host.usage[static_cast<int>(load)];
  ++usage.messages;
  usage.bytes_received += bytes;
  host.inbox.push_back({host.receives_free, load, std::move(what)});
  wake(to);
}

void VirtualNetwork::wake(int host) {
  Host& h = hosts_[host];
  if (h.inbox.empty() || std::exchange(h.is_woken, true)) return;
  at(std::max(h.inbox.front().ready, h.processor_free), [this, host] { take_next(host); });
}

void VirtualNetwork::take_next(int host) {
  Host& h = hosts_[host];
  h.is_woken = false;
  // What waited when it was set has gone with the host, and this came since.
  if (h.inbox.empty() || h.inbox.front().ready > now_) return wake(host);
  const Waiting next = std::move(h.inbox.front());
  h.inbox.pop_front();
  work(host, next.load, [&] {
    work_extra_ += model_.node_cost;
    next.what();
  });
  wake(host);
}

void VirtualNetwork::cut(int host) {
  hosts_[host].there = false;
  hosts_[host].inbox.clear();
}

VirtualNetwork::Usage VirtualNetwork::usage_of_others(int host, Load load) const {
  Usage sum;
  for (size_t i = 0; i < hosts_.size(); ++i) {
    if (static_cast<int>(i) == host) continue;
    const Usage& u = hosts_[i].usage[static_cast<int>(load)];
    sum.messages += u.messages;
    sum.bytes_sent += u.bytes_sent;
    sum.bytes_received += u.bytes_received;
    sum.cpu += u.cpu;
    sum.busy += u.busy;
  }
  return sum;
}

}  // namespace troupe::simulation
