// Datasets made of others by the numbers of their elements: in a random order of all, flattened, in shares.

#include <algorithm>
#include <limits>

#include "devices/cpu/kernels/dataset/call.h"
#include "devices/cpu/kernels/dataset/core.h"
#include "devices/cpu/kernels/dataset/seeds.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/shuffled_index.h"

namespace troupe {
namespace {

/// One random order of `count` numbers.
class IndexOrder {
 public:
  /// Takes two pairs of seeds, as TensorFlow does.
  IndexOrder(PassSeeds* seeds, int64_t count) : count_(count) {
    const auto [first, second] = seeds->next_seeds();
    const auto [third, unused] = seeds->next_seeds();
    key_[0] = static_cast<uint32_t>(first);
    key_[1] = static_cast<uint32_t>(second);
    key_[2] = static_cast<uint32_t>(third);
  }
  int64_t operator()(int64_t i) const {
    constexpr int64_t kRounds = 8;
    if (count_ <= 1) return i;
    return static_cast<int64_t>(
        shuffled_index(static_cast<uint64_t>(i), key_, static_cast<uint64_t>(count_ - 1), kRounds));
  }

 private:
  int64_t count_;
  uint32_t key_[3];
};

absl::Status make_global_shuffle(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed, input_count(context, 1, "seed"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t seed2, input_count(context, 2, "seed2"));
  if (!input->indexable.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "`global_shuffle` requires all upstream transformations be compatible with random access. Got: ",
        input->indexable.ToString()));
  }
  const int64_t count = input->cardinality;
  if (count <= 0 || input->at == nullptr) {
    return invalid(
        "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. Got "
        "cardinality ",
        count, " for dataset ", input->origin == nullptr ? input->name : input->origin->op, "Op::Dataset");
  }
  TROUPE_ASSIGN_OR_RETURN(const auto seeds, shared_seeds(context, 3, seed, seed2));
  auto dataset = make_dataset("GlobalShuffle", {input}, [input, count, seeds](const std::string&) {
    return iterator_of([input, count, order = IndexOrder(seeds.get(), count),
                        at = int64_t{0}](const ElementContext& step) mutable -> NextElement {
      if (at >= count) return std::nullopt;
      return input->at(step, order(at++));
    });
  });
  // The order of the first pass, for a shuffle of the shuffled.
  const OrderSource::State first = seeds->state();
  PassSeeds own(static_cast<int64_t>(first.seed), static_cast<int64_t>(first.seed2),
                context.node().attrs.get_or("reshuffle_each_iteration", true));
  dataset->at = [input, order = IndexOrder(&own, count)](const ElementContext& step, int64_t i) {
    return input->at(step, order(i));
  };
  dataset->orders.push_back(seeds);
  dataset->cardinality = count;
  return output_dataset(context, std::move(dataset));
}

/// Says for a number of the flattened dataset which element it is part of, and which part.
struct IndexMap {
  BoundFunction f;

  absl::StatusOr<std::pair<int64_t, int64_t>> operator()(const ElementContext& step, int64_t i) const {
    TROUPE_ASSIGN_OR_RETURN(const Element pair, f.call(step, {Tensor::scalar<int64_t>(i)}));
    constexpr char kExpected[] =
        "The `index_map_fn` for `index_flat_map` is expected to return two int values representing the "
        "element index and an offset within the element.";
    if (pair.size() != 2) return invalid(kExpected, " Got ", pair.size(), " tensors");
    for (const Tensor& t : pair) {
      if (!is_scalar(t) || (t.dtype() != DataType::kInt64 && t.dtype() != DataType::kInt32 &&
                            t.dtype() != DataType::kUint64 && t.dtype() != DataType::kUint32)) {
        return invalid(kExpected, " Got a tensor of ", dtype_name(t.dtype()), " in shape ",
                       t.shape().to_string());
      }
    }
    return std::pair(number_of(pair[0]), number_of(pair[1]));
  }

 private:
  static int64_t number_of(const Tensor& t) {
    if (t.dtype() == DataType::kUint64) return static_cast<int64_t>(t.value<uint64_t>());
    if (t.dtype() == DataType::kUint32) return t.value<uint32_t>();
    return int_at(t, 0);
  }
};

/// Part `offset` of each component; scalars as they are.
absl::StatusOr<Element> part_of(const Element& components, int64_t offset) {
  Element out;
  for (const Tensor& all : components) {
    if (all.rank() == 0) {
      out.push_back(all);
      continue;
    }
    if (offset < 0 || offset >= all.dim(0)) {
      return invalid("The `index_map_fn` for `index_flat_map` gave offset ", offset,
                     " for an element with a component of shape ", all.shape().to_string());
    }
    out.push_back(slice_of({all}, offset)[0]);
  }
  return out;
}

