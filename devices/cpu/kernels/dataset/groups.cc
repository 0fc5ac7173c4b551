// Elements gathered by keys that a function gives them.

#include <map>

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

constexpr char kKeyMessage[] = "`key_func` must return a scalar int64.";
constexpr char kWindowMessage[] = "`window_size_func` must return a scalar int64.";

struct WindowPlan {
  DatasetPtr input;
  BoundFunction key;
  BoundFunction reduce;
  BoundFunction window_size;
};

/// Elements with the same key are gathered until there are as many as the key's window holds; a function
/// makes a dataset of them, whose elements come out.
class WindowGroups {
 public:
  WindowGroups(std::shared_ptr<const WindowPlan> plan, const std::string& name)
      : plan_(std::move(plan)), name_(name), input_(plan_->input->iterate(name)) {}

  NextElement next(const ElementContext& step) {
    while (true) {
      if (current_ != nullptr) {
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, current_->next(step));
        if (element.has_value()) return element;
        current_ = nullptr;
      }
      TROUPE_RETURN_IF_ERROR(gather(step));
      if (current_ != nullptr) continue;
      if (groups_.empty()) return std::nullopt;
      // The rest, at the end of the input.
      TROUPE_RETURN_IF_ERROR(flush(step, groups_.begin()->first));
    }
  }

 private:
  absl::Status gather(const ElementContext& step) {
    while (input_ != nullptr && current_ == nullptr) {
      TROUPE_RETURN_IF_ERROR(step.check());
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
      if (!element.has_value()) {
        input_ = nullptr;
        return absl::OkStatus();
      }
      TROUPE_ASSIGN_OR_RETURN(const Element found, plan_->key.call(step, *element));
      TROUPE_ASSIGN_OR_RETURN(const int64_t key, only_scalar<int64_t>(found, kKeyMessage));
      if (!sizes_.contains(key)) {
        TROUPE_ASSIGN_OR_RETURN(const Element made,
                                plan_->window_size.call(step, {Tensor::scalar<int64_t>(key)}));
        TROUPE_ASSIGN_OR_RETURN(const int64_t size, only_scalar<int64_t>(made, kWindowMessage));
        if (size <= 0) return invalid("Window size must be greater than zero, but got ", size, ".");
        sizes_[key] = size;
      }
      groups_[key].push_back(*std::move(element));
      if (static_cast<int64_t>(groups_[key].size()) == sizes_[key]) TROUPE_RETURN_IF_ERROR(flush(step, key));
    }
    return absl::OkStatus();
  }

  absl::Status flush(const ElementContext& step, int64_t key) {
    std::vector<Element> group = std::move(groups_[key]);
    groups_.erase(key);
    Tensor window = dataset_tensor(
        make_list_dataset("Window", std::move(group), plan_->input->types, plan_->input->shapes));
    TROUPE_ASSIGN_OR_RETURN(const Element results,
                            plan_->reduce.call(step, {Tensor::scalar<int64_t>(key), std::move(window)}));
    TROUPE_ASSIGN_OR_RETURN(const DatasetPtr dataset, only_dataset(results));
    current_ = dataset->iterate(absl::StrCat(name_, "[", flushed_++, "]"));
    return absl::OkStatus();
  }

  const std::shared_ptr<const WindowPlan> plan_;
  const std::string name_;
  IteratorPtr input_;  // null behind the end
  IteratorPtr current_;
  std::map<int64_t, std::vector<Element>> groups_;
  std::map<int64_t, int64_t> sizes_;
  int64_t flushed_ = 0;
};

