// Samples of classes for losses over many of them: UniformCandidateSampler, LogUniformCandidateSampler,
// AllCandidateSampler, ComputeAccidentalHits.
#include <cmath>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/random.h"
#include "devices/cpu/kernels/register_kernels.h"

namespace troupe {
namespace {

/// Blocks of four numbers that a kernel sets aside for each sample.
constexpr uint64_t kBlocksPerSample = 512;

/// All below `range` alike.
class UniformClasses {
 public:
  explicit UniformClasses(int64_t range) : range_(static_cast<uint64_t>(range)) {}
  int64_t sample(PhiloxStream& bits) const {
    auto next = [&] {
      const uint64_t low = bits();
      return low | uint64_t{bits()} << 32;
    };
    if ((range_ & (range_ - 1)) == 0) return static_cast<int64_t>(next() & (range_ - 1));
    // Refuses the lowest numbers, so that the rest is a multiple of the range.
    const uint64_t refused = std::numeric_limits<uint64_t>::max() % range_ + 1;
    uint64_t value = next();
    while (value < refused) value = next();
    return static_cast<int64_t>(value % range_);
  }
  float probability(int64_t) const { return 1.0f / static_cast<float>(range_); }

 private:
  uint64_t range_;
};

/// By Zipf's law: class k with probability log((k + 2) / (k + 1)) / log(range + 1).
class LogUniformClasses {
 public:
  explicit LogUniformClasses(int64_t range)
      : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}
  int64_t sample(PhiloxStream& bits) const {
    const uint32_t high = bits();
    const double uniform = uniform_double(high, bits());
    const auto value = static_cast<int64_t>(std::exp(uniform * log_range_)) - 1;
    return value % range_;
  }
  float probability(int64_t value) const {
    const double v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2.0) / (v + 1.0)) / log_range_);
  }

 private:
  int64_t range_;
  double log_range_;
};

/// How often a class is expected in a batch that took so many tries.
float expected_count(float probability, int64_t batch, int64_t tries) {
  if (tries == batch) return probability * static_cast<float>(batch);
  return static_cast<float>(
      -std::expm1(static_cast<double>(tries) * std::log1p(-static_cast<double>(probability))));
}

absl::Status check_true_classes(const Tensor& classes, int64_t num_true) {
  if (classes.rank() != 2) return invalid("true_classes must be a matrix");
  if (classes.dim(1) != num_true) {
    return invalid("true_classes must have num_true columns, expected: ", num_true, " was: ", classes.dim(1));
  }
  return absl::OkStatus();
}

/// Outputs 1 and 2: how often the true classes, and those sampled, are to be expected.
template <class CountOf>
absl::Status write_expectations(KernelContext& context, const Tensor& sampled, CountOf&& count_of) {
  const Tensor& classes = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * expected, context.allocate_output(1, classes.shape()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * own, context.allocate_output(2, sampled.shape()));
  auto fill = [&](const Tensor& from, Tensor* to) {
    for (int64_t i = 0; i < from.num_elements(); ++i)
      to->flat<float>()[i] = count_of(from.flat<int64_t>()[i]);
  };
  fill(classes, expected);
  fill(sampled, own);
  return absl::OkStatus();
}

template <class Classes>
class CandidateSampler final : public Kernel {
 public:
  CandidateSampler(Philox start, int64_t range) : generator_(start), range_(range), classes_(range) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t range, c.attr<int64_t>("range_max"));
    if (range < 1) return invalid("range_max must be at least 1, got ", range);
    auto kernel = std::make_unique<CandidateSampler>(SharedPhilox::from_attrs(c), range);
    TROUPE_ASSIGN_OR_RETURN(kernel->num_true_, c.attr<int64_t>("num_true"));
    TROUPE_ASSIGN_OR_RETURN(kernel->count_, c.attr<int64_t>("num_sampled"));
    TROUPE_ASSIGN_OR_RETURN(kernel->unique_, c.attr<bool>("unique"));
    return kernel;
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_RETURN_IF_ERROR(check_true_classes(context.input(0), num_true_));
    if (unique_ && count_ > range_) return invalid("Sampler's range is too small.");
    TROUPE_ASSIGN_OR_RETURN(Tensor * sampled, context.allocate_output(0, Shape{count_}));
    Philox generator = generator_.reserve(static_cast<uint64_t>(count_) * kBlocksPerSample);
    PhiloxStream bits(&generator);
    auto to = sampled->flat<int64_t>();
    int64_t tries = 0;
    absl::flat_hash_set<int64_t> seen;
    for (int64_t i = 0; i < count_;) {
      const int64_t value = classes_.sample(bits);
      ++tries;
      if (!unique_ || seen.insert(value).second) to[i++] = value;
    }
    return write_expectations(context, *sampled, [&](int64_t value) {
      return expected_count(classes_.probability(value), count_, tries);
    });
  }

 private:
  SharedPhilox generator_;
  const int64_t range_;
  const Classes classes_;
  int64_t num_true_ = 1, count_ = 1;
  bool unique_ = true;
};

