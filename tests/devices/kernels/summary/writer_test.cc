#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "devices/checkpoint/crc32c.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

namespace pb = ::tensorflow;

/// A directory that goes away with the test.
class SummaryWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() /
           (std::string("summaries_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(dir_);
    auto handle = harness_.run("SummaryWriter", {}, {{"shared_name", std::string("w")}});
    ASSERT_TRUE(handle.ok()) << handle.status();
    writer_ = handle->at(0);
    ASSERT_TRUE(open().ok());
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  absl::Status open() {
    return harness_
        .run("CreateSummaryFileWriter",
             {writer_, Tensor::string_scalar((dir_ / "a" / "b").string()), Tensor::scalar<int32_t>(10),
              Tensor::scalar<int32_t>(1000000), Tensor::string_scalar("v2")})
        .status();
  }
  absl::Status write(const std::string& op, std::vector<Tensor> inputs, int64_t step = 7) {
    inputs.insert(inputs.begin(), {writer_, Tensor::scalar<int64_t>(step)});
    auto out = harness_.run(op, std::move(inputs));
    const absl::string_view message = out.status().message();
    return absl::Status(out.status().code(), message.substr(0, message.find("\n\t [[{{node")));
  }

  /// The events of the one file, whose checksums must be right.
  std::vector<pb::Event> events() {
    EXPECT_TRUE(harness_.run("FlushSummaryWriter", {writer_}).ok());
    std::vector<pb::Event> all;
    for (const auto& entry : std::filesystem::directory_iterator(dir_ / "a" / "b")) {
      name_ = entry.path().filename().string();
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream bytes;
      bytes << file.rdbuf();
      read(bytes.str(), &all);
    }
    return all;
  }

  static uint64_t number(const std::string& s, size_t at, int bytes) {
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;) v = v << 8 | static_cast<uint8_t>(s[at + static_cast<size_t>(i)]);
    return v;
  }
  static void read(const std::string& s, std::vector<pb::Event>* all) {
    for (size_t at = 0; at < s.size();) {
      ASSERT_LE(at + 16, s.size());
      const auto length = static_cast<size_t>(number(s, at, 8));
      EXPECT_EQ(number(s, at + 8, 4), crc32c_mask(crc32c(s.substr(at, 8))));
      ASSERT_LE(at + 16 + length, s.size());
      const std::string bytes = s.substr(at + 12, length);
      EXPECT_EQ(number(s, at + 12 + length, 4), crc32c_mask(crc32c(bytes)));
      ASSERT_TRUE(all->emplace_back().ParseFromString(bytes));
      at += 16 + length;
    }
  }

  KernelHarness harness_;
  std::filesystem::path dir_;
  Tensor writer_;
  std::string name_;
};

TEST_F(SummaryWriterTest, begins_a_file_with_its_version) {
  ASSERT_TRUE(write("WriteScalarSummary", {Tensor::string_scalar("loss"), Tensor::scalar(3.5f)}).ok());
  ASSERT_TRUE(write("WriteScalarSummary", {Tensor::string_scalar("n"), Tensor::scalar<uint8_t>(3)}, 8).ok());
  const auto all = events();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].file_version(), "brain.Event:2");
  EXPECT_GT(all[0].wall_time(), 1e9);
  EXPECT_EQ(all[1].step(), 7);
  EXPECT_EQ(all[1].summary().value(0).tag(), "loss");
  EXPECT_EQ(all[1].summary().value(0).simple_value(), 3.5f);
  EXPECT_EQ(all[2].step(), 8);
  EXPECT_EQ(all[2].summary().value(0).simple_value(), 3.0f);
  EXPECT_THAT(name_, testing::MatchesRegex("events\\.out\\.tfevents\\.[0-9]+\\..*\\.[0-9]+\\.[0-9]+\\.v2"));
}

