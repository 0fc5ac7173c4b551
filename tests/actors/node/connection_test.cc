#include "actors/node/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

std::string said_by(Connection* c) {
  absl::Cord bytes;
  c->fill(&bytes);
  return std::string(bytes);
}

/// Two ends, and what is under way from each to the other.
struct Pair {
  Connection a, b;
  std::vector<NodeMessage> at_a, at_b;

  explicit Pair(ChunkLimits limits_of_b = {}) : b(limits_of_b) {
    a.trust();
    b.trust();
  }
  /// Until nothing is under way any more; `piece` bytes at a time.
  void settle(size_t piece = SIZE_MAX) {
    for (bool moved = true; moved;) {
      moved = move(&a, &b, &at_b, piece);
      moved |= move(&b, &a, &at_a, piece);
    }
  }
  static bool move(Connection* from, Connection* to, std::vector<NodeMessage>* arrived, size_t piece) {
    const std::string bytes = said_by(from);
    for (size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at)) {
      EXPECT_EQ(to->feed({bytes.data() + at, std::min(piece, bytes.size() - at)}, arrived), absl::OkStatus());
    }
    return !bytes.empty();
  }
};

NodeMessage request(uint64_t id, std::string body) {
  return {MessageKind::kRequest, Method::kRunPart, id, absl::Cord(std::move(body))};
}

/// The value is what was sent, and its elements are those of the message.
void expect_part_of(const absl::Cord& body, const Tensor& got, const Tensor& sent) {
  const auto bytes = body.TryFlat();
  ASSERT_TRUE(bytes.has_value());
  const auto* at = static_cast<const char*>(got.raw());
  EXPECT_TRUE(at > bytes->data() && at < bytes->data() + bytes->size()) << "they were copied";
  ASSERT_EQ(got.bytes(), sent.bytes());
  EXPECT_EQ(std::memcmp(got.raw(), sent.raw(), sent.bytes()), 0);
}

TEST(Connection, messages_arrive_as_they_were_sent_however_the_bytes_come) {
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{100000}}) {
    Pair pair;
    pair.a.send(request(1, "hello"));
    pair.a.send(request(2, ""));
    pair.b.send({MessageKind::kReply, Method::kNone, 1, absl::Cord("there")});
    pair.settle(piece);
    ASSERT_EQ(pair.at_b.size(), 2u);
    EXPECT_EQ(pair.at_b[0].id, 1u);
    EXPECT_EQ(pair.at_b[0].method, Method::kRunPart);
    EXPECT_EQ(pair.at_b[0].body, "hello");
    EXPECT_EQ(pair.at_b[1].body, "");
    ASSERT_EQ(pair.at_a.size(), 1u);
    EXPECT_EQ(pair.at_a[0].body, "there");
  }
}

TEST(Connection, a_large_message_goes_in_pieces_and_small_ones_pass_it) {
  Pair pair;
  std::string large(20 * kChunkBytes + 17, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 31 >> 3);
  pair.a.send(request(1, large));
  const std::string first = said_by(&pair.a);
  // No more than the credit is under way.
  EXPECT_LT(first.size(), 17 * kChunkBytes);
  pair.a.send(request(2, "small"));
  EXPECT_EQ(pair.b.feed(first, &pair.at_b), absl::OkStatus());
  pair.settle();
  ASSERT_EQ(pair.at_b.size(), 2u);
  EXPECT_EQ(pair.at_b[0].body, "small");
  EXPECT_EQ(pair.at_b[1].id, 1u);
  EXPECT_EQ(std::string(pair.at_b[1].body), large);
  EXPECT_EQ(pair.a.bytes_waiting(), 0u);
}

TEST(Connection, a_message_that_the_peer_has_no_room_for_is_refused_alone) {
  ChunkLimits narrow;
  narrow.value_bytes = 3 * kChunkBytes;
  Pair pair(narrow);
  std::vector<std::string> refused;
  const auto add = [&](const absl::Status& why) { refused.push_back(why.ToString()); };
  pair.a.send(request(1, std::string(2 * kChunkBytes, 'a')), add);
  pair.a.send(request(2, std::string(4 * kChunkBytes, 'b')), add);
  pair.a.send(request(3, std::string(2 * kChunkBytes, 'c')), add);
  pair.settle();
  ASSERT_EQ(pair.at_b.size(), 2u);
  EXPECT_EQ(pair.at_b[0].id, 1u);
  EXPECT_EQ(pair.at_b[1].id, 3u);
  // The header travels with it.
  EXPECT_THAT(refused, testing::ElementsAre(absl::StrCat("RESOURCE_EXHAUSTED: there is no room for ",
                                                         4 * kChunkBytes + 16, " bytes")));
  EXPECT_EQ(pair.a.bytes_waiting(), 0u);
}

