#include "devices/cuda/virtual_gpu.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

absl::Status check_priority(Gpu& gpu, int priority, absl::string_view name) {
  int least = 0;
  int greatest = 0;
  Gpu::Current current(gpu);
  TROUPE_RETURN_IF_ERROR(
      gpu.check(gpu.driver().cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange"));
  if (priority >= greatest && priority <= least) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("Priority ", priority,
                                                 " is outside the range of supported priorities [", greatest,
                                                 ",", least, "] for ", name, " on GPU# ", gpu.ordinal()));
}

}  // namespace

absl::StatusOr<std::shared_ptr<VirtualGpu>> VirtualGpu::make(std::shared_ptr<Gpu> gpu, Options options) {
  TROUPE_RETURN_IF_ERROR(check_priority(*gpu, options.priority, options.memory.name));
  std::shared_ptr<VirtualGpu> made(new VirtualGpu);
  made->gpu_ = std::move(gpu);
  made->poller_ = std::move(options.poller);
  made->pinned_ = std::move(options.pinned);
  made->events_ = std::make_unique<EventPool>(made->gpu_);
  TROUPE_ASSIGN_OR_RETURN(made->compute_,
                          Stream::make(made->gpu_, made->events_.get(), "compute", options.priority));
  made->memory_ = std::make_unique<GpuAllocator>(made->gpu_, made->compute_.get(), std::move(options.memory));
  TROUPE_ASSIGN_OR_RETURN(made->copies_, CopyEngine::make({.gpu = made->gpu_,
                                                           .compute = made->compute_.get(),
                                                           .memory = made->memory_.get(),
                                                           .events = made->events_.get(),
                                                           .poller = made->poller_.get(),
                                                           .pinned = made->pinned_,
                                                           .priority = options.priority}));
  return made;
}

VirtualGpu::~VirtualGpu() {
  copies_.reset();
  if (compute_ == nullptr) return;
  poller_->drain(*compute_);
  // Nothing uses the memory when it goes.
  compute_->synchronize().IgnoreError();
}

void VirtualGpu::when_done(std::function<void(absl::Status)> done) {
  if (gpu_->is_lost() || compute_->completed() == compute_->enqueued()) return done(gpu_->health());
  absl::StatusOr<Point> point = compute_->record();
  if (!point.ok()) return done(point.status());
  poller_->watch(*std::move(point), std::move(done));
}

}  // namespace troupe
