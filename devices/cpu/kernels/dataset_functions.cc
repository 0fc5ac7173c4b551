// Datasets whose elements go through functions of the graph's library.

#include "absl/strings/match.h"
#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/dataset.h"

namespace troupe {
namespace {

using Next = absl::StatusOr<std::optional<Element>>;

/// The function of a node, and the tensors that it gets behind an element's components.
struct BoundFunction {
  FunctionRef function;
  Element captured;

  absl::StatusOr<Element> call(const ElementContext& context, Element args) const {
    args.insert(args.end(), captured.begin(), captured.end());
    return call_and_wait(context, function, std::move(args));
  }
};

/// Inputs from `first` to before `end` are captured.
absl::StatusOr<BoundFunction> bound_function(const KernelContext& context, const char* attr, int first,
                                             int end) {
  BoundFunction bound;
  TROUPE_ASSIGN_OR_RETURN(bound.function, context.node().attrs.get<FunctionRef>(attr));
  for (int i = first; i < end; ++i) bound.captured.push_back(context.input(i));
  return bound;
}

absl::Status in_function_of(const char* op, const std::string& iterator, const absl::Status& status) {
  // Which function it was is told already.
  absl::string_view message = status.message();
  const size_t end = message.find("}} ");
  if (absl::StartsWith(message, "{{function_node ") && end != absl::string_view::npos)
    message.remove_prefix(end + 3);
  return absl::Status(status.code(),
                      absl::StrCat("Error in user-defined function passed to ", op,
                                   " transformation with iterator: ", iterator, ": ", message));
}

/// What the function makes of each element.
class MapDataset final : public DerivedDataset {
 public:
  MapDataset(DatasetPtr input, BoundFunction function, bool preserve_cardinality, const char* name)
      : DerivedDataset(std::move(input)), function_(std::move(function)),
        preserve_cardinality_(preserve_cardinality), name_(name) {}
  std::string name() const override { return name_; }
  bool calls_functions() const override { return true; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(iterate_input(prefix), function_, preserve_cardinality_,
                                      inner_prefix(prefix));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> input, BoundFunction function, bool preserve, std::string name)
        : input_(std::move(input)), function_(std::move(function)), preserve_cardinality_(preserve),
          name_(std::move(name)) {}
    Next next(const ElementContext& context) override {
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(context));
      if (!element.has_value()) return std::nullopt;
      absl::StatusOr<Element> made = function_.call(context, *std::move(element));
      if (made.ok()) return *std::move(made);
      if (absl::IsOutOfRange(made.status())) {
        // A function may end the dataset so, unless as many elements must come out as go in.
        if (!preserve_cardinality_) return std::nullopt;
        return invalid("Function invocation produced OutOfRangeError: ", made.status().message());
      }
      return in_function_of("MapDataset", name_, made.status());
    }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    const BoundFunction function_;
    const bool preserve_cardinality_;
    const std::string name_;
  };
  const BoundFunction function_;
  const bool preserve_cardinality_;
  const char* const name_;
};

/// The elements for which the function is true.
class FilterDataset final : public DerivedDataset {
 public:
  FilterDataset(DatasetPtr input, BoundFunction predicate)
      : DerivedDataset(std::move(input)), predicate_(std::move(predicate)) {}
  std::string name() const override { return "Filter"; }
  bool calls_functions() const override { return true; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(iterate_input(prefix), predicate_, inner_prefix(prefix));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> input, BoundFunction predicate, std::string name)
        : input_(std::move(input)), predicate_(std::move(predicate)), name_(std::move(name)) {}
    Next next(const ElementContext& context) override {
      while (true) {
        TROUPE_RETURN_IF_ERROR(context.check());
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(context));
        if (!element.has_value()) return std::nullopt;
        absl::StatusOr<Element> verdict = predicate_.call(context, *element);
        if (!verdict.ok()) return in_function_of("FilterDataset", name_, verdict.status());
        if (verdict->size() != 1 || (*verdict)[0].dtype() != DataType::kBool || !is_scalar((*verdict)[0])) {
          return invalid("Filter predicate `predicate` must return a scalar bool.");
        }
        if ((*verdict)[0].value<bool>()) return element;
      }
    }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    const BoundFunction predicate_;
    const std::string name_;
  };
  const BoundFunction predicate_;
};

/// The elements of the datasets that the function makes of each element, one after the other.
class FlatMapDataset final : public DerivedDataset {
 public:
  FlatMapDataset(DatasetPtr input, BoundFunction function)
      : DerivedDataset(std::move(input)), function_(std::move(function)) {}
  std::string name() const override { return "FlatMap"; }
  bool calls_functions() const override { return true; }
  std::unique_ptr<DatasetIterator> iterate(const std::string& prefix) const override {
    return std::make_unique<Iterator>(iterate_input(prefix), function_, inner_prefix(prefix));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> input, BoundFunction function, std::string name)
        : input_(std::move(input)), function_(std::move(function)), name_(std::move(name)) {}
    Next next(const ElementContext& context) override {
      while (true) {
        TROUPE_RETURN_IF_ERROR(context.check());
        if (current_ == nullptr) {
          TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(context));
          if (!element.has_value()) return std::nullopt;
          absl::StatusOr<Element> made = function_.call(context, *std::move(element));
          if (!made.ok()) return in_function_of("FlatMapDataset", name_, made.status());
          dataset_ = made->size() == 1 ? dataset_of((*made)[0]) : nullptr;
          if (dataset_ == nullptr) return invalid("Tensor must be a Dataset object.");
          current_ = dataset_->iterate(absl::StrCat(name_, "[", made_++, "]"));
        }
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, current_->next(context));
        if (element.has_value()) return element;
        current_ = nullptr;
      }
    }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    const BoundFunction function_;
    const std::string name_;
    DatasetPtr dataset_;
    std::unique_ptr<DatasetIterator> current_;
    int64_t made_ = 0;
  };
  const BoundFunction function_;
};

/// `trailing` inputs behind the captured ones say how many calls may run at once; one does here.
template <int kTrailing>
absl::Status make_map(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "f", 1, context.num_inputs() - kTrailing));
  const bool preserve = context.node().attrs.get_or("preserve_cardinality", false);
  const char* const name = kTrailing == 0 ? "Map" : "ParallelMapV2";
  return output_dataset(context,
                        std::make_shared<MapDataset>(std::move(input), std::move(f), preserve, name));
}

absl::Status make_filter(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "predicate", 1, context.num_inputs()));
  return output_dataset(context, std::make_shared<FilterDataset>(std::move(input), std::move(f)));
}

absl::Status make_flat_map(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "f", 1, context.num_inputs()));
  return output_dataset(context, std::make_shared<FlatMapDataset>(std::move(input), std::move(f)));
}

}  // namespace

void register_dataset_functions(KernelRegistry* registry) {
  registry->add(KernelDef("MapDataset").fn(make_map<0>, /*cheap=*/true));
  registry->add(KernelDef("ParallelMapDataset").fn(make_map<1>, /*cheap=*/true));
  registry->add(KernelDef("ParallelMapDatasetV2").fn(make_map<1>, /*cheap=*/true));
  registry->add(KernelDef("FilterDataset").fn(make_filter, /*cheap=*/true));
  registry->add(KernelDef("FlatMapDataset").fn(make_flat_map, /*cheap=*/true));
}

}  // namespace troupe
