#include "actors/grpc_door/master_service.h"

#include <caf/send.hpp>
#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "actors/grpc_door/device_list.h"
#include "actors/grpc_door/grpc_status.h"
#include "actors/grpc_door/open_calls.h"
#include "actors/grpc_door/run_calls.h"
#include "actors/session_core.h"
#include "graph/thrown.h"
#include "proto/master_service.grpc.pb.h"

namespace troupe {
namespace {

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

class MasterServiceImpl final : public MasterService, public tensorflow::MasterService::CallbackService {
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
    auto* reactor = new Reactor;
    auto call =
        std::make_shared<ThisCall>(std::move(*const_cast<Request*>(asked)),
                                   [reactor, answer, calls = calls_](
                                       const AnyCall* self, const absl::Status& status, Response& response) {
                                     calls->remove(self);
                                     // With an error the response may still be another thread's.
                                     if (status.ok()) *answer = std::move(response);
                                     reactor->Finish(to_grpc(status));
                                   });
    reactor->call = call;
    calls_->add(call);
    const absl::Status status = guarded("a call", [&] {
      if (sessions_->stopping()) return absl::AbortedError("The server is shutting down.");
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
  ServerUnaryReactor* RunStep(CallbackServerContext*, const tensorflow::RunStepRequest* asked,
                              tensorflow::RunStepResponse* answer) override {
    return serve<RunStepCall>(asked, answer, once("RunStep", [this](const auto& call) {
                                if (call->request.partial_run_handle().empty())
                                  run_step(call, sessions_);
                                else
                                  to_door()(call);
                              }));
  }
  ServerUnaryReactor* RunCallable(CallbackServerContext*, const tensorflow::RunCallableRequest* asked,
                                  tensorflow::RunCallableResponse* answer) override {
    return serve<RunCallableCall>(
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
