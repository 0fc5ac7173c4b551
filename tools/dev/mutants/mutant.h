// Which mutant is switched on, and which are reached. Only in copies that mutate.py makes.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace mutant {

struct State {
  State() {
    if (const char* number = std::getenv("TROUPE_MUTANT")) which = std::atoi(number);
    const char* file = std::getenv("TROUPE_MUTANTS_REACHED");
    if (file == nullptr) return;
    // A byte each, mapped: child processes and those that crash are counted too.
    const int fd = ::open(file, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void* bytes = ::mmap(nullptr, static_cast<size_t>(::lseek(fd, 0, SEEK_END)), PROT_READ | PROT_WRITE,
                         MAP_SHARED, fd, 0);
    if (bytes != MAP_FAILED) reached = static_cast<volatile char*>(bytes);
    ::close(fd);
  }

  int which = -1;
  volatile char* reached = nullptr;
};

inline bool on(int number) {
  static const State state;
  if (__builtin_expect(state.reached != nullptr, 0)) state.reached[number] = 1;
  return __builtin_expect(number == state.which, 0);
}

}  // namespace mutant
