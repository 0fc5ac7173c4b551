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
  StepLease lease;
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
    const bool was_running = order.slot->life.cancel(order.id, std::move(order.reason)) != 0;
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

std::vector<int> SlotCalls::devices_of(const DeviceSet& devices, const std::vector<Tensor>& args) {
  std::vector<int> out;
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
  std::vector<int> arg_devices = devices_of(*slot_->session->devices, args);
  auto nested = std::make_shared<Nested>();
  nested->function = function.name;
  nested->args = std::move(args);
  nested->done = std::move(done);
  FunctionCache& functions = *slot_->session->functions;
  if (auto code = functions.find(function, *where, arg_devices)) return go_on(*code, nested);
  // A step that is cancelled does not wait for the compiler.
  nested->heard_by = slot_->life.token().token().register_callback([nested] {
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
                           slot_->life.token().token().deregister(
                               *std::exchange(nested->heard_by, std::nullopt));
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
Surroundings SlotCalls::surroundings(bool share_thread) const {
  Surroundings around;
  around.pool = slot_->pool;
  around.lent_pool = slot_->lent_pool;
  around.priority = slot_->priority;
  around.loops = slot_->loops;
  around.inline_only = slot_->inline_only;
  around.collect_stats = slot_->collect_stats;
  around.allocations = slot_->allocations;
  if (share_thread || slot_->inline_only) around.lender = LentThread::lender_of(slot_->unit);
  around.outer_step_id = slot_->outer_step_id != 0 ? slot_->outer_step_id : slot_->life.id();
  around.step_container = slot_->step_states[0]->step_container;
  return around;
}

void SlotCalls::begin(FunctionCode* code, std::shared_ptr<Nested> nested) {
  nested->lease = code->lease(slot_->session);
  StepSlot* slot = nested->lease.slot().get();
  if (absl::Status s = nested->lease.load_arguments(std::move(nested->args)); !s.ok()) {
    nested->lease.give_back();
    return nested->done(annotate(s, absl::StrCat("Function ", nested->function, ": ")), {});
  }
  auto* calls = static_cast<SlotCalls*>(slot->functions.get());
  calls->depth_ = depth_ + 1;
  calls->root_ = root_;
  root_->nested_.fetch_add(1, std::memory_order_relaxed);
  nested->counted = true;
  nested->lease.begin(surroundings(calls_out_.fetch_add(1, std::memory_order_relaxed) == 0));
  root_->note_running(slot, true);
  slot->when_finished = [this, nested] { finish(nested.get()); };
  CancellationToken* token = &slot_->life.token().token();
  nested->heard_by = token->register_callback(
      [token, slot, id = slot->life.id()] { cancel_nested(slot->shared_from_this(), id, token->reason()); });
  // As StepLease::run does for the steps of callers.
  GoFirst first;
  if (nested->heard_by) return slot->life.start();
  slot->life.refuse(token->reason());
  slot->signal_finished();
}

/// Of a call that has thrown before its step began.
void SlotCalls::abandon(Nested* nested, absl::Status why) {
  if (nested->heard_by) slot_->life.token().token().deregister(*nested->heard_by);
  if (nested->counted) {
    calls_out_.fetch_sub(1, std::memory_order_relaxed);
    root_->nested_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (nested->lease) {
    root_->note_running(nested->lease.slot().get(), false);
    nested->lease.discard();
  }
  if (Done done = std::move(nested->done)) done(std::move(why), {});
}

void SlotCalls::finish(Nested* nested) {
  StepSlot& slot = *nested->lease.slot();
  if (nested->heard_by) slot_->life.token().token().deregister(*nested->heard_by);
  root_->note_end(slot);
  std::vector<Tensor> results(slot.retvals.size());
  absl::Status status = nested->lease.take(results, nullptr);
  calls_out_.fetch_sub(1, std::memory_order_relaxed);
  root_->nested_.fetch_sub(1, std::memory_order_relaxed);
  if (!status.ok() && slot_->life.token().token().cancelled()) {
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

/// What a nested step, which has ended, leaves to the outermost: its place, timings, and the containers that it used.
void SlotCalls::note_end(StepSlot& nested) {
  std::lock_guard lock(mu_);
  running_.erase(&nested);
  for (auto& state : nested.step_states) {
    if (!state->used_step_container.exchange(false)) continue;
    any_container_.store(true, std::memory_order_relaxed);
    if (std::find(used_containers_.begin(), used_containers_.end(), state->device) == used_containers_.end())
      used_containers_.push_back(state->device);
  }
  if (!nested.collect_stats) return;
  for (const auto& [type, n] : nested.unit->tally.counts()) slot_->unit->tally.add(*type, n);
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

std::string SlotCalls::serialized_config() const { return slot_->session->options->config; }

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
