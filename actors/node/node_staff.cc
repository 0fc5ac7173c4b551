#include "actors/node/node_staff.h"

#include <caf/send.hpp>

#include "absl/strings/str_cat.h"
#include "actors/node/client_messages.h"
#include "actors/node/read_aside.h"

namespace troupe {

void NodeStaff::hand_on(const PeerId& from, uint64_t connection, const NodeMessage& m, const NodeReply& reply,
                        BlockingPool& pool, const TaskId& task) const {
  if (!worker || !clients)
    return reply(absl::UnavailableError(absl::StrCat(task.to_string(), " does not work yet")));
  if (!from.task) return caf::anon_send(clients, ClientRequest{connection, m.method, m.body, reply});
  // WORKER reads it on the thread that sends. What is not about parts comes before the loss of the peer.
  const bool of_part = m.method == Method::kRegisterPart || m.method == Method::kRunPart;
  read_aside(of_part ? m.body.size() : 0, pool,
             [worker = worker, request = WorkerRequest{from, m.method, m.body, reply}] {
               caf::anon_send(worker, request);
             });
}

void set_worker(const caf::actor& node, const caf::actor& worker, const caf::actor& clients) {
  caf::anon_send(node, NodeStaff{worker, clients});
}

void NodeStaff::tell_lost(const NodePeer& peer, uint64_t connection, const absl::Status& why) const {
  if (peer.called) {
    if (worker) caf::anon_send(worker, LinkLost{*peer.called, why});
  } else if (peer.is_client()) {
    if (clients) caf::anon_send(clients, ClientLost{connection});
  } else if (peer.id) {
    if (worker) caf::anon_send(worker, PeerLost{*peer.id, why});
  }
}

}  // namespace troupe
