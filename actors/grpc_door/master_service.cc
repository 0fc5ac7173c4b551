#include "actors/grpc_door/master_service.h"

#include <caf/send.hpp>
#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "actors/grpc_door/device_list.h"
#include "actors/grpc_door/grpc_status.h"
#include "actors/grpc_door/open_calls.h"
#include "actors/grpc_door/run_calls.h"
#include "actors/session_core.h"
#include "graph/status.h"
#include "graph/thrown.h"
#include "proto/master_service.grpc.pb.h"

namespace troupe {
namespace {

using ::grpc::ByteBuffer;
using ::grpc::CallbackServerContext;
using ::grpc::ServerUnaryReactor;

/// gRPC's end of a call. gRPC keeps it from when it is returned until OnDone.
class Reactor final : public ServerUnaryReactor {
 public:
  std::weak_ptr<AnyCall> call;

  void OnCancel() override {
    if (auto open = call.lock()) open->cancel();
  }
  void OnDone() override { delete this; }
};

/// AnyCall::client.
std::string client_of(const CallbackServerContext& context) {
  const auto authenticated = context.auth_context();
  if (authenticated == nullptr || !authenticated->IsPeerAuthenticated()) return "";
  std::string names;
  for (const auto& name : authenticated->GetPeerIdentity())
    absl::StrAppend(&names, names.empty() ? "" : ",", absl::string_view(name.data(), name.size()));
  return names;
}

using Grpc = tensorflow::MasterService;

/// Calls with tensors come as bytes, all others as messages.
template <class Base>
using CallsWithTensors = Grpc::WithRawCallbackMethod_RunStep<Grpc::WithRawCallbackMethod_RunCallable<Base>>;
template <class Base>
using CallsOfSessions = Grpc::WithCallbackMethod_CreateSession<Grpc::WithCallbackMethod_ExtendSession<
    Grpc::WithCallbackMethod_CloseSession<Grpc::WithCallbackMethod_Reset<Base>>>>;
template <class Base>
using OtherCalls = Grpc::WithCallbackMethod_PartialRunSetup<Grpc::WithCallbackMethod_MakeCallable<
    Grpc::WithCallbackMethod_ReleaseCallable<Grpc::WithCallbackMethod_ListDevices<Base>>>>;

class MasterServiceImpl final : public MasterService,
                                public CallsWithTensors<CallsOfSessions<OtherCalls<Grpc::Service>>> {
 private:
  auto to_door() {
    return [this](const auto& call) { caf::anon_send(door_, Serve{call}); };
  }

  /// `serve` unless a call with the same id has come before.
  template <class ServeCall>
  auto once(const char* what, ServeCall serve_call) {
    return [this, what, serve_call](const auto& call) {
      const absl::Status fresh = sessions_->track(what, call->request.request_id());
      if (!fresh.ok()) return call->finish(fresh);
      serve_call(call);
    };
  }

  /// Begins a call: `serve_call` sees to it that it is answered. The request is gRPC's, which looks at it no more: what it holds is taken.
  template <class ThisCall, class Request, class Response, class ServeCall>
  ServerUnaryReactor* serve(const Request* asked, Response* answer, const ServeCall& serve_call) {
    return begin<ThisCall>(
        [&](ThisCall& call) {
          call.request = std::move(*const_cast<Request*>(asked));
          return absl::OkStatus();
        },
        [answer](ThisCall& call) { *answer = std::move(call.response); }, serve_call);
  }

  /// The same of one whose tensors are large.
  template <class ThisCall, class ServeCall>
  ServerUnaryReactor* serve_bytes(const ByteBuffer* asked, ByteBuffer* answer, const ServeCall& serve_call) {
    return begin<ThisCall>(
        [&](ThisCall& call) {
          const bool read = read_message(const_cast<ByteBuffer*>(asked), path_of(call.request), &call.request,
                                         &call.request_contents);
          return read ? absl::OkStatus() : absl::InternalError("The request is no message.");
        },
        [answer](ThisCall& call) {
          *answer = write_message(call.response, path_of(call.response), call.response_contents);
        },
        serve_call);
  }

  /// `read`: the request into the call; `write`: the response out of it.
  template <class ThisCall, class Read, class Write, class ServeCall>
  ServerUnaryReactor* begin(const Read& read, Write write, const ServeCall& serve_call) {
    auto* reactor = new Reactor;
    auto call = std::make_shared<ThisCall>(
        [reactor, calls = calls_, write = std::move(write)](ThisCall& self, const absl::Status& status) {
          calls->remove(&self);
          if (status.ok()) write(self);
          reactor->Finish(to_grpc(status));
        });
    reactor->call = call;
    calls_->add(call);
    const absl::Status status = guarded("a call", [&] {
      if (sessions_->stopping()) return absl::AbortedError("The server is shutting down.");
      TROUPE_RETURN_IF_ERROR(read(*call));
      serve_call(call);
      return absl::OkStatus();
    });
    if (!status.ok()) call->finish(status);
    return reactor;
  }

 public:
  MasterServiceImpl(DoorActor door, std::shared_ptr<DoorSessions> sessions)
      : door_(std::move(door)), sessions_(std::move(sessions)) {}

  ::grpc::Service& service() override { return *this; }
  void finish_all(const absl::Status& status) override { calls_->finish(status); }

  ServerUnaryReactor* CreateSession(CallbackServerContext* context,
                                    const tensorflow::CreateSessionRequest* asked,
                                    tensorflow::CreateSessionResponse* answer) override {
    return serve<CreateSessionCall>(asked, answer, [this, context](const auto& call) {
      call->client = client_of(*context);
      to_door()(call);
    });
  }
  ServerUnaryReactor* ExtendSession(CallbackServerContext*, const tensorflow::ExtendSessionRequest* asked,
                                    tensorflow::ExtendSessionResponse* answer) override {
    return serve<ExtendSessionCall>(asked, answer, to_door());
  }
  ServerUnaryReactor* CloseSession(CallbackServerContext*, const tensorflow::CloseSessionRequest* asked,
                                   tensorflow::CloseSessionResponse* answer) override {
    return serve<CloseSessionCall>(asked, answer, to_door());
  }
  ServerUnaryReactor* Reset(CallbackServerContext*, const tensorflow::ResetRequest* asked,
                            tensorflow::ResetResponse* answer) override {
    return serve<ResetCall>(asked, answer, to_door());
  }
  ServerUnaryReactor* PartialRunSetup(CallbackServerContext*, const tensorflow::PartialRunSetupRequest* asked,
                                      tensorflow::PartialRunSetupResponse* answer) override {
    return serve<PartialRunSetupCall>(asked, answer, once("PartialRunSetup", to_door()));
  }
  ServerUnaryReactor* MakeCallable(CallbackServerContext*, const tensorflow::MakeCallableRequest* asked,
                                   tensorflow::MakeCallableResponse* answer) override {
    return serve<MakeCallableCall>(asked, answer, once("MakeCallable", to_door()));
  }
  ServerUnaryReactor* RunStep(CallbackServerContext*, const ByteBuffer* asked, ByteBuffer* answer) override {
    return serve_bytes<RunStepCall>(asked, answer, once("RunStep", [this](const auto& call) {
                                      if (call->request.partial_run_handle().empty())
                                        run_step(call, sessions_);
                                      else
                                        to_door()(call);
                                    }));
  }
  ServerUnaryReactor* RunCallable(CallbackServerContext*, const ByteBuffer* asked,
                                  ByteBuffer* answer) override {
    return serve_bytes<RunCallableCall>(
        asked, answer, once("RunCallable", [this](const auto& call) { run_callable(call, sessions_); }));
  }
  ServerUnaryReactor* ReleaseCallable(CallbackServerContext*, const tensorflow::ReleaseCallableRequest* asked,
                                      tensorflow::ReleaseCallableResponse* answer) override {
    return serve<ReleaseCallableCall>(asked, answer, [this](const auto& call) {
      const auto session = sessions_->use(call->request.session_handle());
      if (!session.ok()) return call->finish(session.status());
      // As TensorFlow's master, which does not know whether there was one.
      (void)(**session)->core->release_callable(call->request.handle());
      call->finish(absl::OkStatus());
    });
  }
  ServerUnaryReactor* ListDevices(CallbackServerContext*, const tensorflow::ListDevicesRequest* asked,
                                  tensorflow::ListDevicesResponse* answer) override {
    return serve<ListDevicesCall>(asked, answer, [this](const auto& call) {
      if (call->request.session_handle().empty())
        to_door()(call);
      else
        list_devices(*call);
    });
  }

 private:
  void list_devices(ListDevicesCall& call) {
    const std::string& handle = call.request.session_handle();
    const auto session = sessions_->use(handle);
    if (!session.ok()) {
      return call.finish(absl::InvalidArgumentError(
          absl::StrCat("Session ", handle, " is not found. Possibly, this master has restarted.")));
    }
    describe(*(**session)->core->devices, &call.response);
    call.finish(absl::OkStatus());
  }

  const DoorActor door_;
  const std::shared_ptr<DoorSessions> sessions_;
  const std::shared_ptr<OpenCalls> calls_ = std::make_shared<OpenCalls>();
};

}  // namespace

std::unique_ptr<MasterService> make_master_service(DoorActor door, std::shared_ptr<DoorSessions> sessions) {
  return std::make_unique<MasterServiceImpl>(std::move(door), std::move(sessions));
}

}  // namespace troupe
