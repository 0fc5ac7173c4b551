#include "actors/grpc_door/run_calls.h"

#include "absl/strings/str_cat.h"
#include "actors/async_run.h"
#include "actors/grpc_door/master_words.h"
#include "actors/session_core.h"
#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

constexpr char kClientGone[] = "its client no longer waits for it";

/// A message has no more bytes than an int counts.
absl::Status check_size(const google::protobuf::MessageLite& response, const TensorContents& contents) {
  const size_t bytes = size_with(response, contents);
  if (bytes <= INT32_MAX) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "What is fetched takes ", bytes, " bytes; a message to a client holds at most ", INT32_MAX, "."));
}

absl::StatusOr<Tensor> feed_of(const pb::TensorProto& proto, const absl::Cord& content,
                               absl::string_view name) {
  absl::StatusOr<Tensor> tensor = from_proto(proto, content);
  if (tensor.ok()) return tensor;
  return annotate(tensor.status(), absl::StrCat("Invalid TensorProto for feed value ", name, ": "));
}

/// A fetch into the answer, and beside it.
template <class AnyRunCall>
void put(const Tensor& fetched, pb::TensorProto* out, AnyRunCall* call) {
  call->response_contents.push_back(to_proto_and_content(fetched, kLiftedBytes, out));
}

void set_metadata(const RunStats& stats, pb::RunMetadata* out) {
  // Always there, as TensorFlow's is.
  if (!out->ParseFromString(stats.metadata)) out->Clear();
}

/// Its run ends with the client's patience.
void end_with_client(AnyCall& call, AsyncRun run) {
  call.when_cancelled([run = std::move(run)]() mutable { (void)run.cancel(kClientGone); });
}

absl::Status begin(const std::shared_ptr<RunStepCall>& call, const std::shared_ptr<DoorSessions>& sessions) {
  const pb::RunStepRequest& request = call->request;
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<SessionUse> session, sessions->use(request.session_handle()));
  TROUPE_ASSIGN_OR_RETURN(const RunOptions options,
                          RunOptions::from_bytes(request.options().SerializeAsString()));
  TROUPE_ASSIGN_OR_RETURN(const std::vector<NamedTensor> feeds, feeds_of(*call));
  const std::shared_ptr<SessionCore> core = (*session)->core;
  const AsyncRun run =
      AsyncRun::begin(core, feeds, {request.fetch().begin(), request.fetch().end()},
                      {request.target().begin(), request.target().end()}, options,
                      [call, session = std::move(session),
                       sessions](const absl::StatusOr<std::vector<Tensor>>& fetched, const RunStats& stats) {
                        finish_run(*call, *sessions, fetched, stats);
                      });
  end_with_client(*call, run);
  return absl::OkStatus();
}

absl::Status begin(const std::shared_ptr<RunCallableCall>& call,
                   const std::shared_ptr<DoorSessions>& sessions) {
  const pb::RunCallableRequest& request = call->request;
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<SessionUse> session, sessions->use(request.session_handle()));
  const std::shared_ptr<SessionCore> core = (*session)->core;
  TROUPE_ASSIGN_OR_RETURN(const auto callable, core->callable(request.handle()));
  std::vector<Tensor> feeds;
  for (int i = 0; i < request.feed_size(); ++i) {
    const absl::Cord& content = content_at(call->request_contents, i);
    TROUPE_ASSIGN_OR_RETURN(feeds.emplace_back(), feed_of(request.feed(i), content, absl::StrCat(i)));
  }
  const AsyncRun run =
      AsyncRun::begin(core, *callable, std::move(feeds),
                      [call, session = std::move(session),
                       sessions](const absl::StatusOr<std::vector<Tensor>>& fetched, const RunStats& stats) {
                        absl::Status status = fetched.status();
                        if (status.ok()) {
                          for (const Tensor& t : *fetched) put(t, call->response.add_fetch(), call.get());
                          set_metadata(stats, call->response.mutable_metadata());
                          status = check_size(call->response, call->response_contents);
                        }
                        call->finish(sessions->told(status));
                      });
  end_with_client(*call, run);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<NamedTensor>> feeds_of(const RunStepCall& call) {
  std::vector<NamedTensor> feeds;
  feeds.reserve(call.request.feed_size());
  for (const pb::NamedTensorProto& feed : call.request.feed()) {
    const absl::Cord& content = content_at(call.request_contents, feeds.size());
    TROUPE_ASSIGN_OR_RETURN(Tensor value, feed_of(feed.tensor(), content, feed.name()));
    feeds.emplace_back(feed.name(), std::move(value));
  }
  return feeds;
}

void finish_run(RunStepCall& call, const DoorSessions& sessions,
                const absl::StatusOr<std::vector<Tensor>>& fetched, const RunStats& stats) {
  set_metadata(stats, call.response.mutable_metadata());
  absl::Status status = fetched.status();
  if (status.ok()) {
    for (size_t i = 0; i < fetched->size(); ++i) {
      pb::NamedTensorProto* out = call.response.add_tensor();
      out->set_name(call.request.fetch(static_cast<int>(i)));
      put((*fetched)[i], out->mutable_tensor(), &call);
    }
    status = check_size(call.response, call.response_contents);
    if (!status.ok()) {
      call.response.clear_tensor();
      call.response_contents.clear();
    }
  }
  status = sessions.told(as_master_says(status, call.request.fetch()));
  if (!status.ok() && call.request.store_errors_in_response_body()) {
    call.response.set_status_code(static_cast<pb::error::Code>(status.code()));
    call.response.set_status_error_message(std::string(status.message()));
    status = absl::OkStatus();
  }
  call.finish(status);
}

void run_step(const std::shared_ptr<RunStepCall>& call, const std::shared_ptr<DoorSessions>& sessions) {
  const absl::Status begun = begin(call, sessions);
  if (!begun.ok()) finish_run(*call, *sessions, begun, {});
}

void run_callable(const std::shared_ptr<RunCallableCall>& call,
                  const std::shared_ptr<DoorSessions>& sessions) {
  const absl::Status begun = begin(call, sessions);
  if (!begun.ok()) call->finish(sessions->told(begun));
}

}  // namespace troupe
