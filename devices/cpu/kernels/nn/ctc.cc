#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

/// log(exp(a) + exp(b)). Of float scores all is rounded to float; of double scores, as in TensorFlow, only
/// what the smaller one adds.
template <class T = float>
double log_add(double a, double b) {
  if constexpr (std::is_same_v<T, double>) {
    if (a == kLogZero) return b;
    if (b == kLogZero) return a;
    if (a < b) std::swap(a, b);
    return a + std::log1p(std::exp(static_cast<float>(b - a)));
  }
  const auto x = static_cast<float>(a), y = static_cast<float>(b);
  if (a == kLogZero) return y;
  if (b == kLogZero) return x;
  return x > y ? x + std::log1p(std::exp(y - x)) : y + std::log1p(std::exp(x - y));
}

/// Scores [time, batch, classes] and the length of each sequence.
struct Sequences {
  int64_t steps, batch, classes;
  std::span<const int32_t> length;
};

absl::StatusOr<Sequences> read_sequences(const Tensor& inputs, const Tensor& length) {
  if (inputs.rank() != 3) return absl::InvalidArgumentError("inputs is not a 3-Tensor");
  if (length.rank() != 1) return absl::InvalidArgumentError("sequence_length is not a vector");
  Sequences s{inputs.dim(0), inputs.dim(1), inputs.dim(2), length.flat<int32_t>()};
  if (length.dim(0) != s.batch) {
    return absl::FailedPreconditionError(absl::StrCat("len(sequence_length) != batch_size.  ",
                                                      "len(sequence_length):  ", length.dim(0),
                                                      " batch_size: ", s.batch));
  }
  if (s.steps == 0 || s.batch == 0 || s.classes == 0) {
    return absl::InvalidArgumentError(absl::StrCat("inputs must not be empty: ", inputs.shape().to_string()));
  }
  for (size_t b = 0; b < s.length.size(); ++b) {
    if (s.length[b] > s.steps || s.length[b] < 0) {
      return absl::FailedPreconditionError(absl::StrCat("sequence_length(", b, ") <= ", s.steps));
    }
  }
  return s;
}

/// log softmax of the scores of one time step.
template <class T>
std::vector<double> log_probabilities(const T* scores, int64_t classes) {
  std::vector<double> p(scores, scores + classes);
  const double top = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double v : p) sum += std::exp(v - top);
  const double offset = top + std::log(sum);
  for (double& v : p) v -= offset;
  return p;
}

struct CtcOptions {
  bool collapse = false;
  bool merge = true;
  bool ignore_longer = false;
};

/// Labels of one sequence with blanks between and around them.
std::vector<int64_t> with_blanks(const std::vector<int64_t>& labels, int64_t blank) {
  std::vector<int64_t> path = {blank};
  for (int64_t l : labels) {
    path.push_back(l);
    path.push_back(blank);
  }
  return path;
}

using Table = std::vector<std::vector<double>>;

/// a - b as a float, from operands that are floats if T is one.
template <class T>
float difference(double a, double b) {
  return static_cast<float>(static_cast<double>(static_cast<T>(a)) - static_cast<double>(static_cast<T>(b)));
}

/// alpha[t][u]: the log probability of all ways to have emitted path[0..u] by time t, step t included.
template <class T>
Table forward_table(const Table& log_y, const std::vector<int64_t>& path, int64_t blank, bool merge) {
  const size_t steps = log_y.size(), states = path.size();
  Table alpha(steps, std::vector<double>(states, kLogZero));
  auto y = [&](size_t t, size_t u) { return log_y[t][static_cast<size_t>(path[u])]; };
  alpha[0][0] = y(0, 0);
  if (states > 1) alpha[0][1] = y(0, 1);
  for (size_t t = 1; t < steps; ++t) {
    for (size_t u = 0; u < states; ++u) {
      double sum = merge || path[u] == blank ? alpha[t - 1][u] : kLogZero;
      if (u > 0) sum = log_add<T>(sum, alpha[t - 1][u - 1]);
      if (u > 1 && path[u] != blank && !(merge && path[u] == path[u - 2]))
        sum = log_add<T>(sum, alpha[t - 1][u - 2]);
      alpha[t][u] = sum == kLogZero ? kLogZero : sum + y(t, u);
    }
  }
  return alpha;
}