absl::Status make_group_by_window(KernelContext& context) {
  auto plan = std::make_shared<WindowPlan>();
  TROUPE_ASSIGN_OR_RETURN(plan->input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int keys, list_length(context, "Tkey_func_other_arguments"));
  TROUPE_ASSIGN_OR_RETURN(const int reduces, list_length(context, "Treduce_func_other_arguments"));
  TROUPE_ASSIGN_OR_RETURN(plan->key, bound_function(context, "key_func", 1, 1 + keys));
  TROUPE_ASSIGN_OR_RETURN(plan->reduce, bound_function(context, "reduce_func", 1 + keys, 1 + keys + reduces));
  TROUPE_ASSIGN_OR_RETURN(plan->window_size, bound_function(context, "window_size_func", 1 + keys + reduces,
                                                            context.num_inputs()));
  auto dataset = make_dataset("GroupByWindow", {plan->input}, [plan](const std::string& name) {
    auto groups = std::make_unique<WindowGroups>(plan, name);
    return iterator_of(
        [groups = std::move(groups)](const ElementContext& step) { return groups->next(step); });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

struct ReducerPlan {
  DatasetPtr input;
  BoundFunction key;
  BoundFunction init;
  BoundFunction reduce;
  BoundFunction finalize;
};

/// A state for each key, which takes in all elements of the key; one element of each comes out, in order of
/// the keys.
class Reducer {
 public:
  Reducer(std::shared_ptr<const ReducerPlan> plan, const std::string& name)
      : plan_(std::move(plan)), input_(plan_->input->iterate(name)) {}

  NextElement next(const ElementContext& step) {
    while (input_ != nullptr) {
      TROUPE_RETURN_IF_ERROR(step.check());
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, input_->next(step));
      if (!element.has_value()) {
        input_ = nullptr;
        break;
      }
      TROUPE_ASSIGN_OR_RETURN(const Element found, plan_->key.call(step, *element));
      TROUPE_ASSIGN_OR_RETURN(const int64_t key, only_scalar<int64_t>(found, kKeyMessage));
      auto state = states_.find(key);
      if (state == states_.end()) {
        TROUPE_ASSIGN_OR_RETURN(Element first, plan_->init.call(step, {Tensor::scalar<int64_t>(key)}));
        state = states_.emplace(key, std::move(first)).first;
      }
      Element args = state->second;
      args.insert(args.end(), element->begin(), element->end());
      TROUPE_ASSIGN_OR_RETURN(state->second, plan_->reduce.call(step, std::move(args)));
    }
    if (states_.empty()) return std::nullopt;
    auto first = states_.extract(states_.begin());
    TROUPE_ASSIGN_OR_RETURN(Element made, plan_->finalize.call(step, std::move(first.mapped())));
    return made;
  }

 private:
  const std::shared_ptr<const ReducerPlan> plan_;
  IteratorPtr input_;  // null behind the end
  std::map<int64_t, Element> states_;
};

absl::Status make_group_by_reducer(KernelContext& context) {
  auto plan = std::make_shared<ReducerPlan>();
  TROUPE_ASSIGN_OR_RETURN(plan->input, input_dataset(context, 0));
  int at = 1;
  const std::pair<const char*, BoundFunction*> functions[] = {{"key_func", &plan->key},
                                                              {"init_func", &plan->init},
                                                              {"reduce_func", &plan->reduce},
                                                              {"finalize_func", &plan->finalize}};
  for (const auto& [attr, function] : functions) {
    TROUPE_ASSIGN_OR_RETURN(const int width,
                            list_length(context, absl::StrCat("T", attr, "_other_arguments").c_str()));
    TROUPE_ASSIGN_OR_RETURN(*function, bound_function(context, attr, at, at + width));
    at += width;
  }
  auto dataset = make_dataset("GroupByReducer", {plan->input}, [plan](const std::string& name) {
    auto reducer = std::make_unique<Reducer>(plan, name);
    return iterator_of(
        [reducer = std::move(reducer)](const ElementContext& step) { return reducer->next(step); });
  });
  dataset->blocks = true;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_groups(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"GroupByWindowDataset", "ExperimentalGroupByWindowDataset"}, make_group_by_window);
  add({"GroupByReducerDataset", "ExperimentalGroupByReducerDataset"}, make_group_by_reducer);
}

}  // namespace troupe
