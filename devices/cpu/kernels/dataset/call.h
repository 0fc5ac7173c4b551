#pragma once

#include <string>

#include "devices/cpu/kernels/dataset/core.h"

namespace troupe {

/// Runs a function of the step and waits for it.
absl::StatusOr<Element> call_and_wait(const ElementContext& context, const FunctionRef& function,
                                      Element args);

/// The function of a node, and the tensors that it gets behind an element's components.
struct BoundFunction {
  FunctionRef function;
  Element captured;

  absl::StatusOr<Element> call(const ElementContext& context, Element args) const;
};

/// Inputs from `first` to before `end` are captured. InvalidArgument when the node has no such inputs.
absl::StatusOr<BoundFunction> bound_function(const KernelContext& context, const char* attr, int first,
                                             int end);

/// The dataset's name in its attr `metadata`, "MapDataset:12"; the op's without one.
std::string dataset_label(const KernelContext& context);

/// An error inside a function, told with the dataset (its label) and the iterator that called it.
absl::Status in_function_of(const std::string& label, const std::string& iterator,
                            const absl::Status& status);

/// The single scalar that a function must give. InvalidArgument with `message` otherwise.
template <class T>
absl::StatusOr<T> only_scalar(const Element& results, const char* message) {
  if (results.size() != 1 || results[0].dtype() != dtype_of<T>() || results[0].rank() != 0) {
    return absl::InvalidArgumentError(message);
  }
  return results[0].value<T>();
}

/// The single dataset that a function must give.
absl::StatusOr<DatasetPtr> only_dataset(const Element& results);

/// The number of tensors in the list that the node's attr describes.
absl::StatusOr<int> list_length(const KernelContext& context, const char* attr);

}  // namespace troupe
