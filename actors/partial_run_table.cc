#include "actors/partial_run_table.h"

namespace troupe {

void PartialRunTable::add(const std::string& handle, Entry entry) {
  std::lock_guard lock(mu_);
  runs_[handle] = std::move(entry);
}

std::optional<PartialRunTable::Entry> PartialRunTable::find(const std::string& handle) const {
  std::lock_guard lock(mu_);
  const auto it = runs_.find(handle);
  if (it == runs_.end()) return std::nullopt;
  return it->second;
}

std::optional<PartialRunTable::Entry> PartialRunTable::remove(const std::string& handle) {
  std::lock_guard lock(mu_);
  auto node = runs_.extract(handle);
  if (node.empty()) return std::nullopt;
  return std::move(node.mapped());
}

std::vector<PartialRunTable::Named> PartialRunTable::all() const {
  std::lock_guard lock(mu_);
  return {runs_.begin(), runs_.end()};
}

}  // namespace troupe
