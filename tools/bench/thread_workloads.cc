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

}  // namespace

void add_thread_workloads(std::vector<Workload>* out) {
  for (int count : {1, 4, 16, 64}) {
    out->push_back({absl::StrCat("tiny_add_", count, "_threads"), "tiny_add from so many threads at once",
                    [count](const BenchOptions& o) { return many_threads(o, count); }});
  }
}

}  // namespace troupe::bench
