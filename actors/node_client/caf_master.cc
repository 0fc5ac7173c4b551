#include "actors/node_client/caf_master.h"

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/node/message.h"
#include "actors/node/status_proto.h"
#include "actors/option_protos.h"
#include "graph/status.h"
#include "graph/tensor/allocator.h"
#include "proto/client_wire.pb.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

/// A graph as it goes: not inside of a message, so that it goes in pieces and is not copied.
absl::StatusOr<Tensor> bytes_of(const tensorflow::GraphDef& graph) {
  const size_t size = graph.ByteSizeLong();
  if (size > INT32_MAX) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The graph takes ", size, " bytes; a GraphDef has ", INT32_MAX, " at most."));
  }
  TROUPE_ASSIGN_OR_RETURN(
      Tensor bytes, Tensor::make(DataType::kUint8, Shape{static_cast<int64_t>(size)}, plain_allocator()));
  if (size > 0) graph.SerializeWithCachedSizesToArray(static_cast<uint8_t*>(bytes.raw()));
  return bytes;
}

std::string step_stats_in(const std::string& metadata) {
  tensorflow::RunMetadata all;
  if (metadata.empty() || !all.ParseFromString(metadata)) return "";
  return all.step_stats().SerializeAsString();
}

RemoteMaster::StepEnd end_of(const absl::StatusOr<absl::Cord>& body, size_t num_fetches) {
  if (!body.ok()) return {body.status(), {}, ""};
  auto parcel = unpack(*body);
  wire::RunEnded m;
  if (!parcel.ok()) return {parcel.status(), {}, ""};
  if (!m.ParseFromString(parcel->proto))
    return {absl::InternalError("an answer that is no RunEnded"), {}, ""};
  RemoteMaster::StepEnd end{from_proto(m.status()), {}, step_stats_in(m.metadata())};
  if (!end.status.ok()) return end;
  if (parcel->tensors.size() != num_fetches) {
    end.status = absl::InternalError(absl::StrCat("The node's answer has ", parcel->tensors.size(),
                                                  " values for ", num_fetches, " fetches"));
    return end;
  }
  end.fetches = std::move(parcel->tensors);
  return end;
}

template <class Proto>
absl::StatusOr<Proto> read(const absl::StatusOr<absl::Cord>& body) {
  Proto out;
  TROUPE_RETURN_IF_ERROR(body.status());
  TROUPE_RETURN_IF_ERROR(unpack(*body, &out));
  return out;
}

class CafMaster final : public RemoteMaster {
 public:
  CafMaster(std::shared_ptr<NodeCaller> node, uint64_t session, std::vector<DeviceInfo> devices)
      : RemoteMaster(node->target()), node_(std::move(node)), session_(session),
        devices_(std::move(devices)) {}
  ~CafMaster() override {
    close({}, [](const absl::Status&) {});
  }

  void create(tensorflow::GraphDef graph, Ended done) override { add(graph, std::move(done)); }
  void extend(tensorflow::GraphDef graph, Ended done) override { add(graph, std::move(done)); }

  void run(int64_t id, Step step, StepEnded done) override {
    wire::RunStep m;
    m.set_session(session_);
    m.set_run(id);
    std::vector<Tensor> values;
    for (auto& [name, value] : step.feeds) {
      m.add_feeds(name);
      values.push_back(std::move(value));
    }
    m.mutable_fetches()->Add(step.fetches.begin(), step.fetches.end());
    m.mutable_targets()->Add(step.targets.begin(), step.targets.end());
    m.set_partial_run(step.partial_run);
    RunOptions options;
    options.collect_stats = step.collect_stats;
    m.set_options(troupe::to_proto(options).SerializeAsString());
    begin(Method::kRunStep, id, pack(m, values), step.fetches.size(), step.timeout, std::move(done));
  }

  void run_callable(int64_t id, int64_t callable, const std::vector<Tensor>& feeds, size_t num_fetches,
                    StepEnded done) override {
    wire::CallCallable m;
    m.set_session(session_);
    m.set_run(id);
    m.set_callable(callable);
    begin(Method::kCallCallable, id, pack(m, feeds), num_fetches, {}, std::move(done));
  }

  void cancel(int64_t id) override { cancel(*node_, session_, id); }

