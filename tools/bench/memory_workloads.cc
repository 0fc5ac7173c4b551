// A million steps: memory stays where it is, and steps allocate nothing. A hundred thousand signatures: memory stays where it is.
#include <chrono>

#include "absl/strings/str_cat.h"
#include "tools/bench/allocation_count.h"
#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/resident_memory.h"
#include "tools/bench/session_util.h"

#include "graph/status.h"

namespace troupe::bench {
namespace {

constexpr int64_t kWarmUpSteps = 10000;
/// Of the steps whose allocations are counted; few, so that what happens once in a while shows as a fraction.
constexpr int64_t kCountedSteps = 10000;

absl::StatusOr<Samples> many_steps(const BenchOptions& options) {
  using Clock = std::chrono::steady_clock;
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(tiny_add()));
  CallableOptions signature;
  signature.feeds = {"x"};
  signature.fetches = {"y"};
  TROUPE_ASSIGN_OR_RETURN(const CallableHandle handle, bench.session->make_callable(signature));
  const std::vector<Tensor> feeds = {Tensor::scalar<float>(1)};
  std::vector<Tensor> fetches(1);
  auto step = [&] { return bench.session->run_callable(handle, feeds, std::span<Tensor>(fetches)); };
  for (int64_t i = 0; i < kWarmUpSteps; ++i) TROUPE_RETURN_IF_ERROR(step());
  const double before_kib = resident_kib();
  const int64_t before = allocation_count();
  for (int64_t i = 0; i < kCountedSteps; ++i) TROUPE_RETURN_IF_ERROR(step());
  const int64_t counted = allocation_count() - before;
  const Clock::time_point begin = Clock::now();
  for (int64_t i = kCountedSteps; i < options.memory_steps; ++i) {
    TROUPE_RETURN_IF_ERROR(step());
  }
  const double nanoseconds = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  Samples samples;
  if (options.memory_steps > kCountedSteps) {
    samples.nanoseconds.push_back(nanoseconds / static_cast<double>(options.memory_steps - kCountedSteps));
  }
  samples.figures["steps"] = static_cast<double>(options.memory_steps);
  samples.figures["resident_growth_kib"] = resident_kib() - before_kib;
  samples.figures["resident_kib"] = resident_kib();
  if (counts_allocations()) {
    samples.figures["allocations_per_step"] =
        static_cast<double>(counted) / static_cast<double>(kCountedSteps);
  }
  return samples;
}

/// The same by names, of which only the memory counts.
absl::StatusOr<Samples> many_runs(const BenchOptions& options) {
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(tiny_add()));
  const std::vector<NamedTensor> feeds = {{"x", Tensor::scalar<float>(1)}};
  const std::vector<std::string> fetches = {"y"};
  const auto run = [&] { return bench.session->run(feeds, fetches).status(); };
  for (int64_t i = 0; i < kWarmUpSteps; ++i) TROUPE_RETURN_IF_ERROR(run());
  const double before_kib = resident_kib();
  for (int64_t i = 0; i < options.memory_steps; ++i) TROUPE_RETURN_IF_ERROR(run());
  Samples samples;
  samples.figures["runs"] = static_cast<double>(options.memory_steps);
  samples.figures["resident_growth_kib"] = resident_kib() - before_kib;
  return samples;
}

/// The identities of a chain whose bits are set in `which`.
std::vector<std::string> some_of_chain(int64_t which) {
  std::vector<std::string> names;
  for (int bit = 0; which >> bit != 0; ++bit) {
    if ((which >> bit & 1) != 0) names.push_back(absl::StrCat("n", bit));
  }
  return names;
}

absl::StatusOr<Samples> many_signatures(const BenchOptions& options) {
  using Clock = std::chrono::steady_clock;
  // Many times what the session keeps.
  constexpr int64_t kWarmUpSignatures = 4000;
  constexpr int kBits = 17;
  TROUPE_ASSIGN_OR_RETURN(const Bench bench, open_bench(identity_chain(kBits)));
  const std::vector<NamedTensor> feeds = {{"x", Tensor::scalar<float>(1)}};
  Samples samples;
  samples.unit = "signature";
  // Its memory is not what is measured.
  samples.nanoseconds.assign(static_cast<size_t>(options.signatures), 1);
  double before_kib = 0;
  for (int64_t i = 1; i <= options.signatures; ++i) {
    if (i == kWarmUpSignatures) before_kib = resident_kib();
    const std::vector<std::string> fetches = some_of_chain(i);
    const Clock::time_point begin = Clock::now();
    TROUPE_RETURN_IF_ERROR(bench.session->run(feeds, fetches).status());
    samples.nanoseconds[static_cast<size_t>(i - 1)] =
        std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  }
  samples.figures["signatures"] = static_cast<double>(options.signatures);
  samples.figures["kept"] = static_cast<double>(bench.session->counters().signatures);
  samples.figures["resident_growth_kib"] = resident_kib() - before_kib;
  return samples;
}

}  // namespace

void add_memory_workloads(std::vector<Workload>* out) {
  out->push_back(
      {"million_steps",
       "tiny_add as a callable, a million times: growth of resident memory, heap allocations a step",
       many_steps});
  out->push_back({"runs_flat", "tiny_add by names, a million times: growth of resident memory", many_runs});
  out->push_back({"signatures_flat", "100,000 different signatures of one session: growth of resident memory",
                  many_signatures});
}

}  // namespace troupe::bench