/// beta[t][u]: the log probability of all ways to go on from state u after time t.
template <class T>
Table backward_table(const Table& log_y, const std::vector<int64_t>& path, int64_t blank, bool merge) {
  const size_t steps = log_y.size(), states = path.size();
  Table beta(steps, std::vector<double>(states, kLogZero));
  auto y = [&](size_t t, size_t u) { return log_y[t][static_cast<size_t>(path[u])]; };
  beta[steps - 1][states - 1] = 0;
  if (states > 1) beta[steps - 1][states - 2] = 0;
  for (size_t t = steps - 1; t-- > 0;) {
    for (size_t u = 0; u < states; ++u) {
      double sum = merge || path[u] == blank ? beta[t + 1][u] + y(t + 1, u) : kLogZero;
      if (u + 1 < states) sum = log_add<T>(sum, beta[t + 1][u + 1] + y(t + 1, u + 1));
      if (u + 2 < states && path[u] != blank && !(merge && path[u] == path[u + 2])) {
        sum = log_add<T>(sum, beta[t + 1][u + 2] + y(t + 1, u + 2));
      }
      beta[t][u] = sum;
    }
  }
  return beta;
}

/// The labels of each sequence out of the sparse operands.
absl::StatusOr<std::vector<std::vector<int64_t>>> read_labels(const Tensor& indices, const Tensor& values,
                                                              const Sequences& s, const CtcOptions& options) {
  if (indices.rank() != 2) return absl::InvalidArgumentError("labels_indices is not a matrix");
  if (indices.dim(1) < 2)
    return absl::InvalidArgumentError("labels_indices second dimension must be >= 1. Received 1");
  if (values.rank() != 1) return absl::InvalidArgumentError("labels_values is not a vector");
  if (indices.dim(0) != values.dim(0)) {
    return absl::InvalidArgumentError(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: " +
        indices.shape().to_string() + " vs. " + values.shape().to_string());
  }
  std::vector<std::vector<int64_t>> labels(static_cast<size_t>(s.batch));
  auto at = indices.flat<int64_t>();
  auto v = values.flat<int32_t>();
  const auto width = static_cast<size_t>(indices.dim(1));
  for (size_t i = 0; i < v.size(); ++i) {
    const int64_t b = at[i * width];
    if (b < 0 || b >= s.batch) {
      return absl::InvalidArgumentError(
          absl::StrCat("labels batch index must be between 0 and ", s.batch, " but saw: ", b));
    }
    labels[static_cast<size_t>(b)].push_back(v[i]);
  }
  for (size_t b = 0; b < labels.size(); ++b) {
    std::vector<int64_t> kept;
    bool ended = false;
    for (size_t i = 0; i < labels[b].size(); ++i) {
      const int64_t l = labels[b][i];
      if (options.collapse && i > 0 && l == labels[b][i - 1]) continue;
      if (l < 0)
        return absl::InvalidArgumentError(
            absl::StrCat("All labels must be nonnegative integers, batch: ", b));
      if (l >= s.classes - 1) {
        // The null label ends the sequence.
        ended = true;
        continue;
      }
      if (ended) {
        return absl::InvalidArgumentError(
            absl::StrCat("Saw a non-null label (index >= num_classes - 1) following a ",
                         "null label, batch: ", b, " num_classes: ", s.classes));
      }
      kept.push_back(l);
    }
    labels[b] = std::move(kept);
  }
  return labels;
}

