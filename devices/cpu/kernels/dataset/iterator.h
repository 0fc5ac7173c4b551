#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/kernel.h"
#include "graph/tensor/tensor.h"

namespace troupe {

class FunctionRunner;

/// One element of a dataset: its components.
using Element = std::vector<Tensor>;
/// An element, or nothing at the end.
using NextElement = absl::StatusOr<std::optional<Element>>;

/// Takes numbers that tell how elements were made. Thread-safe.
class DatasetStats {
 public:
  virtual ~DatasetStats() = default;
  virtual void add(const std::string& name, double value) = 0;
};

/// Where elements are made: the step that asks for the next one.
struct ElementContext {
  FunctionRunner* functions = nullptr;
  CancellationToken* cancellation = nullptr;
  Allocator* allocator = nullptr;
  std::string device;
  Device* where = nullptr;
  /// The RandomScope of the functions that are called; -1: none.
  int64_t random_scope = -1;
  /// Null: nobody wants to know.
  DatasetStats* stats = nullptr;

  /// Cancelled when the step is.
  absl::Status check() const;
};

/// The surroundings of a kernel.
ElementContext element_context(const KernelContext& context);

/// A position in a dataset. Used by one thread at a time.
class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  /// Nothing at the end, and ever after it. After an error the next call goes on behind the element that
  /// failed. Waits only when the dataset `blocks`.
  virtual NextElement next(const ElementContext& context) = 0;
};
using IteratorPtr = std::unique_ptr<DatasetIterator>;

/// An iterator that is one function: NextElement(const ElementContext&), with its state inside.
template <class F>
IteratorPtr iterator_of(F next) {
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(F f) : next_(std::move(f)) {}
    NextElement next(const ElementContext& context) override { return next_(context); }

   private:
    F next_;
  };
  return std::make_unique<Iterator>(std::move(next));
}

}  // namespace troupe
