#include "tests/actors/node/cluster_fixture.h"

#include <arpa/inet.h>
#include <google/protobuf/text_format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace troupe::test {
namespace {

/// A port that nobody listens on; the socket that has it is the caller's to close.
int take_port(uint16_t* port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  *port = ntohs(address.sin_port);
  return fd;
}

}  // namespace

std::string task_name(int index) { return absl::StrCat("/job:worker/replica:0/task:", index); }

std::string on_task(int index) { return absl::StrCat("device: '", task_name(index), "' "); }

void TestCluster::plan(int tasks, const std::string& host) {
  std::vector<int> sockets;
  for (int i = 0; i < tasks; ++i) {
    uint16_t port = 0;
    sockets.push_back(take_port(&port));
    ASSERT_TRUE(options_.cluster.add({"worker", i}, absl::StrCat(host, ":", port)).ok());
  }
  for (int fd : sockets) ::close(fd);
  machines_.resize(static_cast<size_t>(tasks));
}

void TestCluster::start(int task) {
  machines_[task] = nullptr;
  auto machine = std::make_unique<Machine>(runtime_options_);
  ClusterNodeOptions options = options_;
  options.task = {"worker", task};
  auto node = ClusterNode::start(*machine->runtime, options);
  ASSERT_TRUE(node.ok()) << node.status();
  machine->node = *std::move(node);
  machines_[task] = std::move(machine);
}

void TestCluster::start_all(int tasks) {
  plan(tasks);
  for (int i = 0; i < tasks; ++i) start(i);
}

int64_t TestCluster::sessions_on(int task) {
  caf::scoped_actor self{machines_[task]->system};
  int64_t n = -1;
  self->request(runtime_actor(*machines_[task]->runtime), std::chrono::seconds(5), RuntimeStatusRequest{})
      .receive([&](const RuntimeStatus& status) { n = status.sessions; }, [](caf::error&) {});
  return n;
}

bool TestCluster::comes_to_have(int task, int64_t sessions) {
  for (int i = 0; i < 500; ++i) {
    if (sessions_on(task) == sessions) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

bool TestCluster::comes_to_open(int task, size_t sessions) {
  for (int i = 0; i < 500; ++i) {
    if (machines_[task]->node->num_sessions() == sessions) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::unique_ptr<Session> ClusterTest::open(const std::string& graph_text, const SessionOptions& options) {
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(graph_text, &graph)) << graph_text;
  auto session = machines_[0]->node->open_session(options);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return nullptr;
  EXPECT_EQ((*session)->create(graph), absl::OkStatus());
  return *std::move(session);
}

}  // namespace troupe::test
