#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <random>
#include <variant>

#include "absl/strings/str_cat.h"
#include "actors/cluster/chunk_receiver.h"
#include "actors/cluster/chunk_sender.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Bytes that tell where they are.
std::string pattern(size_t size, unsigned seed = 1) {
  std::string bytes(size, '\0');
  std::minstd_rand random(seed);
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

std::string bytes_of(const Tensor& block) {
  return std::string(static_cast<const char*>(block.raw()), block.bytes());
}

/// What the sender wants to send now: "control:...", or "stream@piece+size", where a whole piece has no number.
std::vector<std::string> drain(ChunkSender* sender) {
  std::vector<std::string> out;
  while (auto next = sender->next()) {
    if (const auto* control = std::get_if<absl::Cord>(&*next)) {
      out.push_back(absl::StrCat("control:", std::string(*control)));
    } else {
      const Chunk& c = std::get<Chunk>(*next);
      const bool whole = c.bytes.size() == kChunkBytes;
      out.push_back(absl::StrCat(c.stream, "@", c.offset / kChunkBytes, "+",
                                 whole ? "whole" : absl::StrCat(c.bytes.size())));
    }
  }
  return out;
}

constexpr size_t kPiece = kChunkBytes;

TEST(ChunkSender, has_so_many_pieces_of_a_stream_under_way) {
  ChunkSender sender({.credit_per_stream = 2, .credit_per_peer = 4});
  EXPECT_EQ(sender.open(absl::Cord(pattern(3 * kPiece + 5))), 1u);
  EXPECT_THAT(drain(&sender), ElementsAre("1@0+whole", "1@1+whole"));
  EXPECT_EQ(sender.bytes_waiting(), kPiece + 5);
  EXPECT_EQ(*sender.acknowledge(1, kPiece), false);
  EXPECT_THAT(drain(&sender), ElementsAre("1@2+whole"));
  EXPECT_EQ(*sender.acknowledge(1, 3 * kPiece), false) << "two at once";
  EXPECT_THAT(drain(&sender), ElementsAre("1@3+5"));
  EXPECT_EQ(*sender.acknowledge(1, 3 * kPiece + 5), true);
  EXPECT_EQ(sender.num_streams(), 0u);
  EXPECT_EQ(sender.in_flight(), 0);
  EXPECT_EQ(*sender.acknowledge(1, 3 * kPiece + 5), false) << "it is over";
}

TEST(ChunkSender, streams_take_turns_and_control_goes_first) {
  ChunkSender sender({.credit_per_stream = 2, .credit_per_peer = 4});
  for (int i = 0; i < 3; ++i) sender.open(absl::Cord(pattern(3 * kPiece)));
  sender.send_control(absl::Cord("a"));
  sender.send_control(absl::Cord("b"));
  EXPECT_THAT(drain(&sender),
              ElementsAre("control:a", "control:b", "1@0+whole", "2@0+whole", "3@0+whole", "1@1+whole"));
  sender.send_control(absl::Cord("c"));
  EXPECT_THAT(drain(&sender), ElementsAre("control:c")) << "though the window is full";
  ASSERT_TRUE(sender.acknowledge(3, kPiece).ok());
  EXPECT_THAT(drain(&sender), ElementsAre("2@1+whole")) << "whose turn it is";
}

TEST(ChunkSender, joins_small_control_messages_in_their_order) {
  ChunkSender sender;
  sender.copy_control("h1", absl::Cord("a"));
  sender.copy_control("h2", absl::Cord());
  sender.send_control(absl::Cord(std::string(size_t{100} << 10, 'x')));
  sender.copy_control("h3", absl::Cord("b"));
  std::string all;
  int messages = 0;
  while (auto next = sender.next()) {
    all += std::string(std::get<absl::Cord>(*next));
    ++messages;
  }
  EXPECT_EQ(all, "h1ah2" + std::string(size_t{100} << 10, 'x') + "h3b");
  EXPECT_EQ(messages, 3) << "nothing is joined to what is large";
}

TEST(ChunkSender, sends_an_empty_value_as_an_empty_piece) {
  ChunkSender sender;
  ChunkReceiver receiver;
  sender.open(absl::Cord());
  auto next = sender.next();
  ASSERT_TRUE(next.has_value());
  auto progress = receiver.accept(std::get<Chunk>(*next));
  ASSERT_TRUE(progress.ok()) << progress.status();
  ASSERT_TRUE(progress->value.has_value());
  EXPECT_EQ(progress->value->bytes(), 0u);
  EXPECT_FALSE(sender.next().has_value());
  EXPECT_EQ(*sender.acknowledge(1, progress->received), true);
}

TEST(ChunkSender, does_not_believe_acknowledgements) {
  ChunkSender sender({.credit_per_stream = 2, .credit_per_peer = 4});
  sender.open(absl::Cord(pattern(4 * kPiece)));
  drain(&sender);
  for (const auto& [stream, received] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, kPiece}, {2, kPiece}, {1, 0}, {1, 3 * kPiece}, {1, kPiece + 1}, {1, ~uint64_t{0}}}) {
    EXPECT_EQ(sender.acknowledge(stream, received).status().code(), absl::StatusCode::kInvalidArgument)
        << stream << " " << received;
  }
  ASSERT_TRUE(sender.acknowledge(1, kPiece).ok());
  const absl::Status again = sender.acknowledge(1, kPiece).status();
  EXPECT_THAT(std::string(again.message()),
              HasSubstr("acknowledged 262144 bytes of stream 1, of which 524288 of 1048576 were sent and "
                        "262144 acknowledged before"));
  EXPECT_EQ(sender.in_flight(), 1);
}

