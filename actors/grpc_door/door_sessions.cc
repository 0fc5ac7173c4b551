#include "actors/grpc_door/door_sessions.h"

#include "absl/strings/str_cat.h"
#include "actors/session_core.h"

namespace troupe {

SessionUse::SessionUse(std::shared_ptr<DoorSession> session) : session_(std::move(session)) {
  session_->calls.fetch_add(1);
}

SessionUse::~SessionUse() {
  session_->last_used.store(session_->core->now());
  session_->calls.fetch_sub(1);
}

absl::StatusOr<std::shared_ptr<SessionUse>> DoorSessions::use(const std::string& handle) const {
  std::lock_guard lock(mu_);
  const auto found = by_handle_.find(handle);
  if (found != by_handle_.end()) return std::make_shared<SessionUse>(found->second);
  return absl::AbortedError(absl::StrCat("Session ", handle, " is not found."));
}

absl::Status DoorSessions::reserve(const std::string& client) {
  std::lock_guard lock(mu_);
  if (by_handle_.size() + opening_ >= max_sessions_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The server has ", max_sessions_, " sessions, and takes no more: close one."));
  }
  if (!client.empty()) {
    size_t& his = by_client_[client];
    if (his >= max_sessions_per_client_) {
      return absl::ResourceExhaustedError(absl::StrCat("The client ", client, " has ",
                                                       max_sessions_per_client_,
                                                       " sessions, and gets no more: close one."));
    }
    ++his;
  }
  ++opening_;
  return absl::OkStatus();
}

void DoorSessions::count_out(const std::string& client) {
  const auto found = by_client_.find(client);
  if (found != by_client_.end() && --found->second == 0) by_client_.erase(found);
}

void DoorSessions::add(std::shared_ptr<DoorSession> session) {
  std::lock_guard lock(mu_);
  --opening_;
  by_handle_.emplace(session->handle, session);
}

void DoorSessions::unreserve(const std::string& client) {
  std::lock_guard lock(mu_);
  --opening_;
  count_out(client);
}

std::shared_ptr<DoorSession> DoorSessions::remove(const std::string& handle) {
  std::lock_guard lock(mu_);
  auto node = by_handle_.extract(handle);
  if (node.empty()) return nullptr;
  count_out(node.mapped()->client);
  return std::move(node.mapped());
}

std::vector<std::shared_ptr<DoorSession>> DoorSessions::all() const {
  std::lock_guard lock(mu_);
  std::vector<std::shared_ptr<DoorSession>> out;
  for (const auto& [handle, session] : by_handle_) out.push_back(session);
  return out;
}

absl::Status DoorSessions::track(const char* what, int64_t request_id) {
  if (request_id == 0) return absl::OkStatus();
  std::lock_guard lock(mu_);
  if (!ids_.insert(request_id).second) {
    return absl::AbortedError(
        absl::StrCat("The same ", what, " (Master) request was received twice. request_id: ", request_id));
  }
  ids_in_order_.push_back(request_id);
  if (ids_in_order_.size() > kRememberedIds) {
    ids_.erase(ids_in_order_.front());
    ids_in_order_.pop_front();
  }
  return absl::OkStatus();
}

absl::Status DoorSessions::told(const absl::Status& status) const {
  if (!stopping() || !absl::IsCancelled(status)) return status;
  return absl::AbortedError(absl::StrCat("The server is shutting down. ", status.message()));
}

}  // namespace troupe
