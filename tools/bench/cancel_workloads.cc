// From Session::cancel to a session without running steps.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "actors/node_client/caf_sessions.h"
#include "graph/status.h"
#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/scene_runtime.h"
#include "tools/bench/session_util.h"

namespace troupe::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kIdleTimeout = std::chrono::seconds(30);
/// Between a step's begin and its cancel: from none to this, so that cancels meet steps at every stage.
constexpr int kMostDelayUs = 2000;
/// By then a step elsewhere has begun.
constexpr std::chrono::milliseconds kUnderWay{2};

/// Threads that each run a fetch whenever they are told to.
class Runners {
 public:
  Runners(Session* session, int count, std::string fetch) : session_(session), fetch_(std::move(fetch)) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Runners() {
    {
      const std::lock_guard<std::mutex> lock(mu_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
  /// One run on each thread.
  void start() {
    {
      const std::lock_guard<std::mutex> lock(mu_);
      ++round_;
      left_ = static_cast<int>(threads_.size());
      last_ = absl::OkStatus();
    }
    changed_.notify_all();
  }
  /// Waits for all of them; one of their errors.
  absl::Status finish() {
    std::unique_lock<std::mutex> lock(mu_);
    changed_.wait(lock, [this] { return left_ == 0; });
    return last_;
  }

 private:
  void work() {
    const std::vector<NamedTensor> feeds = {{"x", Tensor::scalar<float>(1)}};
    int64_t seen = 0;
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mu_);
        changed_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
      }
      const absl::Status status = session_->run(feeds, {fetch_}).status();
      const std::lock_guard<std::mutex> lock(mu_);
      if (!absl::IsCancelled(status))
        last_ = status.ok() ? absl::InternalError("a step that never ends has ended") : status;
      if (--left_ == 0) changed_.notify_all();
    }
  }

  Session* const session_;
  const std::string fetch_;
  std::mutex mu_;
  std::condition_variable changed_;
  // Guarded by mu_.
  int64_t round_ = 0;
  int left_ = 0;
  bool stop_ = false;
  absl::Status last_;
  std::vector<std::thread> threads_;
};

/// One try: starts the steps, waits a little, cancels, and waits for idleness. Nanoseconds from the cancel to idle.
absl::StatusOr<double> one_try(Session* session, Runners* runners, int steps, int delay_us) {
  runners->start();
  while (session->counters().running_steps < steps) std::this_thread::yield();
  if (delay_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
  const Clock::time_point begin = Clock::now();
  TROUPE_RETURN_IF_ERROR(session->cancel("bench").status());
  TROUPE_RETURN_IF_ERROR(session->wait_idle(kIdleTimeout));
  const double nanoseconds = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  TROUPE_RETURN_IF_ERROR(runners->finish());
  return nanoseconds;
}

/// The same of a session that is elsewhere, where the step is then under way and idle again: its run ends when it has ended on all tasks.
absl::StatusOr<double> one_remote_try(Session* session, Runners* runners, int, int delay_us) {
  runners->start();
  std::this_thread::sleep_for(kUnderWay + std::chrono::microseconds(delay_us));
  const Clock::time_point begin = Clock::now();
  TROUPE_RETURN_IF_ERROR(session->cancel("bench").status());
  TROUPE_RETURN_IF_ERROR(runners->finish());
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

using Try = absl::StatusOr<double> (*)(Session*, Runners*, int steps, int delay_us);

absl::StatusOr<Samples> cancel_steps(const BenchOptions& options, Session* session, const std::string& fetch,
                                     int steps, Try one) {
  Samples samples;
  samples.unit = "cancel";
  {
    Runners runners(session, steps, fetch);
    TROUPE_RETURN_IF_ERROR(one(session, &runners, steps, 0).status());
    for (int i = 0; i < options.cancel_tries; ++i) {
      TROUPE_ASSIGN_OR_RETURN(const double took, one(session, &runners, steps, i * 37 % kMostDelayUs));
      samples.nanoseconds.push_back(took);
      // The session goes on as if nothing had been.
      TROUPE_RETURN_IF_ERROR(session->run({{"x", Tensor::scalar<float>(1)}}, {"y"}).status());
    }
  }
  samples.figures["max_us"] = samples.quantile(1) / 1e3;
  samples.histogram = make_histogram(samples.nanoseconds);
  return samples;
}

absl::StatusOr<Samples> cancel_scene(const BenchOptions& options, const std::string& fetch, int steps) {
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<SceneRuntime> scene, SceneRuntime::create());
  SessionOptions session_options;
  session_options.optimize = false;
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                          Session::open(*scene->runtime, session_options));
  TROUPE_RETURN_IF_ERROR(session->create(cancel_scenes()));
  return cancel_steps(options, session.get(), fetch, steps, one_try);
}

absl::StatusOr<Samples> cancel_cluster(const BenchOptions& options) {
  const std::unique_ptr<Runtime> runtime = Runtime::create(RuntimeOptions());
  TROUPE_RETURN_IF_ERROR(add_caf_sessions(*runtime));
  SessionOptions session_options;
  session_options.target = options.target;
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::open(*runtime, session_options));
  TROUPE_RETURN_IF_ERROR(session->create(cancel_over_tasks()));
  TROUPE_RETURN_IF_ERROR(session->run({{"x", Tensor::scalar<float>(1)}}, {"y"}).status());
  return cancel_steps(options, session.get(), "loops", 1, one_remote_try);
}

}  // namespace

void add_cancel_workloads(std::vector<Workload>* out) {
  struct Scene {
    const char* name;
    const char* what;
    const char* fetch;
    int steps;
  };
  for (const Scene& s : {Scene{"cancel_loop", "an endless loop of cheap nodes", "loop", 1},
                         Scene{"cancel_sleep", "a kernel that sleeps in slices of 1 ms", "sleep", 1},
                         Scene{"cancel_recv", "a Recv that nobody sends to", "recv", 1},
                         Scene{"cancel_16_steps", "a session blocked in 16 steps at once", "recv", 16}}) {
    out->push_back({s.name, std::string("from cancel to the session idle: ") + s.what,
                    [s](const BenchOptions& o) { return cancel_scene(o, s.fetch, s.steps); }});
  }
  out->push_back(
      {"cancel_cluster",
       "from cancel to the session idle: endless loops on two tasks, with the client three processes",
       cancel_cluster, true});
}

}  // namespace troupe::bench
