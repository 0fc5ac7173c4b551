#include "graph/tensor/lifted_bytes.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "proto/master.pb.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;

namespace pb = ::tensorflow;

constexpr int kToContents[] = {pb::RunStepRequest::kFeedFieldNumber, pb::NamedTensorProto::kTensorFieldNumber,
                               pb::TensorProto::kTensorContentFieldNumber};

/// Feeds of these contents; other fields too, before and behind them.
pb::RunStepRequest request_of(const std::vector<std::string>& contents) {
  pb::RunStepRequest request;
  request.set_session_handle("a session");
  for (const std::string& content : contents) {
    pb::NamedTensorProto* feed = request.add_feed();
    feed->set_name("x:0");
    feed->mutable_tensor()->set_dtype(pb::DT_FLOAT);
    feed->mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(-7);
    feed->mutable_tensor()->add_float_val(1.5f);
    feed->mutable_tensor()->set_tensor_content(content);
  }
  request.add_fetch("y:0");
  request.mutable_options()->set_timeout_in_ms(1 << 20);
  request.set_request_id(-5);
  return request;
}

/// In pieces of so many bytes.
absl::Cord in_pieces(const std::string& bytes, size_t size) {
  absl::Cord out;
  for (size_t at = 0; at < bytes.size(); at += size) {
    const auto* piece = new std::string(bytes.substr(at, size));
    out.Append(absl::MakeCordFromExternal(*piece, [piece] { delete piece; }));
  }
  return out;
}

template <class M>
M parsed(const absl::Cord& bytes) {
  M message;
  EXPECT_TRUE(message.ParseFromString(std::string(bytes)));
  return message;
}

std::vector<std::string> texts(const std::vector<absl::Cord>& bytes) {
  std::vector<std::string> out;
  for (const absl::Cord& b : bytes) out.emplace_back(b);
  return out;
}

TEST(LiftedBytes, are_those_of_the_path_that_are_large) {
  const std::string large(1000, 'L'), larger(300, 'M');
  const pb::RunStepRequest request = request_of({large, "small", "", larger});
  for (const size_t piece : {size_t{1}, size_t{13}, size_t{100000}}) {
    SCOPED_TRACE(piece);
    const auto lifted = lift_bytes(in_pieces(request.SerializeAsString(), piece), kToContents, 300);
    ASSERT_TRUE(lifted.has_value());
    EXPECT_THAT(texts(lifted->bytes), ElementsAre(large, "", "", larger));
    const auto rest = parsed<pb::RunStepRequest>(lifted->rest);
    EXPECT_THAT(
        rest, testing::Truly([&](const pb::RunStepRequest& r) {
          return google::protobuf::util::MessageDifferencer::Equals(r, request_of({"", "small", "", ""}));
        }));
  }
}

TEST(LiftedBytes, share_the_memory_that_they_come_from) {
  const std::string bytes = request_of({std::string(5000, 'x')}).SerializeAsString();
  const auto lifted = lift_bytes(in_pieces(bytes, bytes.size()), kToContents, 1);
  ASSERT_TRUE(lifted.has_value());
  EXPECT_TRUE(lifted->bytes[0].TryFlat().has_value());
  const absl::Cord whole = put_back(*lifted, kToContents);
  bool shared = false;
  for (absl::string_view piece : whole.Chunks()) shared |= piece.data() == lifted->bytes[0].TryFlat()->data();
  EXPECT_TRUE(shared);
}

TEST(LiftedBytes, put_back_make_the_message_again) {
  const std::string large(100000, 'L');
  const pb::RunStepRequest request = request_of({"", large, "small", large});
  const auto lifted = lift_bytes(absl::Cord(request.SerializeAsString()), kToContents, 100);
  ASSERT_TRUE(lifted.has_value());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      parsed<pb::RunStepRequest>(put_back(*lifted, kToContents)), request));
  // Of fewer than there are messages the others stay without.
  EXPECT_EQ(
      parsed<pb::RunStepRequest>(put_back({lifted->rest, {}}, kToContents)).feed(1).tensor().tensor_content(),
      "");
}

TEST(LiftedBytes, are_nothing_in_a_message_without_them) {
  pb::RunStepRequest request;
  request.set_session_handle(std::string(5000, 'h'));
  const auto lifted = lift_bytes(absl::Cord(request.SerializeAsString()), kToContents, 1);
  ASSERT_TRUE(lifted.has_value());
  EXPECT_TRUE(lifted->bytes.empty());
  EXPECT_EQ(lifted->rest, request.SerializeAsString());
  EXPECT_TRUE(lift_bytes({}, kToContents, 1)->rest.empty());
}

TEST(LiftedBytes, of_what_is_no_simple_message_there_are_none) {
  const std::string good = request_of({std::string(1000, 'x')}).SerializeAsString();
  // Cut off anywhere it is another message, or none.
  for (size_t size = 0; size < good.size(); ++size) {
    const absl::Cord cut(absl::string_view(good).substr(0, size));
    const bool is_message = pb::RunStepRequest().ParseFromString(std::string(cut));
    EXPECT_EQ(lift_bytes(cut, kToContents, 1).has_value(), is_message) << size;
  }
  // A group; a length beyond the end; the content twice.
  EXPECT_FALSE(lift_bytes(absl::Cord("\x0b\x0c"), kToContents, 1).has_value());
  EXPECT_FALSE(
      lift_bytes(absl::Cord("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), kToContents, 1).has_value());
  constexpr int kContent[] = {pb::TensorProto::kTensorContentFieldNumber};
  EXPECT_TRUE(lift_bytes(absl::Cord("\x22\x01x"), kContent, 1).has_value());
  EXPECT_FALSE(lift_bytes(absl::Cord("\x22\x01x\x22\x01y"), kContent, 1).has_value());
}

TEST(LiftedBytes, stand_any_bytes) {
  std::mt19937 random(11);
  const std::string good = request_of({std::string(40, 'x'), std::string(50, 'y')}).SerializeAsString();
  int messages = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (int n = 1 + random() % 4; n > 0; --n) bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto lifted = lift_bytes(in_pieces(bytes, 1 + random() % 64), kToContents, 45);
    pb::RunStepRequest whole;
    if (!lifted || !whole.ParseFromString(bytes)) continue;
    ++messages;
    EXPECT_EQ(parsed<pb::RunStepRequest>(put_back(*lifted, kToContents)).SerializeAsString(),
              whole.SerializeAsString())
        << i;
  }
  EXPECT_GT(messages, 1000);
}

}  // namespace
}  // namespace troupe
