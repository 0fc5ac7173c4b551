#include "actors/cluster/transfer_keys.h"

#include <gmock/gmock.h>

#include "graph/passes/rendezvous_key.h"
#include "graph/stable_hash.h"

namespace troupe {
namespace {

using ::testing::HasSubstr;

const TaskId kW0{"worker", 0}, kW1{"worker", 1};
constexpr char kHere[] = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr char kThere[] = "/job:worker/replica:0/task:1/device:CPU:0";

TEST(StableHash, is_fnv_1a) {
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(stable_hash("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(stable_hash(uint64_t{0x6162}), stable_hash(absl::string_view("ba\0\0\0\0\0\0", 8)));
}

/// A part with one `_Send` or `_Recv` from src to dst.
Graph part(const std::string& op, const std::string& src, const std::string& dst, int64_t incarnation = 7) {
  Graph graph;
  AttrMap attrs{{"tensor_name", "edge_1_x"},
                {"send_device", src},
                {"send_device_incarnation", incarnation},
                {"recv_device", dst},
                {"client_terminated", false}};
  std::vector<Endpoint> inputs;
  if (op == "_Send") {
    auto x = graph.add_node("x", "Placeholder", {{"dtype", DataType::kFloat}, {"shape", PartialShape()}}, {});
    EXPECT_TRUE(x.ok()) << x.status();
    inputs.push_back({(*x)->id, 0});
    attrs.set("T", DataType::kFloat);
  } else {
    attrs.set("tensor_type", DataType::kFloat);
  }
  auto n = graph.add_node("n", op, std::move(attrs), inputs);
  EXPECT_TRUE(n.ok()) << n.status();
  return graph;
}

TEST(TransferKeys, name_at_the_other_end_what_they_name_here) {
  auto sends = TransferKeys::make(part("_Send", kHere, kThere), kW0);
  auto receives = TransferKeys::make(part("_Recv", kHere, kThere), kW1);
  ASSERT_TRUE(sends.ok() && receives.ok());
  const std::string key = RendezvousKey{kHere, 7, kThere, "edge_1_x", ~uint64_t{0}, 3}.to_string();
  auto outgoing = sends->outgoing(key);
  ASSERT_TRUE(outgoing.ok() && outgoing->has_value()) << outgoing.status();
  EXPECT_EQ((*outgoing)->peer, kW1);
  EXPECT_EQ((*outgoing)->frame, ~uint64_t{0});
  EXPECT_EQ((*outgoing)->iteration, 3u);
  auto incoming = receives->incoming(kW0, (*outgoing)->key_id, (*outgoing)->frame, (*outgoing)->iteration);
  ASSERT_TRUE(incoming.ok()) << incoming.status();
  EXPECT_EQ(*incoming, key);
}

TEST(TransferKeys, leave_alone_what_stays_in_the_task) {
  auto keys = TransferKeys::make(part("_Send", kHere, kHere), kW0);
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(keys->num_outgoing(), 0u);
  auto outgoing = keys->outgoing(RendezvousKey{kHere, 7, kHere, "edge_1_x", 0, 0}.to_string());
  ASSERT_TRUE(outgoing.ok()) << outgoing.status();
  EXPECT_FALSE(outgoing->has_value());
  for (const char* bad : {"", "x", "a;b", "a;1:", "a;:1", "a;1:2x"}) {
    EXPECT_EQ(keys->outgoing(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST(TransferKeys, know_nothing_of_another_life_or_another_sender) {
  auto sends = TransferKeys::make(part("_Send", kHere, kThere, 8), kW0);
  auto receives = TransferKeys::make(part("_Recv", kHere, kThere, 7), kW1);
  ASSERT_TRUE(sends.ok() && receives.ok());
  auto outgoing = sends->outgoing(RendezvousKey{kHere, 8, kThere, "edge_1_x", 0, 0}.to_string());
  ASSERT_TRUE(outgoing.ok() && outgoing->has_value());
  const absl::Status stale = receives->incoming(kW0, (*outgoing)->key_id, 0, 0).status();
  EXPECT_EQ(stale.code(), absl::StatusCode::kAborted) << "the sender has restarted";
  EXPECT_THAT(std::string(stale.message()), HasSubstr("from /job:worker/replica:0/task:0"));
  const uint64_t id = stable_hash(RendezvousKey::prefix(kHere, 7, kThere, "edge_1_x"));
  EXPECT_TRUE(receives->incoming(kW0, id, 0, 0).ok());
  EXPECT_EQ(receives->incoming({"ps", 0}, id, 0, 0).status().code(), absl::StatusCode::kAborted)
      << "a stranger that says so";
}

TEST(TransferKeys, refuse_transfers_of_other_tasks) {
  const auto refused = [](const Graph& graph, const TaskId& here) {
    const absl::Status status = TransferKeys::make(graph, here).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(refused(part("_Send", kThere, kHere), kW0), HasSubstr("Invalid rendezvous key (src): "));
  EXPECT_THAT(refused(part("_Recv", kHere, kThere), kW0), HasSubstr("Invalid rendezvous key (dst): "));
  EXPECT_THAT(refused(part("_Recv", kHere, kThere), {"ps", 0}),
              HasSubstr("@ /job:ps/replica:0/task:0 ({{node n}})"));
  EXPECT_THAT(refused(part("_Send", "/job:worker", kThere), kW0),
              HasSubstr("Invalid rendezvous key: /job:worker;"));
}

}  // namespace
}  // namespace troupe
