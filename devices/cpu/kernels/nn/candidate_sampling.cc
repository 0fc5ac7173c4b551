// Samples of classes for losses over many of them: the CandidateSampler ops.
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/random_stream.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Blocks of four numbers that a kernel sets aside for each sample.
constexpr uint64_t kBlocksPerSample = 512;
/// Tries of unique samples between two looks at whether the step is cancelled.
constexpr int64_t kTriesBetweenChecks = 1 << 16;
/// Classes of which counts are kept: 12 bytes each.
constexpr int64_t kMostLearned = int64_t{1} << 28;

/// Classes that every run draws alike. A run takes `draw()` once, and gives it its true classes at the end.
template <class Classes>
class FixedClasses {
 public:
  const Classes& draw() const { return static_cast<const Classes&>(*this); }
  /// How many classes can be drawn at all.
  int64_t possible() const { return draw().range(); }
  void learn(const Tensor&) {}
};

/// All below `range` alike.
class UniformClasses : public FixedClasses<UniformClasses> {
 public:
  explicit UniformClasses(int64_t range) : range_(static_cast<uint64_t>(range)) {}
  static absl::StatusOr<std::unique_ptr<UniformClasses>> create(const KernelConstruction&, int64_t range) {
    return std::make_unique<UniformClasses>(range);
  }
  int64_t range() const { return static_cast<int64_t>(range_); }
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
class LogUniformClasses : public FixedClasses<LogUniformClasses> {
 public:
  explicit LogUniformClasses(int64_t range)
      : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}
  static absl::StatusOr<std::unique_ptr<LogUniformClasses>> create(const KernelConstruction&, int64_t range) {
    return std::make_unique<LogUniformClasses>(range);
  }
  int64_t range() const { return range_; }
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

/// A number below n, as SimplePhilox of TensorFlow draws it.
uint32_t below(uint32_t n, PhiloxStream& bits) {
  if ((n & (n - 1)) == 0) return bits() & (n - 1);
  const uint32_t refused = std::numeric_limits<uint32_t>::max() % n + 1;
  uint32_t value = bits();
  while (value < refused) value = bits();
  return value % n;
}

/// By given weights: each class shares its bucket with at most one other (Walker's alias method, 1974).
class WeightedClasses : public FixedClasses<WeightedClasses> {
 public:
  /// The sum of the weights may not be 0.
  explicit WeightedClasses(std::vector<float> weights) : weights_(std::move(weights)) {
    const size_t n = weights_.size();
    double sum = 0;
    for (float w : weights_) {
      sum += w;
      total_ += w;
      possible_ += w > 0;
    }
    std::vector<double> share(n);
    std::vector<size_t> high, low;
    for (size_t i = 0; i < n; ++i) {
      share[i] = static_cast<double>(weights_[i] * static_cast<float>(n)) / sum;
      (share[i] < 1.0 ? low : high).push_back(i);
    }
    own_.resize(n);
    other_.assign(n, -1);
    while (!high.empty() && !low.empty()) {
      const size_t l = low.back(), h = high.back();
      low.pop_back();
      high.pop_back();
      other_[l] = static_cast<int64_t>(h);
      share[h] -= 1.0 - share[l];
      (share[h] < 1.0 ? low : high).push_back(h);
    }
    for (size_t i = 0; i < n; ++i) own_[i] = static_cast<float>(share[i]);
    // What is left over has, but for rounding, its bucket for itself.
    for (const auto* rest : {&high, &low}) {
      for (size_t i : *rest) own_[i] = 1;
    }
  }
  static absl::StatusOr<std::unique_ptr<WeightedClasses>> create(const KernelConstruction& c, int64_t range);

  int64_t range() const { return possible_; }
  int64_t sample(PhiloxStream& bits) const {
    const float r = uniform_float(bits());
    const uint32_t bucket = below(static_cast<uint32_t>(own_.size()), bits);
    return r < own_[bucket] ? bucket : other_[bucket];
  }
  float probability(int64_t value) const {
    if (value < 0 || value >= static_cast<int64_t>(weights_.size())) return 0;
    return weights_[static_cast<size_t>(value)] / total_;
  }