  void set_up_partial_run(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets, Answer<std::string> done) override {
    wire::SetUpPartialRun m;
    m.set_session(session_);
    m.mutable_feeds()->Add(feeds.begin(), feeds.end());
    m.mutable_fetches()->Add(fetches.begin(), fetches.end());
    m.mutable_targets()->Add(targets.begin(), targets.end());
    ask(Method::kSetUpPartialRun, pack(m), [done](const absl::StatusOr<absl::Cord>& body) {
      const auto ready = read<wire::PartialRunReady>(body);
      if (!ready.ok()) return done(ready.status());
      done(ready->handle());
    });
  }

  void make_callable(const CallableOptions& options, Answer<int64_t> done) override {
    wire::PrepareCallable m;
    m.set_session(session_);
    m.set_options(troupe::to_proto(options).SerializeAsString());
    ask(Method::kPrepareCallable, pack(m), [done](const absl::StatusOr<absl::Cord>& body) {
      const auto made = read<wire::PreparedCallable>(body);
      if (!made.ok()) return done(made.status());
      done(made->callable());
    });
  }

  void release_callable(int64_t callable) override {
    // Those of a session that has been closed are gone.
    if (closed_) return;
    wire::DropCallable m;
    m.set_session(session_);
    m.set_callable(callable);
    ask(Method::kDropCallable, pack(m), [](const absl::StatusOr<absl::Cord>&) {});
  }

  /// They are the same for as long as the session is.
  void list_devices(Answer<std::vector<DeviceInfo>> done) override { done(devices_); }

  void close(std::chrono::milliseconds patience, Ended done) override {
    if (closed_.exchange(true)) return done(absl::OkStatus());
    wire::CloseSession m;
    m.set_session(session_);
    ask(
        Method::kCloseSession, pack(m),
        [done = std::move(done)](const absl::StatusOr<absl::Cord>& body) {
          // Nobody is there to keep it.
          done(absl::IsUnavailable(body.status()) ? absl::OkStatus() : body.status());
        },
        patience);
  }

 private:
  /// The answer keeps the connection.
  void ask(Method method, absl::StatusOr<absl::Cord> body, NodeCaller::Answered done,
           std::chrono::milliseconds patience = {}) const {
    if (!body.ok()) return done(body.status());
    node_->ask(
        method, *std::move(body),
        [node = node_, done = std::move(done)](absl::StatusOr<absl::Cord> answer) {
          done(std::move(answer));
        },
        patience);
  }

  void add(const tensorflow::GraphDef& graph, Ended done) const {
    const absl::StatusOr<Tensor> bytes = bytes_of(graph);
    if (!bytes.ok()) return done(bytes.status());
    wire::ExtendSession m;
    m.set_session(session_);
    ask(Method::kExtendSession, pack(m, {*bytes}),
        [done = std::move(done)](const absl::StatusOr<absl::Cord>& body) { done(body.status()); });
  }

  void begin(Method method, int64_t id, absl::StatusOr<absl::Cord> body, size_t num_fetches,
             std::chrono::milliseconds patience, StepEnded done) const {
    ask(
        method, std::move(body),
        [node = node_, session = session_, id, num_fetches,
         done = std::move(done)](const absl::StatusOr<absl::Cord>& answer) {
          // Who has waited long enough gives up; nothing of it is left then.
          if (absl::IsDeadlineExceeded(answer.status())) cancel(*node, session, id);
          done(end_of(answer, num_fetches));
        },
        patience);
  }

  static void cancel(NodeCaller& node, uint64_t session, int64_t id) {
    wire::CancelRun m;
    m.set_session(session);
    m.set_run(id);
    // Without tensors it can always be packed.
    node.ask(Method::kCancelRun, *pack(m), [](const absl::StatusOr<absl::Cord>&) {});
  }

  const std::shared_ptr<NodeCaller> node_;
  const uint64_t session_;
  const std::vector<DeviceInfo> devices_;
  std::atomic<bool> closed_{false};
};

}  // namespace

std::shared_ptr<RemoteMaster> make_caf_master(std::shared_ptr<NodeCaller> node, uint64_t session,
                                              std::vector<DeviceInfo> devices) {
  return std::make_shared<CafMaster>(std::move(node), session, std::move(devices));
}

}  // namespace troupe
