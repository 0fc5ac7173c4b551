#include "actors/slot_calls.h"

#include <caf/all.hpp>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/session_core.h"
#include "actors/units/go_first.h"
#include "graph/ir/device_name.h"
#include "graph/ir/function_library.h"
#include "graph/thrown.h"

#include "proto/function.pb.h"

namespace troupe {

/// One call while it runs.
struct SlotCalls::Nested {
  std::string function;
  std::vector<Tensor> args;
  Done done;
  FunctionCode* code = nullptr;
  std::shared_ptr<StepSlot> slot;
  std::optional<CancellationToken::Id> heard_by;
  /// Whether it is among the calls that are out.
  bool counted = false;
  /// While it waits for the compiler: taken by who ends that, the compiler or a cancel.
  std::atomic<bool> taken{false};
};

namespace {

/// Cancels a nested step. The steps nested in it hear of that through their caller's token, on this thread:
/// they are taken one after the other, not one inside the other, so that calls may be thousands deep.
void cancel_nested(std::shared_ptr<StepSlot> slot, int64_t id, absl::Status reason) {
  struct Order {
    std::shared_ptr<StepSlot> slot;
    int64_t id;
    absl::Status reason;
  };
  static thread_local std::vector<Order>* under_way = nullptr;
  if (under_way != nullptr) {
    under_way->push_back({std::move(slot), id, std::move(reason)});
    return;
  }
  std::vector<Order> orders;
  under_way = &orders;
  orders.push_back({std::move(slot), id, std::move(reason)});
  for (size_t i = 0; i < orders.size(); ++i) {
    Order order = std::move(orders[i]);
    const bool was_running = order.slot->cancel(order.id, std::move(order.reason)) != 0;
    // Kernels that wait hear of it by the token, and with the last of them their executor; those at a
    // rendezvous do not.
    if (was_running && order.slot->code->has_transfers)
      caf::anon_send(order.slot->step, CancelStep{order.id});
  }
  under_way = nullptr;
}

absl::Status cancelled_with_caller() {
  return absl::CancelledError("a function was cancelled with its caller");
}

absl::Status check_args(const std::vector<Tensor>& args, const std::vector<DataType>& types) {
  if (args.size() != types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expects ", types.size(), " arguments, but ", args.size(), " is provided"));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].dtype() == types[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat("Expects arg[", i, "] to be ", dtype_name(types[i]),
                                                   " but ", dtype_name(args[i].dtype()), " is provided"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int> SlotCalls::find_device(const std::string& name) const {
  const auto& devices = slot_->session->devices->entries();
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].name == name) return static_cast<int>(i);
  }
  const auto wanted = DeviceName::parse(name);
  for (size_t i = 0; wanted && i < devices.size(); ++i) {
    const auto have = DeviceName::parse(devices[i].name);
    if (have && wanted->is_specification_of(*have)) return static_cast<int>(i);
  }
  return absl::InvalidArgumentError(absl::StrCat(name, " unknown device."));
}

std::vector<int> SlotCalls::devices_of(const std::vector<Tensor>& args) const {
  std::vector<int> out;
  const DeviceSet& devices = *slot_->session->devices;
  if (devices.size() < 2) return out;
  out.assign(args.size(), -1);
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].dtype() != DataType::kResource || args[i].num_elements() == 0) continue;
    for (int d = 0; d < devices.size(); ++d) {
      if (devices.at(d)->name() == args[i].flat<ResourceHandle>()[0].device) out[i] = d;
    }
  }
  return out;
}