TEST_F(SummaryWriterTest, writes_values_of_every_kind) {
  const Tensor tag = Tensor::string_scalar("t");
  pb::Summary summary;
  summary.add_value()->set_simple_value(2);
  pb::Event event;
  event.set_step(3);
  event.set_wall_time(2);
  event.set_file_version("abc");
  ASSERT_TRUE(write("WriteHistogramSummary", {tag, Tensor::vector<bool>({true, false, true})}).ok());
  ASSERT_TRUE(write("WriteSummary", {Tensor::vector<float>({1, 2}), tag,
                                     Tensor::string_scalar("\n\x04\n\x02"
                                                           "ab")})
                  .ok());
  ASSERT_TRUE(write("WriteImageSummary",
                    {tag, zeros(DataType::kFloat, Shape{2, 2, 2, 1}), Tensor::vector<uint8_t>({255})})
                  .ok());
  ASSERT_TRUE(write("WriteAudioSummary",
                    {tag, Tensor::from<float>(Shape{1, 2}, {0.1f, 0.2f}), Tensor::scalar(100.0f)})
                  .ok());
  ASSERT_TRUE(write("WriteRawProtoSummary", {Tensor::string_scalar(summary.SerializeAsString())}).ok());
  ASSERT_TRUE(write("WriteGraphSummary", {Tensor::string_scalar(pb::GraphDef().SerializeAsString())}).ok());
  ASSERT_TRUE(harness_.run("ImportEvent", {writer_, Tensor::string_scalar(event.SerializeAsString())}).ok());
  const auto all = events();
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[1].summary().value(0).histo().num(), 3);
  EXPECT_EQ(all[1].summary().value(0).histo().sum(), 2);
  EXPECT_EQ(all[2].summary().value(0).tensor().tensor_content().size(), 8u);
  EXPECT_EQ(all[2].summary().value(0).metadata().plugin_data().plugin_name(), "ab");
  ASSERT_EQ(all[3].summary().value_size(), 2);
  EXPECT_EQ(all[3].summary().value(1).tag(), "t/image/1");
  EXPECT_EQ(all[4].summary().value(0).audio().length_frames(), 2);
  EXPECT_EQ(all[5].summary().value(0).simple_value(), 2);
  EXPECT_EQ(all[6].what_case(), pb::Event::kGraphDef);
  EXPECT_EQ(all[7].file_version(), "abc");
  EXPECT_EQ(all[7].wall_time(), 2);
}

TEST_F(SummaryWriterTest, refuses_what_it_cannot_write) {
  const Tensor tag = Tensor::string_scalar("hi"), bad = Tensor::string_scalar("\xff\xff");
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(write("WriteRawProtoSummary", {bad}),
            absl::DataLossError("Bad tf.compat.v1.Summary binary proto tensor string at index 0"));
  EXPECT_EQ(write("WriteGraphSummary", {bad}),
            absl::DataLossError("Bad tf.GraphDef binary proto tensor string"));
  EXPECT_EQ(write("WriteHistogramSummary", {tag, Tensor::vector<float>({1, nan})}),
            absl::InvalidArgumentError("Nan in summary histogram for: hi"));
  EXPECT_EQ(write("WriteHistogramSummary", {tag, Tensor::vector<float>({1, inf})}),
            absl::InvalidArgumentError("Infinity in summary histogram for: hi"));
  EXPECT_EQ(
      write("WriteImageSummary",
            {tag, zeros(DataType::kFloat, Shape{1, 2, 2, 1}), Tensor(DataType::kUint8, Shape{0})}),
      absl::InvalidArgumentError("expected depth <= bad_color.size, got depth = 1, bad_color.size = 0"));
  EXPECT_FALSE(write("WriteScalarSummary", {strings({"a", "b"}), Tensor::scalar(1.0f)}).ok());
  EXPECT_FALSE(write("WriteScalarSummary", {tag, Tensor::vector<float>({1, 2})}).ok());
  EXPECT_EQ(events().size(), 1u);
}

TEST_F(SummaryWriterTest, is_gone_once_closed) {
  ASSERT_TRUE(harness_.run("CloseSummaryWriter", {writer_}).ok());
  const absl::Status status = write("WriteScalarSummary", {Tensor::string_scalar("a"), Tensor::scalar(1.0f)});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message().substr(0, 71),
            "Resource localhost/w/N10tensorflow22SummaryWriterInterfaceE does not ex");
}

}  // namespace
}  // namespace troupe::test
