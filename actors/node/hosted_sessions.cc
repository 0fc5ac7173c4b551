#include "actors/node/hosted_sessions.h"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "actors/node/status_proto.h"
#include "actors/session_core.h"
#include "graph/status.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// That a master is told of late.
constexpr size_t kMostLostValues = 4096;

}  // namespace

void HostedSession::end(const absl::Status& why) {
  runs->cancel_all(why);
  if (watcher) (*watcher)(why);
  for (auto& [id, part] : parts) part->signature->slots.stop();
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

void HostedSession::note_lost(const LinkLost& link) {
  lost_links[link.task] = link.why;
  tell_watcher();
}

void HostedSession::note_lost(const ValueLost& value) {
  // A master who does not ask has lost them.
  if (lost_values.size() >= kMostLostValues) lost_values.pop_front();
  lost_values.push_back(value);
  tell_watcher();
}

void HostedSession::watch(const NodeReply& reply) {
  watcher = reply;
  tell_watcher();
}

void HostedSession::tell_watcher() {
  if (!watcher || (lost_links.empty() && lost_values.empty())) return;
  wire::LostLink out;
  if (const auto link = lost_links.begin(); link != lost_links.end()) {
    out.set_task(link->first.to_string());
    to_proto(link->second, out.mutable_why());
    lost_links.erase(link);
  } else {
    out.set_step(lost_values.front().step);
    to_proto(lost_values.front().why, out.mutable_why());
    lost_values.pop_front();
  }
  (*std::exchange(watcher, std::nullopt))(pack(out));
}

absl::Status HostedSessions::check_new(uint64_t id, const PeerId& owner) const {
  if (sessions_.contains(id) || opening_.contains(id))
    return absl::AlreadyExistsError(absl::StrCat("the session ", absl::Hex(id), " is there already"));
  const auto is_his = [&](const auto& session) { return session.second.owner == owner; };
  const auto his = std::count_if(sessions_.begin(), sessions_.end(), is_his) +
                   std::count_if(opening_.begin(), opening_.end(), is_his);
  if (static_cast<size_t>(his) < most_of_peer_) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(owner.to_string(), " has ", his, " sessions on ",
                                                   task_.to_string(), " and gets no more: close one"));
}

void HostedSessions::begin(uint64_t id, const PeerId& owner) {
  opening_.emplace(id, Opening{owner, absl::OkStatus()});
}

absl::StatusOr<HostedSession*> HostedSessions::add(uint64_t id, const SessionActor& actor,
                                                   std::shared_ptr<SessionCore> core) {
  const Opening opened = std::move(opening_.extract(id).mapped());
  TROUPE_RETURN_IF_ERROR(opened.unwanted);
  HostedSession& session = sessions_[id];
  session.owner = opened.owner;
  session.actor = actor;
  session.core = std::move(core);
  return &session;
}

absl::Status HostedSessions::check_owner(uint64_t id, const PeerId& owner, const PeerId& who) const {
  if (owner == who) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("the session ", absl::Hex(id), " on ", task_.to_string(),
                                                  " is ", owner.to_string(), "'s, and ", who.to_string(),
                                                  " asks for it: its own are expected"));
}

absl::StatusOr<HostedSession*> HostedSessions::find(uint64_t id, const PeerId& who) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) {
    return absl::AbortedError(absl::StrCat(task_.to_string(), " does not have the session ", absl::Hex(id),
                                           ": it was started again, or had lost the session's master"));
  }
  TROUPE_RETURN_IF_ERROR(check_owner(id, found->second.owner, who));
  return &found->second;
}

HostedSession* HostedSessions::peek(uint64_t id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

absl::Status HostedSessions::remove(uint64_t id, const PeerId& who, const absl::Status& why) {
  if (const auto opening = opening_.find(id); opening != opening_.end()) {
    TROUPE_RETURN_IF_ERROR(check_owner(id, opening->second.owner, who));
    opening->second.unwanted = why;
  }
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return absl::OkStatus();
  TROUPE_RETURN_IF_ERROR(check_owner(id, found->second.owner, who));
  sessions_.extract(found).mapped().end(why);
  return absl::OkStatus();
}

void HostedSessions::lose(const IsLost& is_lost, const absl::Status& why) {
  std::vector<uint64_t> lost;
  for (const auto& [id, session] : sessions_) {
    if (is_lost(session.owner)) lost.push_back(id);
  }
  for (const uint64_t id : lost) sessions_.extract(id).mapped().end(why);
  for (auto& [id, opening] : opening_) {
    if (is_lost(opening.owner)) opening.unwanted = why;
  }
}

}  // namespace troupe