void SlotCalls::call(const FunctionRef& function, const std::string& device, std::vector<Tensor> args,
                     Done done) {
  if (depth_ >= kMaxCallDepth) {
    return done(
        absl::ResourceExhaustedError(absl::StrCat("Function ", function.name, " is called ", kMaxCallDepth,
                                                  " calls deep: recursion without end?")),
        {});
  }
  if (root_->nested_.load(std::memory_order_relaxed) >= kMaxNestedSteps) {
    return done(absl::ResourceExhaustedError(absl::StrCat("Function ", function.name, ": more than ",
                                                          kMaxNestedSteps, " calls at once")),
                {});
  }
  auto where = find_device(device);
  if (!where.ok()) return done(where.status(), {});
  if (slot_->code->functions == nullptr) {
    return done(absl::NotFoundError(absl::StrCat("Function ", function.name, " is not defined.")), {});
  }
  std::vector<int> arg_devices = devices_of(args);
  auto nested = std::make_shared<Nested>();
  nested->function = function.name;
  nested->args = std::move(args);
  nested->done = std::move(done);
  FunctionCache& functions = *slot_->session->functions;
  if (auto code = functions.find(function, *where, arg_devices)) return go_on(*code, nested);
  // A step that is cancelled does not wait for the compiler.
  nested->heard_by = slot_->token.register_callback([nested] {
    if (nested->taken.exchange(true)) return;
    // The compiler holds the call until it is through; what it was called with is not kept so long.
    nested->args.clear();
    std::exchange(nested->done, nullptr)(cancelled_with_caller(), {});
  });
  if (!nested->heard_by) return nested->done(cancelled_with_caller(), {});
  functions.compile_then(slot_->session, slot_->code->functions, function, *where, std::move(arg_devices),
                         [this, nested](absl::StatusOr<FunctionCode*> code) {
                           // Cancelled: the step may be over, and this object gone.
                           if (nested->taken.exchange(true)) return;
                           slot_->token.deregister(*std::exchange(nested->heard_by, std::nullopt));
                           go_on(code, nested);
                         });
}

void SlotCalls::go_on(const absl::StatusOr<FunctionCode*>& code, const std::shared_ptr<Nested>& nested) {
  if (!code.ok()) return nested->done(code.status(), {});
  try {
    begin(*code, nested);
  } catch (...) {
    abandon(nested.get(), thrown_status("the call of a function"));
  }
}

/// A nested step has its caller's pool and surroundings. Its first call goes on where the caller runs; others
/// may run beside it.
void SlotCalls::prepare(StepSlot* slot, bool share_thread) {
  slot->pool = slot_->pool;
  slot->unit->set_pool(slot_->pool);
  if (share_thread || slot_->inline_only) slot->unit->set_lender(LentThread::lender_of(slot_->unit));
  slot->inline_only = slot_->inline_only;
  slot->collect_stats = slot_->collect_stats;
  slot->outer_step_id = slot_->outer_step_id != 0 ? slot_->outer_step_id : slot_->step_id();
  for (auto& state : slot->step_states) state->step_container = slot_->step_states[0]->step_container;
  auto* calls = static_cast<SlotCalls*>(slot->functions.get());
  calls->depth_ = depth_ + 1;
  calls->root_ = root_;
}

void SlotCalls::begin(FunctionCode* code, std::shared_ptr<Nested> nested) {
  nested->code = code;
  nested->slot = code->acquire(slot_->session);
  StepSlot* slot = nested->slot.get();
  if (absl::Status s = check_args(nested->args, slot->code->feed_types); !s.ok()) {
    nested->code->release(nested->slot);
    return nested->done(annotate(s, absl::StrCat("Function ", nested->function, ": ")), {});
  }
  for (size_t i = 0; i < nested->args.size(); ++i) slot->args[i] = std::move(nested->args[i]);
  root_->nested_.fetch_add(1, std::memory_order_relaxed);
  nested->counted = true;
  prepare(slot, calls_out_.fetch_add(1, std::memory_order_relaxed) == 0);
  const int64_t id = slot_->session->gate.new_step_id(RunGate::stripe_of_thread());
  slot->begin(id, {});
  root_->note_running(slot, true);
  slot->when_finished = [this, nested] { finish(nested.get()); };
  CancellationToken* token = &slot_->token;
  nested->heard_by = token->register_callback(
      [token, slot, id] { cancel_nested(slot->shared_from_this(), id, token->reason()); });
  if (!nested->heard_by) {
    slot->status = token->reason();
    return slot->signal_finished();
  }
  start(slot);
}

