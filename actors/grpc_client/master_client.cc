#include "actors/grpc_client/master_client.h"

#include <future>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troupe {
namespace {

/// A server that has come back is found within a second.
constexpr int kFirstPauseMs = 100;
constexpr int kLongestPauseMs = 1000;
/// How long a server that is busy may take until a connection is made; one where nobody listens says so at once.
constexpr int kConnectPatienceMs = 10'000;

std::shared_ptr<::grpc::Channel> channel_to(const std::string& address,
                                            const std::shared_ptr<::grpc::ChannelCredentials>& credentials) {
  ::grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstPauseMs);
  // Not a pause: how long an attempt lasts.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectPatienceMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestPauseMs);
  return ::grpc::CreateCustomChannel(address, credentials, arguments);
}

/// gRPC ends the threads that tell answers with the last channel, and waits for them on the thread that lets go of it. Here that may be one of them,
/// whose queue would be freed under it: so one channel, which leads nowhere, stays for ever.
void keep_grpc_threads() {
  // Volatile: written though nobody reads it, so that what is kept is seen to be held.
  [[maybe_unused]] static const void* volatile kept = [] {
    auto nowhere = tensorflow::MasterService::NewStub(::grpc::CreateCustomChannel("", nullptr, {}));
    // The first call of a channel takes part in the threads.
    ::grpc::ClientContext context;
    const tensorflow::ListDevicesRequest request;
    tensorflow::ListDevicesResponse response;
    const auto ended = std::make_shared<std::promise<void>>();
    nowhere->async()->ListDevices(&context, &request, &response,
                                  [ended](const ::grpc::Status&) { ended->set_value(); });
    ended->get_future().wait();
    return nowhere.release();
  }();
}

}  // namespace

absl::StatusOr<std::shared_ptr<MasterClient>> MasterClient::make(
    const std::string& target, const std::shared_ptr<::grpc::ChannelCredentials>& credentials,
    std::shared_ptr<CallsUnderWay> calls) {
  absl::string_view address = target;
  absl::ConsumePrefix(&address, "grpc://");
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == 0 || colon == absl::string_view::npos || !absl::SimpleAtoi(address.substr(colon + 1), &port) ||
      port < 1 || port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat("Could not interpret \"", address,
                                                   "\" as a host-port pair: a target is grpc://HOST:PORT"));
  }
  return std::shared_ptr<MasterClient>(
      new MasterClient(target, channel_to(std::string(address), credentials), std::move(calls)));
}

MasterClient::MasterClient(std::string target, const std::shared_ptr<::grpc::Channel>& channel,
                           std::shared_ptr<CallsUnderWay> calls)
    : target_(std::move(target)), calls_(std::move(calls)),
      service_(tensorflow::MasterService::NewStub(channel)), bytes_(channel) {
  keep_grpc_threads();
}

absl::Status MasterClient::check_size(const google::protobuf::MessageLite& request,
                                      const TensorContents& contents) {
  const size_t bytes = size_with(request, contents);
  if (bytes <= INT32_MAX) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "What is sent takes ", bytes, " bytes; a message to a server holds at most ", INT32_MAX, "."));
}

void MasterClient::open(int64_t id, std::shared_ptr<::grpc::ClientContext> context) {
  calls_->begin();
  std::lock_guard lock(mu_);
  open_[id] = std::move(context);
}

void MasterClient::forget(int64_t id) {
  std::shared_ptr<::grpc::ClientContext> context;  // freed outside the lock
  std::lock_guard lock(mu_);
  const auto it = open_.find(id);
  if (it == open_.end()) return;
  context = std::move(it->second);
  open_.erase(it);
}

void MasterClient::cancel(int64_t id) {
  std::shared_ptr<::grpc::ClientContext> context;
  {
    std::lock_guard lock(mu_);
    if (const auto it = open_.find(id); it != open_.end()) context = it->second;
  }
  if (context != nullptr) context->TryCancel();
}

void MasterClient::cancel_all() {
  std::vector<std::shared_ptr<::grpc::ClientContext>> contexts;
  {
    std::lock_guard lock(mu_);
    for (const auto& [id, context] : open_) contexts.push_back(context);
  }
  for (const auto& context : contexts) context->TryCancel();
}

int64_t MasterClient::new_id() {
  std::lock_guard lock(mu_);
  return --last_id_;
}

absl::Status MasterClient::reset(const tensorflow::ResetRequest& request, std::chrono::milliseconds timeout) {
  ::grpc::ClientContext context;
  if (timeout.count() > 0) context.set_deadline(std::chrono::system_clock::now() + timeout);
  tensorflow::ResetResponse response;
  return from_grpc(service_->Reset(&context, request, &response), target_);
}

}  // namespace troupe
