#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/random_scope.h"

namespace troupe {

/// InvalidArgument when elements that are `given` cannot be taken for what is `expected`.
absl::Status check_components(const std::vector<DataType>& expected_types,
                              const std::vector<PartialShape>& expected_shapes,
                              const std::vector<DataType>& given_types,
                              const std::vector<PartialShape>& given_shapes);

/// Sets the outputs to an element's components. InvalidArgument when they are not as many.
absl::Status output_components(KernelContext& context, Element components);

/// Where an iterator is: what it takes to go there again.
struct IteratorState {
  /// The dataset's name.
  std::string dataset;
  /// How often an element was asked for.
  uint64_t asked = 0;
  /// Of the dataset's orders, before the iterator began.
  std::vector<OrderSource::State> orders;
};

/// A position that MakeIterator sets and IteratorGetNext moves. Thread-safe.
class IteratorResource final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::IteratorResource";
  using Done = std::function<void(NextElement)>;

  IteratorResource(std::vector<DataType> types, std::vector<PartialShape> shapes)
      : types_(std::move(types)), shapes_(std::move(shapes)) {}
  std::string type_name() const override { return kTypeName; }
  const std::vector<DataType>& types() const { return types_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }

  /// Begins with the dataset, and its seeded random ops with it. InvalidArgument when its elements are not what
  /// this iterator gives.
  absl::Status start(DatasetPtr dataset);
  /// What it walks; null when it has not begun.
  DatasetPtr dataset() const;
  /// Where the iterator is. FailedPrecondition when it has not begun.
  absl::StatusOr<IteratorState> state() const;
  /// Begins anew and goes where `state` was taken, past all elements before: waits for them to be made again. NotFound
  /// when it is of another dataset, FailedPrecondition when the iterator has not begun.
  absl::Status restore(ElementContext step, const IteratorState& state);
  /// `done` gets the next element, on this thread unless the dataset blocks. Requests are served one after
  /// the other; one that waits for its turn is answered at once when its step is cancelled.
  void next(ElementContext step, Done done);

 private:
  struct Request;
  struct Position;

  const std::vector<DataType> types_;
  const std::vector<PartialShape> shapes_;
  RandomScope random_;
  mutable std::mutex mu_;
  std::shared_ptr<Position> position_;  // guarded by mu_
};

}  // namespace troupe
