#include "actors/cluster/transfer_keys.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/passes/rendezvous_key.h"
#include "graph/stable_hash.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// "...;frame:iteration" in its three parts.
struct Parts {
  absl::string_view prefix;
  uint64_t frame = 0;
  uint64_t iteration = 0;
};

std::optional<Parts> take_apart(absl::string_view key) {
  const size_t end = key.rfind(';');
  if (end == absl::string_view::npos) return std::nullopt;
  Parts parts{key.substr(0, end + 1)};
  const absl::string_view numbers = key.substr(end + 1);
  const size_t colon = numbers.find(':');
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(numbers.substr(0, colon), &parts.frame) ||
      !absl::SimpleAtoi(numbers.substr(colon + 1), &parts.iteration)) {
    return std::nullopt;
  }
  return parts;
}

absl::Status invalid_key(const Node& transfer, absl::string_view end, absl::string_view key,
                         const TaskId& here) {
  return absl::InvalidArgumentError(absl::StrCat("Invalid rendezvous key (", end, "): ", key, " @ ",
                                                 here.to_string(), " ({{node ", transfer.name, "}})"));
}

}  // namespace

absl::StatusOr<TransferKeys> TransferKeys::make(const Graph& part, const TaskId& here) {
  TransferKeys keys;
  for (int i = 0; i < part.num_ids(); ++i) {
    const Node& n = part.node(i);
    if (n.is("_Send") || n.is("_Recv")) TROUPE_RETURN_IF_ERROR(keys.add(n, here));
  }
  return keys;
}

absl::Status TransferKeys::add(const Node& transfer, const TaskId& here) {
  const AttrMap& attrs = transfer.attrs;
  const std::string src = attrs.get_or<std::string>("send_device", "");
  const std::string dst = attrs.get_or<std::string>("recv_device", "");
  const std::string prefix =
      RendezvousKey::prefix(src, static_cast<uint64_t>(attrs.get_or<int64_t>("send_device_incarnation", 0)),
                            dst, attrs.get_or<std::string>("tensor_name", ""));
  TROUPE_RETURN_IF_ERROR(RendezvousKey::parse(absl::StrCat(prefix, "0:0")).status());
  const TaskId from = *TaskId::parse(src), to = *TaskId::parse(dst);
  if (from == to && from == here) return absl::OkStatus();
  if (transfer.is("_Send")) {
    if (from != here) return invalid_key(transfer, "src", prefix, here);
    outgoing_[prefix] = to;
    return absl::OkStatus();
  }
  if (to != here) return invalid_key(transfer, "dst", prefix, here);
  const auto [known, added] = incoming_.try_emplace(stable_hash(prefix), Known{from, prefix});
  if (added || known->second.prefix == prefix) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the rendezvous keys ", prefix, " and ", known->second.prefix,
                                          " have the same number; rename {{node ", transfer.name, "}}"));
}

absl::StatusOr<std::optional<TransferKeys::Outgoing>> TransferKeys::outgoing(absl::string_view key) const {
  const std::optional<Parts> parts = take_apart(key);
  if (!parts) return absl::InvalidArgumentError(absl::StrCat("Invalid rendezvous key: ", key));
  const auto found = outgoing_.find(parts->prefix);
  if (found == outgoing_.end()) return std::nullopt;
  return Outgoing{found->second, stable_hash(parts->prefix), parts->frame, parts->iteration};
}

absl::StatusOr<std::string> TransferKeys::incoming(const TaskId& peer, uint64_t key_id, uint64_t frame,
                                                   uint64_t iteration) const {
  const auto found = incoming_.find(key_id);
  if (found == incoming_.end() || found->second.peer != peer) {
    return absl::AbortedError(absl::StrCat("no _Recv of this graph waits for key ", key_id, " from ",
                                           peer.to_string(), ", which has another graph or has restarted"));
  }
  return absl::StrCat(found->second.prefix, frame, ":", iteration);
}

}  // namespace troupe
