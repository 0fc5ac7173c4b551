// Readers of the files that a queue names.

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "devices/cpu/kernels/queue/reader.h"
#include "tests/devices/kernels/queue/data_flow_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

TEST_F(DataFlowTest, keeps_the_carriage_returns_within_a_line_that_it_reads) {
  const std::string path = testing::TempDir() + "/troupe_reader_returns.txt";
  std::ofstream(path, std::ios::binary) << "a\rb\r\nc\r\r\n\r";
  int queue = add("q", "FIFOQueueV2", {{"component_types", Types{DataType::kString}}});
  int name = constant("name", Tensor::string_scalar(path));
  int reader = add("r", "TextLineReaderV2", {});
  add("in", "QueueEnqueueV2", {{"Tcomponents", Types{DataType::kString}}}, {{queue, 0}, {name, 0}});
  add("close", "QueueCloseV2", {}, {{queue, 0}});
  add("read", "ReaderReadV2", {}, {{reader, 0}, {queue, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in"}).ok());
  ASSERT_TRUE(session.run({}, {}, {"close"}).ok());
  for (const std::string want : {"a\rb", "c\r"}) {
    auto line = session.run({}, {"read:1"});
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_EQ(line->at(0).value<TString>().str(), want);
  }
  EXPECT_EQ(session.run({}, {"read:1"}).status().code(), absl::StatusCode::kOutOfRange)
      << "an empty rest is no line";
  std::remove(path.c_str());
}

TEST_F(DataFlowTest, refuses_several_names_in_an_element_of_a_readers_queue) {
  int queue = add("q", "FIFOQueueV2", {{"component_types", Types{DataType::kString}}});
  int names = constant("names", Tensor::from<TString>(Shape{2}, {TString("a"), TString("b")}));
  int reader = add("r", "IdentityReaderV2", {});
  int state = constant("state", Tensor::string_scalar(std::string("\x08\x05\x10\x03", 4)));
  add("in", "QueueEnqueueV2", {{"Tcomponents", Types{DataType::kString}}}, {{queue, 0}, {names, 0}});
  add("read", "ReaderReadV2", {}, {{reader, 0}, {queue, 0}});
  add("restore", "ReaderRestoreStateV2", {}, {{reader, 0}, {state, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in"}).ok());
  EXPECT_THAT(session.run({}, {"read:1"}).status().message(),
              HasSubstr("Expected to dequeue a one-element string tensor"));
  EXPECT_THAT(session.run({}, {}, {"restore"}).status().message(),
              HasSubstr("Inconsistent work started vs. finished"))
      << "more was started than finished";
}

TEST_F(DataFlowTest, reads_lines_of_the_files_that_a_queue_names) {
  const std::string path = testing::TempDir() + "/troupe_reader_lines.txt";
  std::ofstream(path, std::ios::binary) << "skipped\r\none\n\ntwo";
  int queue = add("q", "FIFOQueueV2", {{"component_types", Types{DataType::kString}}});
  int name = constant("name", Tensor::string_scalar(path));
  int reader = add("r", "TextLineReaderV2", {{"skip_header_lines", 1}});
  add("in", "QueueEnqueueV2", {{"Tcomponents", Types{DataType::kString}}}, {{queue, 0}, {name, 0}});
  add("close", "QueueCloseV2", {}, {{queue, 0}});
  add("read", "ReaderReadV2", {}, {{reader, 0}, {queue, 0}});
  add("count", "ReaderNumRecordsProducedV2", {}, {{reader, 0}});
  Session& session = open();
  ASSERT_TRUE(session.run({}, {}, {"in"}).ok());
  ASSERT_TRUE(session.run({}, {}, {"close"}).ok());
  for (const std::string want : {"one", "", "two"}) {
    auto line = session.run({}, {"read:1"});
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_EQ(line->at(0).value<TString>().str(), want);
  }
  EXPECT_EQ(session.run({}, {"read:1"}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(session.run({}, {"count"})->at(0).value<int64_t>(), 3);
  std::remove(path.c_str());
}

TEST(TfRecords, end_with_a_part_of_a_header_but_not_within_a_record) {
  const std::string path = testing::TempDir() + "/troupe_reader_part.tfrecord";
  RecordFormat::Record record;
  auto format = tf_record_format(ReaderFile::Compression::kNone, 0);
  std::ofstream(path, std::ios::binary) << std::string("\3\0\0\0\0", 5);
  ASSERT_TRUE(format->start(path).ok());
  EXPECT_EQ(*format->next(&record), RecordFormat::Outcome::kEnd);
  std::ofstream(path, std::ios::binary) << std::string(12, '\xff');
  ASSERT_TRUE(format->start(path).ok());
  EXPECT_EQ(format->next(&record).status(),
            absl::DataLossError("corrupted record at 0 (Is this even a TFRecord file?)"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace troupe::test
