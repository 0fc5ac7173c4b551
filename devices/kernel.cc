#include "devices/kernel.h"

#include "absl/strings/str_cat.h"
#include "devices/memory/tracking_allocator.h"
#include "graph/ir/graph.h"

namespace troupe {

KernelNode::KernelNode(const Node& node, int producer)
    : name(node.name), op(node.op), attrs(node.attrs),
      input_types(node.input_types.begin(), node.input_types.end()),
      output_types(node.output_types.begin(), node.output_types.end()), graph_producer_version(producer) {}

absl::Status AsyncKernel::compute(KernelContext&) {
  return absl::InternalError("an asynchronous kernel was called as a synchronous one");
}

absl::StatusOr<Tensor> KernelContext::allocate_temp(DataType dtype, const Shape& shape) const {
  Buffer* buffer = Buffer::create(allocator(), dtype, shape.num_elements());
  if (buffer == nullptr) [[unlikely]] {
    return absl::ResourceExhaustedError(
        absl::StrCat("OOM when allocating tensor with shape", shape.to_string(), " and type ",
                     dtype_name(dtype), " on ", device()->name(), " by allocator ", allocator()->name()));
  }
  return Tensor(dtype, shape, buffer);
}

absl::StatusOr<Tensor*> KernelContext::allocate_output(int i, const Shape& shape) {
  if (i < 0 || i >= num_outputs()) {
    return absl::InternalError(
        absl::StrCat("allocate_output index out of range: ", i, " of ", num_outputs()));
  }
  TROUPE_ASSIGN_OR_RETURN(outputs_[i].tensor, allocate_temp(base_type(node_->output_types[i]), shape));
  return &outputs_[i].tensor;
}

absl::StatusOr<Tensor*> KernelContext::forward_or_allocate_output(std::initializer_list<int> candidates,
                                                                  int i, const Shape& shape) {
  DataType dtype = base_type(node_->output_types[i]);
  auto is_ours = [this](const Allocator* from) {
    if (from == device()->allocator()) return true;
    return own_allocator != nullptr && TrackingAllocator::source_of(from) == device()->allocator();
  };
  for (int c : candidates) {
    const Tensor& in = inputs_[c].tensor;
    if (in.unique() && in.dtype() == dtype && in.num_elements() == shape.num_elements() &&
        is_ours(in.buffer()->allocator())) {
      outputs_[i].tensor = in.reshaped(shape);
      return &outputs_[i].tensor;
    }
  }
  return allocate_output(i, shape);
}

std::string SessionTensors::put(absl::string_view node, absl::string_view device, Tensor value) {
  std::lock_guard lock(mu_);
  std::string handle = absl::StrCat(node, ";", next_++, ";", device);
  tensors_[handle] = std::move(value);
  return handle;
}

absl::StatusOr<Tensor> SessionTensors::get(const std::string& handle) const {
  std::lock_guard lock(mu_);
  auto it = tensors_.find(handle);
  if (it == tensors_.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The tensor with handle '", handle, "' is not in the session store."));
  }
  return it->second;
}

absl::Status SessionTensors::erase(const std::string& handle) {
  std::lock_guard lock(mu_);
  if (tensors_.erase(handle) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Failed to delete a tensor with handle '", handle, "' in the session store."));
  }
  return absl::OkStatus();
}

}  // namespace troupe
