// Records of files in random order, a batch a step. Through sessions.

#include "devices/cpu/kernels/shared/record_writer.h"
#include "tests/devices/kernels/dataset/dataset_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class RecordInputs : public DatasetKernels {
 protected:
  void write(const std::string& name, const Names& records) {
    RecordWriter writer;
    ASSERT_TRUE(writer.open(folder_ + name, ReaderFile::Compression::kNone).ok());
    for (const std::string& record : records) ASSERT_TRUE(writer.write(record).ok());
    ASSERT_TRUE(writer.commit().ok());
  }
  void open_records(const std::string& pattern, int64_t batch) {
    add("records", "RecordInput",
        {{"file_pattern", folder_ + pattern}, {"batch_size", batch}, {"file_buffer_size", 3}});
    open();
  }
  Names batch() {
    const auto got = session_->run({}, {"records"});
    status_ = got.status();
    Names all;
    if (got.ok()) {
      for (const TString& record : (*got)[0].flat<TString>()) all.push_back(record.str());
    }
    return all;
  }
};

TEST_F(RecordInputs, give_each_record_once_a_round) {
  write("a.rec", {"1", "2", "3"});
  write("b.rec", {"4", "5"});
  write("c.rec", {});
  open_records("*.rec", 5);
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(batch(), UnorderedElementsAre("1", "2", "3", "4", "5")) << status_;
  }
}

TEST_F(RecordInputs, need_files_with_records) {
  write("c.none", {});
  open_records("*.rec", 5);
  EXPECT_THAT(batch(), IsEmpty());
  EXPECT_EQ(status_.code(), absl::StatusCode::kNotFound) << status_;
  EXPECT_THAT(std::string(status_.message()), HasSubstr("Found no files at"));
  add("none", "RecordInput", {{"file_pattern", folder_ + "*.none"}});
  open();
  EXPECT_EQ(run("none").code(), absl::StatusCode::kNotFound) << run("none");
}

}  // namespace
}  // namespace troupe::test
