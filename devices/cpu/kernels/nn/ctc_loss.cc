// CTCLoss: the loss of all ways to align labels with scores, and its gradient (Graves et al., 2006).
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/nn/ctc.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

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

}  // namespace

void register_nn_ctc_loss(KernelRegistry* r) {
  r->add(KernelDef("CTCLoss").type<float>("T").kernel<CtcLossKernel<float>>());
  r->add(KernelDef("CTCLoss").type<double>("T").kernel<CtcLossKernel<double>>());
}

}  // namespace troupe
