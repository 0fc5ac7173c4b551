// Files of traces: whole at every moment, bounded in size and number.
#include "actors/console/trace_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "nlohmann/json.hpp"

namespace troupe::test {
namespace {

namespace fs = std::filesystem;

class TraceFilesTest : public testing::Test {
 protected:
  TraceFilesTest() {
    std::string pattern = (fs::temp_directory_path() / "troupe_test_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~TraceFilesTest() override { fs::remove_all(folder_); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::directory_iterator(folder_)) out.push_back(e.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  static nlohmann::json read(const fs::path& file) {
    std::ifstream in(file);
    return nlohmann::json::parse(in);
  }
  static std::string event(int i) { return "{\"name\":\"" + std::to_string(i) + "\"}"; }

  fs::path folder_;
};

TEST_F(TraceFilesTest, are_whole_after_each_event) {
  TraceFiles traces(folder_, 3, 1 << 20);
  ASSERT_TRUE(traces.open().ok());
  EXPECT_EQ(read(files().at(0)).at("traceEvents").size(), 0u);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(traces.add(event(i)).ok());
    const nlohmann::json events = read(files().at(0)).at("traceEvents");
    ASSERT_EQ(events.size(), static_cast<size_t>(i) + 1);
    EXPECT_EQ(events.back().at("name"), std::to_string(i));
  }
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(TraceFilesTest, are_no_larger_and_no_more_than_they_may_be) {
  std::ofstream(folder_ / "troupe-trace-0.json") << "of an earlier process";
  std::ofstream(folder_ / "other.json") << "somebody else's";
  TraceFiles traces(folder_ / ".", 3, 200);
  ASSERT_TRUE(traces.open().ok());
  int last = 0;
  for (; last < 100; ++last) ASSERT_TRUE(traces.add(event(last)).ok());
  std::vector<fs::path> all = files();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].filename(), "other.json");
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(fs::file_size(all[i]), 300u);
  EXPECT_EQ(read(all[3]).at("traceEvents").back().at("name"), std::to_string(last - 1));
}

TEST_F(TraceFilesTest, say_when_they_cannot_be_made) {
  std::ofstream(folder_ / "file") << "no folder";
  TraceFiles below(folder_ / "file" / "below", 3, 200);
  EXPECT_FALSE(below.open().ok());
  TraceFiles lost(folder_ / "gone", 3, 60);
  ASSERT_TRUE(lost.open().ok());
  fs::remove_all(folder_ / "gone");
  ASSERT_TRUE(lost.add(event(1) + "," + event(2) + "," + event(3)).ok()) << "into the file that is open";
  EXPECT_TRUE(lost.at_begin());
  EXPECT_EQ(lost.add(event(4)).code(), absl::StatusCode::kNotFound);
  fs::create_directories(folder_ / "gone");
  EXPECT_TRUE(lost.add(event(5)).ok()) << "there is room again";
}

}  // namespace
}  // namespace troupe::test
