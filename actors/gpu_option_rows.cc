#include "actors/option_rows.h"

namespace troupe {
namespace {

using Config = ::tensorflow::ConfigProto;
using enum OptionUse;

void read_virtual_devices(const Config& c, SessionOptions* o) {
  o->gpu.virtual_devices.clear();
  for (const auto& v : c.gpu_options().experimental().virtual_devices()) {
    o->gpu.virtual_devices.push_back({{v.memory_limit_mb().begin(), v.memory_limit_mb().end()},
                                      {v.priority().begin(), v.priority().end()}});
  }
}

constexpr absl::string_view kOrdered =
    "What is freed is free at once: kernels of a GPU run in the order of one stream.";
constexpr absl::string_view kOnePoller = "One thread asks for what all sessions have enqueued.";

const ConfigRow kRows[] = {
    {{"gpu_options.per_process_gpu_memory_fraction", kHonoured,
      "The part of a GPU's memory that sessions may have, 0 to 1; 0: nearly all that is free. The first "
      "session that uses a GPU decides."},
     [](const Config& c, SessionOptions* o) {
       o->gpu.per_process_gpu_memory_fraction = c.gpu_options().per_process_gpu_memory_fraction();
     }},
    {{"gpu_options.allow_growth", kHonoured,
      "Memory is taken from a GPU when it is needed. The first session that uses it decides."},
     [](const Config& c, SessionOptions* o) { o->gpu.allow_growth = c.gpu_options().allow_growth(); }},
    {{"gpu_options.allocator_type", kWithoutMeaning,
      "There is one for GPUs: best fit, joining what is free."}},
    {{"gpu_options.deferred_deletion_bytes", kWithoutMeaning, kOrdered}},
    {{"gpu_options.visible_device_list", kHonoured,
      "Which GPUs there are, and in which order: \"1,0\". The first session that uses GPUs decides."},
     [](const Config& c, SessionOptions* o) {
       o->gpu.visible_device_list = c.gpu_options().visible_device_list();
     }},
    {{"gpu_options.polling_active_delay_usecs", kWithoutMeaning, kOnePoller}},
    {{"gpu_options.polling_inactive_delay_msecs", kWithoutMeaning, "Of no use in TensorFlow either."}},
    {{"gpu_options.force_gpu_compatible", kWithoutMeaning,
      "What is copied to a GPU goes through pinned memory where that is faster."}},
    {{"gpu_options.experimental.virtual_devices", kHonoured,
      "Several devices on one GPU. The first session that uses GPUs decides."},
     read_virtual_devices},
    {{"gpu_options.experimental.virtual_devices.memory_limit_mb", kHonoured, "MiB, one a device."},
     read_virtual_devices},
    {{"gpu_options.experimental.virtual_devices.priority", kHonoured, "Of the streams; lower runs first."},
     read_virtual_devices},
    {{"gpu_options.experimental.use_unified_memory", kWithoutMeaning, "Memory of a GPU is its own."}},
    {{"gpu_options.experimental.num_dev_to_dev_copy_streams", kWithoutMeaning,
      "Between two GPUs there is one stream a direction."}},
    {{"gpu_options.experimental.collective_ring_order", kWithoutMeaning,
      "Of collective ops, which this runtime does not have."}},
    {{"gpu_options.experimental.timestamped_allocator", kWithoutMeaning, kOrdered}},
    {{"gpu_options.experimental.kernel_tracker_max_interval", kWithoutMeaning, kOrdered}},
    {{"gpu_options.experimental.kernel_tracker_max_bytes", kWithoutMeaning, kOrdered}},
    {{"gpu_options.experimental.kernel_tracker_max_pending", kWithoutMeaning, kOrdered}},
    {{"gpu_options.experimental.internal_fragmentation_fraction", kWithoutMeaning,
      "What is left of a block is cut off when it is large enough for others."}},
    {{"gpu_options.experimental.use_cuda_malloc_async", kWithoutMeaning,
      "There is one allocator for GPUs: best fit, joining what is free."}},
};

}  // namespace

std::span<const ConfigRow> gpu_rows() { return kRows; }

}  // namespace troupe