 private:
  const std::vector<float> weights_;
  float total_ = 0;
  int64_t possible_ = 0;
  std::vector<float> own_;
  std::vector<int64_t> other_;
};

/// The weight at the end of each line of a vocabulary, behind the last comma.
absl::StatusOr<std::vector<float>> read_weights(const std::string& path) {
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(path));
  errno = 0;
  std::ifstream file(local);
  if (!file) {
    return absl::NotFoundError(absl::StrCat(path, "; ", std::strerror(errno == 0 ? ENOENT : errno)));
  }
  std::vector<float> weights;
  std::string line;
  while (std::getline(file, line)) {
    float w = 0;
    if (!absl::SimpleAtof(absl::string_view(line).substr(line.rfind(',') + 1), &w)) {
      return invalid("Wrong vocabulary format at line: ", line);
    }
    weights.push_back(w);
  }
  return weights;
}

absl::StatusOr<std::unique_ptr<WeightedClasses>> WeightedClasses::create(const KernelConstruction& c,
                                                                         int64_t range) {
  const AttrMap& attrs = c.node().attrs;
  const auto path = attrs.get_or<std::string>("vocab_file", "");
  auto given = attrs.get_or<std::vector<float>>("unigrams", {});
  if (path.empty() == given.empty()) {
    return invalid(path.empty() ? "Must provide either vocab_file or unigrams."
                                : "Must only provide one of vocab_file and unigrams.");
  }
  if (!path.empty()) {
    TROUPE_ASSIGN_OR_RETURN(given, read_weights(path));
  }
  const auto shards = attrs.get_or<int64_t>("num_shards", 1);
  const auto shard = attrs.get_or<int64_t>("shard", 0);
  if (shards < 1 || shard < 0 || shard >= shards) return invalid("shard ", shard, " is not one of ", shards);
  const auto reserved = attrs.get_or<int64_t>("num_reserved_ids", 0);
  if (reserved < 0 || reserved > range) return invalid("num_reserved_ids must be in [0, ", range, "]");
  const float distortion = attrs.get_or<float>("distortion", 1.0f);
  std::vector<float> weights;
  auto add = [&, id = int64_t{0}](float w) mutable {
    if (id++ % shards == shard) weights.push_back(w);
  };
  for (int64_t i = 0; i < reserved; ++i) add(0);
  bool any = false;
  for (float w : given) {
    const float distorted = std::pow(w, distortion);
    if (!(distorted >= 0) || std::isinf(distorted)) return invalid("Unigram weight ", w, " is no weight");
    any = any || distorted > 0;
    add(distorted);
  }
  if (static_cast<int64_t>(weights.size()) != range || !any) {
    return invalid("range is ", range, " must be equal to weights size  ", weights.size());
  }
  return std::make_unique<WeightedClasses>(std::move(weights));
}

/// By how often each class was a true one, each once before the first run.
class LearnedClasses {
 public:
  /// What one run sees, under the lock: a class for every number below the total.
  class Draw {
   public:
    explicit Draw(LearnedClasses* of) : of_(*of), lock_(of->mu_) {}
    int64_t sample(PhiloxStream& bits) const {
      return of_.class_of(below(static_cast<uint32_t>(of_.total_), bits));
    }
    float probability(int64_t value) const {
      if (value < 0 || value >= of_.range_) return 0;
      return static_cast<float>(of_.counts_[static_cast<size_t>(value)]) / static_cast<float>(of_.total_);
    }

   private:
    const LearnedClasses& of_;
    std::lock_guard<std::mutex> lock_;
  };

  explicit LearnedClasses(int64_t range) : range_(range), total_(range), counts_(range, 1), sums_(range + 1) {
    for (int64_t i = 1; i <= range; ++i) sums_[i] = i & -i;
  }
  static absl::StatusOr<std::unique_ptr<LearnedClasses>> create(const KernelConstruction&, int64_t range) {
    if (range > kMostLearned) return invalid("range_max is too large: ", range);
    return std::make_unique<LearnedClasses>(range);
  }
  int64_t possible() const { return range_; }
  Draw draw() { return Draw(this); }
  void learn(const Tensor& true_classes) {
    for (int64_t value : true_classes.flat<int64_t>()) {
      if (value < 0 || value >= range_ || total_ == std::numeric_limits<int32_t>::max()) continue;
      ++counts_[static_cast<size_t>(value)];
      ++total_;
      for (int64_t i = value + 1; i <= range_; i += i & -i) ++sums_[i];
    }
  }

