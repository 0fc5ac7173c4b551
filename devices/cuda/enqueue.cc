#include "devices/cuda/enqueue.h"

#include <algorithm>
#include <limits>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/cuda/cuda_device.h"

namespace troupe {
namespace {

/// As many blocks as the GPU runs at a time: more would only be started later, and each walks on by the grid's size.
int64_t blocks_at_a_time(const GpuAttributes& gpu) {
  return std::max<int64_t>(1, int64_t{gpu.multiprocessors} * (gpu.threads_per_multiprocessor / kEnqueueThreads));
}

unsigned grid_of(const Launch& launch, const GpuAttributes& gpu) {
  const int64_t wanted = launch.per_block ? launch.total : (launch.total + kEnqueueThreads - 1) / kEnqueueThreads;
  const int64_t most = launch.per_block ? std::numeric_limits<int32_t>::max() : blocks_at_a_time(gpu);
  return static_cast<unsigned>(std::min(wanted, most));
}

const char* suffix_of(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return "_f32";
    case DataType::kDouble: return "_f64";
    case DataType::kHalf: return "_f16";
    case DataType::kBfloat16: return "_bf16";
    case DataType::kInt8: return "_i8";
    case DataType::kUint8: return "_u8";
    case DataType::kInt16: return "_i16";
    case DataType::kUint16: return "_u16";
    case DataType::kInt32: return "_i32";
    case DataType::kUint32: return "_u32";
    case DataType::kInt64: return "_i64";
    case DataType::kUint64: return "_u64";
    case DataType::kBool: return "_b";
    case DataType::kComplex64: return "_c64";
    case DataType::kComplex128: return "_c128";
    default: break;
  }
  switch (dtype_size(dtype)) {
    case 1: return "_u8";
    case 2: return "_u16";
    case 4: return "_u32";
    case 8: return "_u64";
    default: return "_c128";
  }
}

/// Names the node.
absl::Status asked_for(const KernelContext& c, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(status.message(), ", which ", c.node().name, " (", c.node().op->name, ") asked for"));
}

}  // namespace

absl::Status enqueue_launch(KernelContext& c, const Launch& launch) {
  CudaDevice& device = CudaDevice::of(c);
  Gpu& gpu = device.gpu();
  const absl::StatusOr<const GpuFunction*> function = gpu.function(launch.kernel);
  if (!function.ok()) return asked_for(c, function.status());
  const std::span<const size_t> sizes(launch.sizes, static_cast<size_t>(launch.num_args));
  const std::vector<size_t>& parameters = (*function)->parameter_bytes;
  if (!std::equal(sizes.begin(), sizes.end(), parameters.begin(), parameters.end())) {
    return asked_for(c, absl::InternalError(absl::StrCat("CUDA kernel '", launch.kernel, "' takes arguments of ",
                                                         absl::StrJoin(parameters, ", "), " bytes, not of ", absl::StrJoin(sizes, ", "))));
  }
  return device.compute().launch((*function)->handle, grid_of(launch, gpu.attributes()), kEnqueueThreads, 0, launch.args, launch.kernel);
}

absl::Status enqueue_zeros(KernelContext& c, Tensor* t) {
  if (t->bytes() == 0) return absl::OkStatus();
  return CudaDevice::of(c).compute().fill(t->raw(), 0, t->bytes());
}

absl::Status enqueue_copy(KernelContext& c, const void* from, void* to, size_t bytes) {
  if (bytes == 0 || from == to) return absl::OkStatus();
  return CudaDevice::of(c).compute().copy(from, to, bytes);
}

absl::StatusOr<Tensor*> allocate_host_output(KernelContext& c, int i, const Shape& shape) {
  Allocator* const before = std::exchange(c.own_allocator, CudaDevice::of(c).host_allocator());
  absl::StatusOr<Tensor*> output = c.allocate_output(i, shape);
  c.own_allocator = before;
  return output;
}

std::string with_suffix(absl::string_view base, DataType dtype) { return absl::StrCat(base, suffix_of(dtype)); }

}  // namespace troupe