/// Of a call that has thrown before its step began: the slot is not used again.
void SlotCalls::abandon(Nested* nested, absl::Status why) {
  if (nested->heard_by) slot_->token.deregister(*nested->heard_by);
  if (nested->counted) {
    calls_out_.fetch_sub(1, std::memory_order_relaxed);
    root_->nested_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (nested->slot != nullptr) {
    root_->note_running(nested->slot.get(), false);
    discard_slot(std::exchange(nested->slot, nullptr));
  }
  if (Done done = std::move(nested->done)) done(std::move(why), {});
}

/// As StepLease::run does for the steps of callers.
void SlotCalls::start(StepSlot* slot) {
  GoFirst first;
  slot->start();
}

void SlotCalls::finish(Nested* nested) {
  std::shared_ptr<StepSlot> slot = std::move(nested->slot);
  if (nested->heard_by) slot_->token.deregister(*nested->heard_by);
  absl::Status status = std::exchange(slot->status, absl::OkStatus());
  std::vector<Tensor> results(slot->retvals.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = std::move(slot->retvals[i]);
    slot->retvals[i] = Tensor();
    if (status.ok() && !results[i].initialized())
      status = absl::InvalidArgumentError(absl::StrCat("Retval[", i, "] does not have value"));
  }
  for (auto& state : slot->step_states) {
    if (state->used_step_container.exchange(false)) root_->note_container(state->device);
  }
  if (slot->collect_stats) root_->note_timings(*slot);
  root_->note_running(slot.get(), false);
  slot->end();
  slot->unit->set_lender(nullptr);
  calls_out_.fetch_sub(1, std::memory_order_relaxed);
  root_->nested_.fetch_sub(1, std::memory_order_relaxed);
  const bool cancelled = slot_->token.cancelled();
  if (slot->life.broken()) {
    discard_slot(slot);
  } else {
    nested->code->release(slot);
  }
  if (!status.ok() && cancelled) {
    status = cancelled_with_caller();
  } else if (!status.ok() && !absl::StartsWith(status.message(), "{{function_node ")) {
    status = annotate(status, absl::StrCat("{{function_node ", nested->function, "}} "));
  }
  // The caller may be over, and gone, as soon as it hears this.
  Done done = std::move(nested->done);
  GoFirst first;
  (void)guarded("a function's caller", [&] {
    done(std::move(status), std::move(results));
    return absl::OkStatus();
  });
}

void SlotCalls::note_running(StepSlot* nested, bool runs) {
  std::lock_guard lock(mu_);
  if (runs) {
    running_.insert(nested);
  } else {
    running_.erase(nested);
  }
}

std::vector<std::shared_ptr<StepSlot>> SlotCalls::running(size_t limit) {
  std::lock_guard lock(mu_);
  std::vector<StepSlot*> all(running_.begin(), running_.end());
  auto depth = [](const StepSlot* s) { return static_cast<const SlotCalls*>(s->functions.get())->depth_; };
  const size_t n = std::min(limit, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(n), all.end(),
                    [&](const StepSlot* a, const StepSlot* b) { return depth(a) > depth(b); });
  std::vector<std::shared_ptr<StepSlot>> out;
  for (size_t i = 0; i < n; ++i) out.push_back(all[i]->shared_from_this());
  return out;
}

void SlotCalls::note_container(Device* device) {
  std::lock_guard lock(mu_);
  any_container_.store(true, std::memory_order_relaxed);
  if (std::find(used_containers_.begin(), used_containers_.end(), device) == used_containers_.end())
    used_containers_.push_back(device);
}

void SlotCalls::note_timings(const StepSlot& nested) {
  std::lock_guard lock(mu_);
  for (size_t i = 0; i < nested.states.size(); ++i) {
    timings_.push_back({nested.code->partitions[i], nested.states[i]->timings()});
  }
}

std::vector<NestedTimings> SlotCalls::take_timings() {
  std::lock_guard lock(mu_);
  return std::exchange(timings_, {});
}

void SlotCalls::clear_containers() {
  // Whoever wanted them has them.
  if (slot_->collect_stats) take_timings();
  if (!any_container_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mu_);
  for (Device* d : used_containers_) d->resources().clear_container(slot_->container);
  used_containers_.clear();
  any_container_.store(false, std::memory_order_relaxed);
}

Services& SlotCalls::services() const { return *slot_->session->services; }

std::string SlotCalls::serialized_library() const {
  if (slot_->code->functions == nullptr) return "";
  pb::FunctionDefLibrary proto;
  slot_->code->functions->library()->to_proto(&proto);
  return proto.SerializeAsString();
}

std::string SlotCalls::serialized_config() const { return slot_->session->options.config; }

std::vector<std::string> SlotCalls::input_names(const KernelNode& node) const {
  for (const auto& partition : slot_->code->partitions) {
    for (int i = 0; i < partition->num_nodes(); ++i) {
      // A stateful kernel may have been made by another signature, with a node of the same name.
      if (&partition->info(i) == &node || partition->info(i).name == node.name) {
        std::vector<std::string> names;
        const auto sources = partition->sources(std::array{i});
        for (const CompiledPartition::Source& source : sources[0])
          names.push_back(partition->name_of(source));
        return names;
      }
    }
  }
  return {};
}

}  // namespace troupe
