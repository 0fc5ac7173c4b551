// Datasets whose elements go through functions of the graph's library, one by one.

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/late_calls.h"

namespace troupe {
namespace {

/// A function may end the dataset with OutOfRange, unless as many elements must come out as go in.
NextElement end_or_error(const std::string& label, const std::string& name, bool preserve_cardinality,
                         const absl::Status& status) {
  if (!absl::IsOutOfRange(status)) return in_function_of(label, name, status);
  if (!preserve_cardinality) return std::nullopt;
  return invalid("Function invocation produced OutOfRangeError: ", status.message());
}

/// What the function makes of each element. `kTrailing` inputs behind the captured ones say how many calls
/// may run at once; one does here.
template <int kTrailing>
absl::Status make_map(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "f", 1, context.num_inputs() - kTrailing));
  if constexpr (kTrailing > 0) {
    // An int32 in the first version.
    const Tensor& number = context.input(context.num_inputs() - 1);
    if (!is_scalar(number)) return invalid("num_parallel_calls must be a scalar");
    const int64_t calls = int_at(number, 0);
    TROUPE_RETURN_IF_ERROR(check_parallel_calls(calls));
  }
  const bool preserve = context.node().attrs.get_or("preserve_cardinality", false);
  const std::string label = dataset_label(context);
  auto dataset =
      make_dataset(kTrailing == 0 ? "Map" : "ParallelMapV2", {input}, [=](const std::string& name) {
        return iterator_of(
            [in = input->iterate(name), f, preserve, name, label](const ElementContext& step) -> NextElement {
              TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
              if (!element.has_value()) return std::nullopt;
              absl::StatusOr<Element> made = f.call(step, *std::move(element));
              if (made.ok()) return *std::move(made);
              return end_or_error(label, name, preserve, made.status());
            });
      });
  dataset->blocks = true;
  dataset->cardinality = preserve ? input->cardinality : kUnknownCardinality;
  if (preserve && input->at != nullptr) {
    dataset->at = [input, f, label](const ElementContext& step, int64_t i) -> absl::StatusOr<Element> {
      TROUPE_ASSIGN_OR_RETURN(Element element, input->at(step, i));
      absl::StatusOr<Element> made = f.call(step, std::move(element));
      if (!made.ok()) return in_function_of(label, "RandomAccess", made.status());
      return made;
    };
  }
  return output_dataset(context, std::move(dataset));
}

/// The elements for which the function is true: all of them, or those to the first for which it is not.
template <bool kWhile, int kTrailing>
absl::Status make_filter(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction predicate,
                          bound_function(context, "predicate", 1, context.num_inputs() - kTrailing));
  const char* const part = kWhile ? "TakeWhile" : kTrailing > 0 ? "ParallelFilter" : "Filter";
  const std::string label = dataset_label(context);
  auto dataset = make_dataset(part, {input}, [input, predicate, label](const std::string& name) {
    return iterator_of([in = input->iterate(name), predicate, name, label,
                        done = false](const ElementContext& step) mutable -> NextElement {
      while (!done) {
        TROUPE_RETURN_IF_ERROR(step.check());
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
        if (!element.has_value()) return std::nullopt;
        const absl::StatusOr<Element> made = predicate.call(step, *element);
        if (!made.ok()) return in_function_of(label, name, made.status());
        TROUPE_ASSIGN_OR_RETURN(
            const bool verdict,
            only_scalar<bool>(*made, kWhile ? "TakeWhile predicate must return a scalar bool."
                                            : "Filter predicate `predicate` must return a "
                                              "scalar bool."));
        if (verdict) return element;
        done = kWhile;
      }
      return std::nullopt;
    });
  });
  dataset->blocks = true;
  if (!kWhile) dataset->batch_size = input->batch_size;
  return output_dataset(context, std::move(dataset));
}

/// The elements of the datasets that the function makes of each element, one after the other.
absl::Status make_flat_map(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "f", 1, context.num_inputs()));
  const std::string label = dataset_label(context);
  auto dataset = make_dataset("FlatMap", {input}, [input, f, label](const std::string& name) {
    return iterator_of([in = input->iterate(name), f, name, label, current = IteratorPtr(),
                        made = int64_t{0}](const ElementContext& step) mutable -> NextElement {
      while (true) {
        TROUPE_RETURN_IF_ERROR(step.check());
        if (current == nullptr) {
          TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
          if (!element.has_value()) return std::nullopt;
          const absl::StatusOr<Element> results = f.call(step, *std::move(element));
          if (!results.ok()) return in_function_of(label, name, results.status());
          TROUPE_ASSIGN_OR_RETURN(const DatasetPtr inner, only_dataset(*results));
          current = inner->iterate(absl::StrCat(name, "[", made++, "]"));
        }
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, current->next(step));
        if (element.has_value()) return element;
        current = nullptr;
      }
    });
  });
  dataset->blocks = true;
  dataset->cardinality = input->cardinality == 0 ? 0 : kUnknownCardinality;
  dataset->indexable = absl::UnimplementedError(
      "Please consider applying maps on each dataset, concatenating them into one dataset and apply global "
      "shuffle dataset op onto the dataset to achieve the same result as flat map with global shuffling.");
  return output_dataset(context, std::move(dataset));
}

