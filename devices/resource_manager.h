#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "graph/tensor/resource_handle.h"

namespace troupe {

/// Something that lives longer than a step: a variable, a queue, a table. Locks itself.
class Resource {
 public:
  virtual ~Resource() = default;
  /// "Var", "Queue", ...: the type as messages name it.
  virtual std::string type_name() const = 0;
  virtual std::string debug_string() const { return type_name(); }
};

/// The resources of one device of one session, by container, type and name. Thread-safe.
class ResourceManager {
 public:
  explicit ResourceManager(std::string default_container = "localhost")
      : default_container_(std::move(default_container)) {}

  const std::string& default_container() const { return default_container_; }

  /// AlreadyExists "Resource c/n/T".
  template <class T>
  absl::Status create(const std::string& container, const std::string& name, std::shared_ptr<T> resource) {
    return insert(container, name, type_hash<T>(), T::kTypeName, std::move(resource));
  }
  /// NotFound "Container c does not exist. ..." or "Resource c/n/T does not exist.".
  template <class T>
  absl::StatusOr<std::shared_ptr<T>> lookup(const std::string& container, const std::string& name) const {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Resource> r, find(container, name, type_hash<T>(), T::kTypeName));
    return std::static_pointer_cast<T>(r);
  }
  /// `make` runs under the manager's lock: it must not call back. When it fails or throws, nothing is there. Internal when it
  /// gives null.
  template <class T>
  absl::StatusOr<std::shared_ptr<T>> lookup_or_create(
      const std::string& container, const std::string& name,
      const std::function<absl::StatusOr<std::shared_ptr<T>>()>& make) {
    std::lock_guard lock(mu_);
    if (std::shared_ptr<Resource> there = peek(container, type_hash<T>(), name))
      return std::static_pointer_cast<T>(there);
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<T> made, make());
    if (made == nullptr)
      return absl::InternalError(
          absl::StrCat("No resource ", container, "/", name, "/", T::kTypeName, " was made"));
    containers_[container].emplace(key(type_hash<T>(), name), made);
    return made;
  }
  template <class T>
  absl::Status remove(const std::string& container, const std::string& name) {
    return erase(container, name, type_hash<T>(), T::kTypeName);
  }
  /// By the fields of a handle, when the caller does not know the type.
  absl::Status remove(const ResourceHandle& handle);
  /// Drops all resources of the container; OK when there is none.
  void clear_container(const std::string& container);
  void clear();
  size_t size() const;

  /// hash_code of handles to T: FNV-1a of its kTypeName, the same in every process. No two types have one name.
  template <class T>
  static constexpr uint64_t type_hash() {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char* c = T::kTypeName; *c != 0; ++c)
      hash = (hash ^ static_cast<uint8_t>(*c)) * 0x100000001b3u;
    return hash;
  }
  /// A number that no other private resource of this process has, for names like "_7_queue".
  static int64_t next_private_number();

 private:
  using Key = std::pair<uint64_t, std::string>;
  static Key key(uint64_t type, const std::string& name) { return {type, name}; }
  /// Null when it is not there. With mu_ held.
  std::shared_ptr<Resource> peek(const std::string& container, uint64_t type, const std::string& name) const;
  absl::Status insert(const std::string& container, const std::string& name, uint64_t type,
                      const char* type_name, std::shared_ptr<Resource> resource);
  absl::StatusOr<std::shared_ptr<Resource>> find(const std::string& container, const std::string& name,
                                                 uint64_t type, const char* type_name) const;
  absl::Status erase(const std::string& container, const std::string& name, uint64_t type,
                     const char* type_name);

  const std::string default_container_;
  mutable std::mutex mu_;
  absl::flat_hash_map<std::string, absl::flat_hash_map<Key, std::shared_ptr<Resource>>>
      containers_;  // guarded by mu_
};

}  // namespace troupe
