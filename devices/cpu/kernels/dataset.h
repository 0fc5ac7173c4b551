#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices/kernel_registry.h"
#include "devices/resource_manager.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/variant.h"

namespace troupe {

class FunctionRunner;

/// One element of a dataset: its components.
using Element = std::vector<Tensor>;

/// Where elements are made: the step that asks for the next one.
struct ElementContext {
  FunctionRunner* functions = nullptr;
  CancellationToken* cancellation = nullptr;
  Allocator* allocator = nullptr;
  std::string device;

  /// Cancelled when the step is.
  absl::Status check() const;
};

/// A position in a dataset. Used by one thread at a time.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  /// Nothing at the end, and ever after it. After an error the next call goes on behind the element that failed.
  /// May block in a function, and never does when the dataset calls none.
  virtual absl::StatusOr<std::optional<Element>> next(const ElementContext& context) = 0;
};

/// What a dataset op makes: an immutable description of elements, which any number of iterators walk.
class Dataset {
 public:
  virtual ~Dataset() = default;
  /// "Map": the part that it adds to the names of iterators in messages.
  virtual std::string name() const = 0;
  /// `prefix` names the iterator that this one feeds: "Iterator::Root::Batch".
  virtual std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const = 0;
  /// Whether elements come out of functions.
  virtual bool calls_functions() const { return false; }

  std::vector<DataType> types;
  std::vector<PartialShape> shapes;

  /// The iterator of an input of this dataset's iterator, which has `prefix`.
  std::string inner_prefix(const std::string& prefix) const { return prefix + "::" + name(); }
};
using DatasetPtr = std::shared_ptr<const Dataset>;

/// A dataset that takes its elements from another and has their types.
class DerivedDataset : public Dataset {
 public:
  explicit DerivedDataset(DatasetPtr input) : input_(std::move(input)) {}
  bool calls_functions() const override { return input_->calls_functions(); }

 protected:
  std::unique_ptr<DatasetIterator> iterate_input(const std::string& prefix) const {
    return input_->iterate(inner_prefix(prefix));
  }
  const DatasetPtr input_;
};

/// Input i as a dataset. InvalidArgument when it is none.
absl::StatusOr<DatasetPtr> input_dataset(const KernelContext& context, int i);
/// Input i as an int64 scalar.
absl::StatusOr<int64_t> input_count(const KernelContext& context, int i, const char* name);
/// Outputs the dataset, with the types and shapes of the node's attrs.
absl::Status output_dataset(KernelContext& context, std::shared_ptr<Dataset> dataset);
/// The dataset in a variant scalar; null when there is none.
DatasetPtr dataset_of(const Tensor& tensor);

/// Runs a function of the step and waits for it.
absl::StatusOr<Element> call_and_wait(const ElementContext& context, const FunctionRef& function,
                                      Element args);

void register_dataset_sources(KernelRegistry* registry);
void register_dataset_transformations(KernelRegistry* registry);
void register_dataset_shuffle(KernelRegistry* registry);
void register_dataset_functions(KernelRegistry* registry);
void register_dataset_iterators(KernelRegistry* registry);

}  // namespace troupe
