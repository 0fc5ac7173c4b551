#include "actors/grpc_client/grpc_master.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/option_protos.h"
#include "devices/cpu/cpu_device.h"
#include "graph/status.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

using Service = MasterClient::Service;
using tensorflow::CloseSessionRequest;
using tensorflow::CloseSessionResponse;
using tensorflow::CreateSessionRequest;
using tensorflow::CreateSessionResponse;
using tensorflow::ExtendSessionRequest;
using tensorflow::ExtendSessionResponse;
using tensorflow::ListDevicesRequest;
using tensorflow::ListDevicesResponse;
using tensorflow::MakeCallableRequest;
using tensorflow::MakeCallableResponse;
using tensorflow::PartialRunSetupRequest;
using tensorflow::PartialRunSetupResponse;
using tensorflow::ReleaseCallableRequest;
using tensorflow::ReleaseCallableResponse;
using tensorflow::RunCallableRequest;
using tensorflow::RunCallableResponse;
using tensorflow::RunStepRequest;
using tensorflow::RunStepResponse;

/// A server takes each request once.
int64_t new_request_id() { return static_cast<int64_t>(new_incarnation() >> 1 | 1); }

/// The session as the server knows it. Calls that are under way share it.
struct Opened {
  std::mutex mu;
  // Guarded by mu.
  std::string handle;
  int64_t graph_version = 0;
  bool closed = false;
};

using RunStepCall = TensorCall<RunStepRequest, RunStepResponse>;
using RunCallableCall = TensorCall<RunCallableRequest, RunCallableResponse>;
constexpr char kRunStep[] = "/tensorflow.MasterService/RunStep";
constexpr char kRunCallable[] = "/tensorflow.MasterService/RunCallable";

absl::StatusOr<Tensor> fetch_of(const tensorflow::TensorProto& proto, const absl::Cord& content,
                                absl::string_view name) {
  absl::StatusOr<Tensor> tensor = from_proto(proto, content);
  if (tensor.ok()) return tensor;
  return annotate(tensor.status(), absl::StrCat("Invalid TensorProto for fetch ", name, ": "));
}

/// In the order of `fetches`.
absl::StatusOr<std::vector<Tensor>> values_of(const RunStepCall& call,
                                              const std::vector<std::string>& fetches) {
  absl::flat_hash_map<absl::string_view, int> by_name;
  for (int i = 0; i < call.response.tensor_size(); ++i) by_name[call.response.tensor(i).name()] = i;
  std::vector<Tensor> out;
  for (const std::string& fetch : fetches) {
    const auto found = by_name.find(fetch);
    if (found == by_name.end())
      return absl::InternalError(absl::StrCat("The server's answer has no value for the fetch ", fetch));
    const tensorflow::TensorProto& value = call.response.tensor(found->second).tensor();
    TROUPE_ASSIGN_OR_RETURN(out.emplace_back(),
                            fetch_of(value, content_at(call.response_contents, found->second), fetch));
  }
  return out;
}

RemoteMaster::StepEnd end_of(absl::StatusOr<std::vector<Tensor>> fetches,
                             const tensorflow::RunMetadata& metadata) {
  RemoteMaster::StepEnd end{fetches.status(), {}, metadata.step_stats().SerializeAsString()};
  if (fetches.ok()) end.fetches = *std::move(fetches);
  return end;
}

RemoteMaster::StepEnd end_of(const absl::Status& heard, const RunStepCall& call,
                             const std::vector<std::string>& fetches) {
  if (!heard.ok()) return {heard, {}, ""};
  const RunStepResponse& response = call.response;
  // An error whose text, or whose statistics, are too much for a status of gRPC's.
  if (response.status_code() != tensorflow::error::OK) {
    const absl::Status failed(static_cast<absl::StatusCode>(response.status_code()),
                              response.status_error_message());
    return end_of(failed, response.metadata());
  }
  return end_of(values_of(call, fetches), response.metadata());
}

RemoteMaster::StepEnd end_of(const absl::Status& heard, const RunCallableCall& call, size_t num_fetches) {
  if (!heard.ok()) return {heard, {}, ""};
  const RunCallableResponse& response = call.response;
  if (static_cast<size_t>(response.fetch_size()) != num_fetches) {
    return {absl::InternalError(absl::StrCat("The server's answer has ", response.fetch_size(),
                                             " values for ", num_fetches, " fetches")),
            {},
            ""};
  }
  std::vector<Tensor> out;
  for (int i = 0; i < response.fetch_size(); ++i) {
    absl::StatusOr<Tensor> value =
        fetch_of(response.fetch(i), content_at(call.response_contents, i), absl::StrCat(i));
    if (!value.ok()) return {value.status(), {}, ""};
    out.push_back(*std::move(value));
  }
  return end_of(std::move(out), response.metadata());
}

