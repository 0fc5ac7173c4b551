// Datasets of several: one after the other, side by side, by turns.

#include <algorithm>

#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

absl::Status make_concatenation(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr first, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr second, input_dataset(context, 1));
  if (first->types != second->types) {
    return invalid("input dataset and dataset to concatenate have different output_types");
  }
  auto dataset = make_dataset("Concatenate", {first, second}, [first, second](const std::string& name) {
    return iterator_of([one = first->iterate(name + "[0]"), two = second->iterate(name + "[1]")](
                           const ElementContext& step) mutable -> NextElement {
      if (one != nullptr) {
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, one->next(step));
        if (element.has_value()) return element;
        one = nullptr;
      }
      return two->next(step);
    });
  });
  const int64_t a = first->cardinality, b = second->cardinality;
  if (a == kInfiniteCardinality || b == kInfiniteCardinality) {
    dataset->cardinality = kInfiniteCardinality;
  } else if (a >= 0 && b >= 0 && __builtin_add_overflow(a, b, &dataset->cardinality)) {
    dataset->cardinality = INT64_MAX;
  }
  if (first->batch_size == second->batch_size) dataset->batch_size = first->batch_size;
  if (first->at != nullptr && second->at != nullptr) {
    dataset->at = [first, second, a](const ElementContext& step, int64_t i) {
      return i < a ? first->at(step, i) : second->at(step, i - a);
    };
  }
  return output_dataset(context, std::move(dataset));
}

/// The components of an element of each input, side by side, to the end of the shortest.
absl::Status make_zip(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(auto inputs, input_datasets(context, 0, context.num_inputs()));
  auto dataset = make_dataset("Zip", inputs, [inputs](const std::string& name) {
    std::vector<IteratorPtr> iterators;
    for (size_t i = 0; i < inputs.size(); ++i)
      iterators.push_back(inputs[i]->iterate(absl::StrCat(name, "[", i, "]")));
    return iterator_of(
        [iterators = std::move(iterators), done = false](const ElementContext& step) mutable -> NextElement {
          if (done) return std::nullopt;
          Element all;
          absl::Status status;
          for (const IteratorPtr& input : iterators) {
            NextElement element = input->next(step);
            status.Update(element.status());
            if (!element.ok()) continue;
            done = done || !element->has_value();
            if (element->has_value()) all.insert(all.end(), (*element)->begin(), (*element)->end());
          }
          if (done) return std::nullopt;
          TROUPE_RETURN_IF_ERROR(status);
          return all;
        });
  });
  dataset->cardinality = kInfiniteCardinality;
  if (std::all_of(inputs.begin(), inputs.end(), [](const DatasetPtr& d) { return d->at != nullptr; })) {
    dataset->at = [inputs](const ElementContext& step, int64_t i) -> absl::StatusOr<Element> {
      Element all;
      for (const DatasetPtr& input : inputs) {
        TROUPE_ASSIGN_OR_RETURN(Element element, input->at(step, i));
        all.insert(all.end(), element.begin(), element.end());
      }
      return all;
    };
  }
  if (!inputs.empty()) dataset->batch_size = inputs[0]->batch_size;
  for (const DatasetPtr& input : inputs) {
    if (input->batch_size != dataset->batch_size) dataset->batch_size = -1;
    const int64_t n = input->cardinality;
    if (n == kUnknownCardinality || dataset->cardinality == kUnknownCardinality) {
      dataset->cardinality = kUnknownCardinality;
    } else if (n != kInfiniteCardinality && (dataset->cardinality < 0 || n < dataset->cardinality)) {
      dataset->cardinality = n;
    }
  }
  return output_dataset(context, std::move(dataset));
}

/// From the inputs by turns: the selector's elements say which one is next.
class Selection {
 public:
  Selection(IteratorPtr selector, std::vector<IteratorPtr> inputs, bool stop_on_empty)
      : selector_(std::move(selector)), inputs_(std::move(inputs)), left_(inputs_.size()),
        stop_on_empty_(stop_on_empty) {}

  NextElement next(const ElementContext& step) {
    while (left_ > 0) {
      TROUPE_RETURN_IF_ERROR(step.check());
      TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> turn, selector_->next(step));
      if (!turn.has_value()) break;
      if (turn->size() != 1 || (*turn)[0].dtype() != DataType::kInt64 || !is_scalar((*turn)[0])) {
        return invalid("The selector must give scalars of int64");
      }
      const int64_t i = (*turn)[0].value<int64_t>();
      if (i < 0 || i >= static_cast<int64_t>(inputs_.size())) {
        return invalid("Selector index out of range: ", i, " >= ", inputs_.size());
      }
      IteratorPtr& input = inputs_[static_cast<size_t>(i)];
      if (input == nullptr) continue;
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input->next(step));
      if (element.has_value()) return element;
      input = nullptr;
      left_ = stop_on_empty_ ? 0 : left_ - 1;
    }
    left_ = 0;
    return std::nullopt;
  }

 private:
  const IteratorPtr selector_;
  std::vector<IteratorPtr> inputs_;  // null behind their ends
  size_t left_;
  const bool stop_on_empty_;
};

absl::Status make_directed_interleave(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr selector, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(auto inputs, input_datasets(context, 1, context.num_inputs()));
  if (selector->types != std::vector<DataType>{DataType::kInt64}) {
    return invalid("The selector dataset must have a single component of dtype int64.");
  }
  for (const DatasetPtr& input : inputs) {
    if (input->types != inputs[0]->types) {
      return invalid("All input datasets of a DirectedInterleaveDataset must have the same types");
    }
  }
  const bool stop = context.node().attrs.get_or("stop_on_empty_dataset", false);
  std::vector<DatasetPtr> all = inputs;
  all.push_back(selector);
  auto dataset = make_dataset("DirectedInterleave", all, [selector, inputs, stop](const std::string& name) {
    std::vector<IteratorPtr> iterators;
    for (size_t i = 0; i < inputs.size(); ++i)
      iterators.push_back(inputs[i]->iterate(absl::StrCat(name, "[", i, "]")));
    auto selection = std::make_unique<Selection>(selector->iterate(name), std::move(iterators), stop);
    return iterator_of(
        [selection = std::move(selection)](const ElementContext& step) { return selection->next(step); });
  });
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_mixes(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"ConcatenateDataset"}, make_concatenation);
  add({"ZipDataset"}, make_zip);
  add({"DirectedInterleaveDataset", "ExperimentalDirectedInterleaveDataset"}, make_directed_interleave);
}

}  // namespace troupe
