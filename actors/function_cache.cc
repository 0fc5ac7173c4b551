#include "actors/function_cache.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/compile_plan.h"
#include "actors/make_slot.h"
#include "actors/session_core.h"
#include "graph/passes/planner.h"
#include "graph/thrown.h"

namespace troupe {

StepLease FunctionCode::lease(const std::shared_ptr<SessionCore>& core) {
  auto slot = slots_.take();
  if (slot == nullptr) slot = make_slot(code_, core, core->pools[0].get());
  return {std::move(slot), &slots_};
}

absl::StatusOr<FunctionCode*> FunctionCache::Entry::result() {
  if (!code.status_.ok()) return code.status_;
  return &code;
}

FunctionCache::Entry* FunctionCache::peek(const FunctionRef& function, int device,
                                          const std::vector<int>& arg_devices) {
  auto known = entries_.find(function.name);
  if (known == entries_.end()) return nullptr;
  for (const auto& e : known->second) {
    if (e->code.device_ == device && e->code.arg_devices_ == arg_devices && e->code.function_ == function)
      return e.get();
  }
  return nullptr;
}

std::optional<absl::StatusOr<FunctionCode*>> FunctionCache::find(const FunctionRef& function, int device,
                                                                 const std::vector<int>& arg_devices) {
  std::lock_guard lock(mu_);
  Entry* entry = peek(function, device, arg_devices);
  if (entry == nullptr || !entry->compiled) return std::nullopt;
  return entry->result();
}

void FunctionCache::compile_then(const std::shared_ptr<SessionCore>& core,
                                 const std::shared_ptr<const Graph>& graph, const FunctionRef& function,
                                 int device, std::vector<int> arg_devices, Ready ready) {
  Entry* entry = nullptr;
  {
    std::unique_lock lock(mu_);
    if ((entry = peek(function, device, arg_devices)) != nullptr) {
      if (!entry->compiled) {
        entry->waiters.push_back(std::move(ready));
        return;
      }
      lock.unlock();
      return ready(entry->result());
    }
    auto& known = entries_[function.name];
    known.push_back(std::make_unique<Entry>());
    entry = known.back().get();
    entry->code.function_ = function;
    entry->code.device_ = device;
    entry->code.arg_devices_ = std::move(arg_devices);
    entry->waiters.push_back(std::move(ready));
  }
  // Planning may take long, and those who wait have threads to go on with.
  core->compilers->run([this, core, graph, entry] { compile(core, *graph, entry); });
}

void FunctionCache::compiled(Entry* entry) {
  std::vector<Ready> waiters;
  {
    std::lock_guard lock(mu_);
    entry->compiled = true;
    if (stopped_) entry->code.slots_.stop();
    waiters.swap(entry->waiters);
  }
  for (Ready& w : waiters) {
    // Each answers for what it throws: the others are to hear all the same.
    (void)guarded("a function's caller", [&] {
      w(entry->result());
      return absl::OkStatus();
    });
  }
}

void FunctionCache::compile(const std::shared_ptr<SessionCore>& core, const Graph& graph, Entry* entry) {
  FunctionCode& f = entry->code;
  const auto& devices = core->devices->entries();
  FunctionInstance instance;
  instance.function = f.function_;
  instance.device = devices[f.device_].name;
  for (int d : f.arg_devices_) instance.arg_devices.push_back(d < 0 ? "" : devices[d].name);
  std::shared_ptr<SignatureCode> code;
  std::vector<RemoteTasks::Part> elsewhere;
  auto work = [&]() -> absl::Status {
    TROUPE_ASSIGN_OR_RETURN(Plan plan, plan_function(graph, instance, *core->devices, core->evaluator.get(),
                                                     plan_options(*core)));
    TROUPE_ASSIGN_OR_RETURN(code, compile_plan(*core, graph, std::move(plan), &f.stateful_, &elsewhere));
    code->feeds.resize(code->feed_types.size());
    code->fetches.resize(code->fetch_types.size());
    for (RemoteTasks::Part& part : elsewhere) {
      part.num_feeds = static_cast<int>(code->feeds.size());
      part.num_fetches = static_cast<int>(code->fetches.size());
    }
    f.code_ = code;
    return absl::OkStatus();
  };
  try {
    f.status_ = work();
  } catch (const std::exception& e) {
    f.status_ = absl::ResourceExhaustedError(absl::StrCat("compiling the function failed: ", e.what()));
  }
  if (!f.status_.ok() || elsewhere.empty()) return compiled(entry);
  using Parts = std::vector<std::shared_ptr<const RemotePart>>;
  core->remote->register_parts(std::move(elsewhere), [this, core, entry, code](absl::StatusOr<Parts> parts) {
    if (parts.ok())
      code->remotes = *std::move(parts);
    else
      entry->code.status_ = parts.status();
    // Not on the thread that brings the answer: calls go on from here.
    core->compilers->run([this, core, entry] { compiled(entry); });
  });
}

void FunctionCache::for_each_stock(absl::FunctionRef<void(SlotStock&)> look) {
  std::lock_guard lock(mu_);
  for (auto& [name, known] : entries_) {
    for (auto& e : known) look(e->code.slots_);
  }
}

void FunctionCache::stop() {
  {
    std::lock_guard lock(mu_);
    stopped_ = true;
  }
  for_each_stock([](SlotStock& stock) { stock.stop(); });
}

}  // namespace troupe
