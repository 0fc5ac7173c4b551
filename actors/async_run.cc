#include "actors/async_run.h"

#include "actors/outstanding_run.h"
#include "actors/signature_key.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

OutstandingRun::Answer answer_by(RunCallback done) {
  return [done = std::move(done)](const absl::Status& status, RunReply reply) {
    (void)guarded("the callback of a run", [&] {
      if (status.ok()) {
        done(std::move(reply.fetches), reply.stats);
      } else {
        done(status, reply.stats);
      }
      return absl::OkStatus();
    });
  };
}

}  // namespace

AsyncRun AsyncRun::begin(std::shared_ptr<SessionCore> core, const std::vector<NamedTensor>& feeds,
                         const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
                         const RunOptions& options, RunCallback done) {
  LeaseRequest want;
  if (options.debug.watches.empty()) want.alias = core->signatures.find(feeds, fetches, targets);
  if (want.alias == nullptr) want = signature_of(feeds, fetches, targets);
  want.watches = options.debug.watches;
  auto run = std::make_shared<OutstandingRun>(std::move(core), std::move(want), values_of(feeds), options,
                                              answer_by(std::move(done)));
  if (options.output_partition_graphs) run->names = signature_of(feeds, fetches, targets);
  if (run->enter(RunGate::stripe_of_thread()).ok()) run->begin();
  return AsyncRun(run);
}

AsyncRun AsyncRun::begin(std::shared_ptr<SessionCore> core, const CallableCode& callable,
                         std::vector<Tensor> feeds, RunCallback done) {
  const absl::Status good = check_callable(callable, feeds.size());
  const RunOptions& options = callable.run_options;
  LeaseRequest want;
  want.alias = callable.alias;
  auto run = std::make_shared<OutstandingRun>(std::move(core), std::move(want), std::move(feeds), options,
                                              answer_by(std::move(done)));
  if (options.output_partition_graphs) run->names = callable.signature;
  if (!good.ok()) {
    run->fail(good);
  } else if (run->enter(RunGate::stripe_of_thread()).ok()) {
    run->begin();
  }
  return AsyncRun(run);
}

AsyncRun::AsyncRun(const std::shared_ptr<OutstandingRun>& run) : run_(run), step_id_(run->step_id()) {}

int64_t AsyncRun::step_id() const {
  return step_id_ == nullptr ? 0 : step_id_->load(std::memory_order_relaxed);
}

bool AsyncRun::over() const {
  const auto run = run_.lock();
  return run == nullptr || run->over();
}

bool AsyncRun::cancel(absl::string_view reason) {
  const auto run = run_.lock();
  return run != nullptr && run->cancel(cancelled_by_caller(reason));
}

}  // namespace troupe
