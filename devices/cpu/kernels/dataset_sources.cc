// Datasets that begin a pipeline: tensors, their slices, numbers.

#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/dataset.h"

namespace troupe {
namespace {

/// The inputs of the node.
Element components_of(const KernelContext& context) {
  Element components;
  for (int i = 0; i < context.num_inputs(); ++i) components.push_back(context.input(i));
  return components;
}

/// One element: the tensors.
class TensorDataset final : public Dataset {
 public:
  explicit TensorDataset(Element components) : components_(std::move(components)) {}
  std::string name() const override { return "FromTensor"; }
  std::unique_ptr<DatasetIterator> iterate(const std::string&) const override {
    return std::make_unique<Iterator>(components_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(Element components) : components_(std::move(components)) {}
    absl::StatusOr<std::optional<Element>> next(const ElementContext&) override {
      if (done_) return std::nullopt;
      done_ = true;
      return components_;
    }

   private:
    const Element components_;
    bool done_ = false;
  };
  const Element components_;
};

/// Row i of each component is element i.
class TensorSliceDataset final : public Dataset {
 public:
  explicit TensorSliceDataset(Element components) : components_(std::move(components)) {}
  std::string name() const override { return "TensorSlice"; }
  std::unique_ptr<DatasetIterator> iterate(const std::string&) const override {
    return std::make_unique<Iterator>(components_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(Element components) : components_(std::move(components)) {}
    absl::StatusOr<std::optional<Element>> next(const ElementContext&) override {
      if (row_ >= components_[0].dim(0)) return std::nullopt;
      Element element;
      for (const Tensor& all : components_) {
        Shape shape;
        for (int d = 1; d < all.rank(); ++d) shape.add_dim(all.dim(d));
        Tensor row(all.dtype(), shape);
        copy_elements(all, row_ * row.num_elements(), row, 0, row.num_elements());
        element.push_back(std::move(row));
      }
      ++row_;
      return element;
    }

   private:
    const Element components_;
    int64_t row_ = 0;
  };
  const Element components_;
};

/// int64 or int32 numbers from start to stop.
class RangeDataset final : public Dataset {
 public:
  RangeDataset(int64_t start, int64_t stop, int64_t step) : start_(start), stop_(stop), step_(step) {}
  std::string name() const override { return "Range"; }
  std::unique_ptr<DatasetIterator> iterate(const std::string&) const override {
    return std::make_unique<Iterator>(start_, stop_, step_, types[0]);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(int64_t next, int64_t stop, int64_t step, DataType type)
        : next_(next), stop_(stop), step_(step), type_(type) {}
    absl::StatusOr<std::optional<Element>> next(const ElementContext&) override {
      if (done_ || (step_ > 0 ? next_ >= stop_ : next_ <= stop_)) return std::nullopt;
      Element element = {type_ == DataType::kInt32 ? Tensor::scalar<int32_t>(static_cast<int32_t>(next_))
                                                   : Tensor::scalar<int64_t>(next_)};
      done_ = __builtin_add_overflow(next_, step_, &next_);
      return element;
    }

   private:
    int64_t next_;
    const int64_t stop_;
    const int64_t step_;
    const DataType type_;
    bool done_ = false;
  };
  const int64_t start_;
  const int64_t stop_;
  const int64_t step_;
};

absl::Status make_tensor(KernelContext& context) {
  return output_dataset(context, std::make_shared<TensorDataset>(components_of(context)));
}

absl::Status make_slices(KernelContext& context) {
  Element components = components_of(context);
  for (const Tensor& t : components) {
    if (t.rank() < 1) return invalid("All components must be at least 1-dimensional");
    if (t.dim(0) != components[0].dim(0)) {
      return invalid("All components must have the same size in the 0th dimension");
    }
  }
  return output_dataset(context, std::make_shared<TensorSliceDataset>(std::move(components)));
}

absl::Status make_range(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t start, input_count(context, 0, "start"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t stop, input_count(context, 1, "stop"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t step, input_count(context, 2, "step"));
  if (step == 0) return invalid("step must be a non-zero integer.");
  auto dataset = std::make_shared<RangeDataset>(start, stop, step);
  TROUPE_RETURN_IF_ERROR(output_dataset(context, dataset));
  if (dataset->types.size() != 1 ||
      (dataset->types[0] != DataType::kInt64 && dataset->types[0] != DataType::kInt32)) {
    return absl::UnimplementedError("RangeDataset gives int64 or int32 scalars only");
  }
  return absl::OkStatus();
}

}  // namespace

void register_dataset_sources(KernelRegistry* registry) {
  registry->add(KernelDef("TensorDataset").fn(make_tensor, /*cheap=*/true));
  registry->add(KernelDef("TensorSliceDataset").fn(make_slices, /*cheap=*/true));
  registry->add(KernelDef("RangeDataset").fn(make_range, /*cheap=*/true));
}

}  // namespace troupe