/// Counts down when the memory of a value is given back.
absl::Cord watched(const std::string& bytes, int* alive) {
  ++*alive;
  return absl::MakeCordFromExternal(bytes, [alive](absl::string_view) { --*alive; });
}

TEST(ChunkSender, frees_what_is_aborted) {
  const std::string bytes = pattern(3 * kPiece);
  int alive = 0;
  ChunkSender sender({.credit_per_stream = 2, .credit_per_peer = 2});
  sender.open(watched(bytes, &alive));
  sender.open(watched(bytes, &alive));
  drain(&sender);
  EXPECT_TRUE(sender.abort(1)) << "the peer has a piece of it";
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(sender.in_flight(), 1);
  EXPECT_FALSE(sender.abort(1));
  EXPECT_THAT(drain(&sender), ElementsAre("2@1+whole"));
  sender.open(watched(bytes, &alive));
  EXPECT_FALSE(sender.abort(3)) << "the peer never heard of it";
  sender.abort_all();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(sender.in_flight(), 0);
  EXPECT_EQ(sender.bytes_waiting(), 0u);
  EXPECT_FALSE(sender.next().has_value());
  EXPECT_EQ(sender.open(absl::Cord("x")), 4u) << "numbers are not used again";
}

Chunk piece(uint64_t stream, uint64_t total, uint64_t offset, size_t size) {
  return {stream, total, offset, absl::Cord(std::string(size, 'x'))};
}

/// Never has memory.
class NoMemory final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    ++asked;
    largest = std::max(largest, bytes);
    return nullptr;
  }
  void deallocate(void*, size_t) override {}
  absl::string_view name() const override { return "none"; }
  int asked = 0;
  size_t largest = 0;
};

TEST(ChunkReceiver, checks_a_first_piece_before_it_allocates) {
  NoMemory memory;
  ChunkReceiver receiver({.value_bytes = 10 * kPiece, .open_bytes = 20 * kPiece, .streams = 2}, &memory);
  const auto refused = [&](const Chunk& chunk, absl::StatusCode code, const std::string& why) {
    const absl::Status status = receiver.accept(chunk).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  };
  refused(piece(0, 5, 0, 5), absl::StatusCode::kInvalidArgument, "stream 0: streams are counted from 1 on");
  refused(piece(1, 5 * kPiece, kPiece, kPiece), absl::StatusCode::kInvalidArgument,
          "stream 1: its first piece is at 262144 of 1310720, expected 0");
  refused(piece(2, 10 * kPiece + 1, 0, kPiece), absl::StatusCode::kResourceExhausted,
          "stream 2: a value of 2621441 bytes, the limit is 2621440");
  refused(piece(3, ~uint64_t{0}, 0, kPiece), absl::StatusCode::kResourceExhausted, "the limit is 2621440");
  refused(piece(4, 5 * kPiece, 0, 17), absl::StatusCode::kInvalidArgument,
          "stream 4: a piece at 0 of 1310720 has 17 bytes, expected 262144");
  refused(piece(5, 5, 0, 6), absl::StatusCode::kInvalidArgument, "has 6 bytes, expected 5");
  EXPECT_EQ(memory.asked, 0);
  refused(piece(6, 5, 0, 5), absl::StatusCode::kResourceExhausted, "stream 6: OOM when allocating tensor");
  EXPECT_EQ(memory.asked, 1);
  EXPECT_EQ(receiver.num_streams(), 0u);
  EXPECT_EQ(receiver.open_bytes(), 0u);
}

TEST(ChunkReceiver, limits_what_is_open_at_once) {
  ChunkReceiver receiver({.value_bytes = 10 * kPiece, .open_bytes = 12 * kPiece, .streams = 2});
  ASSERT_TRUE(receiver.accept(piece(1, 8 * kPiece, 0, kPiece)).ok());
  const absl::Status bytes = receiver.accept(piece(2, 5 * kPiece, 0, kPiece)).status();
  EXPECT_EQ(bytes.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(bytes.message()), HasSubstr("1310720 bytes beside the 2097152 of the streams"));
  ASSERT_TRUE(receiver.accept(piece(3, 4 * kPiece, 0, kPiece)).ok());
  EXPECT_EQ(receiver.open_bytes(), 12 * kPiece);
  const absl::Status streams = receiver.accept(piece(4, 5, 0, 5)).status();
  EXPECT_THAT(std::string(streams.message()), HasSubstr("2 streams are open, the limit is 2"));
  receiver.abort(1);
  EXPECT_EQ(receiver.open_bytes(), 4 * kPiece);
  EXPECT_TRUE(receiver.accept(piece(5, 5, 0, 5)).ok());
}

