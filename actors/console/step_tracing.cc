#include "actors/console/step_tracing.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "actors/console/trace_events.h"
#include "actors/console/trace_files.h"
#include "actors/interfaces.h"
#include "actors/runtime_impl.h"
#include "graph/status.h"
#include "graph/thrown.h"

namespace troupe {

/// @name To the TRACER
/// A step that is to be written.
struct WriteTrace {
  std::shared_ptr<const StepTrace> trace;
};

/// No more comes.
struct EndTracing {};

/// Writes what it is sent. It has a thread of its own, since files block. Spawned by a StepTracing, which ends it and waits for that.
using TracerActor = caf::typed_actor<caf::reacts_to<WriteTrace>, caf::reacts_to<EndTracing>>;

namespace {

/// Steps that may wait to be written.
constexpr int kMaxPending = 64;

struct Tally {
  std::atomic<int> pending{0};
  std::atomic<int64_t> written{0};
  std::atomic<int64_t> dropped{0};
};

class TracerImpl final : public TracerActor::base {
 public:
  TracerImpl(caf::actor_config& config, std::unique_ptr<TraceFiles> files, std::shared_ptr<Tally> tally)
      : TracerActor::base(config), files_(std::move(files)), tally_(std::move(tally)) {}

  const char* name() const override { return "tracer"; }
  void on_exit() override { files_ = nullptr; }
  behavior_type make_behavior() override {
    return {[this](const WriteTrace& m) { write(*m.trace); }, [this](EndTracing) { quit(); }};
  }

 private:
  void write(const StepTrace& trace) {
    const absl::Status status = guarded("the tracer", [&] {
      if (files_->at_begin()) events_.begin_file();
      return files_->add(events_.of(trace));
    });
    tally_->pending.fetch_sub(1, std::memory_order_relaxed);
    (status.ok() ? tally_->written : tally_->dropped).fetch_add(1, std::memory_order_relaxed);
    // Once in a row.
    if (!status.ok() && last_.ok()) spdlog::warn("tracer: {}", status.ToString());
    last_ = status;
  }

  std::unique_ptr<TraceFiles> files_;
  TraceEvents events_;
  const std::shared_ptr<Tally> tally_;
  absl::Status last_;
};

absl::Status check(const TraceOptions& o) {
  if (o.folder.empty()) return absl::InvalidArgumentError("TraceOptions: there is no folder");
  if (o.every < 0 || o.slow_after.count() < 0)
    return absl::InvalidArgumentError("TraceOptions: every and slow_after may not be below zero");
  if (o.every == 0 && o.slow_after.count() == 0)
    return absl::InvalidArgumentError("TraceOptions: neither every nor slow_after says what to trace");
  if (o.max_files < 1 || o.max_file_bytes < 1)
    return absl::InvalidArgumentError("TraceOptions: max_files and max_file_bytes must be positive");
  return absl::OkStatus();
}

}  // namespace

struct StepTracing::Impl {
  caf::actor_system* system = nullptr;
  std::shared_ptr<StepMeter> meter;
  TracerActor tracer;
  std::shared_ptr<Tally> tally = std::make_shared<Tally>();

  /// Once it has written what it was sent.
  void end() {
    caf::anon_send(tracer, EndTracing{});
    caf::scoped_actor self{*system};
    self->wait_for(tracer);
  }
};

StepTracing::StepTracing(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<StepTracing>> StepTracing::start(Runtime& runtime,
                                                                const TraceOptions& options) {
  TROUPE_RETURN_IF_ERROR(check(options));
  TROUPE_RETURN_IF_ERROR(runtime.impl().check_running());
  auto files = std::make_unique<TraceFiles>(options.folder, options.max_files, options.max_file_bytes);
  TROUPE_RETURN_IF_ERROR(files->open());
  auto impl = std::make_unique<Impl>();
  impl->system = &runtime.system();
  impl->meter = runtime.impl().meter;
  impl->tracer =
      runtime.system().spawn<TracerImpl, caf::detached + caf::hidden>(std::move(files), impl->tally);
  auto sink = [tracer = impl->tracer, tally = impl->tally](std::shared_ptr<const StepTrace> trace) {
    if (tally->pending.fetch_add(1, std::memory_order_relaxed) < kMaxPending)
      return caf::anon_send(tracer, WriteTrace{std::move(trace)});
    tally->pending.fetch_sub(1, std::memory_order_relaxed);
    tally->dropped.fetch_add(1, std::memory_order_relaxed);
  };
  if (const absl::Status begun =
          impl->meter->begin_tracing({options.every, options.slow_after, std::move(sink)});
      !begun.ok()) {
    impl->end();
    return begun;
  }
  return std::unique_ptr<StepTracing>(new StepTracing(std::move(impl)));
}

StepTracing::~StepTracing() {
  impl_->meter->end_tracing();
  impl_->end();
  if (dropped() > 0) spdlog::warn("tracer: {} traces were dropped", dropped());
}

int64_t StepTracing::written() const { return impl_->tally->written.load(std::memory_order_relaxed); }
int64_t StepTracing::dropped() const { return impl_->tally->dropped.load(std::memory_order_relaxed); }

}  // namespace troupe
