#include "tests/devices/cuda/emulated_machine.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::test {
namespace {

/// What new memory holds; larger blocks are left as the system gives them.
constexpr int kNonsense = 0xa5;
constexpr size_t kMostFilled = size_t{8} << 20;
/// Before and behind a block, so that what runs over it is seen.
constexpr size_t kGuardBytes = 4096;

size_t mapped_bytes(size_t bytes) {
  return (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes + 2 * kGuardBytes;
}

bool within(const std::map<uintptr_t, size_t>& blocks, const void* memory, size_t bytes) {
  const auto at = reinterpret_cast<uintptr_t>(memory);
  auto block = blocks.upper_bound(at);
  if (block == blocks.begin()) return false;
  --block;
  return at - block->first <= block->second && bytes <= block->second - (at - block->first);
}

}  // namespace

EmulatedMachine::EmulatedMachine(const Options& wanted)
    : options(wanted), random(wanted.seed), gpus(wanted.gpus) {
  for (const EmulatedKernel& kernel : emulated_kernels()) {
    if (!functions.try_emplace(kernel.name, cuda::CUfunc_st{&kernel}).second)
      fault(std::string("two kernels named ") + kernel.name);
  }
  if (options.works_alone) worker_ = std::thread([this] { work_alone(); });
}

EmulatedMachine::~EmulatedMachine() {
  {
    std::lock_guard lock(mu);
    stopping = true;
  }
  changed.notify_all();
  if (worker_.joinable()) worker_.join();
  for (const Gpu& gpu : gpus) {
    for (const auto& [start, bytes] : gpu.blocks) unmap(reinterpret_cast<void*>(start), bytes);
  }
  for (const auto& [start, bytes] : pinned_blocks) unmap(reinterpret_cast<void*>(start), bytes);
}

cuda::CUresult EmulatedMachine::begin(const char* call) {
  const int64_t count = ++calls[call];
  const auto found = failing.find(call);
  if (found == failing.end() || found->second.first != count) return cuda::CUDA_SUCCESS;
  const cuda::CUresult result = found->second.second;
  failing.erase(found);
  return result;
}

void* EmulatedMachine::map(size_t bytes) {
  void* start =
      mmap(nullptr, mapped_bytes(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  char* block = static_cast<char*>(start) + kGuardBytes;
  mprotect(block, mapped_bytes(bytes) - 2 * kGuardBytes, PROT_READ | PROT_WRITE);
  if (bytes <= kMostFilled) std::memset(block, kNonsense, bytes);
  return block;
}

void EmulatedMachine::unmap(void* block, size_t bytes) {
  munmap(static_cast<char*>(block) - kGuardBytes, mapped_bytes(bytes));
}

bool EmulatedMachine::on_gpu(const void* memory, size_t bytes, int gpu) const {
  for (int i = 0; i < static_cast<int>(gpus.size()); ++i) {
    if ((gpu < 0 || gpu == i) && within(gpus[i].blocks, memory, bytes)) return true;
  }
  return false;
}

bool EmulatedMachine::pinned(const void* memory, size_t bytes) const {
  return within(pinned_blocks, memory, bytes);
}

void EmulatedMachine::enqueue(cuda::CUstream stream, cuda::CUstream_st::Work work) {
  stream->queue.push_back(std::move(work));
  changed.notify_all();
}

bool EmulatedMachine::ready(const cuda::CUstream_st& stream) const {
  if (stream.busy || stream.queue.empty()) return false;
  const cuda::CUstream_st::Work& first = stream.queue.front();
  return first.waits_for == nullptr || first.waits_for->reached(first.waits_for_number);
}

cuda::CUstream EmulatedMachine::choose() {
  std::vector<cuda::CUstream> candidates;
  for (const auto& stream : streams) {
    if (ready(*stream)) candidates.push_back(stream.get());
  }
  if (candidates.empty()) return nullptr;
  return candidates[random() % candidates.size()];
}

bool EmulatedMachine::step(Lock& lock) {
  cuda::CUstream stream = choose();
  if (stream == nullptr) return false;
  const cuda::CUstream_st::Work work = stream->queue.front();
  cuda::CUresult result = cuda::CUDA_SUCCESS;
  if (work.run) {
    if (++work_done == failing_work) {
      result = failing_work_result;
    } else {
      stream->busy = true;
      lock.unlock();
      result = work.run();
      lock.lock();
      stream->busy = false;
    }
  }
  // The GPU may have been lost meanwhile, and its queues with it.
  if (!stream->queue.empty()) stream->queue.pop_front();
  if (result != cuda::CUDA_SUCCESS) lose(stream->gpu, result);
  if (work.records != nullptr) work.records->open.erase(work.records_number);
  changed.notify_all();
  return true;
}

bool EmulatedMachine::wait_until(Lock& lock, const std::function<bool()>& done) {
  while (!done()) {
    if (options.works_alone) {
      changed.wait(lock);
      continue;
    }
    if (step(lock)) continue;
    bool anybody_works = false;
    for (const auto& stream : streams) anybody_works |= stream->busy;
    if (!anybody_works) {
      fault("a wait that never ends");
      return false;
    }
    changed.wait(lock);
  }
  return true;
}

bool EmulatedMachine::idle(int gpu) const {
  for (const auto& stream : streams) {
    if (stream->gpu == gpu && !stream->queue.empty()) return false;
  }
  return true;
}

void EmulatedMachine::lose(int gpu, cuda::CUresult result) {
  if (gpus[gpu].lost == cuda::CUDA_SUCCESS) gpus[gpu].lost = result;
  for (const auto& stream : streams) {
    if (stream->gpu == gpu) stream->queue.clear();
  }
  // Others wait for nothing that will not come.
  for (const auto& event : events) {
    if (event->gpu == gpu) event->open.clear();
  }
  changed.notify_all();
}

void EmulatedMachine::forget(int gpu) {
  lose(gpu, cuda::CUDA_ERROR_DEINITIALIZED);
  const auto end = [gpu](const auto& all) {
    for (const auto& one : all) {
      if (one->gpu == gpu) one->alive = false;
    }
  };
  end(streams);
  end(events);
  end(modules);
  for (const auto& [start, bytes] : gpus[gpu].blocks) unmap(reinterpret_cast<void*>(start), bytes);
  gpus[gpu].blocks.clear();
  gpus[gpu].bytes_in_use = 0;
  // A new context is as good as new.
  gpus[gpu].lost = cuda::CUDA_SUCCESS;
}

void EmulatedMachine::work_alone() {
  Lock lock(mu);
  while (!stopping) {
    if (!step(lock)) changed.wait(lock);
  }
}

}  // namespace troupe::test
