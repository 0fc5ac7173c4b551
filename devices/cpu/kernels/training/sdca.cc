// Stochastic dual coordinate ascent for linear models: SdcaOptimizer, SdcaShrinkL1, SdcaFprint.
#include <algorithm>
#include <numeric>
#include <random>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/hash_string.h"
#include "devices/common/variable/variable.h"
#include "devices/cpu/kernels/training/sdca_loss.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// l1 over l2, and the soft threshold that it makes.
struct Shrinkage {
  double l2 = 1;
  double by = 0;

  Shrinkage(float l1, float l2_strength) : l2(l2_strength), by(l1 / l2_strength) {}
  double operator()(double weight) const {
    const double left = std::max(std::abs(weight) - by, 0.0);
    return left > 0 ? std::copysign(left, weight) : 0;
  }
  float dense(float weight) const {
    const float left = std::max(std::abs(weight) - static_cast<float>(by), 0.0f);
    return weight > 0 ? left : weight < 0 ? -left : 0.0f * left;
  }
};

/// One sparse group of features: its weights, and which of them each example has.
struct SparseGroup {
  const float* weights = nullptr;
  float* deltas = nullptr;
  /// Of all features: the place of their weight and their value.
  std::vector<int64_t> places;
  std::vector<float> values;
  /// Example i has [starts[i], starts[i + 1]) of them.
  std::vector<size_t> starts;
};

struct DenseGroup {
  const float* features = nullptr;
  int64_t columns = 0;
  const float* weights = nullptr;
  float* deltas = nullptr;
};

/// The inputs and outputs of one execution.
struct Problem {
  std::vector<SparseGroup> sparse;
  std::vector<DenseGroup> dense;
  std::span<const float> weights;
  std::span<const float> labels;
  /// Four numbers an example: dual variable, primal loss, dual loss, weight.
  float* state = nullptr;
  std::vector<double> squared_norms;

  size_t examples() const { return labels.size(); }
};

absl::Status read_features(const Tensor& examples, const Tensor& features, const Tensor* values, size_t count,
                           const absl::flat_hash_map<int64_t, int64_t>& places, SparseGroup* group) {
  if (examples.rank() != 1 || features.rank() != 1 || examples.dim(0) != features.dim(0)) {
    return invalid("Found mismatched example_indices and feature_indices ", examples.shape().to_string(),
                   " vs ", features.shape().to_string());
  }
  if (values != nullptr && !(values->shape() == features.shape())) {
    return invalid("Found mismatched feature_indices and feature_values ", features.shape().to_string(),
                   " vs ", values->shape().to_string());
  }
  const auto example_at = examples.flat<int64_t>(), feature_at = features.flat<int64_t>();
  size_t next = 0;
  group->starts.push_back(0);
  absl::flat_hash_set<int64_t> seen;
  for (size_t e = 0; e < count; ++e) {
    seen.clear();
    for (; next < example_at.size() && example_at[next] == static_cast<int64_t>(e); ++next) {
      const auto place = places.find(feature_at[next]);
      if (place == places.end())
        return invalid("Found sparse feature indices out of valid range: ", feature_at[next]);
      if (!seen.insert(feature_at[next]).second) return invalid("Duplicate index in sparse vector.");
      group->places.push_back(place->second);
      group->values.push_back(values == nullptr ? 1 : values->flat<float>()[next]);
    }
    group->starts.push_back(group->places.size());
  }
  return absl::OkStatus();
}