absl::Status make_index_flat_map(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(DatasetPtr input, input_dataset(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const int map_width, list_length(context, "Tmap_func_args"));
  const int last = context.num_inputs() - 1;
  TROUPE_ASSIGN_OR_RETURN(const BoundFunction map, bound_function(context, "map_func", 1, 1 + map_width));
  IndexMap index;
  TROUPE_ASSIGN_OR_RETURN(index.f, bound_function(context, "index_map_func", 1 + map_width, last));
  TROUPE_ASSIGN_OR_RETURN(const int64_t cardinality, input_count(context, last, "output_cardinality"));
  auto dataset = make_dataset("IndexFlatMap", {input}, [=](const std::string& name) {
    return iterator_of([in = input->iterate(name), map, index, cardinality, at = int64_t{0},
                        held = int64_t{-1},
                        parts = Element()](const ElementContext& step) mutable -> NextElement {
      if (cardinality >= 0 && at >= cardinality) return std::nullopt;
      TROUPE_ASSIGN_OR_RETURN(const auto place, index(step, at));
      if (held < 0 || place.first > held) {
        TROUPE_ASSIGN_OR_RETURN(std::optional<Element> element, in->next(step));
        if (!element.has_value()) return std::nullopt;
        TROUPE_ASSIGN_OR_RETURN(parts, map.call(step, *std::move(element)));
        held = place.first;
      }
      ++at;
      return part_of(parts, place.second);
    });
  });
  if (input->at != nullptr) {
    dataset->at = [=](const ElementContext& step, int64_t i) -> absl::StatusOr<Element> {
      TROUPE_ASSIGN_OR_RETURN(const auto place, index(step, i));
      if (place.first < 0 || (input->cardinality >= 0 && place.first >= input->cardinality)) {
        return absl::OutOfRangeError(
            absl::StrCat("Index out of range [0, ", input->cardinality, "):", place.first));
      }
      TROUPE_ASSIGN_OR_RETURN(Element element, input->at(step, place.first));
      TROUPE_ASSIGN_OR_RETURN(const Element parts, map.call(step, std::move(element)));
      return part_of(parts, place.second);
    };
  }
  dataset->blocks = true;
  dataset->cardinality = cardinality;
  return output_dataset(context, std::move(dataset));
}

/// How many elements of each input are taken, so that their shares are as the weights and one input is used up.
absl::StatusOr<std::vector<int64_t>> shares_of(const std::vector<DatasetPtr>& inputs,
                                               const std::vector<double>& weights) {
  const double most = *std::max_element(weights.begin(), weights.end());
  double least = std::numeric_limits<double>::max();
  size_t scarcest = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double count = static_cast<double>(inputs[i]->cardinality) * weights[i] / most;
    if (count < least) {
      least = count;
      scarcest = i;
    }
  }
  std::vector<int64_t> shares;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto share = static_cast<int64_t>(least * weights[i] / weights[scarcest]);
    if (share > inputs[i]->cardinality) {
      return invalid("Input ", i, " needs to have at least ", share, " elements. It only has ",
                     inputs[i]->cardinality, " elements.");
    }
    shares.push_back(share);
  }
  return shares;
}

absl::StatusOr<std::vector<double>> weights_of(const KernelContext& context, int first) {
  std::vector<double> weights;
  for (int i = first; i < context.num_inputs(); ++i) {
    if (!is_scalar(context.input(i))) return invalid("weights must be scalars");
    weights.push_back(context.input(i).value<double>());
    if (!(weights.back() > 0) || !(weights.back() < std::numeric_limits<double>::infinity())) {
      return invalid("`weights` must be greater than 0.0. Input ", i - first, " has a weight of ",
                     weights.back());
    }
  }
  return weights;
}

/// Where the inputs end in the flattened dataset.
struct Shares {
  std::vector<DatasetPtr> inputs;
  std::vector<int64_t> ends;

  size_t input_of(int64_t i) const {
    return static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin());
  }
  int64_t begin_of(size_t input) const { return input == 0 ? 0 : ends[input - 1]; }
};

absl::Status make_weighted_flat_map(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const int64_t n, context.node().attrs.get<int64_t>("N"));
  TROUPE_ASSIGN_OR_RETURN(const int64_t m, context.node().attrs.get<int64_t>("M"));
  if (n != m) {
    return invalid("`input_datasets` and `weights` of the WeightedFlatMap must have the same size. Got ", n,
                   " datasets and ", m, " weights.");
  }
  Shares all;
  TROUPE_ASSIGN_OR_RETURN(all.inputs, input_datasets(context, 0, static_cast<int>(n)));
  TROUPE_ASSIGN_OR_RETURN(const std::vector<double> weights, weights_of(context, static_cast<int>(n)));
  for (size_t i = 0; i < all.inputs.size(); ++i) {
    const int64_t count = all.inputs[i]->cardinality;
    if (count < 0) return invalid("Cardinality of input ", i, " must be finite, got ", count);
  }
  TROUPE_ASSIGN_OR_RETURN(const std::vector<int64_t> shares, shares_of(all.inputs, weights));
  int64_t end = 0;
  for (const int64_t share : shares) all.ends.push_back(end += share);
  auto dataset = make_dataset("WeightedFlatMap", all.inputs, [all](const std::string& name) {
    std::vector<IteratorPtr> iterators;
    for (size_t i = 0; i < all.inputs.size(); ++i)
      iterators.push_back(all.inputs[i]->iterate(absl::StrCat(name, "[", i, "]")));
    return iterator_of([all, iterators = std::move(iterators),
                        at = int64_t{0}](const ElementContext& step) mutable -> NextElement {
      if (at >= all.ends.back()) return std::nullopt;
      return iterators[all.input_of(at++)]->next(step);
    });
  });
  if (std::all_of(all.inputs.begin(), all.inputs.end(), [](const auto& d) { return d->at != nullptr; })) {
    dataset->at = [all](const ElementContext& step, int64_t i) {
      const size_t input = all.input_of(i);
      return all.inputs[input]->at(step, i - all.begin_of(input));
    };
  }
  dataset->cardinality = end;
  return output_dataset(context, std::move(dataset));
}

}  // namespace

void register_dataset_indexed(KernelRegistry* registry) {
  registry->add(KernelDef("GlobalShuffleDataset").fn(make_global_shuffle, /*cheap=*/true));
  registry->add(KernelDef("IndexFlatMapDataset").fn(make_index_flat_map, /*cheap=*/true));
  registry->add(KernelDef("WeightedFlatMapDataset").fn(make_weighted_flat_map, /*cheap=*/true));
}

}  // namespace troupe