template <class T>
class CtcLossKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(options_.collapse, c.attr<bool>("preprocess_collapse_repeated"));
    TROUPE_ASSIGN_OR_RETURN(options_.merge, c.attr<bool>("ctc_merge_repeated"));
    TROUPE_ASSIGN_OR_RETURN(options_.ignore_longer, c.attr<bool>("ignore_longer_outputs_than_inputs"));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& inputs = context.input(0);
    auto read = read_sequences(inputs, context.input(3));
    if (!read.ok()) return absl::InvalidArgumentError(read.status().message());
    const Sequences s = *read;
    TROUPE_ASSIGN_OR_RETURN(auto labels, read_labels(context.input(1), context.input(2), s, options_));
    // Labels as they came, whatever is made of those that repeat: without time for a blank in between the loss is infinite.
    std::vector<size_t> given(labels.size(), 0);
    const auto at = context.input(1).flat<int64_t>();
    for (size_t i = 0; i < at.size(); i += static_cast<size_t>(context.input(1).dim(1))) {
      ++given[static_cast<size_t>(at[i])];
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * loss, context.allocate_output(0, Shape{s.batch}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * gradient, context.allocate_output(1, inputs.shape()));
    std::span<T> losses = loss->flat<T>(), gradients = gradient->flat<T>();
    std::fill(losses.begin(), losses.end(), T(0));
    std::fill(gradients.begin(), gradients.end(), T(0));
    for (size_t b = 0; b < labels.size(); ++b) {
      const auto steps = static_cast<size_t>(s.length[b]);
      if (steps == 0) continue;
      const size_t needed = given[b];
      if (needed > steps) {
        if (options_.ignore_longer) continue;
        return absl::InvalidArgumentError(absl::StrCat(
            "Not enough time for target transition sequence (required: ", needed, ", available: ", steps, ")",
            b, "You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs"));
      }
      one(s, b, labels[b], inputs.flat<T>().data(), &losses[b], gradients.data());
    }
    return absl::OkStatus();
  }

 private:
  void one(const Sequences& s, size_t b, const std::vector<int64_t>& labels, const T* inputs, T* loss,
           T* gradient) const {
    const int64_t blank = s.classes - 1;
    const auto steps = static_cast<size_t>(s.length[b]);
    auto offset = [&](size_t t) {
      return (static_cast<int64_t>(t) * s.batch + static_cast<int64_t>(b)) * s.classes;
    };
    Table log_y;
    for (size_t t = 0; t < steps; ++t) log_y.push_back(log_probabilities(inputs + offset(t), s.classes));
    const std::vector<int64_t> path = with_blanks(labels, blank);
    const Table alpha = forward_table<T>(log_y, path, blank, options_.merge);
    const Table beta = backward_table<T>(log_y, path, blank, options_.merge);
    double total = kLogZero;
    for (size_t u = 0; u < path.size(); ++u) total = log_add<T>(total, alpha[0][u] + beta[0][u]);
    *loss = static_cast<T>(-total);
    for (size_t t = 0; t < steps; ++t) {
      std::vector<double> share(static_cast<size_t>(s.classes), kLogZero);
      for (size_t u = 0; u < path.size(); ++u) {
        double& sum = share[static_cast<size_t>(path[u])];
        sum = log_add<T>(sum, alpha[t][u] + beta[t][u]);
      }
      for (size_t c = 0; c < share.size(); ++c) {
        const double expected = total == kLogZero ? 0 : std::exp(difference<T>(share[c], total));
        gradient[offset(t) + static_cast<int64_t>(c)] = static_cast<T>(std::exp(log_y[t][c]) - expected);
      }
    }
  }

  CtcOptions options_;
};

