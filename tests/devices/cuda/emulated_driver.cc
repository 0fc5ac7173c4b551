#include "tests/devices/cuda/emulated_driver.h"

#include <cstdlib>

#include "tests/devices/cuda/emulated_calls.h"
#include "tests/devices/cuda/emulated_machine.h"

namespace troupe::test {

EmulatedDriver::EmulatedDriver(Options options) : machine_(std::make_unique<EmulatedMachine>(options)) {
  emulate(machine_.get());
}

EmulatedDriver::~EmulatedDriver() { emulate(nullptr); }

const cuda::Driver* EmulatedDriver::driver() const { return &emulated_calls(); }

GpuKernels EmulatedDriver::kernels() { return {.images = {emulated_image()}}; }

void EmulatedDriver::fail(const std::string& call, int64_t n, cuda::CUresult result) {
  std::lock_guard lock(machine_->mu);
  machine_->failing[call] = {machine_->calls[call] + n, result};
}

void EmulatedDriver::fail_work(int64_t n, cuda::CUresult result) {
  std::lock_guard lock(machine_->mu);
  machine_->failing_work = machine_->work_done + n;
  machine_->failing_work_result = result;
}

void EmulatedDriver::lose(int gpu, cuda::CUresult result) {
  std::lock_guard lock(machine_->mu);
  machine_->lose(gpu, result);
}

std::vector<std::string> EmulatedDriver::faults() const {
  std::lock_guard lock(machine_->mu);
  return machine_->faults;
}

int64_t EmulatedDriver::calls(const std::string& call) const {
  std::lock_guard lock(machine_->mu);
  const auto found = machine_->calls.find(call);
  return found == machine_->calls.end() ? 0 : found->second;
}

int64_t EmulatedDriver::work_open() const {
  std::lock_guard lock(machine_->mu);
  int64_t open = 0;
  for (const auto& stream : machine_->streams) {
    for (const cuda::CUstream_st::Work& work : stream->queue) open += work.run ? 1 : 0;
  }
  return open;
}

int64_t EmulatedDriver::work_done() const {
  std::lock_guard lock(machine_->mu);
  return machine_->work_done;
}

int64_t EmulatedDriver::pageable_copies() const {
  std::lock_guard lock(machine_->mu);
  return machine_->pageable_copies;
}

size_t EmulatedDriver::bytes_in_use(int gpu) const {
  std::lock_guard lock(machine_->mu);
  return machine_->gpus[gpu].bytes_in_use;
}

int64_t EmulatedDriver::work(int64_t n) {
  EmulatedMachine::Lock lock(machine_->mu);
  int64_t done = 0;
  while (done < n && machine_->step(lock)) ++done;
  return done;
}

}  // namespace troupe::test
