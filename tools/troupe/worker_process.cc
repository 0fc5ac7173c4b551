#include "tools/troupe/worker_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tools/troupe/node_process.h"

namespace troupe {
namespace {

/// How much of what a dead worker printed is shown.
constexpr size_t kTailBytes = 600;
constexpr char kSelf[] = "/proc/self/exe";

void close_if_open(int* fd) {
  if (*fd >= 0) ::close(*fd);
  *fd = -1;
}

bool write_all(int fd, const std::string& text) {
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

/// Between fork and exec: only calls that are safe there.
[[noreturn]] void become_worker(int questions, int printed, int answers, char* const* argv, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(questions, STDIN_FILENO);
  ::dup2(printed, STDOUT_FILENO);
  ::dup2(printed, STDERR_FILENO);
  ::fcntl(answers, F_SETFD, 0);
  ::execv(kSelf, argv);
  ::_exit(127);
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::start(
    const std::vector<std::string>& arguments) {
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess);
  int questions[2], answers[2];
  if (::pipe2(questions, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  worker->questions_ = questions[1];
  if (::pipe2(answers, O_CLOEXEC) != 0) {
    ::close(questions[0]);
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  worker->answers_ = answers[0];
  worker->printed_ = ::memfd_create("worker output", MFD_CLOEXEC);
  ::fcntl(worker->answers_, F_SETFL, O_NONBLOCK);

  std::vector<std::string> words = {"troupe"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.push_back(absl::StrCat(answers[1]));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  worker->pid_ = ::fork();
  if (worker->pid_ == 0) become_worker(questions[0], worker->printed_, answers[1], argv.data(), parent);
  const int error = errno;
  ::close(questions[0]);
  ::close(answers[1]);
  if (worker->pid_ < 0) return absl::ErrnoToStatus(error, "cannot start a process");
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) reap(true);
  close_if_open(&questions_);
  close_if_open(&answers_);
  close_if_open(&printed_);
}

bool WorkerProcess::ask(const std::string& line) { return write_all(questions_, line + "\n"); }

std::optional<std::string> WorkerProcess::poll_answer(bool* ended) {
  *ended = false;
  for (;;) {
    const size_t end = partial_.find('\n');
    if (end != std::string::npos) {
      std::string line = partial_.substr(0, end);
      partial_.erase(0, end + 1);
      return line;
    }
    char block[1 << 14];
    const ssize_t n = ::read(answers_, block, sizeof(block));
    if (n > 0) {
      partial_.append(block, static_cast<size_t>(n));
    } else if (n == 0) {
      *ended = true;
      return std::nullopt;
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

std::string WorkerProcess::printed_tail() const {
  const off_t size = ::lseek(printed_, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(kTailBytes));
  std::string tail(static_cast<size_t>(std::max<off_t>(size - from, 0)), '\0');
  const ssize_t n = ::pread(printed_, tail.data(), tail.size(), from);
  tail.resize(n > 0 ? static_cast<size_t>(n) : 0);
  absl::StripAsciiWhitespace(&tail);
  return absl::StrReplaceAll(tail, {{"\n", " | "}});
}

std::string WorkerProcess::reap(bool kill) {
  if (kill) ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  const std::string how = end_of_process(status);
  const std::string tail = printed_ >= 0 ? printed_tail() : "";
  return tail.empty() ? how : absl::StrCat(how, ": ", tail);
}

int serve_lines(int answers_fd, const std::function<std::string(const std::string&)>& answer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    // What kernels print belongs to the case during which it was printed.
    if (!write_all(answers_fd, answer(line) + "\n")) return 1;
    std::fflush(nullptr);
    if (::lseek(STDERR_FILENO, 0, SEEK_SET) == 0) (void)!::ftruncate(STDERR_FILENO, 0);
  }
  return 0;
}

}  // namespace troupe
