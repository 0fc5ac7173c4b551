#include "actors/cluster/cluster_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace troupe {
namespace {

using ::testing::HasSubstr;

void expect_refused(const absl::StatusOr<ClusterSpec>& cluster, const std::string& why) {
  EXPECT_EQ(cluster.status().code(), absl::StatusCode::kInvalidArgument) << cluster.status();
  EXPECT_THAT(std::string(cluster.status().message()), HasSubstr(why));
  EXPECT_EQ(cluster.status().message().find('\n'), absl::string_view::npos) << "one line";
}

std::string words(const absl::StatusOr<ClusterSpec>& cluster) {
  return cluster.ok() ? cluster->to_string() : cluster.status().ToString();
}

TEST(ClusterJson, reads_lists_and_numbered_tasks) {
  EXPECT_EQ(words(parse_cluster_json(R"({"worker": ["a:1", "b:2"], "ps": {"4": "c:3"}})")),
            "ps/4=c:3;worker=a:1,b:2");
}

TEST(ClusterJson, reads_the_cluster_of_a_tf_config) {
  EXPECT_EQ(words(parse_cluster_json(
                R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})")),
            "worker=a:1");
  EXPECT_EQ(words(parse_cluster_json(R"({"cluster": ["a:1"]})")), "cluster=a:1") << "a job of that name";
}

TEST(ClusterJson, says_what_is_wrong) {
  expect_refused(parse_cluster_json("{"), "parse error");
  expect_refused(parse_cluster_json("[]"), "it is of type array, expected an object of jobs");
  expect_refused(parse_cluster_json("{}"), "it has no tasks");
  expect_refused(parse_cluster_json(R"({"worker": 3})"), "job \"worker\" is of type number, expected a list");
  expect_refused(parse_cluster_json(R"({"worker": ["a:1", 2]})"),
                 "the address of /job:worker/replica:0/task:1 is of type number, expected a string");
  expect_refused(parse_cluster_json(R"({"worker": {"x": "a:1"}})"), "has a task \"x\", expected the number");
  expect_refused(parse_cluster_json(R"({"worker": ["a:99999"]})"), "expected 0 to 65535");
  expect_refused(parse_cluster_json(R"({"worker": {"1": "a:1", "1": "b:1"}})"), "\"1\" is there twice");
  expect_refused(parse_cluster_json(R"({"worker": {"1": "a:1", "01": "b:1"}})"),
                 "two addresses for task \"1\"");
}

TEST(ClusterText, reads_a_cluster_def) {
  EXPECT_EQ(words(parse_cluster_text("job { name: 'worker' tasks { key: 2 value: 'a:1' } }")),
            "worker/2=a:1");
  expect_refused(parse_cluster_text("job { nam: 'x' }"), "line 1, column 10");
  expect_refused(parse_cluster_text(""), "it has no jobs");
}

class ClusterFileTest : public testing::Test {
 protected:
  absl::StatusOr<ClusterSpec> read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_cluster_file(path_);
  }
  ~ClusterFileTest() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "cluster_file_test";
};

TEST_F(ClusterFileTest, knows_the_form_of_a_file_by_its_looks) {
  EXPECT_EQ(words(read("\n {\"worker\": [\"a:1\"]}\n")), "worker=a:1");
  EXPECT_EQ(words(read("job {\n name: 'ps'\n tasks { key: 0 value: 'a:1' }\n}\n")), "ps=a:1");
  EXPECT_EQ(words(read("worker=a:1,b:2\n")), "worker=a:1,b:2");
}

TEST_F(ClusterFileTest, names_the_file_in_errors) {
  expect_refused(read("{\"worker\": 3}"), path_ + ": Cluster in JSON");
  expect_refused(read(std::string(kMaxClusterFileBytes + 1, ' ')), path_ + ": has more than 16777216 bytes");
  const absl::Status none = read_cluster_file(path_ + "/none").status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.message()), HasSubstr(path_ + "/none"));
  EXPECT_EQ(read_cluster_file(testing::TempDir()).status().code(), absl::StatusCode::kNotFound) << "a folder";
}

}  // namespace
}  // namespace troupe