class SdcaOptimizer final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("l1", &l1_)("l2", &l2_)("num_loss_partitions", &partitions_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const std::string loss, c.attr<std::string>("loss_type"));
    TROUPE_ASSIGN_OR_RETURN(loss_, make_sdca_loss(loss));
    const AttrMap& attrs = c.node().attrs;
    // The first version of the op misspells it.
    adaptive_ = attrs.get_or<bool>("adaptive", attrs.get_or<bool>("adaptative", false));
    TROUPE_ASSIGN_OR_RETURN(const int64_t sparse, c.attr<int64_t>("num_sparse_features"));
    TROUPE_ASSIGN_OR_RETURN(const int64_t with_values, c.attr<int64_t>("num_sparse_features_with_values"));
    TROUPE_ASSIGN_OR_RETURN(const int64_t dense, c.attr<int64_t>("num_dense_features"));
    if (with_values > sparse)
      return invalid("num_sparse_features_with_values must be at most num_sparse_features");
    sparse_ = static_cast<int>(sparse);
    with_values_ = static_cast<int>(with_values);
    dense_ = static_cast<int>(dense);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    Problem p;
    TROUPE_RETURN_IF_ERROR(read(context, &p));
    const Shrinkage shrinkage(l1_, l2_);
    std::vector<size_t> order(p.examples());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random{std::random_device{}()};
    if (adaptive_) {
      TROUPE_RETURN_IF_ERROR(choose(p, shrinkage, random, &order));
    } else {
      std::shuffle(order.begin(), order.end(), random);
    }
    for (size_t e : order) TROUPE_RETURN_IF_ERROR(step(p, shrinkage, e));
    return absl::OkStatus();
  }

 private:
  // Where the inputs begin.
  int values_at() const { return 2 * sparse_; }
  int dense_at() const { return values_at() + with_values_; }
  int weights_at() const { return dense_at() + dense_; }
  int indices_at() const { return weights_at() + 2; }
  int sparse_weights_at() const { return indices_at() + sparse_; }
  int dense_weights_at() const { return sparse_weights_at() + sparse_; }
  int state_at() const { return dense_weights_at() + dense_; }

  absl::Status read(KernelContext& context, Problem* p) const {
    p->weights = context.input(weights_at()).flat<float>();
    p->labels = context.input(weights_at() + 1).flat<float>();
    if (p->weights.size() != p->labels.size())
      return invalid("Expected ", p->weights.size(), " example labels but got ", p->labels.size());
    const Tensor& state = context.input(state_at());
    const Shape want{static_cast<int64_t>(p->examples()), 4};
    if (!(state.shape() == want)) {
      return invalid("Expected shape ", want.to_string(), " for example_state_data, got ",
                     state.shape().to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, want));
    std::copy_n(state.flat<float>().data(), state.num_elements(), out->flat<float>().data());
    p->state = out->flat<float>().data();
    p->squared_norms.assign(p->examples(), 0);
    for (int i = 0; i < sparse_; ++i) TROUPE_RETURN_IF_ERROR(read_sparse(context, i, p));
    for (int i = 0; i < dense_; ++i) TROUPE_RETURN_IF_ERROR(read_dense(context, i, p));
    return absl::OkStatus();
  }

  absl::Status read_sparse(KernelContext& context, int i, Problem* p) const {
    const Tensor& indices = context.input(indices_at() + i);
    const Tensor& weights = context.input(sparse_weights_at() + i);
    absl::flat_hash_map<int64_t, int64_t> places;
    for (int64_t k = 0; k < std::min(indices.num_elements(), weights.num_elements()); ++k)
      places.emplace(indices.flat<int64_t>()[static_cast<size_t>(k)], k);
    SparseGroup g;
    const Tensor* values = i < with_values_ ? &context.input(values_at() + i) : nullptr;
    TROUPE_RETURN_IF_ERROR(
        read_features(context.input(i), context.input(sparse_ + i), values, p->examples(), places, &g));
    TROUPE_ASSIGN_OR_RETURN(Tensor * deltas, context.allocate_output(1 + i, weights.shape()));
    std::fill(deltas->flat<float>().begin(), deltas->flat<float>().end(), 0.0f);
    g.weights = weights.flat<float>().data();
    g.deltas = deltas->flat<float>().data();
    for (size_t e = 0; e < p->examples(); ++e) {
      for (size_t k = g.starts[e]; k < g.starts[e + 1]; ++k)
        p->squared_norms[e] += static_cast<double>(g.values[k]) * g.values[k];
    }
    p->sparse.push_back(std::move(g));
    return absl::OkStatus();
  }

  absl::Status read_dense(KernelContext& context, int i, Problem* p) const {
    const Tensor& features = context.input(dense_at() + i);
    const Tensor& weights = context.input(dense_weights_at() + i);
    if (features.rank() != 2)
      return invalid("Dense features at index ", i, " must be rank 2 but is rank ", features.rank());
    if (features.dim(0) != static_cast<int64_t>(p->examples()))
      return invalid("Dense features at index ", i, " must have ", p->examples(), " rows, but have ",
                     features.dim(0));
    if (features.dim(1) > weights.num_elements())
      return invalid("More dense features than we have parameters for: ", features.dim(1));
    TROUPE_ASSIGN_OR_RETURN(Tensor * deltas, context.allocate_output(1 + sparse_ + i, weights.shape()));
    std::fill(deltas->flat<float>().begin(), deltas->flat<float>().end(), 0.0f);
    const DenseGroup g{features.flat<float>().data(), features.dim(1), weights.flat<float>().data(),
                       deltas->flat<float>().data()};
    for (size_t e = 0; e < p->examples(); ++e) {
      float sum = 0;
      for (int64_t c = 0; c < g.columns; ++c) {
        const float v = g.features[static_cast<int64_t>(e) * g.columns + c];
        sum += v * v;
      }
      p->squared_norms[e] += sum;
    }
    p->dense.push_back(g);
    return absl::OkStatus();
  }

  /// The predictions of an example before this execution, and now with the share of all partitions.
  std::pair<double, double> predict(const Problem& p, const Shrinkage& shrinkage, size_t e) const {
    double before = 0, now = 0;
    for (const SparseGroup& g : p.sparse) {
      for (size_t k = g.starts[e]; k < g.starts[e + 1]; ++k) {
        const float weight = g.weights[g.places[k]];
        const double moved = weight + g.deltas[g.places[k]] * static_cast<double>(partitions_);
        before += g.values[k] * shrinkage(weight);
        now += g.values[k] * shrinkage(moved);
      }
    }
    for (const DenseGroup& g : p.dense) {
      float sum_before = 0, sum_now = 0;
      const float* row = g.features + static_cast<int64_t>(e) * g.columns;
      for (int64_t c = 0; c < g.columns; ++c) {
        sum_before += row[c] * shrinkage.dense(g.weights[c]);
        sum_now += row[c] * shrinkage.dense(g.weights[c] + g.deltas[c] * static_cast<float>(partitions_));
      }
      before += sum_before;
      now += sum_now;
    }
    return {before, now};
  }

  absl::StatusOr<SdcaExample> example(const Problem& p, const Shrinkage& shrinkage, size_t e,
                                      double wx) const {
    float label = p.labels[e];
    TROUPE_RETURN_IF_ERROR(loss_->convert_label(&label));
    SdcaExample x;
    x.label = label;
    x.weight = p.weights[e];
    x.dual = p.state[4 * e];
    x.wx = wx;
    x.norm = p.squared_norms[e] / shrinkage.l2;
    x.partitions = partitions_;
    return x;
  }

  absl::Status step(const Problem& p, const Shrinkage& shrinkage, size_t e) const {
    const auto [before, now] = predict(p, shrinkage, e);
    TROUPE_ASSIGN_OR_RETURN(const SdcaExample x, example(p, shrinkage, e, now));
    const double dual = loss_->updated_dual(x);
    const double delta = (dual - x.dual) * x.weight / shrinkage.l2;
    for (const SparseGroup& g : p.sparse) {
      for (size_t k = g.starts[e]; k < g.starts[e + 1]; ++k)
        g.deltas[g.places[k]] += static_cast<float>(g.values[k] * delta);
    }
    for (const DenseGroup& g : p.dense) {
      const float* row = g.features + static_cast<int64_t>(e) * g.columns;
      for (int64_t c = 0; c < g.columns; ++c) g.deltas[c] += row[c] * static_cast<float>(delta);
    }
    float* state = p.state + 4 * e;
    state[0] = static_cast<float>(dual);
    state[1] = static_cast<float>(loss_->primal_loss(before, x.label, x.weight));
    state[2] = static_cast<float>(loss_->dual_loss(x.dual, x.label, x.weight));
    state[3] = p.weights[e];
    return absl::OkStatus();
  }

  /// As many examples as there are, those that are far from their optimum more often (Csiba, Qu and Richtarik, "Stochastic Dual
  /// Coordinate Ascent with Adaptive Probabilities", 2015): each time that one is taken makes it ten times less likely.
  absl::Status choose(const Problem& p, const Shrinkage& shrinkage, std::mt19937_64& random,
                      std::vector<size_t>* order) const {
    const size_t n = p.examples();
    std::vector<double> odds(n);
    bool any = false;
    for (size_t e = 0; e < n; ++e) {
      TROUPE_ASSIGN_OR_RETURN(const SdcaExample x, example(p, shrinkage, e, predict(p, shrinkage, e).second));
      const double far = x.dual + loss_->primal_derivative(x.wx, x.label);
      const double odd =
          x.weight * std::sqrt(p.squared_norms[e] + shrinkage.l2 * loss_->smoothness()) * std::abs(far);
      odds[e] = std::isfinite(odd) && odd > 0 ? odd : 0;
      any |= odds[e] > 0;
    }
    std::vector<size_t> chosen;
    std::vector<int> times(n, 0);
    if (any) {
      std::discrete_distribution<size_t> draw(odds.begin(), odds.end());
      std::uniform_real_distribution<double> chance(0, 1);
      for (size_t refused = 0; chosen.size() < n && refused < n;) {
        const size_t e = draw(random);
        if (chance(random) > std::pow(0.1, times[e])) {
          ++refused;
          continue;
        }
        ++times[e];
        chosen.push_back(e);
      }
    }
    // The rest are those that were never taken, the likeliest first.
    std::stable_sort(order->begin(), order->end(), [&](size_t a, size_t b) { return odds[a] > odds[b]; });
    for (size_t e : *order) {
      if (chosen.size() < n && times[e] == 0) chosen.push_back(e);
    }
    *order = std::move(chosen);
    return absl::OkStatus();
  }

  std::unique_ptr<SdcaLoss> loss_;
  bool adaptive_ = false;
  int sparse_ = 0, with_values_ = 0, dense_ = 0;
  float l1_ = 0, l2_ = 0;
  int64_t partitions_ = 1;
};

