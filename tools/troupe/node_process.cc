#include "tools/troupe/node_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

constexpr char kSelf[] = "/proc/self/exe";
/// Between two looks whether a process has ended.
constexpr std::chrono::milliseconds kPause{10};

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_node(int printed, char* const* argv, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  // Who ends the standard input of its parent ends that alone.
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(printed, STDOUT_FILENO);
  ::execv(kSelf, argv);
  ::_exit(127);
}

}  // namespace

std::string end_of_process(int status) {
  if (!WIFSIGNALED(status)) return absl::StrCat("exit code ", WEXITSTATUS(status));
  const char* name = ::sigabbrev_np(WTERMSIG(status));
  return absl::StrCat("killed by SIG", name == nullptr ? "?" : name);
}

absl::StatusOr<std::unique_ptr<NodeProcess>> NodeProcess::start(const std::vector<std::string>& arguments) {
  int printed[2];
  if (::pipe2(printed, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  std::unique_ptr<NodeProcess> node(new NodeProcess);
  node->printed_ = printed[0];
  ::fcntl(node->printed_, F_SETFL, O_NONBLOCK);
  std::vector<std::string> words = {"troupe"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  node->pid_ = ::fork();
  if (node->pid_ == 0) become_node(printed[1], argv.data(), parent);
  const int error = errno;
  ::close(printed[1]);
  if (node->pid_ < 0) return absl::ErrnoToStatus(error, "cannot start a process");
  return node;
}

NodeProcess::~NodeProcess() {
  if (pid_ > 0 && !ended()) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (printed_ >= 0) ::close(printed_);
}

absl::StatusOr<std::string> NodeProcess::read_line(std::chrono::steady_clock::time_point until) {
  using std::chrono::milliseconds;
  for (;;) {
    if (const size_t end = partial_.find('\n'); end != std::string::npos) {
      std::string line = partial_.substr(0, end);
      partial_.erase(0, end + 1);
      return line;
    }
    const auto left =
        std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return absl::DeadlineExceededError(absl::StrCat("process ", pid_, " says nothing"));
    pollfd more{printed_, POLLIN, 0};
    if (::poll(&more, 1, static_cast<int>(std::min<int64_t>(left, 1000))) <= 0 || read_more()) continue;
    (void)wait(until);
    return absl::UnavailableError(
        absl::StrCat("process ", pid_, " has ended: ", ended().value_or("it closed its output")));
  }
}

bool NodeProcess::read_more() {
  char block[1 << 12];
  for (;;) {
    const ssize_t n = ::read(printed_, block, sizeof(block));
    if (n > 0) {
      partial_.append(block, static_cast<size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return n < 0 && errno == EAGAIN;
    }
  }
}

std::string NodeProcess::take_output() {
  (void)read_more();
  return std::exchange(partial_, "");
}

std::optional<std::string> NodeProcess::ended() {
  int status = 0;
  if (!end_ && ::waitpid(pid_, &status, WNOHANG) == pid_) end_ = end_of_process(status);
  return end_;
}

void NodeProcess::terminate() const {
  if (!end_) ::kill(pid_, SIGTERM);
}

bool NodeProcess::wait(std::chrono::steady_clock::time_point until) {
  while (!ended()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace troupe