TEST(Connection, elements_of_large_tensors_stay_where_they_came) {
  for (const size_t piece : {size_t{1000}, size_t{300000}, SIZE_MAX}) {
    // One goes in pieces, the other as one message.
    for (const int64_t elements : {int64_t{1} << 20, int64_t{1} << 15}) {
      SCOPED_TRACE(absl::StrCat(piece, " ", elements));
      Pair pair;
      Tensor value(DataType::kFloat, Shape{elements});
      for (int64_t i = 0; i < elements; ++i) value.flat<float>()[i] = static_cast<float>(i % 1000);
      const char* const key = "a;key;of;no;round;length";
      pair.a.send({MessageKind::kPush, Method::kNone, 0, *pack_pushed(7, 8, key, value, false)});
      pair.b.send(
          {MessageKind::kReply, Method::kNone, 1, pack_answer(*pack(wire::RunPart(), {value, value}))});
      pair.settle(piece);
      ASSERT_EQ(pair.at_b.size(), 1u);
      ASSERT_EQ(pair.at_a.size(), 1u);
      const auto got = unpack_pushed(pair.at_b[0].body);
      ASSERT_TRUE(got.ok()) << got.status();
      const auto answer = unpack_answer(pair.at_a[0].body);
      ASSERT_TRUE(answer.ok() && answer->ok());
      const auto parcel = unpack(**answer);
      ASSERT_TRUE(parcel.ok()) << parcel.status();
      expect_part_of(pair.at_b[0].body, got->value, value);
      expect_part_of(pair.at_a[0].body, parcel->tensors[0], value);
      expect_part_of(pair.at_a[0].body, parcel->tensors[1], value);
    }
  }
}

TEST(Connection, an_error_is_the_same_on_the_other_side) {
  for (const absl::StatusCode code : {absl::StatusCode::kCancelled, absl::StatusCode::kAborted,
                                      absl::StatusCode::kUnavailable, absl::StatusCode::kUnauthenticated}) {
    const absl::Status error(code, "why \xc3\xa9");
    const auto answer = unpack_answer(pack_answer(error));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->status(), error);
  }
}

TEST(Connection, what_is_not_ours_is_refused_before_anything_is_allocated) {
  std::vector<NodeMessage> arrived;
  Connection huge, kind;
  EXPECT_EQ(huge.feed(std::string("\xff\xff\xff\xff\x03\0\0\0", 8) + std::string(8, '\0'), &arrived).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(kind.feed(std::string("\0\0\0\0\x63\0\0\0", 8) + std::string(8, '\0'), &arrived).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(arrived.empty());
}

TEST(Connection, who_has_not_said_who_he_is_may_say_little) {
  Connection stranger;
  stranger.trust();
  for (const size_t bytes : {size_t{4097}, 2 * kChunkBytes}) {
    stranger.send(request(1, std::string(bytes, 'x')));
    const std::string wire = said_by(&stranger);
    Connection host, friendly;
    std::vector<NodeMessage> arrived;
    const absl::Status refused = host.feed(wire, &arrived);
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_TRUE(arrived.empty());
    friendly.trust();
    EXPECT_EQ(friendly.feed(wire, &arrived), absl::OkStatus());
  }
  // Nor a piece, however small.
  std::string piece(24, '\0');
  piece[0] = 1;
  piece[12] = 1;
  stranger.send({MessageKind::kChunk, Method::kNone, 0, absl::Cord(piece)});
  const std::string wire = said_by(&stranger);
  Connection host;
  std::vector<NodeMessage> arrived;
  EXPECT_EQ(host.feed(wire, &arrived).code(), absl::StatusCode::kInvalidArgument);
}

TEST(Connection, random_bytes_never_crash) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    Connection c;
    if (round % 4 < 2) c.trust();
    std::vector<NodeMessage> arrived;
    std::string bytes(random() % 200, '\0');
    for (char& b : bytes) b = static_cast<char>(random());
    // A plausible header now and then.
    if (bytes.size() > 16 && round % 2 == 0) {
      bytes[1] = bytes[2] = bytes[3] = bytes[5] = 0;
      bytes[4] = static_cast<char>(1 + random() % 9);
    }
    if (!c.feed(bytes, &arrived).ok()) continue;
    for (const NodeMessage& m : arrived) {
      (void)unpack(m.body);
      (void)unpack_pushed(m.body);
    }
  }
}

}  // namespace
}  // namespace troupe