class GrpcMaster final : public RemoteMaster {
 public:
  GrpcMaster(std::shared_ptr<MasterClient> client, tensorflow::ConfigProto config)
      : RemoteMaster(client->target()), client_(std::move(client)), config_(std::move(config)) {}

  void create(tensorflow::GraphDef graph, Ended done) override {
    auto call = std::make_shared<MasterCall<CreateSessionRequest, CreateSessionResponse>>();
    *call->request.mutable_graph_def() = std::move(graph);
    *call->request.mutable_config() = config_;
    call->request.set_target(target());
    client_->begin(client_->new_id(), &Service::CreateSession, std::move(call),
                   [client = client_, opened = opened_, done](const absl::Status& status,
                                                              const CreateSessionResponse& response) {
                     if (status.ok()) note_created(*client, *opened, response);
                     done(status);
                   });
  }

  void extend(tensorflow::GraphDef graph, Ended done) override {
    auto call = std::make_shared<MasterCall<ExtendSessionRequest, ExtendSessionResponse>>();
    *call->request.mutable_graph_def() = std::move(graph);
    {
      std::lock_guard lock(opened_->mu);
      call->request.set_session_handle(opened_->handle);
      call->request.set_current_graph_version(opened_->graph_version);
    }
    client_->begin(
        client_->new_id(), &Service::ExtendSession, std::move(call),
        [opened = opened_, done](const absl::Status& status, const ExtendSessionResponse& response) {
          if (status.ok()) {
            std::lock_guard lock(opened->mu);
            opened->graph_version = response.new_graph_version();
          }
          done(status);
        });
  }

  void run(int64_t id, Step step, StepEnded done) override {
    auto call = std::make_shared<RunStepCall>();
    RunStepRequest& request = call->request;
    request.set_session_handle(handle());
    request.set_request_id(new_request_id());
    for (const auto& [name, value] : step.feeds) {
      auto* feed = request.add_feed();
      feed->set_name(name);
      call->request_contents.push_back(to_proto_and_content(value, kLiftedBytes, feed->mutable_tensor()));
    }
    request.mutable_fetch()->Add(step.fetches.begin(), step.fetches.end());
    request.mutable_target()->Add(step.targets.begin(), step.targets.end());
    request.set_partial_run_handle(step.partial_run);
    request.set_store_errors_in_response_body(true);
    RunOptions options;
    options.collect_stats = step.collect_stats;
    options.timeout = step.timeout;
    *request.mutable_options() = troupe::to_proto(options);
    set_timeout(call->context, step.timeout);
    client_->begin(id, kRunStep, std::move(call),
                   [fetches = std::move(step.fetches), done = std::move(done)](const absl::Status& status,
                                                                               const RunStepCall& ended) {
                     done(end_of(status, ended, fetches));
                   });
  }

  void run_callable(int64_t id, int64_t callable, const std::vector<Tensor>& feeds, size_t num_fetches,
                    StepEnded done) override {
    auto call = std::make_shared<RunCallableCall>();
    call->request.set_session_handle(handle());
    call->request.set_handle(callable);
    call->request.set_request_id(new_request_id());
    for (const Tensor& value : feeds) {
      call->request_contents.push_back(to_proto_and_content(value, kLiftedBytes, call->request.add_feed()));
    }
    client_->begin(
        id, kRunCallable, std::move(call),
        [num_fetches, done = std::move(done)](const absl::Status& status, const RunCallableCall& ended) {
          done(end_of(status, ended, num_fetches));
        });
  }

  void cancel(int64_t id) override { client_->cancel(id); }