/// Every class once: for tests of models against the full loss.
class AllCandidateSampler final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    auto kernel = std::make_unique<AllCandidateSampler>();
    TROUPE_ASSIGN_OR_RETURN(kernel->num_true_, c.attr<int64_t>("num_true"));
    TROUPE_ASSIGN_OR_RETURN(kernel->count_, c.attr<int64_t>("num_sampled"));
    return kernel;
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& classes = context.input(0);
    TROUPE_RETURN_IF_ERROR(check_true_classes(classes, num_true_));
    for (int64_t c : classes.flat<int64_t>()) {
      if (c < 0 || c >= count_)
        return invalid("`true_candidate` out of range [0, ", count_, "), received ", c);
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * sampled, context.allocate_output(0, Shape{count_}));
    for (int64_t i = 0; i < count_; ++i) sampled->flat<int64_t>()[i] = i;
    return write_expectations(context, *sampled, [](int64_t) { return 1.0f; });
  }

 private:
  int64_t num_true_ = 1, count_ = 1;
};

/// Where sampled classes happen to be true ones: row, position among the samples, and a weight that rules
/// them out.
class ComputeAccidentalHits final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    auto kernel = std::make_unique<ComputeAccidentalHits>();
    TROUPE_ASSIGN_OR_RETURN(kernel->num_true_, c.attr<int64_t>("num_true"));
    return kernel;
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &classes = context.input(0), &sampled = context.input(1);
    if (classes.rank() != 2 || classes.dim(1) != num_true_)
      return invalid("true_candidates must be a batch_size * num_true matrix");
    if (!is_vector(sampled))
      return invalid(
          "sampled_candidates must be a vector, which is typically an output from CandidateSampler");
    absl::flat_hash_map<int64_t, int64_t> position;
    for (int64_t i = 0; i < sampled.dim(0); ++i) position[sampled.flat<int64_t>()[i]] = i;
    std::vector<int32_t> rows;
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      auto it = position.find(classes.flat<int64_t>()[i]);
      if (it == position.end()) continue;
      rows.push_back(static_cast<int32_t>(i / num_true_));
      ids.push_back(it->second);
    }
    const Shape shape{static_cast<int64_t>(rows.size())};
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_rows, context.allocate_output(0, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_ids, context.allocate_output(1, shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * weights, context.allocate_output(2, shape));
    std::copy(rows.begin(), rows.end(), out_rows->flat<int32_t>().begin());
    std::copy(ids.begin(), ids.end(), out_ids->flat<int64_t>().begin());
    std::fill(weights->flat<float>().begin(), weights->flat<float>().end(),
              std::numeric_limits<float>::lowest());
    return absl::OkStatus();
  }

 private:
  int64_t num_true_ = 1;
};

}  // namespace

void register_candidate_sampling_kernels(KernelRegistry* registry) {
  registry->add(KernelDef("UniformCandidateSampler").kernel<CandidateSampler<UniformClasses>>());
  registry->add(KernelDef("LogUniformCandidateSampler").kernel<CandidateSampler<LogUniformClasses>>());
  registry->add(KernelDef("AllCandidateSampler").kernel<AllCandidateSampler>());
  registry->add(KernelDef("ComputeAccidentalHits").kernel<ComputeAccidentalHits>());
}

}  // namespace troupe
