// A library for LD_PRELOAD: this process's clock of the day is off by as many seconds as the file CLOCK_JUMP_FILE says, an int64 that may change at any
// time. Steady clocks are as they are. tools/dev/fault_matrix.py lets clocks jump so.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Seconds = std::atomic<int64_t>;

/// Null: there is no such file.
const Seconds* map_file() {
  const char* path = std::getenv("CLOCK_JUMP_FILE");
  const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* const at = mmap(nullptr, sizeof(Seconds), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  return at == MAP_FAILED ? nullptr : static_cast<const Seconds*>(at);
}

int read_clock(clockid_t clock, timespec* out) {
  static const Seconds* const off = map_file();
  // Not by the C library: its functions are those below.
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, out));
  const bool of_the_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (result == 0 && of_the_day && off != nullptr) out->tv_sec += off->load(std::memory_order_relaxed);
  return result;
}

timespec now() {
  timespec t{};
  (void)read_clock(CLOCK_REALTIME, &t);
  return t;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept { return read_clock(clock, out); }

int gettimeofday(timeval* out, void*) noexcept {
  const timespec t = now();
  *out = {t.tv_sec, t.tv_nsec / 1000};
  return 0;
}

int timespec_get(timespec* out, int base) noexcept {
  *out = now();
  return base;
}

time_t time(time_t* out) noexcept {
  const timespec t = now();
  if (out != nullptr) *out = t.tv_sec;
  return t.tv_sec;
}
}