  void set_up_partial_run(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets, Answer<std::string> done) override {
    auto call = std::make_shared<MasterCall<PartialRunSetupRequest, PartialRunSetupResponse>>();
    call->request.set_session_handle(handle());
    call->request.set_request_id(new_request_id());
    call->request.mutable_feed()->Add(feeds.begin(), feeds.end());
    call->request.mutable_fetch()->Add(fetches.begin(), fetches.end());
    call->request.mutable_target()->Add(targets.begin(), targets.end());
    client_->begin(client_->new_id(), &Service::PartialRunSetup, std::move(call),
                   [done](const absl::Status& status, const PartialRunSetupResponse& response) {
                     if (!status.ok()) return done(status);
                     done(response.partial_run_handle());
                   });
  }

  void make_callable(const CallableOptions& options, Answer<int64_t> done) override {
    auto call = std::make_shared<MasterCall<MakeCallableRequest, MakeCallableResponse>>();
    call->request.set_session_handle(handle());
    call->request.set_request_id(new_request_id());
    *call->request.mutable_options() = troupe::to_proto(options);
    client_->begin(client_->new_id(), &Service::MakeCallable, std::move(call),
                   [done](const absl::Status& status, const MakeCallableResponse& response) {
                     if (!status.ok()) return done(status);
                     done(response.handle());
                   });
  }

  void release_callable(int64_t callable) override {
    auto call = std::make_shared<MasterCall<ReleaseCallableRequest, ReleaseCallableResponse>>();
    call->request.set_session_handle(handle());
    call->request.set_handle(callable);
    // Those of a session that has been closed are gone.
    if (call->request.session_handle().empty()) return;
    client_->begin(client_->new_id(), &Service::ReleaseCallable, std::move(call),
                   [](const absl::Status&, const ReleaseCallableResponse&) {});
  }

  void list_devices(Answer<std::vector<DeviceInfo>> done) override {
    auto call = std::make_shared<MasterCall<ListDevicesRequest, ListDevicesResponse>>();
    // Without a session, those that the server has.
    call->request.set_session_handle(handle());
    client_->begin(client_->new_id(), &Service::ListDevices, std::move(call),
                   [done](const absl::Status& status, const ListDevicesResponse& response) {
                     if (!status.ok()) return done(status);
                     std::vector<DeviceInfo> all;
                     for (const auto& list : {response.local_device(), response.remote_device()}) {
                       for (const tensorflow::DeviceAttributes& d : list)
                         all.push_back({d.name(), d.device_type(), d.memory_limit(), d.incarnation()});
                     }
                     done(std::move(all));
                   });
  }

  void close(std::chrono::milliseconds patience, Ended done) override {
    std::string handle;
    {
      std::lock_guard lock(opened_->mu);
      opened_->closed = true;
      handle = std::exchange(opened_->handle, "");
    }
    client_->cancel_all();
    if (handle.empty()) return done(absl::OkStatus());
    end_session(*client_, handle, patience, std::move(done));
  }

 private:
  std::string handle() const {
    std::lock_guard lock(opened_->mu);
    return opened_->handle;
  }

  static void set_timeout(::grpc::ClientContext& context, std::chrono::milliseconds timeout) {
    if (timeout.count() > 0) context.set_deadline(std::chrono::system_clock::now() + timeout);
  }

  /// Of a session that was closed while it was opened nobody would know the handle.
  static void note_created(MasterClient& client, Opened& opened, const CreateSessionResponse& response) {
    {
      std::lock_guard lock(opened.mu);
      if (!opened.closed) {
        opened.handle = response.session_handle();
        opened.graph_version = response.graph_version();
        return;
      }
    }
    constexpr std::chrono::seconds kPatience{10};
    end_session(client, response.session_handle(), kPatience, [](const absl::Status&) {});
  }

  static void end_session(MasterClient& client, const std::string& handle, std::chrono::milliseconds patience,
                          Ended done) {
    auto call = std::make_shared<MasterCall<CloseSessionRequest, CloseSessionResponse>>();
    call->request.set_session_handle(handle);
    set_timeout(call->context, patience);
    client.begin(
        client.new_id(), &Service::CloseSession, std::move(call),
        [done = std::move(done)](const absl::Status& status, const CloseSessionResponse&) { done(status); });
  }

  const std::shared_ptr<MasterClient> client_;
  const tensorflow::ConfigProto config_;
  const std::shared_ptr<Opened> opened_ = std::make_shared<Opened>();
};

}  // namespace

std::shared_ptr<RemoteMaster> make_grpc_master(std::shared_ptr<MasterClient> client,
                                               tensorflow::ConfigProto config) {
  return std::make_shared<GrpcMaster>(std::move(client), std::move(config));
}

}  // namespace troupe
