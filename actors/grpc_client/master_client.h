#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "actors/grpc_client/calls_under_way.h"
#include "actors/grpc_client/from_grpc.h"
#include "actors/grpc_wire/step_bytes.h"
#include "proto/master_service.grpc.pb.h"

namespace troupe {

/// What a client asks of a master, and what he hears.
template <class Request, class Response>
struct MasterCall {
  ::grpc::ClientContext context;
  Request request;
  Response response;
};

/// The same of a call with tensors, which may be large.
template <class Request, class Response>
struct TensorCall : MasterCall<Request, Response> {
  TensorContents request_contents, response_contents;
  ::grpc::ByteBuffer sent, received;
};

/// The calls of one client to the master at an address. Thread-safe. gRPC's threads tell the answers; each call keeps this until then.
class MasterClient : public std::enable_shared_from_this<MasterClient> {
 public:
  using Service = tensorflow::MasterService::StubInterface::async_interface;
  template <class Request, class Response>
  using Method = void (Service::*)(::grpc::ClientContext*, const Request*, Response*,
                                   std::function<void(::grpc::Status)>);

  /// `target`: "grpc://HOST:PORT". InvalidArgument for another. Connects with the first call.
  static absl::StatusOr<std::shared_ptr<MasterClient>> make(
      const std::string& target, const std::shared_ptr<::grpc::ChannelCredentials>& credentials,
      std::shared_ptr<CallsUnderWay> calls);

  const std::string& target() const { return target_; }

  /// Begins a call. `done` is called once, with what came or why nothing did: Unavailable, which names the target, when nobody is there;
  /// ResourceExhausted for a request that is too large. `id` is for `cancel`, and unlike that of any other call under way.
  template <class Request, class Response, class Done>
  void begin(int64_t id, Method<Request, Response> method,
             std::shared_ptr<MasterCall<Request, Response>> call, Done done) {
    if (const absl::Status fits = check_size(call->request, {}); !fits.ok())
      return done(fits, call->response);
    open(id, {call, &call->context});
    MasterCall<Request, Response>& c = *call;
    (service_->async()->*method)(
        &c.context, &c.request, &c.response,
        [me = shared_from_this(), id, call = std::move(call),
         done = std::move(done)](const ::grpc::Status& status) mutable {
          me->end(id, [&, tell = std::move(done)] { tell(from_grpc(status, me->target_), call->response); });
        });
  }
  /// The same of a call with tensors: "/tensorflow.MasterService/NAME". `done` hears the whole call.
  template <class Request, class Response, class Done>
  void begin(int64_t id, const char* method, std::shared_ptr<TensorCall<Request, Response>> call, Done done) {
    TensorCall<Request, Response>& c = *call;
    if (const absl::Status fits = check_size(c.request, c.request_contents); !fits.ok()) return done(fits, c);
    open(id, {call, &c.context});
    c.sent = write_message(c.request, path_of(c.request), c.request_contents);
    // gRPC has what it needs of them.
    c.request_contents.clear();
    bytes_.UnaryCall(&c.context, method, {}, &c.sent, &c.received,
                     [me = shared_from_this(), id, call = std::move(call),
                      done = std::move(done)](const ::grpc::Status& status) mutable {
                       me->end(id, [&, tell = std::move(done)] {
                         absl::Status heard = from_grpc(status, me->target_);
                         if (heard.ok() && !read_message(&call->received, path_of(call->response),
                                                         &call->response, &call->response_contents)) {
                           heard = absl::InternalError(
                               absl::StrCat("The answer of ", me->target_, " is no message."));
                         }
                         tell(heard, *call);
                       });
                     });
  }

  /// The call of that id, if it is under way, ends with Cancelled.
  void cancel(int64_t id);
  void cancel_all();
  /// For a call that nobody else's id is for.
  int64_t new_id();

  /// Waits. Not for threads of actors.
  absl::Status reset(const tensorflow::ResetRequest& request, std::chrono::milliseconds timeout);

 private:
  MasterClient(std::string target, const std::shared_ptr<::grpc::Channel>& channel,
               std::shared_ptr<CallsUnderWay> calls);
  static absl::Status check_size(const google::protobuf::MessageLite& request,
                                 const TensorContents& contents);
  /// A call has been answered. `tell` is gone before the call is counted out: it may hold actors.
  template <class Tell>
  void end(int64_t id, Tell tell) {
    forget(id);
    {
      Tell last = std::move(tell);
      last();
    }
    calls_->end();
  }
  void open(int64_t id, std::shared_ptr<::grpc::ClientContext> context);
  void forget(int64_t id);

  const std::string target_;
  const std::shared_ptr<CallsUnderWay> calls_;
  /// What gRPC generates.
  using Calls = decltype(tensorflow::MasterService::NewStub({}))::element_type;
  const std::unique_ptr<Calls> service_;
  ::grpc::GenericStub bytes_;
  std::mutex mu_;
  // Guarded by mu_.
  absl::flat_hash_map<int64_t, std::shared_ptr<::grpc::ClientContext>> open_;
  int64_t last_id_ = 0;
};

}  // namespace troupe
