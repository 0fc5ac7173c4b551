#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "devices/cuda/driver_abi.h"
#include "devices/cuda/kernels/source/emulated.h"
#include "tests/devices/cuda/emulated_options.h"

/// What CUDA's handles point to. Destroyed ones stay until the machine goes, so that no address is used twice.
namespace troupe::cuda {

struct CUctx_st {
  int gpu = 0;
  bool alive = true;
};

struct CUevent_st {
  bool alive = true;
  int gpu = 0;
  /// How often it was recorded, and which of these have not been reached: in other streams later ones may come first.
  uint64_t recorded = 0;
  std::set<uint64_t> open = {};

  bool reached(uint64_t number) const { return !open.contains(number); }
};

struct CUstream_st {
  struct Work {
    /// Null: only an event.
    std::function<CUresult()> run = nullptr;
    /// Not before this event's record of this number has been reached.
    CUevent waits_for = nullptr;
    uint64_t waits_for_number = 0;
    CUevent records = nullptr;
    uint64_t records_number = 0;
  };
  bool alive = true;
  int gpu = 0;
  std::deque<Work> queue = {};
  /// Its first piece of work is being done.
  bool busy = false;
};

struct CUmod_st {
  bool alive = true;
  int gpu = 0;
};

struct CUfunc_st {
  const EmulatedKernel* kernel = nullptr;
};

}  // namespace troupe::cuda

namespace troupe::test {

/// The state behind EmulatedDriver: memory, streams, who works when. Its members are called with `mu` held unless said otherwise.
class EmulatedMachine {
 public:
  using Options = EmulatedOptions;
  using Lock = std::unique_lock<std::mutex>;

  struct Gpu {
    std::vector<std::unique_ptr<cuda::CUctx_st>> contexts;
    int retained = 0;
    /// Bytes by address.
    std::map<uintptr_t, size_t> blocks;
    size_t bytes_in_use = 0;
    /// Sticky, once it is no success.
    cuda::CUresult lost = cuda::CUDA_SUCCESS;

    cuda::CUcontext context() const { return retained == 0 ? nullptr : contexts.back().get(); }
  };

  explicit EmulatedMachine(const Options& options);
  /// Without `mu`.
  ~EmulatedMachine();

  /// @name Calls
  /// Counts a call; its result where it is to fail.
  cuda::CUresult begin(const char* call);
  /// The calling thread's GPU: INVALID_CONTEXT without one, or why it is lost.
  cuda::CUresult current_gpu(int* gpu) const;
  void fault(std::string text) { faults.push_back(std::move(text)); }

  /// @name Memory
  /// Null when the system has none. Filled with nonsense, where that is not too long.
  static void* map(size_t bytes);
  static void unmap(void* block, size_t bytes);
  /// Whether the bytes lie in a block of any GPU, or of `gpu`.
  bool on_gpu(const void* memory, size_t bytes, int gpu = -1) const;
  bool pinned(const void* memory, size_t bytes) const;

  /// @name Streams
  void enqueue(cuda::CUstream stream, cuda::CUstream_st::Work work);
  /// Does one piece of work that may be done now, unlocked meanwhile. False when there is none.
  bool step(Lock& lock);
  /// Until `done` holds: works itself, or waits for those that work. False when nobody ever will.
  bool wait_until(Lock& lock, const std::function<bool()>& done);
  /// All that the GPU's streams have.
  bool idle(int gpu) const;
  void lose(int gpu, cuda::CUresult result);
  /// Its context ends, and with it all that was there.
  void forget(int gpu);

  const Options options;
  std::mutex mu;
  std::condition_variable changed;
  // All below guarded by mu.
  std::mt19937_64 random;
  std::vector<Gpu> gpus;
  std::vector<std::unique_ptr<cuda::CUstream_st>> streams;
  std::vector<std::unique_ptr<cuda::CUevent_st>> events;
  std::vector<std::unique_ptr<cuda::CUmod_st>> modules;
  std::map<std::string, cuda::CUfunc_st> functions;
  std::map<uintptr_t, size_t> pinned_blocks;
  std::vector<std::string> faults;
  std::map<std::string, int64_t> calls;
  /// By call: the count at which it fails, and how.
  std::map<std::string, std::pair<int64_t, cuda::CUresult>> failing;
  /// The count of work at which it fails; 0: never.
  int64_t failing_work = 0;
  cuda::CUresult failing_work_result = cuda::CUDA_SUCCESS;
  int64_t work_done = 0;
  int64_t pageable_copies = 0;
  bool stopping = false;

 private:
  bool ready(const cuda::CUstream_st& stream) const;
  /// A stream whose first piece of work may be done, by the seed; null when there is none.
  cuda::CUstream choose();
  void work_alone();

  std::thread worker_;
};

}  // namespace troupe::test
