// Datasets made of others, element by element: repetitions, parts, checks, and those that change nothing.

#include <algorithm>
#include <string>
#include <unordered_set>

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// The input `count` times over; below 0 for ever, unless it is empty.
absl::Status make_repeat(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, input_count(context, 1, "count"));
  const char* const label = count < 0 ? "ForeverRepeat" : "FiniteRepeat";
  auto dataset = make_dataset(label, {input}, [input, count](const std::string& name) {
    return iterator_of([input, count = count, name, rounds = int64_t{0},
                        round = IteratorPtr()](const ElementContext& step) mutable -> NextElement {
      while (count < 0 || rounds < count) {
        TROUPE_RETURN_IF_ERROR(step.check());
        const bool fresh = round == nullptr;
        if (fresh) round = input->iterate(name);
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, round->next(step));
        if (element.has_value()) return element;
        round = nullptr;
        ++rounds;
        if (fresh && count < 0) count = 0;  // Nothing to repeat.
      }
      return std::nullopt;
    });
  });
  const int64_t n = input->cardinality;
  if (count < 0) {
    dataset->cardinality = n == 0 ? 0 : kInfiniteCardinality;
  } else if (count == 0 || n < 0) {
    dataset->cardinality = count == 0 ? 0 : n;
  } else if (__builtin_mul_overflow(n, count, &dataset->cardinality)) {
    dataset->cardinality = INT64_MAX;
  }
  dataset->batch_size = input->batch_size;
  if (count < 0) {
    dataset->indexable.Update(
        absl::FailedPreconditionError("`repeat(-1)` does not support random access of tf.data datasets."));
  } else if (input->at != nullptr) {
    dataset->at = [input](const ElementContext& step, int64_t i) {
      return input->at(step, i % input->cardinality);
    };
  }
  return output_dataset(context, std::move(dataset));
}

/// Elements [skip, skip + take); take below 0: all. Errors do not count as taken.
std::shared_ptr<Dataset> make_part(const char* label, const DatasetPtr& input, int64_t skip, int64_t take) {
  return make_dataset(label, {input}, [input, skip, take](const std::string& name) {
    return iterator_of(
        [in = input->iterate(name), skip, take](const ElementContext& step) mutable -> NextElement {
          // After an error all of the skip is tried again, behind it.
          for (int64_t passed = 0; take != 0 && passed < skip; ++passed) {
            TROUPE_RETURN_IF_ERROR(step.check());
            TROUPE_ASSIGN_OR_RETURN(const std::optional<Element> element, in->next(step));
            if (!element.has_value()) take = 0;
          }
          skip = 0;
          if (take == 0) return std::nullopt;
          TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
          if (take > 0) --take;
          return element;
        });
  });
}

absl::Status make_take(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, input_count(context, 1, "count"));
  auto dataset = make_part(count < 0 ? "InfiniteTake" : "FiniteTake", input, 0, std::max<int64_t>(count, -1));
  const int64_t n = input->cardinality;
  if (n == kUnknownCardinality) {
    dataset->cardinality = n;
  } else {
    dataset->cardinality = count < 0 ? n : n < 0 ? count : std::min(n, count);
  }
  dataset->batch_size = input->batch_size;
  dataset->at = input->at;
  return output_dataset(context, std::move(dataset));
}

absl::Status make_skip(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t count, input_count(context, 1, "count"));
  // Below 0 everything is skipped.
  auto dataset = make_part("FiniteSkip", input, std::max<int64_t>(count, 0), count < 0 ? 0 : -1);
  const int64_t n = input->cardinality;
  dataset->cardinality = count < 0 ? 0 : n < 0 ? n : std::max<int64_t>(n - count, 0);
  dataset->batch_size = input->batch_size;
  if (input->at != nullptr) {
    dataset->at = [input, count](const ElementContext& step, int64_t i) {
      return input->at(step, i + count);
    };
  }
  return output_dataset(context, std::move(dataset));
}

/// FailedPrecondition when there are more elements or fewer than was said.
absl::Status make_assert_cardinality(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t expected, input_count(context, 1, "cardinality"));
  auto text = [](int64_t n) -> std::string {
    if (n == kInfiniteCardinality) return "an infinite number of elements";
    if (n == kUnknownCardinality) return "an unknown number of elements";
    return n == 1 ? "1 element" : absl::StrCat(n, " elements");
  };
  auto dataset = make_dataset("AssertCardinality", {input}, [input, expected, text](const std::string& name) {
    return iterator_of([in = input->iterate(name), expected, text,
                        made = int64_t{0}](const ElementContext& step) mutable -> NextElement {
      TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
      if (element.has_value()) ++made;
      const bool short_of = !element.has_value() && made != expected;
      if (expected == kUnknownCardinality || (!short_of && (expected < 0 || made <= expected)))
        return element;
      return absl::FailedPreconditionError(absl::StrCat("Input dataset was expected to contain ",
                                                        text(expected), " but contained ",
                                                        short_of ? "only " : "at least ", text(made), "."));
    });
  });
  dataset->cardinality = expected;
  dataset->batch_size = input->batch_size;
  if (input->cardinality >= expected) dataset->at = input->at;
  return output_dataset(context, std::move(dataset));
}

