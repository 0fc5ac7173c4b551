// CTCGreedyDecoder and CTCBeamSearchDecoder: labels out of scores.
#include <algorithm>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/nn/ctc.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

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
  r->add(KernelDef("CTCGreedyDecoder").type<T>("T").template kernel<CtcGreedyKernel<T>>());
  r->add(KernelDef("CTCBeamSearchDecoder").type<T>("T").template kernel<CtcBeamKernel<T>>());
}

}  // namespace

void register_nn_ctc_decoders(KernelRegistry* r) {
  add<float>(r);
  add<double>(r);
}

}  // namespace troupe
