// Many sessions: what one costs to open and to close, beside how many others, and what it holds while it does nothing.
#include <algorithm>
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/resident_memory.h"
#include "tools/bench/session_util.h"

#include "graph/status.h"

namespace troupe::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Sessions = std::vector<std::unique_ptr<Session>>;

constexpr int kManySessions = 20'000;
constexpr int kBlock = 1000;
constexpr int kChurnWarmUp = 1000;
constexpr int kChurnedSessions = 10'000;
/// How long sessions may take to let go of what their runs used.
constexpr std::chrono::seconds kRestPatience{60};

std::unique_ptr<Runtime> make_runtime() { return Runtime::create({}); }

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

absl::Status run_once(Session* session) {
  return session->run({{"x", Tensor::scalar<float>(1)}}, {"y"}).status();
}

absl::StatusOr<Samples> open_and_close(const BenchOptions& options) {
  const auto runtime = make_runtime();
  return time_calls(options, "session", 1, [&] { return Session::open(*runtime).status(); });
}

/// Calls `each` for every index, and says what the calls of each block took on average, in us.
template <class Each>
absl::StatusOr<std::vector<double>> time_blocks(int count, const Each& each) {
  std::vector<double> micros;
  for (int i = 0; i < count;) {
    const Clock::time_point begin = Clock::now();
    for (const int end = i + kBlock; i < end; ++i) TROUPE_RETURN_IF_ERROR(each(i));
    micros.push_back(seconds_since(begin) * 1e6 / kBlock);
  }
  return micros;
}

/// Of what takes as long every time, 1.
double growth(const std::vector<double>& micros) { return micros.back() / micros.front(); }

/// Until no session has what a run needs, and no more.
absl::Status await_rest(const Sessions& all) {
  const auto rests = [](const auto& s) { return s->counters().step_slots == 0; };
  for (const Clock::time_point begin = Clock::now(); !std::all_of(all.begin(), all.end(), rests);) {
    if (Clock::now() - begin > kRestPatience) return absl::DeadlineExceededError("some sessions do not rest");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return absl::OkStatus();
}

absl::StatusOr<Samples> open_many(const BenchOptions&) {
  const auto runtime = make_runtime();
  Sessions all(kManySessions);
  TROUPE_ASSIGN_OR_RETURN(const auto opened, time_blocks(kManySessions, [&](int i) -> absl::Status {
                            TROUPE_ASSIGN_OR_RETURN(all[i], Session::open(*runtime));
                            return absl::OkStatus();
                          }));
  for (const auto& session : all) {
    TROUPE_RETURN_IF_ERROR(session->create(tiny_add()));
    TROUPE_RETURN_IF_ERROR(run_once(session.get()));
  }
  TROUPE_RETURN_IF_ERROR(await_rest(all));
  // The oldest first: what stands at the end of a list is found last.
  TROUPE_ASSIGN_OR_RETURN(const auto closed, time_blocks(kManySessions, [&](int i) {
                            all[i] = nullptr;
                            return absl::OkStatus();
                          }));
  Samples samples;
  samples.unit = "session";
  for (double m : opened) samples.nanoseconds.push_back(m * 1e3);
  samples.figures["last_open_over_first"] = growth(opened);
  samples.figures["close_us"] = closed.front();
  // The last thousand are alone again.
  samples.figures["first_close_over_last"] = closed.front() / closed.back();
  return samples;
}

/// Growth of resident memory since `before_kib`, in bytes for each of `count`.
double bytes_each(double before_kib, size_t count) {
  return (resident_kib() - before_kib) * 1024 / static_cast<double>(count);
}

absl::StatusOr<Samples> idle_sessions(const BenchOptions& options) {
  const auto runtime = make_runtime();
  const tensorflow::GraphDef graph = tiny_add();
  const size_t count = static_cast<size_t>(options.idle_sessions);
  Sessions first;
  TROUPE_ASSIGN_OR_RETURN(first.emplace_back(), Session::open(*runtime));
  TROUPE_RETURN_IF_ERROR(first[0]->create(graph));
  TROUPE_RETURN_IF_ERROR(run_once(first[0].get()));
  Sessions all(count);
  const double threads = thread_count();
  const double at_first = resident_kib();
  for (auto& session : all) {
    TROUPE_ASSIGN_OR_RETURN(session, Session::open(*runtime));
  }
  const double when_open = resident_kib();
  for (const auto& session : all) TROUPE_RETURN_IF_ERROR(session->create(graph));
  const double of_graph = bytes_each(when_open, count);
  for (const auto& session : all) TROUPE_RETURN_IF_ERROR(run_once(session.get()));
  Samples samples;
  samples.unit = "session";
  samples.figures["sessions"] = static_cast<double>(count);
  samples.figures["bytes_after_a_run"] = bytes_each(at_first, count);
  TROUPE_RETURN_IF_ERROR(await_rest(all));
  samples.figures["bytes_at_rest"] = bytes_each(at_first, count);
  samples.figures["bytes_of_graph"] = of_graph;
  samples.figures["bytes_beside_graph"] = bytes_each(at_first, count) - of_graph;
  samples.figures["threads_more"] = thread_count() - threads;
  // A run that wakes a session.
  for (size_t i = 0; i < std::min<size_t>(count, kBlock); ++i) {
    const Clock::time_point begin = Clock::now();
    TROUPE_RETURN_IF_ERROR(run_once(all[i * (count / std::min<size_t>(count, kBlock))].get()));
    samples.nanoseconds.push_back(seconds_since(begin) * 1e9);
  }
  return samples;
}

absl::StatusOr<Samples> churn(const BenchOptions&) {
  const auto runtime = make_runtime();
  const tensorflow::GraphDef graph = tiny_add();
  Samples samples;
  samples.unit = "session";
  double before = 0, threads = 0;
  for (int i = 0; i < kChurnWarmUp + kChurnedSessions; ++i) {
    if (i == kChurnWarmUp) {
      before = resident_kib();
      threads = thread_count();
    }
    const Clock::time_point begin = Clock::now();
    TROUPE_ASSIGN_OR_RETURN(auto session, Session::open(*runtime));
    TROUPE_RETURN_IF_ERROR(session->create(graph));
    TROUPE_RETURN_IF_ERROR(run_once(session.get()));
    session = nullptr;
    if (i >= kChurnWarmUp) samples.nanoseconds.push_back(seconds_since(begin) * 1e9);
  }
  samples.figures["resident_growth_kib"] = resident_kib() - before;
  samples.figures["threads_more"] = thread_count() - threads;
  return samples;
}

}  // namespace

void add_session_workloads(std::vector<Workload>* out) {
  out->push_back({"session_open_close", "a session opened and closed again", open_and_close});
  out->push_back(
      {"session_open_20000",
       "20,000 sessions opened and kept, then run once and closed: the last thousand over the first",
       open_many});
  out->push_back(
      {"sessions_idle",
       "sessions over tiny_add that have run once and rest: bytes of each, and the run that wakes one",
       idle_sessions});
  out->push_back({"session_churn",
                  "sessions over tiny_add opened, run once and closed: growth of resident memory", churn});
}

}  // namespace troupe::bench