class SdcaShrinkL1 final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("l1", &l1_)("l2", &l2_); }
  absl::Status compute(KernelContext& context) override {
    const Shrinkage shrinkage(l1_, l2_);
    for (int i = 0; i < context.num_inputs(); ++i) {
      const auto& ref = context.input_ref(i);
      if (ref == nullptr) return invalid("weights must be references to variables");
      std::lock_guard lock(ref->mu);
      if (!ref->tensor.initialized()) return uninitialized_ref(*ref);
      TROUPE_RETURN_IF_ERROR(make_unique(&ref->tensor, context.allocator()));
      for (float& w : ref->tensor.flat<float>()) {
        const float left = std::max(std::abs(w) - static_cast<float>(shrinkage.by), 0.0f);
        const float sign = w > 0 ? 1.0f : w < 0 ? -1.0f : w;
        w = sign * left;
      }
    }
    return absl::OkStatus();
  }

 private:
  float l1_ = 0, l2_ = 0;
};

absl::Status fingerprint(KernelContext& context) {
  const Tensor& in = context.input(0);
  if (in.rank() != 1) return invalid("Input must be a vector, got shape ", in.shape().to_string());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{in.dim(0), 2}));
  auto to = out->flat<int64_t>();
  for (size_t i = 0; i < static_cast<size_t>(in.dim(0)); ++i) {
    const auto [low, high] = farm_fingerprint128(in.flat<TString>()[i].view());
    to[2 * i] = static_cast<int64_t>(low);
    to[2 * i + 1] = static_cast<int64_t>(high);
  }
  return absl::OkStatus();
}

}  // namespace

void register_training_sdca(KernelRegistry* registry) {
  registry->add(KernelDef("SdcaOptimizer").kernel<SdcaOptimizer>());
  registry->add(KernelDef("SdcaOptimizerV2").kernel<SdcaOptimizer>());
  registry->add(KernelDef("SdcaShrinkL1").kernel<SdcaShrinkL1>());
  registry->add(KernelDef("SdcaFprint").fn(fingerprint));
}

}  // namespace troupe