/// Sets three outputs: indices [n, 2], values [n] and shape [2] of sequences as a sparse matrix.
absl::Status set_sparse(KernelContext& context, int indices_at, int values_at, int shape_at,
                        const std::vector<std::vector<int64_t>>& rows) {
  int64_t count = 0, longest = 0;
  for (const auto& row : rows) {
    count += static_cast<int64_t>(row.size());
    longest = std::max(longest, static_cast<int64_t>(row.size()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(indices_at, Shape{count, 2}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * values, context.allocate_output(values_at, Shape{count}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * shape, context.allocate_output(shape_at, Shape{2}));
  size_t n = 0;
  for (size_t b = 0; b < rows.size(); ++b) {
    for (size_t i = 0; i < rows[b].size(); ++i, ++n) {
      indices->flat<int64_t>()[n * 2] = static_cast<int64_t>(b);
      indices->flat<int64_t>()[n * 2 + 1] = static_cast<int64_t>(i);
      values->flat<int64_t>()[n] = rows[b][i];
    }
  }
  shape->flat<int64_t>()[0] = static_cast<int64_t>(rows.size());
  shape->flat<int64_t>()[1] = longest;
  return absl::OkStatus();
}

template <class T>
class CtcGreedyKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("merge_repeated", &merge_); }
  absl::Status init(const KernelConstruction& c) {
    blank_ = c.node().attrs.get_or<int64_t>("blank_index", -1);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const Sequences s, read_sequences(context.input(0), context.input(1)));
    const int64_t blank = blank_ < 0 ? s.classes + blank_ : blank_;
    if (blank < 0 || blank >= s.classes) {
      return absl::InvalidArgumentError(absl::StrCat("blank_index expected to be between ", -s.classes,
                                                     " and ", s.classes - 1, " but was ", blank_));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * log_probability, context.allocate_output(3, Shape{s.batch, 1}));
    const T* inputs = context.input(0).flat<T>().data();
    std::vector<std::vector<int64_t>> decoded(static_cast<size_t>(s.batch));
    for (size_t b = 0; b < decoded.size(); ++b) {
      T score = 0;
      int64_t previous = -1;
      for (int64_t t = 0; t < s.length[b]; ++t) {
        const T* row = inputs + (t * s.batch + static_cast<int64_t>(b)) * s.classes;
        const int64_t best = std::max_element(row, row + s.classes) - row;
        score -= row[best];
        if (best != blank && !(merge_ && best == previous)) decoded[b].push_back(best);
        previous = best;
      }
      log_probability->flat<T>()[b] = score;
    }
    return set_sparse(context, 0, 1, 2, decoded);
  }

 private:
  bool merge_ = false;
  int64_t blank_ = -1;
};

/// A prefix in the tree of a beam search, with the probability of all alignments that end in a blank or in
/// its label.
struct Prefix {
  Prefix* parent = nullptr;
  int64_t label = -1;
  double old_blank = kLogZero, old_label = kLogZero, old_total = kLogZero;
  double blank = kLogZero, ends_in_label = kLogZero, total = kLogZero;
  std::map<int64_t, std::unique_ptr<Prefix>> children;

  bool active() const { return total != kLogZero; }
  void forget_new() { blank = ends_in_label = total = kLogZero; }
  void forget() {
    forget_new();
    old_blank = old_label = old_total = kLogZero;
  }
};

/// Prefix beam search over one sequence: the best prefixes, best first.
class BeamSearch {
 public:
  BeamSearch(int64_t width, int64_t blank) : width_(static_cast<size_t>(width)), blank_(blank) {
    root_.blank = root_.total = 0;
    beam_ = {&root_};
  }

  void step(const std::vector<double>& log_p) {
    std::sort(beam_.begin(), beam_.end(), better);
    std::vector<Prefix*> branches = beam_;
    for (Prefix* p : branches) {
      p->old_blank = p->blank;
      p->old_label = p->ends_in_label;
      p->old_total = p->total;
    }
    std::vector<Prefix*> leaves;
    for (Prefix* p : branches) {
      if (p->parent != nullptr) {
        if (p->parent->old_total != kLogZero && p->parent->active()) {
          const double before = p->label == p->parent->label ? p->parent->old_blank : p->parent->old_total;
          p->ends_in_label = log_add(p->ends_in_label, before);
        }
        p->ends_in_label += log_p[static_cast<size_t>(p->label)];
      }
      p->blank = p->old_total + log_p[static_cast<size_t>(blank_)];
      p->total = log_add(p->blank, p->ends_in_label);
      leaves.push_back(p);
    }
    std::make_heap(leaves.begin(), leaves.end(), better);
    for (Prefix* p : branches) grow(p, log_p, &leaves);
    beam_ = std::move(leaves);
  }

  /// Prefixes by falling probability.
  std::vector<const Prefix*> best() const {
    std::vector<const Prefix*> all(beam_.begin(), beam_.end());
    std::sort(all.begin(), all.end(), better);
    return all;
  }

 private:
  static bool better(const Prefix* a, const Prefix* b) { return a->total > b->total; }

  bool wanted(double total, const std::vector<Prefix*>& leaves) const {
    return total > kLogZero && (leaves.size() < width_ || total > leaves.front()->total);
  }

  void grow(Prefix* p, const std::vector<double>& log_p, std::vector<Prefix*>* leaves) {
    // Children cannot be more probable than their parent was.
    if (!wanted(p->old_total, *leaves)) return;
    for (int64_t l = 0; l < static_cast<int64_t>(log_p.size()); ++l) {
      if (l == blank_) continue;
      const double before = l == p->label ? p->old_blank : p->old_total;
      const double total = before + log_p[static_cast<size_t>(l)];
      auto it = p->children.find(l);
      const bool known = it != p->children.end();
      if (known && it->second->active()) continue;
      if (!wanted(total, *leaves)) {
        // Whoever left the beam in this step and is not taken back grows no more.
        if (known) it->second->forget();
        continue;
      }
      std::unique_ptr<Prefix>& child = p->children[l];
      if (child == nullptr) child = std::make_unique<Prefix>();
      child->parent = p;
      child->label = l;
      child->blank = kLogZero;
      child->ends_in_label = child->total = total;
      if (leaves->size() == width_) {
        std::pop_heap(leaves->begin(), leaves->end(), better);
        leaves->back()->forget_new();
        leaves->pop_back();
      }
      leaves->push_back(child.get());
      std::push_heap(leaves->begin(), leaves->end(), better);
    }
  }

  const size_t width_;
  const int64_t blank_;
  Prefix root_;
  std::vector<Prefix*> beam_;
};

template <class T>
class CtcBeamKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("merge_repeated", &merge_)("beam_width", &width_)("top_paths", &paths_);
  }
  absl::Status init(const KernelConstruction&) {
    if (width_ < 1 || paths_ < 1)
      return absl::InvalidArgumentError("beam_width and top_paths must be positive");
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const Sequences s, read_sequences(context.input(0), context.input(1)));
    if (paths_ > width_) {
      return absl::InvalidArgumentError(absl::StrCat("requested more paths than the beam width: top_paths ",
                                                     paths_, ", beam_width ", width_));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * log_probability,
                            context.allocate_output(static_cast<int>(3 * paths_), Shape{s.batch, paths_}));
    const T* inputs = context.input(0).flat<T>().data();
    std::vector<std::vector<std::vector<int64_t>>> decoded(
        static_cast<size_t>(paths_), std::vector<std::vector<int64_t>>(static_cast<size_t>(s.batch)));
    for (size_t b = 0; b < static_cast<size_t>(s.batch); ++b) {
      BeamSearch search(width_, s.classes - 1);
      for (int64_t t = 0; t < s.length[b]; ++t) {
        search.step(
            log_probabilities(inputs + (t * s.batch + static_cast<int64_t>(b)) * s.classes, s.classes));
      }
      const std::vector<const Prefix*> best = search.best();
      if (static_cast<int64_t>(best.size()) < paths_) {
        return absl::InvalidArgumentError("Less leaves in the beam search than requested.");
      }
      for (size_t p = 0; p < decoded.size(); ++p) {
        std::vector<int64_t>& labels = decoded[p][b];
        int64_t previous = -1;
        for (const Prefix* e = best[p]; e->parent != nullptr; e = e->parent) {
          if (!merge_ || e->label != previous) labels.push_back(e->label);
          previous = e->label;
        }
        std::reverse(labels.begin(), labels.end());
        log_probability->flat<T>()[b * decoded.size() + p] = static_cast<T>(best[p]->total);
      }
    }
    for (int p = 0; p < static_cast<int>(paths_); ++p) {
      const int n = static_cast<int>(paths_);
      TROUPE_RETURN_IF_ERROR(set_sparse(context, p, n + p, 2 * n + p, decoded[static_cast<size_t>(p)]));
    }
    return absl::OkStatus();
  }

 private:
  bool merge_ = true;
  int64_t width_ = 1, paths_ = 1;
};

template <class T>
void add(KernelRegistry* r) {
  r->add(KernelDef("CTCLoss").type<T>("T").template kernel<CtcLossKernel<T>>());
  r->add(KernelDef("CTCGreedyDecoder").type<T>("T").template kernel<CtcGreedyKernel<T>>());
  r->add(KernelDef("CTCBeamSearchDecoder").type<T>("T").template kernel<CtcBeamKernel<T>>());
}

}  // namespace

void register_nn_ctc(KernelRegistry* r) {
  add<float>(r);
  add<double>(r);
}

}  // namespace troupe