 private:
  /// The first class at which the sum of counts exceeds `number`, by the tree of partial sums (Fenwick, 1994).
  int64_t class_of(int64_t number) const {
    int64_t at = 0;
    for (int64_t step = int64_t{1} << 31; step > 0; step >>= 1) {
      if (at + step > range_ || sums_[at + step] > number) continue;
      at += step;
      number -= sums_[at];
    }
    return at;
  }

  const int64_t range_;
  std::mutex mu_;
  // Guarded by mu_.
  int64_t total_;
  std::vector<int32_t> counts_;
  std::vector<int64_t> sums_;
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
  CandidateSampler(SharedPhilox::Start start, std::unique_ptr<Classes> classes)
      : generator_(std::move(start)), classes_(std::move(classes)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t range, c.attr<int64_t>("range_max"));
    if (range < 1) return invalid("range_max must be at least 1, got ", range);
    TROUPE_ASSIGN_OR_RETURN(auto classes, Classes::create(c, range));
    auto kernel = std::make_unique<CandidateSampler>(SharedPhilox::from_attrs(c), std::move(classes));
    TROUPE_ASSIGN_OR_RETURN(kernel->num_true_, c.attr<int64_t>("num_true"));
    TROUPE_ASSIGN_OR_RETURN(kernel->count_, c.attr<int64_t>("num_sampled"));
    TROUPE_ASSIGN_OR_RETURN(kernel->unique_, c.attr<bool>("unique"));
    return kernel;
  }

  absl::Status compute(KernelContext& context) override {
    TROUPE_RETURN_IF_ERROR(check_true_classes(context.input(0), num_true_));
    if (unique_ && count_ > classes_->possible()) return invalid("Sampler's range is too small.");
    TROUPE_ASSIGN_OR_RETURN(Tensor * sampled, context.allocate_output(0, Shape{count_}));
    Philox generator = generator_.reserve(static_cast<uint64_t>(count_) * kBlocksPerSample);
    PhiloxStream bits(&generator);
    auto to = sampled->flat<int64_t>();
    int64_t tries = 0;
    absl::flat_hash_set<int64_t> seen;
    const auto& classes = classes_->draw();
    for (int64_t i = 0; i < count_;) {
      const int64_t value = classes.sample(bits);
      ++tries;
      if (!unique_ || seen.insert(value).second) to[i++] = value;
      // Classes of next to no weight may be long in coming.
      if (tries % kTriesBetweenChecks == 0 && context.cancellation().cancelled()) {
        return context.cancellation().reason();
      }
    }
    TROUPE_RETURN_IF_ERROR(write_expectations(context, *sampled, [&](int64_t value) {
      return expected_count(classes.probability(value), count_, tries);
    }));
    classes_->learn(context.input(0));
    return absl::OkStatus();
  }

 private:
  SharedPhilox generator_;
  const std::unique_ptr<Classes> classes_;
  int64_t num_true_ = 1, count_ = 1;
  bool unique_ = true;
};

/// Every class once: for tests of models against the full loss.
class AllCandidateSampler final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("num_true", &num_true_)("num_sampled", &count_); }
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

}  // namespace

void register_nn_candidate_sampling(KernelRegistry* registry) {
  registry->add(KernelDef("UniformCandidateSampler").kernel<CandidateSampler<UniformClasses>>());
  registry->add(KernelDef("LogUniformCandidateSampler").kernel<CandidateSampler<LogUniformClasses>>());
  registry->add(KernelDef("FixedUnigramCandidateSampler").kernel<CandidateSampler<WeightedClasses>>());
  for (const char* op : {"LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"}) {
    registry->add(KernelDef(op).kernel<CandidateSampler<LearnedClasses>>());
  }
  registry->add(KernelDef("AllCandidateSampler").kernel<AllCandidateSampler>());
}

}  // namespace troupe
