#include "devices/common/list/tensor_array.h"

#include <limits>

#include "devices/common/list/element_shapes.h"
#include "devices/common/array_values.h"

namespace troupe {

template <class... A>
absl::Status TensorArray::error(const A&... parts) const {
  return invalid("TensorArray ", name_, ": ", parts...);
}

absl::Status TensorArray::check_open() const {
  if (closed_) [[unlikely]]
    return invalid("TensorArray ", name_, " has already been closed.");
  return absl::OkStatus();
}

absl::Status TensorArray::write(KernelContext& context, int64_t index, Tensor value) {
  std::lock_guard lock(mu_);
  return write_locked(context, index, std::move(value));
}

absl::Status TensorArray::write_many(KernelContext& context, const std::vector<int64_t>& indices,
                                     std::vector<Tensor> values) {
  std::lock_guard lock(mu_);
  for (size_t i = 0; i < indices.size(); ++i) {
    TROUPE_RETURN_IF_ERROR(write_locked(context, indices[i], std::move(values[i])));
  }
  return absl::OkStatus();
}

absl::Status TensorArray::write_locked(KernelContext& context, int64_t index, Tensor value) {
  TROUPE_RETURN_IF_ERROR(check_open());
  const int64_t size = static_cast<int64_t>(elements_.size());
  if (index < 0 || (!options_.dynamic_size && index >= size)) {
    return error("Tried to write to index ", index, " but array is not resizeable and size is: ", size);
  }
  if (value.dtype() != options_.dtype) {
    return error("Could not write to TensorArray index ", index, " because the value dtype is ",
                 dtype_name(value.dtype()), " but TensorArray dtype is ", dtype_name(options_.dtype), ".");
  }
  if (!options_.element_shape.compatible_with(value.shape())) {
    return error("Could not write to TensorArray index ", index, " because the value shape is ",
                 value.shape().to_string(),
                 " which is incompatible with the TensorArray's inferred element shape: ",
                 options_.element_shape.to_string(), " (consider setting infer_shape=False).");
  }
  if (index >= size) {
    if (index >= kMaxElements) {
      return absl::ResourceExhaustedError(absl::StrCat("TensorArray ", name_, ": Tried to write to index ",
                                                       index, " of an array of size ", size));
    }
    elements_.resize(static_cast<size_t>(index) + 1);
  }
  if (options_.identical_element_shapes && !options_.element_shape.fully_defined()) {
    options_.element_shape = value.shape();
  }
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.read) {
    return error("Could not write to TensorArray index ", index, " because it has already been read.");
  }
  if (element.written) {
    if (!options_.is_gradient) {
      return error("Could not write to TensorArray index ", index,
                   " because it has already been written to.");
    }
    return aggregate(context, index, element, std::move(value));
  }
  element.shape = value.shape();
  element.value = std::move(value);
  element.written = true;
  return absl::OkStatus();
}

absl::Status TensorArray::aggregate(KernelContext& context, int64_t index, Element& element, Tensor value) {
  if (!(element.shape == value.shape())) {
    return error("Could not aggregate to TensorArray index ", index, " because the existing shape is ",
                 element.shape.to_string(), " but the new input shape is ", value.shape().to_string(), ".");
  }
  if (!element.value.initialized()) {
    element.value = std::move(value);
    return absl::OkStatus();
  }
  if (value.num_elements() == 0) return absl::OkStatus();
  const DataType t = options_.dtype;
  if (!memory().has_sum(t)) return invalid("tensor_array::AddToTensor type not supported: ", dtype_name(t));
  aggregated_ = true;
  return memory().add(context, value, &element.value);
}

absl::StatusOr<Tensor> TensorArray::read(KernelContext& context, int64_t index) {
  std::lock_guard lock(mu_);
  return read_locked(context, index);
}

absl::StatusOr<std::vector<Tensor>> TensorArray::read_many(KernelContext& context,
                                                           const std::vector<int64_t>& indices) {
  std::vector<Tensor> values;
  values.reserve(indices.size());
  std::lock_guard lock(mu_);
  for (int64_t i : indices) {
    TROUPE_ASSIGN_OR_RETURN(Tensor value, read_locked(context, i));
    values.push_back(std::move(value));
  }
  return values;
}

