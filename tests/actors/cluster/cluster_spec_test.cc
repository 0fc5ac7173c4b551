#include "actors/cluster/cluster_spec.h"

#include <gmock/gmock.h>

#include "actors/cluster/cluster_proto.h"

#include "proto/cluster.pb.h"
#include "proto/tensorflow_server.pb.h"

namespace troupe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ClusterSpec good(absl::string_view words) {
  auto cluster = ClusterSpec::parse(words);
  EXPECT_TRUE(cluster.ok()) << cluster.status();
  return cluster.ok() ? *cluster : ClusterSpec();
}

/// The message of the InvalidArgument that the words give, which is one line.
std::string refusal(absl::string_view words) {
  const absl::Status status = ClusterSpec::parse(words).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << words;
  EXPECT_EQ(status.message().find('\n'), absl::string_view::npos);
  return std::string(status.message());
}

TEST(TaskId, is_the_prefix_of_the_names_of_its_devices) {
  EXPECT_EQ((TaskId{"worker", 1}).to_string(), "/job:worker/replica:0/task:1");
  EXPECT_EQ(TaskId::parse("/job:worker/replica:0/task:1/device:GPU:3"), (TaskId{"worker", 1}));
  EXPECT_EQ(TaskId::parse("/job:worker/task:12"), (TaskId{"worker", 12}));
  for (const char* bad : {"", "/job:worker", "/task:1", "/job:worker/replica:1/task:1", "worker:1"}) {
    EXPECT_FALSE(TaskId::parse(bad).has_value()) << bad;
  }
}

TEST(ClusterSpec, reads_jobs_and_their_tasks) {
  const ClusterSpec cluster = good("worker=127.0.0.1:7001, 127.0.0.1:7002; ps=[::1]:7003;");
  EXPECT_THAT(cluster.tasks(), ElementsAre(TaskId{"ps", 0}, TaskId{"worker", 0}, TaskId{"worker", 1}));
  EXPECT_EQ(cluster.num_tasks(), 3);
  EXPECT_EQ(*cluster.address({"worker", 1}), (TaskAddress{"127.0.0.1", 7002}));
  EXPECT_EQ(*cluster.address({"ps", 0}), (TaskAddress{"::1", 7003}));
  EXPECT_EQ(cluster.to_string(), "ps=[::1]:7003;worker=127.0.0.1:7001,127.0.0.1:7002");
}

TEST(ClusterSpec, may_have_gaps_in_its_tasks) {
  const ClusterSpec cluster = good("ps=a:1;ps/4=b:2,c:3");
  EXPECT_THAT(cluster.tasks(), ElementsAre(TaskId{"ps", 0}, TaskId{"ps", 4}, TaskId{"ps", 5}));
  EXPECT_FALSE(cluster.has({"ps", 1}));
  EXPECT_EQ(cluster.to_string(), "ps=a:1;ps/4=b:2,c:3");
  EXPECT_EQ(good(cluster.to_string()), cluster);
}

