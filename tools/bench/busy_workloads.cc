// What steps feel of signatures that are compiled meanwhile, and what signatures cost in memory.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "tools/bench/bench.h"
#include "tools/bench/graphs.h"
#include "tools/bench/resident_memory.h"
#include "tools/bench/scene_runtime.h"
#include "tools/bench/session_util.h"

namespace troupe::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCompilers = 4;
constexpr int kCompiledNodes = 100'000;
constexpr std::chrono::milliseconds kDeadline{20};
constexpr auto kIdleTimeout = std::chrono::seconds(30);

/// Threads that each ask one session for one large signature after another, none of which it has seen, and run it when `run_too`.
class Compilers {
 public:
  static absl::StatusOr<std::unique_ptr<Compilers>> start(Runtime& runtime, bool run_too) {
    auto c = std::unique_ptr<Compilers>(new Compilers);
    const tensorflow::GraphDef graph = scalar_dag(kCompiledNodes);
    SessionOptions options;
    options.optimize = false;
    options.max_signatures = 1;
    for (int i = 0; i < kCompilers; ++i) {
      TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(runtime, options));
      TROUPE_RETURN_IF_ERROR(session->create(graph));
      c->sessions_.push_back(std::move(session));
    }
    for (const auto& session : c->sessions_) {
      c->threads_.emplace_back([c = c.get(), s = session.get(), run_too] {
        CallableOptions signature;
        signature.feeds = {"x"};
        signature.fetches = {"y"};
        for (int64_t i = 0; !c->stop_; ++i) {
          // Targets that are needed anyway, so that only the signature is new.
          signature.targets.assign(static_cast<size_t>(i % 1000) + 1, "y");
          if (run_too) {
            if (s->run({{"x", Tensor::scalar<float>(1)}}, {"y"}, signature.targets).ok()) ++c->compiled_;
          } else if (const auto callable = s->make_callable(signature); callable.ok()) {
            ++c->compiled_;
            (void)s->release_callable(*callable);
          }
        }
      });
    }
    return c;
  }
  ~Compilers() {
    stop_ = true;
    for (std::thread& t : threads_) t.join();
  }
  int64_t compiled() const { return compiled_; }

 private:
  std::vector<std::unique_ptr<Session>> sessions_;
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> compiled_{0};
  std::vector<std::thread> threads_;
};

absl::StatusOr<std::unique_ptr<Session>> open_scenes(Runtime& runtime) {
  SessionOptions options;
  options.optimize = false;
  TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(runtime, options));
  TROUPE_RETURN_IF_ERROR(session->create(cancel_scenes()));
  return session;
}

/// One that never ends by itself.
absl::Status run_for_ever(Session* session, std::chrono::milliseconds timeout) {
  RunOptions options;
  options.timeout = timeout;
  return session->run({{"x", Tensor::scalar<float>(1)}}, {"recv"}, {}, options).status();
}

absl::StatusOr<double> time_cancel(Session* session) {
  absl::Status ended;
  std::thread run([&] { ended = run_for_ever(session, std::chrono::milliseconds(0)); });
  while (session->counters().running_steps < 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Clock::time_point begin = Clock::now();
  absl::Status status = session->cancel("bench").status();
  status.Update(session->wait_idle(kIdleTimeout));
  const double took = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  run.join();
  TROUPE_RETURN_IF_ERROR(status);
  if (!absl::IsCancelled(ended))
    return absl::InternalError(absl::StrCat("not cancelled: ", ended.ToString()));
  return took;
}

/// How much later than its deadline a run ended.
absl::StatusOr<double> time_deadline(Session* session) {
  const Clock::time_point begin = Clock::now();
  const absl::Status ended = run_for_ever(session, kDeadline);
  if (!absl::IsDeadlineExceeded(ended))
    return absl::InternalError(absl::StrCat("not timed out: ", ended.ToString()));
  return std::chrono::duration<double, std::nano>(Clock::now() - begin - kDeadline).count();
}

absl::StatusOr<Samples> while_compiling(const BenchOptions& options,
                                        absl::StatusOr<double> (*one_try)(Session*), bool run_too = false) {
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<SceneRuntime> scene, SceneRuntime::create());
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, open_scenes(*scene->runtime));
  TROUPE_RETURN_IF_ERROR(one_try(session.get()).status());
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<Compilers> compilers,
                          Compilers::start(*scene->runtime, run_too));
  Samples samples;
  samples.unit = "try";
  for (int i = 0; i < options.cancel_tries; ++i) {
    TROUPE_ASSIGN_OR_RETURN(const double took, one_try(session.get()));
    samples.nanoseconds.push_back(took);
  }
  samples.figures["compiled_signatures"] = static_cast<double>(compilers->compiled());
  samples.figures["max_us"] = samples.quantile(1) / 1e3;
  samples.histogram = make_histogram(samples.nanoseconds);
  return samples;
}

/// A chain that grows by a node and is run, again and again.
absl::StatusOr<Samples> growing_chain(const BenchOptions&) {
  constexpr int kSignatures = 2000;
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  SessionOptions options;
  options.max_signatures = 2 * kSignatures;
  TROUPE_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::open(*runtime, options));
  TROUPE_RETURN_IF_ERROR(session->create(pass_through()));
  Samples samples;
  const double before = resident_kib();
  for (int i = 0; i < kSignatures; ++i) {
    tensorflow::GraphDef more;
    tensorflow::NodeDef* node = more.add_node();
    node->set_name(absl::StrCat("n", i));
    node->set_op("Tanh");
    node->add_input(i == 0 ? "y" : absl::StrCat("n", i - 1));
    (*node->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
    const Clock::time_point begin = Clock::now();
    TROUPE_RETURN_IF_ERROR(session->extend(more));
    TROUPE_RETURN_IF_ERROR(session->run({{"x", Tensor::scalar<float>(1)}}, {node->name()}).status());
    samples.nanoseconds.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  samples.figures["kib_per_signature"] = (resident_kib() - before) / kSignatures;
  return samples;
}

}  // namespace

void add_busy_workloads(std::vector<Workload>* out) {
  out->push_back({"cancel_while_compiling",
                  "from cancel to idle while four signatures of 100,000 nodes compile",
                  [](const BenchOptions& o) { return while_compiling(o, time_cancel); }});
  out->push_back({"deadline_while_compiling",
                  "how late a deadline is while four signatures of 100,000 nodes compile",
                  [](const BenchOptions& o) { return while_compiling(o, time_deadline); }});
  out->push_back({"cancel_beside_large_steps",
                  "the same while each is run once, too: 100,000 nodes on its caller's thread",
                  [](const BenchOptions& o) { return while_compiling(o, time_cancel, true); }});
  out->push_back(
      {"growing_chain", "2,000 signatures of a chain that grows: memory a signature", growing_chain});
}

}  // namespace troupe::bench
