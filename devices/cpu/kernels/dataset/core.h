#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cpu/kernels/dataset/iterator.h"
#include "devices/kernel_registry.h"
#include "devices/resource_manager.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// What numbers of a random order come from, over all passes: saved with iterators, and set again. Thread-safe.
class OrderSource {
 public:
  struct State {
    uint64_t seed = 0;
    uint64_t seed2 = 0;
    /// How many passes have begun.
    uint64_t passes = 0;
  };

  virtual ~OrderSource() = default;
  virtual State state() const = 0;
  virtual void set_state(const State& state) = 0;
};

/// What a dataset is in a graph: the op that made it, with its attrs and what it was given. Datasets stand among the inputs as variants.
struct DatasetOrigin {
  std::string op;
  AttrMap attrs;
  Element inputs;
};

inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

/// What a dataset op makes: a description of elements, which any number of iterators walk. Immutable once it
/// is on an edge.
struct Dataset {
  /// Makes an iterator of the given name: "Iterator::Root::Batch".
  using Make = std::function<IteratorPtr(const std::string& name)>;
  /// Element number `index`, from 0 to below the cardinality. Thread-safe; waits only when the dataset `blocks`.
  using At = std::function<absl::StatusOr<Element>(const ElementContext& context, int64_t index)>;

  /// "Map": the part that it adds to the names of iterators in messages.
  std::string name;
  Make make;
  /// Null when an element can only be reached past those before it.
  At at;
  /// Why the elements cannot be shuffled all at once, by their numbers.
  absl::Status indexable;
  /// Whether iterators may wait: for functions, or for time to pass.
  bool blocks = false;
  /// How many elements, as far as that is known without making them.
  int64_t cardinality = kUnknownCardinality;
  /// Of the batches that the elements are, all but perhaps the last; -1 when that is not known.
  int64_t batch_size = -1;
  /// An OptionsDataset's serialised options.
  std::string options;
  /// Of this dataset and its inputs, in an order that the graph decides.
  std::vector<std::shared_ptr<OrderSource>> orders;
  std::vector<DataType> types;
  std::vector<PartialShape> shapes;
  /// Null when no node made it.
  std::shared_ptr<const DatasetOrigin> origin;

  /// `prefix` names the iterator that the new one feeds.
  IteratorPtr iterate(const std::string& prefix) const { return make(prefix + "::" + name); }
};
using DatasetPtr = std::shared_ptr<const Dataset>;

/// A dataset that blocks when an input does, with the options of the first one and the orders of all. The caller adds what else it
/// knows.
std::shared_ptr<Dataset> make_dataset(std::string name, const std::vector<DatasetPtr>& inputs,
                                      Dataset::Make make);
/// These elements, which have the types and shapes given.
std::shared_ptr<Dataset> make_list_dataset(std::string name, std::vector<Element> elements,
                                           std::vector<DataType> types, std::vector<PartialShape> shapes);

/// Input i as a dataset. InvalidArgument when it is none.
absl::StatusOr<DatasetPtr> input_dataset(const KernelContext& context, int i);
/// Inputs [begin, end) as datasets.
absl::StatusOr<std::vector<DatasetPtr>> input_datasets(const KernelContext& context, int begin, int end);
/// Input i as an int64, bool or string scalar. InvalidArgument "`name` must be a scalar".
absl::StatusOr<int64_t> input_count(const KernelContext& context, int i, const char* name);
/// InvalidArgument unless it is above 0, or -1, which leaves the choice.
absl::Status check_parallel_calls(int64_t calls);
absl::StatusOr<bool> input_flag(const KernelContext& context, int i, const char* name);
absl::StatusOr<std::string> input_text(const KernelContext& context, int i, const char* name);
/// Outputs the dataset, with the types and shapes of the node's attrs where it has such, and with the node as its origin.
absl::Status output_dataset(KernelContext& context, std::shared_ptr<Dataset> dataset);
/// The dataset in a variant scalar; null when there is none.
DatasetPtr dataset_of(const Tensor& tensor);
/// A variant scalar with the dataset.
Tensor dataset_tensor(DatasetPtr dataset);

/// Row `row` of each component.
Element slice_of(const Element& components, int64_t row);
/// Elements as rows of one. InvalidArgument when the shapes of a component differ.
NextElement stack_rows(const std::vector<Element>& rows);

}  // namespace troupe