/// Elements that fail are left out.
absl::Status make_ignore_errors(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  auto dataset = make_dataset("IgnoreErrors", {input}, [input](const std::string& name) {
    return iterator_of([in = input->iterate(name)](const ElementContext& step) -> NextElement {
      while (true) {
        TROUPE_RETURN_IF_ERROR(step.check());
        NextElement element = in->next(step);
        if (element.ok() || absl::IsCancelled(element.status())) return element;
      }
    });
  });
  dataset->cardinality =
      input->cardinality == kInfiniteCardinality ? kInfiniteCardinality : kUnknownCardinality;
  return output_dataset(context, std::move(dataset));
}

absl::StatusOr<std::string> key_of(const Tensor& t) {
  switch (t.dtype()) {
    case DataType::kString: return t.value<TString>().str();
    case DataType::kInt32:
    case DataType::kInt64: return std::string(static_cast<const char*>(t.raw()), t.bytes());
    default: return invalid("UniqueDataset does not support element type ", dtype_name(t.dtype()));
  }
}

/// The first of equal scalars.
absl::Status make_unique(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  if (input->types.size() != 1) {
    return invalid("UniqueDataset only supports inputs with a single component.");
  }
  const DataType type = input->types[0];
  if (type != DataType::kInt32 && type != DataType::kInt64 && type != DataType::kString) {
    return invalid(
        "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or `tf.string` component.");
  }
  return output_dataset(context, make_dataset("Unique", {input}, [input](const std::string& name) {
                          return iterator_of(
                              [in = input->iterate(name), seen = std::unordered_set<std::string>()](
                                  const ElementContext& step) mutable -> NextElement {
                                while (true) {
                                  TROUPE_RETURN_IF_ERROR(step.check());
                                  TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
                                  if (!element.has_value()) return std::nullopt;
                                  if (element->size() != 1 || !is_scalar((*element)[0])) {
                                    return invalid("UniqueDataset only supports scalar elements.");
                                  }
                                  TROUPE_ASSIGN_OR_RETURN(std::string key, key_of((*element)[0]));
                                  if (seen.insert(std::move(key)).second) return element;
                                }
                              });
                        }));
}

/// The input as it is: elements are made when they are asked for, whatever should be made ahead or elsewhere.
std::shared_ptr<Dataset> make_same(std::string label, const DatasetPtr& input) {
  auto dataset = make_dataset(std::move(label), {input}, nullptr);
  dataset->make = [input](const std::string& name) { return input->iterate(name); };
  dataset->at = input->at;
  dataset->cardinality = input->cardinality;
  return dataset;
}

absl::Status make_prefetch(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t buffer_size, input_count(context, 1, "buffer_size"));
  if (buffer_size < -1) {
    return invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  }
  auto dataset = make_same("Prefetch", input);
  dataset->batch_size = input->batch_size;
  return output_dataset(context, std::move(dataset));
}

absl::Status make_options(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  auto dataset = make_same("Options", input);
  dataset->batch_size = input->batch_size;
  // Later options go over earlier ones, as proto messages in one string do.
  dataset->options += context.node().attrs.get_or<std::string>("serialized_options", "");
  return output_dataset(context, std::move(dataset));
}

absl::Status make_pass_through(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  std::string label = context.node().op->name;
  label.resize(label.find("Dataset"));
  auto dataset = make_same(label, input);
  if (label == "Model") dataset->batch_size = input->batch_size;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_transformations(KernelRegistry* registry) {
  const auto add = [registry](std::initializer_list<const char*> ops, KernelFn fn) {
    for (const char* op : ops) registry->add(KernelDef(op).fn(fn, /*cheap=*/true));
  };
  add({"RepeatDataset"}, make_repeat);
  add({"TakeDataset"}, make_take);
  add({"SkipDataset"}, make_skip);
  add({"AssertCardinalityDataset"}, make_assert_cardinality);
  add({"IgnoreErrorsDataset", "ExperimentalIgnoreErrorsDataset"}, make_ignore_errors);
  add({"UniqueDataset", "ExperimentalUniqueDataset"}, make_unique);
  add({"PrefetchDataset"}, make_prefetch);
  add({"OptionsDataset"}, make_options);
  add({"ModelDataset", "OptimizeDataset", "OptimizeDatasetV2", "FinalizeDataset", "NonSerializableDataset",
       "ExperimentalNonSerializableDataset", "PrivateThreadPoolDataset",
       "ExperimentalPrivateThreadPoolDataset", "MaxIntraOpParallelismDataset",
       "ExperimentalMaxIntraOpParallelismDataset", "AssertNextDataset", "ExperimentalAssertNextDataset",
       "AssertPrevDataset", "ThreadPoolDataset", "RewriteDataset", "ExperimentalThreadPoolDataset",
       "ChooseFastestDataset", "ExperimentalChooseFastestDataset"},
      make_pass_through);
}

}  // namespace troupe
