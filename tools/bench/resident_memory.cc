#include "tools/bench/resident_memory.h"

#include <unistd.h>

#include <cstdio>

namespace troupe::bench {

double resident_kib() {
  long pages = 0, resident = 0;
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  if (f == nullptr) return 0;
  const int read = std::fscanf(f, "%ld %ld", &pages, &resident);
  std::fclose(f);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024 : 0;
}

int thread_count() {
  std::FILE* f = std::fopen("/proc/self/status", "r");
  if (f == nullptr) return 0;
  int threads = 0;
  char line[256];
  while (threads == 0 && std::fgets(line, sizeof(line), f) != nullptr)
    std::sscanf(line, "Threads: %d", &threads);
  std::fclose(f);
  return threads;
}

}  // namespace troupe::bench