/// The function makes a new state and an element of the state and each element.
absl::Status make_scan(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int width, list_length(context, "Tstate"));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction f, bound_function(context, "f", 1 + width, context.num_inputs()));
  Element initial;
  for (int i = 0; i < width; ++i) initial.push_back(context.input(1 + i));
  TROUPE_ASSIGN_OR_RETURN(auto types, context.node().attrs.get<std::vector<DataType>>("output_types"));
  const size_t total = initial.size() + types.size();
  const bool preserve = context.node().attrs.get_or("preserve_cardinality", false);
  const std::string label = dataset_label(context);
  auto dataset = make_dataset("Scan", {input}, [=](const std::string& name) {
    return iterator_of([in = input->iterate(name), f, name, label, preserve, total,
                        state = initial](const ElementContext& step) mutable -> NextElement {
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
      if (!element.has_value()) return std::nullopt;
      Element args = state;
      args.insert(args.end(), element->begin(), element->end());
      absl::StatusOr<Element> results = f.call(step, std::move(args));
      if (!results.ok()) return end_or_error(label, name, preserve, results.status());
      if (results->size() != total) {
        return invalid("The function of a scan must give ", total, " tensors, not ", results->size());
      }
      const auto middle = results->begin() + static_cast<std::ptrdiff_t>(state.size());
      std::move(results->begin(), middle, state.begin());
      return Element(middle, results->end());
    });
  });
  dataset->blocks = true;
  dataset->cardinality = preserve ? input->cardinality : kUnknownCardinality;
  return output_dataset(context, std::move(dataset));
}

/// Elements that `next_func` makes of the state that `init_func` makes, until it says OutOfRange.
class Generator {
 public:
  Generator(BoundFunction init, BoundFunction next, BoundFunction finish, std::string name, std::string label)
      : init_(std::move(init)), next_(std::move(next)), finish_(std::move(finish)), name_(std::move(name)),
        label_(std::move(label)) {}
  Generator(const Generator&) = delete;
  /// Of one that has not come to its end: finished all the same, by a step of the function's own.
  ~Generator() {
    if (!started_ || done_ || late_calls_ == nullptr) return;
    state_.insert(state_.end(), finish_.captured.begin(), finish_.captured.end());
    late_calls_->call(finish_.function, std::move(state_));
  }

  NextElement next(const ElementContext& step) {
    if (done_) return std::nullopt;
    if (!started_) {
      TROUPE_ASSIGN_OR_RETURN(state_, init_.call(step, {}));
      late_calls_ = late_calls_of(step.functions, step.device);
      started_ = true;
    }
    absl::StatusOr<Element> made = next_.call(step, state_);
    if (made.ok()) return *std::move(made);
    if (!absl::IsOutOfRange(made.status())) return in_function_of(label_, name_, made.status());
    done_ = true;
    TROUPE_RETURN_IF_ERROR(finish_.call(step, state_).status());
    return std::nullopt;
  }

 private:
  const BoundFunction init_;
  const BoundFunction next_;
  const BoundFunction finish_;
  const std::string name_;
  const std::string label_;
  bool started_ = false;
  bool done_ = false;
  Element state_;
  std::shared_ptr<LateCalls> late_calls_;
};

absl::Status make_generator(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int init_width, list_length(context, "Tinit_func_args"));
  TROUPE_ASSIGN_OR_RETURN(const int next_width, list_length(context, "Tnext_func_args"));
  const int middle = init_width + next_width;
  TROUPE_ASSIGN_OR_RETURN(BoundFunction init, bound_function(context, "init_func", 0, init_width));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction next, bound_function(context, "next_func", init_width, middle));
  TROUPE_ASSIGN_OR_RETURN(BoundFunction finish,
                          bound_function(context, "finalize_func", middle, context.num_inputs()));
  const std::string label = dataset_label(context);
  auto dataset = make_dataset("Generator", {}, [=](const std::string& name) {
    auto generator = std::make_unique<Generator>(init, next, finish, name, label);
    return iterator_of(
        [generator = std::move(generator)](const ElementContext& step) { return generator->next(step); });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_functions(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"MapDataset", "ExperimentalMapDataset"}, make_map<0>);
  add({"ParallelMapDataset", "ParallelMapDatasetV2"}, make_map<1>);
  add({"FilterDataset"}, make_filter<false, 0>);
  add({"ParallelFilterDataset"}, make_filter<false, 1>);
  add({"TakeWhileDataset", "ExperimentalTakeWhileDataset"}, make_filter<true, 0>);
  add({"FlatMapDataset"}, make_flat_map);
  add({"ScanDataset", "ExperimentalScanDataset"}, make_scan);
  add({"GeneratorDataset"}, make_generator);
}

}  // namespace troupe
