#include "actors/session_table.h"

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Names of both kinds in one table; "": none.
std::string handle_key(const SessionOptions& options) {
  return options.handle.empty() ? "" : absl::StrCat("handle ", options.handle);
}

std::string metadata_key(const SessionOptions& options) {
  if (!options.has_metadata) return "";
  return absl::StrCat("version ", options.metadata_version, " of ", options.metadata_name);
}

}  // namespace

void SessionTable::add(const std::shared_ptr<SessionCore>& core) {
  std::lock_guard lock(mu_);
  core->at = all_.insert(all_.end(), core);
  for (const std::string& name : {handle_key(*core->options), metadata_key(*core->options)}) {
    if (!name.empty()) by_name_[name] = *core->at;
  }
}

void SessionTable::remove(SessionCore& core) {
  if (!core.at) return;
  std::lock_guard lock(mu_);
  for (const std::string& name : {handle_key(*core.options), metadata_key(*core.options)}) {
    const auto known = by_name_.find(name);
    // Another may bear it: names are free again when a session closes.
    if (known != by_name_.end() && known->second == *core.at) by_name_.erase(known);
  }
  all_.erase(*core.at);
  core.at.reset();
}

std::vector<std::shared_ptr<SessionCore>> SessionTable::all() const {
  std::vector<std::shared_ptr<SessionCore>> out;
  std::lock_guard lock(mu_);
  // Before any is held: the last reference must not go while this is locked.
  out.reserve(all_.size());
  for (const auto& weak : all_) {
    if (auto core = weak.lock()) out.push_back(std::move(core));
  }
  return out;
}

std::shared_ptr<SessionCore> SessionTable::find_handle(const SessionOptions& options) const {
  return find_open(handle_key(options));
}

std::shared_ptr<SessionCore> SessionTable::find_metadata(const SessionOptions& options) const {
  return find_open(metadata_key(options));
}

std::shared_ptr<SessionCore> SessionTable::find_open(const std::string& name) const {
  if (name.empty()) return nullptr;
  std::shared_ptr<SessionCore> core;
  {
    std::lock_guard lock(mu_);
    if (const auto known = by_name_.find(name); known != by_name_.end()) core = known->second->lock();
  }
  return core != nullptr && !core->closed() ? core : nullptr;
}

}  // namespace troupe
