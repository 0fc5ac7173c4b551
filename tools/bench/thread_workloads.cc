// Many threads that run tiny steps of one session at once.
#include <atomic>
#include <chrono>
#include <thread>

#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/session_util.h"

#include "graph/status.h"

#include "absl/strings/str_cat.h"

namespace troupe::bench {
namespace {

constexpr size_t kSamplesPerThread = 200'000;
constexpr int kWarmUpRuns = 200;

absl::StatusOr<Samples> many_threads(const BenchOptions& options, int count) {
  using Clock = std::chrono::steady_clock;
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(tiny_add()));
  std::vector<std::vector<double>> times(count);
  std::vector<absl::Status> errors(count);
  std::vector<int64_t> runs(count, 0);
  std::atomic<int> ready{0};
  std::atomic<bool> go{false}, stop{false};
  const auto work = [&](int k) {
    const std::vector<NamedTensor> feeds = {{"x", Tensor::scalar<float>(1)}};
    const std::vector<std::string> fetches = {"y"};
    times[k].reserve(kSamplesPerThread);
    for (int i = 0; i < kWarmUpRuns; ++i) errors[k].Update(bench.session->run(feeds, fetches).status());
    ready.fetch_add(1);
    while (!go.load()) std::this_thread::yield();
    Clock::time_point last = Clock::now();
    while (!stop.load(std::memory_order_relaxed) && errors[k].ok()) {
      errors[k].Update(bench.session->run(feeds, fetches).status());
      const Clock::time_point now = Clock::now();
      if (times[k].size() < kSamplesPerThread)
        times[k].push_back(std::chrono::duration<double, std::nano>(now - last).count());
      last = now;
      ++runs[k];
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k) threads.emplace_back(work, k);
  while (ready.load() < count) std::this_thread::yield();
  const Clock::time_point begin = Clock::now();
  go = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  stop = true;
  for (std::thread& t : threads) t.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();

  Samples samples;
  int64_t total = 0;
  for (int k = 0; k < count; ++k) {
    TROUPE_RETURN_IF_ERROR(errors[k]);
    samples.nanoseconds.insert(samples.nanoseconds.end(), times[k].begin(), times[k].end());
    total += runs[k];
  }
  samples.figures["runs_per_second"] = static_cast<double>(total) / seconds;
  return samples;
}

/// One thread that keeps `outstanding` runs under way, and waits for none of them.
absl::StatusOr<Samples> async_runs(const BenchOptions& options, int outstanding) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRunsPerSample = 1000;
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(tiny_add()));
  const std::vector<NamedTensor> feeds = {{"x", Tensor::scalar<float>(1)}};
  const std::vector<std::string> fetches = {"y"};
  std::atomic<int> under_way{0};
  std::atomic<int64_t> failed{0};
  const RunCallback done = [&](const absl::StatusOr<std::vector<Tensor>>& fetched, const RunStats&) {
    if (!fetched.ok()) ++failed;
    under_way.fetch_sub(1, std::memory_order_release);
  };
  Samples samples;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(options.seconds));
  for (Clock::time_point last = Clock::now(); last < end;) {
    for (int i = 0; i < kRunsPerSample; ++i) {
      while (under_way.load(std::memory_order_acquire) >= outstanding) std::this_thread::yield();
      under_way.fetch_add(1, std::memory_order_relaxed);
      (void)bench.session->run_async(feeds, fetches, {}, {}, done);
    }
    const Clock::time_point now = Clock::now();
    samples.nanoseconds.push_back(std::chrono::duration<double, std::nano>(now - last).count() /
                                  kRunsPerSample);
    last = now;
  }
  while (under_way.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  if (failed > 0) return absl::InternalError(absl::StrCat(failed.load(), " runs failed"));
  samples.figures["step_slots"] = static_cast<double>(bench.session->counters().most_step_slots);
  return samples;
}

/// So many under way, each of which begins the next in its callback, on the pool's threads.
absl::StatusOr<Samples> runs_in_turn(const BenchOptions& options, int outstanding) {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t kRunsPerSample = 1000;
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(tiny_add()));
  const std::vector<NamedTensor> feeds = {{"x", Tensor::scalar<float>(1)}};
  const std::vector<std::string> fetches = {"y"};
  std::atomic<bool> stop{false};
  std::atomic<int> under_way{outstanding};
  std::atomic<int64_t> ended{0}, failed{0};
  RunCallback next = [&](const absl::StatusOr<std::vector<Tensor>>& fetched, const RunStats&) {
    if (!fetched.ok()) ++failed;
    ended.fetch_add(1, std::memory_order_relaxed);
    if (!stop.load(std::memory_order_relaxed)) {
      (void)bench.session->run_async(feeds, fetches, {}, {}, next);
    } else {
      under_way.fetch_sub(1, std::memory_order_release);
    }
  };
  for (int i = 0; i < outstanding; ++i) (void)bench.session->run_async(feeds, fetches, {}, {}, next);
  Samples samples;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(options.seconds));
  int64_t before = ended;
  for (Clock::time_point last = Clock::now(); last < end;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Clock::time_point now = Clock::now();
    const int64_t after = ended;
    if (after - before < kRunsPerSample) continue;
    samples.nanoseconds.push_back(std::chrono::duration<double, std::nano>(now - last).count() /
                                  static_cast<double>(after - before));
    before = after;
    last = now;
  }
  stop = true;
  while (under_way.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  if (failed > 0) return absl::InternalError(absl::StrCat(failed.load(), " runs failed"));
  return samples;
}

}  // namespace

void add_thread_workloads(std::vector<Workload>* out) {
  for (int count : {1, 4, 16, 64}) {
    out->push_back({absl::StrCat("tiny_add_", count, "_threads"), "tiny_add from so many threads at once",
                    [count](const BenchOptions& o) { return many_threads(o, count); }});
  }
  for (int outstanding : {1, 100, 10'000}) {
    out->push_back({absl::StrCat("tiny_add_", outstanding, "_outstanding"),
                    "tiny_add from one thread that waits for none: so many under way",
                    [outstanding](const BenchOptions& o) { return async_runs(o, outstanding); }});
  }
  for (int outstanding : {1, 100}) {
    out->push_back({absl::StrCat("tiny_add_", outstanding, "_in_turn"),
                    "tiny_add from the callbacks of runs: so many under way",
                    [outstanding](const BenchOptions& o) { return runs_in_turn(o, outstanding); }});
  }
}

}  // namespace troupe::bench