TEST(ChunkReceiver, drops_a_stream_that_is_out_of_order) {
  const auto second = [](const Chunk& chunk) {
    ChunkReceiver receiver;
    EXPECT_TRUE(receiver.accept(piece(1, 3 * kPiece, 0, kPiece)).ok());
    const absl::Status status = receiver.accept(chunk).status();
    EXPECT_EQ(receiver.num_streams(), 0u);
    EXPECT_EQ(receiver.open_bytes(), 0u);
    auto late = receiver.accept(piece(1, 3 * kPiece, kPiece, kPiece));
    EXPECT_TRUE(late.ok() && late->late) << "what was under way when it was refused";
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(second(piece(1, 3 * kPiece, 0, kPiece)),
              HasSubstr("a piece is at 0 of 786432, expected 262144"));
  EXPECT_THAT(second(piece(1, 3 * kPiece, 2 * kPiece, kPiece)),
              HasSubstr("is at 524288 of 786432, expected"));
  EXPECT_THAT(second(piece(1, 4 * kPiece, kPiece, kPiece)),
              HasSubstr("says that the value has 1048576 bytes, the first said 786432"));
  EXPECT_THAT(second(piece(1, 3 * kPiece, kPiece, kPiece - 1)),
              HasSubstr("has 262143 bytes, expected 262144"));
  EXPECT_THAT(second(piece(1, 3 * kPiece, ~uint64_t{0}, kPiece)), HasSubstr("expected 262144"));
}

TEST(ChunkReceiver, blocks_are_aligned_as_tensors_are) {
  ChunkReceiver receiver;
  auto done = receiver.accept(piece(1, 100, 0, 100));
  ASSERT_TRUE(done.ok() && done->value.has_value());
  EXPECT_EQ(done->value->dtype(), DataType::kUint8);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(done->value->raw()) % Allocator::kAlignmentBytes, 0u);
}

constexpr int kValues = 8;

/// Both sides with a link between them that is slow in its own way, values of all sizes, aborts on both sides: what arrives is what was
/// sent, whatever is not aborted arrives, and no more is under way than the credit says.
TEST(ChunkTransfer, delivers_everything_in_any_order_of_events) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    ChunkSender sender({.credit_per_stream = 2, .credit_per_peer = 4});
    ChunkReceiver receiver;
    /// What is under way: pieces, and aborts behind them.
    std::deque<std::variant<Chunk, uint64_t>> link;
    std::deque<std::pair<uint64_t, uint64_t>> acknowledgements;
    std::map<uint64_t, std::string> expected;
    int opened = 0, delivered = 0, aborted = 0;
    const auto open = [&] {
      if (opened == kValues) return;
      ++opened;
      const size_t size = random() % 3 == 0 ? random() % 100 : random() % (4 * kPiece);
      std::string bytes = pattern(size, seed + static_cast<unsigned>(opened));
      expected[sender.open(absl::Cord(bytes))] = bytes;
    };
    const auto arrive = [&] {
      if (link.empty()) return;
      const auto message = std::move(link.front());
      link.pop_front();
      if (const auto* stream = std::get_if<uint64_t>(&message)) return receiver.abort(*stream);
      const Chunk& chunk = std::get<Chunk>(message);
      auto progress = receiver.accept(chunk);
      ASSERT_TRUE(progress.ok()) << progress.status();
      if (progress->late) return;
      acknowledgements.emplace_back(chunk.stream, progress->received);
      auto whole = expected.find(chunk.stream);
      if (!progress->value || whole == expected.end()) return;
      ASSERT_EQ(bytes_of(*progress->value), whole->second);
      expected.erase(whole);
      ++delivered;
    };
    const auto acknowledge = [&] {
      if (acknowledgements.empty()) return;
      const auto [stream, received] = acknowledgements.front();
      acknowledgements.pop_front();
      ASSERT_TRUE(sender.acknowledge(stream, received).ok());
    };
    const auto give_up = [&] {
      if (expected.empty() || random() % 50 != 0) return;
      const uint64_t stream = expected.begin()->first;
      if (sender.abort(stream)) link.push_back(stream);
      expected.erase(stream);
      ++aborted;
    };
    while (opened < kValues || !expected.empty()) {
      switch (random() % 5) {
        case 0: open(); break;
        case 1:
          while (auto next = sender.next()) link.push_back(std::get<Chunk>(*std::move(next)));
          ASSERT_LE(sender.in_flight(), 4);
          break;
        case 2: ASSERT_NO_FATAL_FAILURE(arrive()); break;
        case 3: ASSERT_NO_FATAL_FAILURE(acknowledge()); break;
        case 4: give_up(); break;
      }
    }
    EXPECT_EQ(delivered + aborted, kValues);
    while (!link.empty()) ASSERT_NO_FATAL_FAILURE(arrive());
    EXPECT_EQ(receiver.num_streams(), 0u);
    EXPECT_EQ(receiver.open_bytes(), 0u);
  }
}

}  // namespace
}  // namespace troupe