absl::StatusOr<Tensor> TensorArray::read_locked(KernelContext& context, int64_t index) {
  TROUPE_RETURN_IF_ERROR(check_open());
  if (index < 0 || index >= static_cast<int64_t>(elements_.size())) {
    return error("Tried to read from index ", index, " but array size is: ", elements_.size());
  }
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.cleared) {
    return error("Could not read index ", index,
                 " twice because it was cleared after a previous read (perhaps try setting clear_after_read "
                 "= false?).");
  }
  if (!element.value.initialized()) {
    auto shape = element.written ? element.shape : options_.element_shape.to_shape();
    if (!shape) {
      return error(
          "Could not read from TensorArray index ", index,
          ".  Furthermore, the element shape is not fully defined: ", options_.element_shape.to_string(),
          ".  It is possible you are working with a resizeable TensorArray and stop_gradients is not "
          "allowing "
          "the gradients to be written.  If you set the full element_shape property on the forward "
          "TensorArray, the proper all-zeros tensor will be returned instead of incurring this error.");
    }
    TROUPE_ASSIGN_OR_RETURN(element.value, memory().zeros(context, options_.dtype, *shape));
    element.shape = *shape;
  }
  element.read = true;
  if (!options_.clear_after_read) return element.value;
  element.cleared = true;
  return std::move(element.value);
}

absl::StatusOr<int64_t> TensorArray::size() const {
  std::lock_guard lock(mu_);
  TROUPE_RETURN_IF_ERROR(check_open());
  return static_cast<int64_t>(elements_.size());
}

absl::StatusOr<int64_t> TensorArray::packed_size() const {
  std::lock_guard lock(mu_);
  TROUPE_RETURN_IF_ERROR(check_open());
  if (options_.is_gradient && options_.marked_size >= 0) return options_.marked_size;
  return static_cast<int64_t>(elements_.size());
}

absl::Status TensorArray::mark_size(int64_t size) {
  std::lock_guard lock(mu_);
  TROUPE_RETURN_IF_ERROR(check_open());
  if (!options_.is_gradient && size <= std::numeric_limits<int32_t>::max()) {
    options_.marked_size = static_cast<int32_t>(size);
  }
  return absl::OkStatus();
}

absl::StatusOr<PartialShape> TensorArray::merge_element_shape(const PartialShape& shape) {
  std::lock_guard lock(mu_);
  if (shape.known_rank()) {
    TROUPE_ASSIGN_OR_RETURN(options_.element_shape, merge_shapes(options_.element_shape, shape));
  }
  return options_.element_shape;
}

bool TensorArray::dynamic_size() const {
  std::lock_guard lock(mu_);
  return options_.dynamic_size;
}

absl::StatusOr<std::shared_ptr<TensorArray>> TensorArray::gradient(const std::string& source,
                                                                   const PartialShape& prefix) {
  std::lock_guard lock(mu_);
  TROUPE_RETURN_IF_ERROR(check_open());
  if (aggregated_) {
    return invalid("Unable to create a gradients TensorArray for ", name_,
                   ".  Perhaps you used the multiple_writes_aggregate flag on a previous write?  Gradient "
                   "calculation is "
                   "impossible when multiple writes are performed to the same index.");
  }
  options_.dynamic_size = false;
  std::shared_ptr<TensorArray>& slot = gradients_[source];
  if (slot != nullptr) return slot;
  Options options = options_;
  options.element_shape = concat_shapes(prefix, options_.element_shape);
  options.clear_after_read = true;
  options.is_gradient = true;
  auto made = std::make_shared<TensorArray>(container_, absl::StrCat(name_, "@", source), std::move(options),
                                            static_cast<int64_t>(elements_.size()));
  for (size_t i = 0; i < elements_.size(); ++i) {
    if (!elements_[i].written) continue;
    std::vector<int64_t> dims = prefix.dims();
    dims.insert(dims.end(), elements_[i].shape.dims().begin(), elements_[i].shape.dims().end());
    TROUPE_ASSIGN_OR_RETURN(made->elements_[i].shape, Shape::make(dims));
    made->elements_[i].written = true;
  }
  slot = std::move(made);
  return slot;
}

void TensorArray::close() {
  std::vector<Element> dying;
  std::lock_guard lock(mu_);
  closed_ = true;
  dying.swap(elements_);
}

}  // namespace troupe
