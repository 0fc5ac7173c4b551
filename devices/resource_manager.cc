#include "devices/resource_manager.h"

namespace troupe {
namespace {

std::string full_name(const std::string& container, const std::string& name, absl::string_view type_name) {
  return absl::StrCat(container, "/", name, "/", type_name);
}

}  // namespace

int64_t ResourceManager::next_private_number() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<Resource> ResourceManager::peek(const std::string& container, uint64_t type,
                                                const std::string& name) const {
  auto c = containers_.find(container);
  if (c == containers_.end()) return nullptr;
  auto r = c->second.find(key(type, name));
  return r == c->second.end() ? nullptr : r->second;
}

absl::Status ResourceManager::insert(const std::string& container, const std::string& name, uint64_t type,
                                     const char* type_name, std::shared_ptr<Resource> resource) {
  std::lock_guard lock(mu_);
  if (!containers_[container].emplace(key(type, name), std::move(resource)).second) {
    return absl::AlreadyExistsError(absl::StrCat("Resource ", full_name(container, name, type_name)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Resource>> ResourceManager::find(const std::string& container,
                                                                const std::string& name, uint64_t type,
                                                                const char* type_name) const {
  std::lock_guard lock(mu_);
  auto c = containers_.find(container);
  if (c == containers_.end()) {
    return absl::NotFoundError(absl::StrCat(
        "Container ", container, " does not exist. (Could not find resource: ", container, "/", name, ")"));
  }
  auto r = c->second.find(key(type, name));
  if (r == c->second.end()) {
    return absl::NotFoundError(
        absl::StrCat("Resource ", full_name(container, name, type_name), " does not exist."));
  }
  return r->second;
}

absl::Status ResourceManager::erase(const std::string& container, const std::string& name, uint64_t type,
                                    const char* type_name) {
  std::shared_ptr<Resource> dying;  // its destructor runs outside the lock
  std::lock_guard lock(mu_);
  auto c = containers_.find(container);
  if (c == containers_.end()) {
    return absl::NotFoundError(absl::StrCat("Container ", container, " does not exist."));
  }
  auto r = c->second.find(key(type, name));
  if (r == c->second.end()) {
    return absl::NotFoundError(
        absl::StrCat("Resource ", full_name(container, name, type_name), " does not exist."));
  }
  dying = std::move(r->second);
  c->second.erase(r);
  return absl::OkStatus();
}

absl::Status ResourceManager::remove(const ResourceHandle& handle) {
  return erase(handle.container, handle.name, handle.hash_code, "<unknown>");
}

void ResourceManager::clear_container(const std::string& container) {
  absl::flat_hash_map<Key, std::shared_ptr<Resource>> dying;
  std::lock_guard lock(mu_);
  auto c = containers_.find(container);
  if (c == containers_.end()) return;
  dying = std::move(c->second);
  containers_.erase(c);
}

void ResourceManager::clear() {
  decltype(containers_) dying;
  std::lock_guard lock(mu_);
  dying.swap(containers_);
}

size_t ResourceManager::size() const {
  std::lock_guard lock(mu_);
  size_t n = 0;
  for (const auto& c : containers_) n += c.second.size();
  return n;
}

}  // namespace troupe
