#include "devices/late_calls.h"

#include <utility>

#include "actors/session_core.h"
#include "actors/slot_calls.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

/// One call. It is counted in, so that the session waits for it before it is gone.
class LateCall : public std::enable_shared_from_this<LateCall> {
 public:
  LateCall(RunGate::Place place, std::vector<Tensor> args) : place_(std::move(place)), args_(std::move(args)) {}

  void begin(const std::shared_ptr<SessionCore>& core, FunctionCode* code) {
    lease_ = code->lease(core);
    if (!lease_.load_arguments(std::move(args_)).ok()) return;
    StepSlot& slot = *lease_.slot();
    static_cast<SlotCalls*>(slot.functions.get())->be_outermost();
    Surroundings around;
    around.pool = core->pools[0].get();
    around.step_container = slot.container;
    lease_.begin(around);
    slot.when_finished = [call = shared_from_this()] { call->end(); };
    if (core->closed()) slot.life.cancel(0, absl::CancelledError("Session has been closed."));
    slot.life.start();
  }

 private:
  void end() {
    std::vector<Tensor> results(lease_.slot()->retvals.size());
    (void)lease_.take(results, nullptr);
    place_.leave();
  }

  RunGate::Place place_;
  std::vector<Tensor> args_;
  StepLease lease_;
};

class SessionLateCalls final : public LateCalls {
 public:
  /// `graph` has the library.
  SessionLateCalls(std::weak_ptr<SessionCore> core, std::shared_ptr<const Graph> graph, int device)
      : core_(std::move(core)), graph_(std::move(graph)), device_(device) {}

  void call(const FunctionRef& function, std::vector<Tensor> args) override {
    (void)guarded("a late call", [&] { return begin(function, std::move(args)); });
  }

 private:
  absl::Status begin(const FunctionRef& function, std::vector<Tensor> args) {
    const std::shared_ptr<SessionCore> core = core_.lock();
    if (core == nullptr) return absl::OkStatus();
    TROUPE_ASSIGN_OR_RETURN(RunGate::Place place, core->enter_run(RunGate::kActorStripe));
    std::vector<int> arg_devices = SlotCalls::devices_of(*core->devices, args);
    auto call = std::make_shared<LateCall>(std::move(place), std::move(args));
    core->functions->compile_then(core, graph_, function, device_, std::move(arg_devices),
                                  [core, call](absl::StatusOr<FunctionCode*> code) {
                                    if (code.ok()) call->begin(core, *code);
                                  });
    return absl::OkStatus();
  }

  const std::weak_ptr<SessionCore> core_;
  const std::shared_ptr<const Graph> graph_;
  const int device_;
};

}  // namespace

std::shared_ptr<LateCalls> SlotCalls::late_calls(const std::string& device) const {
  const auto where = find_device(device);
  if (!where.ok() || slot_->code->functions == nullptr) return nullptr;
  return std::make_shared<SessionLateCalls>(slot_->session, slot_->code->functions, *where);
}

}  // namespace troupe
