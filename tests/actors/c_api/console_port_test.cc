// The console of a process that knows only the C API. Each test is a process of its own: a process has one runtime, which looks once.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <utility>

#include "tests/actors/c_api/c_graph.h"
#include "tests/actors/console/raw_client.h"

using namespace c_test;
using troupe::test::body_of;
using troupe::test::get;

namespace {

constexpr char kVariable[] = "TROUPE_CONSOLE_PORT";

/// A port of the loopback that nobody else gets until it is closed, and that the system gives nobody of itself afterwards.
class Port {
 public:
  Port() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::random_device random;
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    do {
      number_ = 20'000 + static_cast<int>(random() % 10'000);
      at.sin_port = htons(static_cast<uint16_t>(number_));
    } while (::bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0);
  }
  ~Port() { close(); }
  Port(const Port&) = delete;
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int number() const { return number_; }

 private:
  int fd_;
  int number_ = 0;
};

/// In the process under test: runs a graph, and ends well when the console answers at that port as it should.
[[noreturn]] void run_and_look(bool is_shown) {
  const int port = std::atoi(std::getenv(kVariable));
  bool good = false;
  {
    AddThree g;
    Session session(g.graph.get());
    const TensorPtr one = float_scalar(1);
    good = session.run_float({{g.x, one.get()}}, g.y) == 4;
    const bool shown = body_of(get(port, "/healthz")) == "ok\n" &&
                       get(port, "/metrics").find("\ntroupe_sessions 1\n") != std::string::npos;
    good = good && shown == is_shown;
  }
  std::exit(good ? 0 : 1);
}

class ConsolePort : public testing::Test {
 protected:
  ConsolePort() {
    // The process under test runs the test again from its beginning, with the variable.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (std::getenv(kVariable) == nullptr) setenv(kVariable, std::to_string(port_.number()).c_str(), 1);
  }
  ~ConsolePort() override { unsetenv(kVariable); }
  Port port_;
};

TEST_F(ConsolePort, is_where_the_environment_of_the_process_says) {
  port_.close();
  EXPECT_EXIT(run_and_look(true), testing::ExitedWithCode(0), "");
}

TEST_F(ConsolePort, that_is_in_use_leaves_the_process_without_a_console) {
  EXPECT_EXIT(run_and_look(false), testing::ExitedWithCode(0), "");
}

}  // namespace
