#include "actors/node/client_runs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/callable_code.h"
#include "actors/node/status_proto.h"
#include "actors/session_core.h"
#include "graph/status.h"
#include "proto/client_wire.pb.h"

namespace troupe {
namespace {

void end_on_cancel(ClientRuns& runs, int64_t run, AsyncRun begun) {
  runs.set_cancel(
      run, [begun = std::move(begun)](const std::string& reason) mutable { (void)begun.cancel(reason); });
}

}  // namespace

absl::Status ClientRuns::open(int64_t run) {
  std::lock_guard lock(mu_);
  if (open_.try_emplace(run).second) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat("run ", run, " of this session has not ended"));
}

void ClientRuns::set_cancel(int64_t run, Cancel cancel) {
  std::lock_guard lock(mu_);
  if (const auto found = open_.find(run); found != open_.end()) found->second = std::move(cancel);
}

absl::StatusOr<absl::Cord> ClientRuns::close(int64_t run, const absl::StatusOr<std::vector<Tensor>>& fetches,
                                             const RunStats& stats) {
  absl::Status status = fetches.status();
  {
    decltype(open_)::node_type gone;  // freed outside the lock
    std::lock_guard lock(mu_);
    gone = open_.extract(run);
    if (absl::IsCancelled(status) && !left_.ok()) status = left_;
  }
  wire::RunEnded out;
  to_proto(status, out.mutable_status());
  out.set_metadata(stats.metadata);
  return fetches.ok() ? pack(out, *fetches) : pack(out);
}

void ClientRuns::cancel(int64_t run, const std::string& reason) {
  Cancel cancel;
  {
    std::lock_guard lock(mu_);
    if (const auto found = open_.find(run); found != open_.end()) cancel = found->second;
  }
  if (cancel) cancel(reason);
}

void ClientRuns::cancel_all(const std::string& reason) {
  std::vector<Cancel> all;
  {
    std::lock_guard lock(mu_);
    for (const auto& [run, cancel] : open_) {
      if (cancel) all.push_back(cancel);
    }
  }
  for (const Cancel& cancel : all) cancel(reason);
}

void ClientRuns::leave(const absl::Status& why) {
  {
    std::lock_guard lock(mu_);
    left_ = why;
  }
  cancel_all(std::string(why.message()));
}

absl::StatusOr<std::vector<NamedTensor>> feeds_of(const wire::RunStep& step, std::vector<Tensor> values) {
  const size_t names = static_cast<size_t>(step.feeds_size());
  if (names != values.size())
    return absl::InvalidArgumentError(
        absl::StrCat("a step feeds ", names, " tensors, but ", values.size(), " values came"));
  std::vector<NamedTensor> feeds;
  feeds.reserve(names);
  for (size_t i = 0; i < names; ++i) {
    if (!values[i].initialized()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no value came for the feed ", step.feeds(static_cast<int>(i))));
    }
    feeds.emplace_back(step.feeds(static_cast<int>(i)), std::move(values[i]));
  }
  return feeds;
}

absl::Status begin_step(const std::shared_ptr<SessionCore>& core, const std::shared_ptr<ClientRuns>& runs,
                        const wire::RunStep& step, std::vector<Tensor> values, const NodeReply& reply) {
  TROUPE_ASSIGN_OR_RETURN(const RunOptions options, RunOptions::from_bytes(step.options()));
  TROUPE_ASSIGN_OR_RETURN(const std::vector<NamedTensor> feeds, feeds_of(step, std::move(values)));
  TROUPE_RETURN_IF_ERROR(runs->open(step.run()));
  end_on_cancel(*runs, step.run(),
                AsyncRun::begin(core, feeds, {step.fetches().begin(), step.fetches().end()},
                                {step.targets().begin(), step.targets().end()}, options,
                                answer_by(runs, step.run(), reply)));
  return absl::OkStatus();
}

absl::Status begin_callable(const std::shared_ptr<SessionCore>& core, const std::shared_ptr<ClientRuns>& runs,
                            const wire::CallCallable& call, std::vector<Tensor> feeds,
                            const NodeReply& reply) {
  TROUPE_ASSIGN_OR_RETURN(const auto callable, core->callable(call.callable()));
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!feeds[i].initialized())
      return absl::InvalidArgumentError(absl::StrCat("no value came for feed ", i));
  }
  TROUPE_RETURN_IF_ERROR(runs->open(call.run()));
  end_on_cancel(*runs, call.run(),
                AsyncRun::begin(core, *callable, std::move(feeds), answer_by(runs, call.run(), reply)));
  return absl::OkStatus();
}

RunCallback answer_by(const std::shared_ptr<ClientRuns>& runs, int64_t run, const NodeReply& reply) {
  return [runs, run, reply](const absl::StatusOr<std::vector<Tensor>>& fetches, const RunStats& stats) {
    reply(runs->close(run, fetches, stats));
  };
}

}  // namespace troupe
