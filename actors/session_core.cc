#include "actors/session_core.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/session_handles.h"
#include "graph/ir/names.h"

namespace troupe {

const std::shared_ptr<const SessionOptions>& SessionCore::default_options() {
  static const auto& options = *new std::shared_ptr<const SessionOptions>(std::make_shared<SessionOptions>());
  return options;
}

SessionCore::~SessionCore() { meter->add_gone_runs(gate.runs()); }

absl::StatusOr<RunGate::Place> SessionCore::enter(int stripe) {
  if (RunGate::Place place = gate.enter(stripe)) return place;
  return absl::CancelledError("Session has been closed.");
}

absl::StatusOr<RunGate::Place> SessionCore::enter_run(int stripe) {
  auto place = enter(stripe);
  if (!place.ok()) return place;
  if (absl::Status s = check_graph(); !s.ok()) return s;
  gate.count_run(stripe);
  return place;
}

absl::Status SessionCore::check_graph() const {
  if (has_graph.load(std::memory_order_acquire)) return absl::OkStatus();
  return absl::InvalidArgumentError("Session was not created with a graph before Run()!");
}

std::string SessionCore::name() const { return options->handle.empty() ? absl::StrCat(id) : options->handle; }

void SessionCore::warn_once(std::span<const std::string> texts) {
  if (texts.empty()) return;
  std::vector<std::string> fresh;
  {
    std::lock_guard lock(mu_);
    if (warned_ == nullptr) warned_ = std::make_unique<std::set<std::string>>();
    std::ranges::copy_if(texts, std::back_inserter(fresh),
                         [&](const std::string& text) { return warned_->insert(text).second; });
  }
  for (const std::string& text : fresh) spdlog::warn("session {}: {}", name(), text);
}

absl::Status SessionCore::check_not_finalized() const {
  if (!finalized.load(std::memory_order_acquire)) return absl::OkStatus();
  return absl::FailedPreconditionError("Session has been finalized.");
}

void SessionCore::note_cancel(absl::Status reason) {
  std::lock_guard lock(mu_);
  last_cancel_ = std::move(reason);
  cancels_.fetch_add(1, std::memory_order_seq_cst);
}

absl::Status SessionCore::last_cancel() const {
  std::lock_guard lock(mu_);
  return last_cancel_;
}

std::chrono::steady_clock::time_point SessionCore::now() const { return system->clock().now(); }

SessionCounters SessionCore::counters() const {
  SessionCounters c;
  c.runs = gate.runs();
  c.signatures = signatures.size();
  c.signature_hits = signatures.hits();
  c.signature_misses = signatures.misses();
  c.evictions = signatures.evictions();
  c.running_steps = gate.running();
  c.step_slots = slot_counts.now.load(std::memory_order_relaxed);
  c.most_step_slots = slot_counts.most.load(std::memory_order_relaxed);
  return c;
}

std::vector<DeviceInfo> SessionCore::device_infos() const {
  std::vector<DeviceInfo> infos;
  for (int i = 0; i < devices->size(); ++i) {
    const DeviceAttributes& a = devices->at(i)->attributes();
    infos.push_back({a.name, a.type, a.memory_limit_bytes, a.incarnation});
  }
  return infos;
}

absl::StatusOr<NamedPool*> SessionCore::pool(int index) const {
  if (index == -1) return pools[0].get();
  if (index < -1 || index >= static_cast<int>(pools.size())) {
    return absl::InvalidArgumentError(absl::StrCat("Invalid inter_op_thread_pool: ", index));
  }
  return pools[index].get();
}

std::vector<std::weak_ptr<StepSlot>> SessionCore::slots() {
  std::lock_guard lock(mu_);
  return slots_;
}

void SessionCore::add_slot(const std::shared_ptr<StepSlot>& slot) {
  std::lock_guard lock(mu_);
  if (slots_.size() >= sweep_slots_at_) {
    std::erase_if(slots_, [](const std::weak_ptr<StepSlot>& s) { return s.expired(); });
    sweep_slots_at_ = std::max(kFewSlots, 2 * slots_.size());
  }
  slots_.push_back(slot);
}

CallableHandle SessionCore::add_callable(std::shared_ptr<const CallableCode> callable) {
  std::lock_guard lock(mu_);
  callables_.emplace(next_callable_, std::move(callable));
  return next_callable_++;
}

absl::StatusOr<std::shared_ptr<const CallableCode>> SessionCore::callable(CallableHandle handle) const {
  std::lock_guard lock(mu_);
  if (auto it = callables_.find(handle); it != callables_.end()) return it->second;
  if (handle < 0 || handle >= next_callable_) {
    return absl::InvalidArgumentError(absl::StrCat("No such callable handle: ", handle));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Attempted to run callable after handle was released: ", handle));
}

absl::Status SessionCore::release_callable(CallableHandle handle) {
  decltype(callables_)::node_type released;  // freed outside the lock
  std::lock_guard lock(mu_);
  if (handle < 0 || handle >= next_callable_) {
    return absl::InvalidArgumentError(absl::StrCat("No such callable handle: ", handle));
  }
  released = callables_.extract(handle);
  return absl::OkStatus();
}

void SessionCore::release_callables() {
  decltype(callables_) released;  // freed outside the lock
  std::lock_guard lock(mu_);
  released.swap(callables_);
}

absl::Status cancelled_by_caller(absl::string_view reason) {
  constexpr char kWhat[] = "Run call was cancelled";
  return absl::CancelledError(reason.empty() ? std::string(kWhat) : absl::StrCat(kWhat, ": ", reason));
}

absl::Status check_callable(const CallableCode& callable, size_t num_feeds) {
  const size_t expected = callable.alias->feed_at.size();
  if (num_feeds == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Expected ", expected, " feed tensors, but got ", num_feeds, "."));
}

absl::StatusOr<Tensor> fed_tensor(const SessionCore& core, const Tensor& value) {
  // A handle of a session elsewhere says something there.
  if (value.dtype() != DataType::kResource || core.master != nullptr) return value;
  if (value.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A resource handle to be fed must be a scalar, but it has shape ", value.shape().to_string()));
  }
  const ResourceHandle& handle = value.flat<ResourceHandle>()[0];
  if (handle.container == "TensorHandle") return core.tensors.get(handle.name);
  return absl::InvalidArgumentError(absl::StrCat(
      "Invalid resource type hash code: ", handle.hash_code, "(name: ", handle.name,
      " type: ", handle.maybe_type_name,
      "). Perhaps a resource tensor was being provided as a feed? That is not currently allowed."));
}

void keep_session_handles(StepSlot& slot, std::span<const std::string> fetches) {
  for (const auto& state : slot.step_states) {
    if (!state->used_step_container.load(std::memory_order_relaxed)) continue;
    auto handles = StepHandles::find(state->device->resources(), slot.container);
    if (handles == nullptr) continue;
    for (const std::string& f : fetches) handles->keep(parse_tensor_name(f).node);
  }
}

bool wait_for_runs(SessionCore& core, std::chrono::milliseconds patience) {
  if (core.gate.wait_idle(patience)) return true;
  std::vector<std::string> steps;
  for (const auto& weak : core.slots()) {
    const auto slot = weak.lock();
    const StepReport report = slot == nullptr ? StepReport() : slot->report_from_outside();
    if (report.step_id == 0) continue;
    steps.push_back(absl::StrCat("step ", report.step_id, " (fetches ", absl::StrJoin(report.fetches, ", "),
                                 "; targets ", absl::StrJoin(report.targets, ", "), "; ",
                                 absl::StrJoin(report.frontier, "; "), ")"));
  }
  spdlog::error("session {}: {} runs did not end within {} ms: {}", core.name(), core.gate.running(),
                patience.count(), absl::StrJoin(steps, ", "));
  return false;
}

}  // namespace troupe
