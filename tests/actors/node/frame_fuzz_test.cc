// Bytes that nodes could have sent, changed: each message is read or refused, and what is refused leaves nothing behind.
#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>

#include "actors/node/connection.h"
#include "actors/node/hello.h"
#include "actors/node/node_roster.h"
#include "proto/node_wire.pb.h"
#include "tests/support/mutations.h"

namespace troupe::test {
namespace {

constexpr uint64_t kLimitBytes = 1 << 16;

std::string piece(uint64_t stream, const std::string& bytes) {
  std::string out(24, '\0');
  out[0] = static_cast<char>(stream);
  out[8] = static_cast<char>(bytes.size());
  return out + bytes;
}

/// A message of each kind.
std::vector<NodeMessage> messages() {
  wire::RunPart run;
  run.set_session(7);
  run.set_part(1);
  run.set_step(9);
  wire::CreateWorkerSession create;
  create.set_session(7);
  create.set_config("\x08\x01");
  wire::RegisterPart part;
  part.set_session(7);
  part.add_partitions()->add_node()->set_op("NoOp");
  part.add_devices("/job:worker/replica:0/task:1/device:CPU:0");
  part.add_args(0);
  const absl::Cord value = *pack_pushed(7, 9, "key", Tensor::vector<float>({1, 2, 3}), false);
  const std::vector<RosterChange> changes = {{{"ps", 9}, "127.0.0.1:1", 3}, {{"worker", 1}, "", 4}};
  const std::string small = "small";
  return {{MessageKind::kHello, Method::kNone, 0, pack_hello({TaskId{"worker", 1}, 5}, "here:1")},
          {MessageKind::kPing, Method::kNone, 0, {}},
          {MessageKind::kRequest, Method::kCreateWorkerSession, 1, *pack(create)},
          {MessageKind::kRequest, Method::kRegisterPart, 2, *pack(part)},
          {MessageKind::kRequest, Method::kRunPart, 3, *pack(run, {Tensor::scalar<float>(1), Tensor()})},
          {MessageKind::kReply, Method::kNone, 1, pack_answer(absl::AbortedError("it was"))},
          {MessageKind::kReply, Method::kNone, 2, pack_answer(*pack(run, {Tensor::vector<int32_t>({4})}))},
          {MessageKind::kPush, Method::kNone, 0, value},
          {MessageKind::kChunk, Method::kNone, 0, absl::Cord(piece(1, std::string(16, '\3')))},
          {MessageKind::kChunkAck, Method::kNone, 0, absl::Cord(std::string(16, '\1'))},
          {MessageKind::kChunkAbort, Method::kNone, 0, absl::Cord(std::string(16, '\1'))},
          {MessageKind::kRoster, Method::kNone, 0, pack_roster(changes)},
          {MessageKind::kBye, Method::kNone, 0, {}}};
}

/// Each message on the wire.
std::vector<std::string> frames() {
  std::vector<std::string> out;
  for (const NodeMessage& message : messages()) {
    Connection connection;
    connection.send(message);
    absl::Cord wire;
    connection.fill(&wire);
    out.emplace_back(wire);
  }
  return out;
}

void expect_refusal(const absl::Status& status) {
  ASSERT_TRUE(status.ok() || absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status) ||
              absl::IsFailedPrecondition(status))
      << status;
}

/// As all who could get it.
void read(const NodeMessage& message, int* read_well) {
  const auto count = [&](const absl::Status& status) {
    expect_refusal(status);
    *read_well += status.ok();
  };
  count(unpack(message.body).status());
  count(unpack_hello(message.body).status());
  count(unpack_pushed(message.body).status());
  count(unpack_answer(message.body).status());
  const auto changes = unpack_roster(message.body);
  count(changes.status());
  if (changes.ok()) count(Roster(*ClusterSpec::parse("worker=a:1,b:1")).merge(*changes).status());
  wire::RegisterPart part;
  count(unpack(message.body, &part));
  wire::PartEnded ended;
  count(unpack(message.body, &ended));
}

TEST(FrameFuzz, a_connection_stands_any_bytes) {
  const google::protobuf::LogSilencer silence;
  const std::vector<std::string> valid = frames();
  FuzzRun run;
  int arrived_well = 0, refused = 0, read_well = 0;
  while (run.next()) {
    SCOPED_TRACE(testing::Message() << "seed " << run.seed << ", round " << run.rounds);
    std::string bytes;
    for (unsigned n = 1 + run.random() % 5; n > 0; --n) bytes += valid[run.random() % valid.size()];
    mutate(&bytes, run.random);
    Connection connection({.value_bytes = kLimitBytes, .open_bytes = 2 * kLimitBytes, .streams = 4});
    if (run.random() % 4 != 0) connection.trust();
    std::vector<NodeMessage> arrived;
    absl::Status end;
    for (size_t at = 0; at < bytes.size() && end.ok();) {
      const size_t next = std::min<size_t>(bytes.size() - at, 1 + run.random() % 64);
      end = connection.feed({bytes.data() + at, next}, &arrived);
      at += next;
    }
    expect_refusal(end);
    refused += !end.ok();
    arrived_well += static_cast<int>(arrived.size());
    for (const NodeMessage& message : arrived) read(message, &read_well);
    absl::Cord answers;
    connection.fill(&answers);
    ASSERT_LT(answers.size(), bytes.size() * 3 + 64);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(arrived_well, run.rounds / 4);
  EXPECT_GT(read_well, run.rounds / 4);
  EXPECT_GT(refused, run.rounds / 10);
}

}  // namespace
}  // namespace troupe::test
