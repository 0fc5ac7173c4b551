#include "actors/node/node_line.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {
namespace {

/// Two ends that know each other, over a socket that takes little at once.
class NodeLineTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    const int little = 32 << 10;
    for (int end : ends) ASSERT_EQ(::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
    a_.emplace(Socket(ends[0]), ChunkLimits(), nullptr, "");
    b_.emplace(Socket(ends[1]), ChunkLimits(), nullptr, "");
    a_->trust();
    b_->trust();
  }

  /// Both write and read until `b_` has heard so many messages.
  void hear(size_t messages) {
    for (int turns = 0; heard_.size() < messages; ++turns) {
      ASSERT_LT(turns, 100'000) << "nothing comes any more";
      ASSERT_EQ(a_->flush(), absl::OkStatus());
      ASSERT_EQ(b_->read(&heard_), absl::OkStatus());
      ASSERT_EQ(b_->flush(), absl::OkStatus());
      ASSERT_EQ(a_->read(&heard_by_a_), absl::OkStatus());
    }
  }

  static NodeMessage request(uint64_t id, std::string body) {
    return {MessageKind::kRequest, Method::kRunPart, id, absl::Cord(std::move(body))};
  }
  static std::string pattern(size_t size) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 >> 3);
    return bytes;
  }

  std::optional<NodeLine> a_, b_;
  std::vector<NodeMessage> heard_, heard_by_a_;
};

TEST_F(NodeLineTest, a_large_message_that_the_socket_takes_in_many_parts_comes_whole) {
  const std::string large = pattern(9 * kChunkBytes + 13);
  a_->send(request(1, large));
  ASSERT_EQ(a_->flush(), absl::OkStatus());
  EXPECT_TRUE(a_->waits_to_write());
  hear(1);
  EXPECT_EQ(std::string(heard_[0].body), large);
  EXPECT_FALSE(a_->waits_to_write());
}

TEST_F(NodeLineTest, messages_of_all_sizes_come_as_they_were_sent) {
  const size_t sizes[] = {0, 1, 4095, 4096, 70'000, kChunkBytes, kChunkBytes + 1, 2 * kChunkBytes, 5};
  uint64_t id = 0;
  for (size_t size : sizes) a_->send(request(++id, pattern(size)));
  hear(id);
  std::map<uint64_t, std::string> by_id;
  for (const NodeMessage& m : heard_) by_id[m.id] = std::string(m.body);
  id = 0;
  for (size_t size : sizes) EXPECT_EQ(by_id[++id], pattern(size)) << size << " bytes";
}

TEST_F(NodeLineTest, a_small_message_passes_a_large_one_that_is_on_its_way) {
  a_->send(request(1, pattern(64 * kChunkBytes)));
  ASSERT_EQ(a_->flush(), absl::OkStatus());
  a_->send(request(2, "small"));
  hear(2);
  EXPECT_EQ(heard_[0].id, 2u);
  EXPECT_EQ(heard_[1].id, 1u);
}

TEST_F(NodeLineTest, nothing_has_come) {
  EXPECT_EQ(b_->read(&heard_), absl::OkStatus());
  EXPECT_TRUE(heard_.empty());
}

TEST_F(NodeLineTest, what_was_said_comes_before_the_end) {
  a_->send(request(1, "last"));
  ASSERT_EQ(a_->flush(), absl::OkStatus());
  a_->say_no_more();
  EXPECT_EQ(b_->read(&heard_), absl::OkStatus());
  ASSERT_EQ(heard_.size(), 1u);
  const absl::Status ended = b_->read(&heard_);
  EXPECT_EQ(ended.code(), absl::StatusCode::kUnavailable) << ended;
}

TEST_F(NodeLineTest, who_has_gone_takes_nothing_any_more) {
  b_.reset();
  a_->send(request(1, "to nobody"));
  const absl::Status written = a_->flush();
  EXPECT_EQ(written.code(), absl::StatusCode::kUnavailable) << written;
}

}  // namespace
}  // namespace troupe
