#include "actors/node/peers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/cluster/chunk.h"
#include "actors/node/read_aside.h"
#include "graph/status.h"

namespace troupe {

std::string NodePeer::name() const {
  if (called) return called->to_string();
  return id ? id->to_string() : "a connection";
}

std::vector<uint64_t> strangers(const std::map<uint64_t, NodePeer>& peers) {
  std::vector<uint64_t> out;
  for (const auto& [serial, peer] : peers) {
    if (!peer.id && !peer.called) out.push_back(serial);
  }
  return out;
}

std::vector<uint64_t> strangers_since(const std::map<uint64_t, NodePeer>& peers,
                                      std::chrono::steady_clock::time_point then) {
  std::vector<uint64_t> out;
  for (const auto& [serial, peer] : peers) {
    if (!peer.id && peer.since < then) out.push_back(serial);
  }
  return out;
}

absl::Status check_client(const std::map<uint64_t, NodePeer>& peers, size_t max_clients) {
  if (max_clients == 0) return absl::PermissionDeniedError("it takes no clients");
  const auto clients =
      std::count_if(peers.begin(), peers.end(), [](const auto& peer) { return peer.second.is_client(); });
  if (static_cast<size_t>(clients) < max_clients) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("it has ", clients, " clients and takes no more"));
}

absl::Status check_peer(const NodePeer& peer, const PeerId& says, const ClusterSpec& cluster) {
  if (peer.called && says.task != peer.called)
    return absl::FailedPreconditionError(absl::StrCat("at its address is ", says.to_string()));
  if (!says.task) return absl::OkStatus();
  const auto address = cluster.address(*says.task);
  if (!address.ok()) {
    return absl::PermissionDeniedError(
        absl::StrCat("it says that it is ", says.to_string(), ": ", address.status().message()));
  }
  return peer.line->check_host(address->host);
}

std::vector<uint64_t> peers_elsewhere(const std::map<uint64_t, NodePeer>& peers, const TaskId& task,
                                      const ClusterSpec& cluster) {
  const auto now = cluster.address(task);
  std::vector<uint64_t> out;
  for (const auto& [serial, peer] : peers) {
    const bool is_it = peer.id ? peer.id->task == task : peer.called == task;
    const bool stays = peer.id && now.ok() && peer.address == now->to_string();
    if (is_it && !stays) out.push_back(serial);
  }
  return out;
}

std::vector<NodeSend> words_to_others(const std::map<uint64_t, NodePeer>& peers, const ClusterSpec& cluster,
                                      const TaskId& me, const absl::Cord& about_roster) {
  std::set<TaskId> known{me};
  for (const auto& [serial, peer] : peers) {
    if (peer.id && peer.id->task) known.insert(*peer.id->task);
  }
  std::vector<NodeSend> words;
  for (const TaskId& task : cluster.tasks()) {
    if (!known.contains(task))
      words.push_back({task, {MessageKind::kRoster, Method::kNone, 0, about_roster}, nullptr});
  }
  return words;
}

Invitation invite(const ClusterSpec& cluster, const std::optional<TaskId>& called) {
  if (!called) return {};
  return {cluster.to_string(), called->to_string()};
}

absl::Status flush_peer(NodePeer* peer) {
  const absl::Status written = peer->line->flush();
  peer->events->want_write(!written.ok() || peer->line->waits_to_write());
  return written;
}

void queue_question(NodePeer* peer, uint64_t id, NodeCall call) {
  if (call.incarnation != 0 && call.incarnation != peer->id->incarnation) {
    return call.done(absl::AbortedError(absl::StrCat(
        call.task.to_string(), " has been started again: what it had for this session is lost")));
  }
  peer->calls.emplace(id, std::move(call.done));
  peer->line->send({MessageKind::kRequest, call.method, id, std::move(call.body)},
                   [peer, id, task = call.task](const absl::Status& why) {
                     auto refused = peer->calls.extract(id);
                     if (!refused.empty())
                       refused.mapped()(annotate(why, absl::StrCat(task.to_string(), ": ")));
                   });
}

absl::Status hear_answer(NodePeer* peer, const NodeMessage& answer, BlockingPool& waiting) {
  auto call = peer->calls.extract(answer.id);
  if (call.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it answers question ", answer.id, ", which was not asked"));
  }
  const auto told = unpack_answer(answer.body);
  // An answer that is none is the answer.
  read_aside(answer.body.size(), waiting,
             [done = std::move(call.mapped()), told = told.ok() ? *told : told.status()] { done(told); });
  return told.status();
}

void queue_word(NodePeer* peer, NodeSend word) {
  Connection::Refused refused;
  // What goes in one piece there is room for.
  if (word.message.body.size() > kChunkBytes) {
    refused = [task = std::move(word.task), lost = std::move(word.lost)](const absl::Status& why) {
      lost(annotate(why, absl::StrCat(task.to_string(), ": ")));
    };
  }
  peer->line->send(word.message, std::move(refused));
}

void fail_calls(NodePeer* peer, const absl::Status& why) {
  for (auto& [id, done] : std::exchange(peer->calls, {})) done(why);
}

}  // namespace troupe
