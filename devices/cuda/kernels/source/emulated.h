#pragma once

// How kernels that the host's compiler compiles get to the emulated driver of the tests, which runs them on the CPU.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace troupe {

/// A kernel that the host's compiler compiled.
struct EmulatedKernel {
  const char* name;
  /// Bytes of each argument.
  std::vector<size_t> sizes;
  /// Runs `grid` blocks of one thread; args[i] points to argument i.
  void (*run)(void** args, uint32_t grid);
};

/// All that are in this program, in any order; complete when main begins.
inline std::vector<EmulatedKernel>& emulated_kernels() {
  static std::vector<EmulatedKernel> kernels;
  return kernels;
}

}  // namespace troupe

namespace troupe::launchable {

/// Which block the calling thread runs.
struct EmulatedBlock {
  int64_t index = 0;
  int64_t grid = 1;
};
inline thread_local EmulatedBlock emulated_block;

template <auto kernel>
struct Emulated;

template <class... Args, void (*kernel)(Args...)>
struct Emulated<kernel> {
  static_assert((std::is_trivially_copyable_v<Args> && ...), "parameters are copied byte by byte");

  /// Runs all blocks, one after the other.
  static void run(void** args, uint32_t grid) {
    emulated_block.grid = grid;
    for (uint32_t block = 0; block < grid; ++block) {
      emulated_block.index = block;
      call(args, std::index_sequence_for<Args...>());
    }
  }
  static bool registered(const char* name) {
    emulated_kernels().push_back({name, {sizeof(Args)...}, &run});
    return true;
  }

 private:
  template <size_t... i>
  static void call(void** args, std::index_sequence<i...>) {
    kernel(*static_cast<Args*>(args[i])...);
  }
};

}  // namespace troupe::launchable