TEST(ClusterSpec, says_which_task_it_does_not_have) {
  const ClusterSpec cluster = good("worker=a:1");
  const absl::Status job = cluster.address({"ps", 0}).status(),
                     task = cluster.address({"worker", 1}).status();
  EXPECT_EQ(job.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(job.message(), "Job \"ps\" was not defined in cluster");
  EXPECT_EQ(task.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(task.message(), "Task 1 was not defined in job \"worker\"");
}

TEST(ClusterSpec, refuses_what_is_no_cluster) {
  EXPECT_THAT(refusal(""), HasSubstr("no tasks, expected JOB=HOST:PORT"));
  EXPECT_THAT(refusal("worker"), HasSubstr("\"worker\" has 0 '=', expected JOB=HOST:PORT"));
  EXPECT_THAT(refusal("worker=a:1=b:2"), HasSubstr("has 2 '='"));
  EXPECT_THAT(refusal("=a:1"), HasSubstr("\"\" is no name of a job"));
  EXPECT_THAT(refusal("my job=a:1"), HasSubstr("\"my job\" is no name of a job"));
  EXPECT_THAT(refusal("7=a:1"), HasSubstr("\"7\" is no name of a job"));
  EXPECT_THAT(refusal("ps/x=a:1"), HasSubstr("begins with task \"x\", which is no number"));
  EXPECT_THAT(refusal("ps/-1=a:1"), HasSubstr("job \"ps\" has task -1, expected 0 or more"));
  EXPECT_THAT(refusal("ps/2147483647=a:1,b:2"), HasSubstr("has tasks beyond the last number"));
}

TEST(ClusterSpec, refuses_tasks_that_are_there_twice_or_left_out) {
  EXPECT_THAT(refusal("worker=a:1,,b:2"),
              HasSubstr("/job:worker/replica:0/task:1 is left out, expected HOST:PORT"));
  EXPECT_THAT(refusal("worker="), HasSubstr("/job:worker/replica:0/task:0 is left out"));
  EXPECT_THAT(refusal("worker=a:1,b:2;worker/1=c:3"),
              HasSubstr("JobDef for job \"worker\" specified two addresses for task \"1\": b:2 and c:3"));
  EXPECT_THAT(
      refusal("worker=a:1;ps=a:1"),
      HasSubstr("/job:worker/replica:0/task:0 and /job:ps/replica:0/task:0 have the same address a:1"));
  EXPECT_EQ(good("worker=a:0,a:0").num_tasks(), 2) << "ports that the system chooses differ";
}

TEST(TaskAddress, refuses_what_is_no_host_and_port) {
  const auto refused = [](const std::string& text, const std::string& why) {
    const absl::Status status = TaskAddress::parse(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("Could not interpret \"" + text + "\" as a host-port pair: " + why));
  };
  refused("", "expected HOST:PORT, there is no ':'");
  refused("nohost", "expected HOST:PORT, there is no ':'");
  refused(":5", "the host is empty");
  refused("[]:5", "the host is empty");
  refused("h:", "the port is \"\", expected a number");
  refused("h:http", "the port is \"http\", expected a number");
  refused("h:65536", "the port is 65536, expected 0 to 65535");
  refused("h:-1", "the port is -1, expected 0 to 65535");
  refused("grpc://x:4", "\"grpc://x\" is no host");
  refused("::1:5", "an IPv6 address goes into brackets: [ADDRESS]:PORT");
  refused("a/b:4", "\"a/b\" is no host");
  EXPECT_THAT(refusal("worker=a:1,h:65536"), HasSubstr("expected 0 to 65535 (/job:worker/replica:0/task:1)"));
  EXPECT_EQ(TaskAddress::parse("h:65535")->port, 65535);
}

pb::ClusterDef cluster_def() {
  pb::ClusterDef proto;
  pb::JobDef* job = proto.add_job();
  job->set_name("worker");
  (*job->mutable_tasks())[0] = "a:1";
  (*job->mutable_tasks())[3] = "b:2";
  return proto;
}

TEST(ClusterProto, goes_both_ways) {
  auto cluster = from_proto(cluster_def());
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->to_string(), "worker=a:1;worker/3=b:2");
  pb::ClusterDef again;
  to_proto(*cluster, &again);
  EXPECT_EQ(again.DebugString(), cluster_def().DebugString());
}

TEST(ClusterProto, refuses_a_job_that_is_named_twice) {
  pb::ClusterDef proto = cluster_def();
  proto.add_job()->set_name("worker");
  const absl::Status status = from_proto(proto).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "Duplicate job ID in cluster specification: worker");
}

TEST(ClusterProto, reads_who_a_server_is_and_where_it_listens) {
  pb::ServerDef proto;
  *proto.mutable_cluster() = cluster_def();
  proto.set_job_name("worker");
  proto.set_task_index(3);
  auto server = from_proto(proto);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_EQ(server->task.to_string(), "/job:worker/replica:0/task:3");
  EXPECT_EQ(server->address.to_string(), "b:2");
  proto.set_port(77);
  EXPECT_EQ(from_proto(proto)->address.to_string(), "b:77") << "its own port counts";
  proto.set_port(70000);
  EXPECT_EQ(from_proto(proto).status().code(), absl::StatusCode::kInvalidArgument);
  proto.set_port(0);
  proto.set_task_index(1);
  EXPECT_EQ(from_proto(proto).status().message(), "Task 1 was not defined in job \"worker\"");
}

}  // namespace
}  // namespace troupe
