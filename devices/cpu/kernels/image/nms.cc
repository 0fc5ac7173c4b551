#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/image/dtypes.h"
#include "devices/cpu/kernels/shared/float_elements.h"

namespace troupe {
namespace {

/// The overlap of two boxes as a share of their union; boxes are pairs of opposite corners in any order.
float intersection_over_union(const float* a, const float* b) {
  auto low = [](const float* v, int i) { return std::min(v[i], v[i + 2]); };
  auto high = [](const float* v, int i) { return std::max(v[i], v[i + 2]); };
  auto area = [&](const float* v) { return (high(v, 0) - low(v, 0)) * (high(v, 1) - low(v, 1)); };
  const float area_a = area(a), area_b = area(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = std::max(0.0f, std::min(high(a, 0), high(b, 0)) - std::max(low(a, 0), low(b, 0)));
  const float width = std::max(0.0f, std::min(high(a, 1), high(b, 1)) - std::max(low(a, 1), low(b, 1)));
  const float both = height * width;
  return both / (area_a + area_b - both);
}

struct Suppression {
  int64_t max_output = 0;
  float overlap_threshold = 0.5f;
  float score_threshold = -std::numeric_limits<float>::infinity();
  /// 0: overlapping boxes are dropped; else their scores fade.
  float sigma = 0;
};

struct Selected {
  std::vector<int32_t> index;
  std::vector<float> score;
};

/// Takes candidates by falling score (equal scores: by rising index) unless they overlap an earlier choice too much.
Selected suppress(const Suppression& s, std::span<const float> scores,
                  const std::function<float(int32_t, int32_t)>& overlap) {
  struct Candidate {
    int32_t index;
    float score;
    size_t compared;
  };
  auto later = [](const Candidate& a, const Candidate& b) {
    return a.score < b.score || (a.score == b.score && a.index > b.index);
  };
  std::priority_queue<Candidate, std::vector<Candidate>, decltype(later)> queue(later);
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > s.score_threshold) queue.push({static_cast<int32_t>(i), scores[i], 0});
  }
  const bool soft = s.sigma > 0;
  const float fade = soft ? -0.5f / s.sigma : 0.0f;
  Selected out;
  while (static_cast<int64_t>(out.index.size()) < s.max_output && !queue.empty()) {
    Candidate next = queue.top();
    queue.pop();
    const float original = next.score;
    bool dropped = false;
    for (size_t j = out.index.size(); j-- > next.compared;) {
      const float similarity = overlap(next.index, out.index[j]);
      next.score *=
          soft || similarity <= s.overlap_threshold ? std::exp(fade * similarity * similarity) : 0.0f;
      if (!soft && similarity > s.overlap_threshold) {
        dropped = true;
        break;
      }
      if (next.score <= s.score_threshold) break;
    }
    next.compared = out.index.size();
    if (dropped) continue;
    if (next.score == original) {
      out.index.push_back(next.index);
      out.score.push_back(next.score);
    } else if (next.score > s.score_threshold) {
      queue.push(next);
    }
  }
  return out;
}

absl::StatusOr<float> scalar_float(const Tensor& t, absl::string_view name) {
  if (t.num_elements() != 1 || t.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, " must be 0-D, got shape ", t.shape().to_string()));
  }
  std::vector<float> store;
  return as_floats(t, &store)[0];
}

absl::StatusOr<int64_t> scalar_count(const Tensor& t, absl::string_view name) {
  if (t.rank() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(name, " must be 0-D, got shape ", t.shape().to_string()));
  }
  const int32_t v = t.value<int32_t>();
  if (v < 0) return absl::InvalidArgumentError(absl::StrCat(name, " must be non-negative, got ", v));
  return v;
}

absl::StatusOr<float> overlap_threshold(float v) {
  if (v >= 0 && v <= 1) return v;
  return absl::InvalidArgumentError("iou_threshold must be in [0, 1]");
}

absl::Status check_boxes(const Tensor& boxes, const Tensor& scores) {
  if (boxes.rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("boxes must be 2-D", boxes.shape().to_string()));
  }
  if (boxes.dim(1) != 4) return absl::InvalidArgumentError("boxes must have 4 columns");
  if (scores.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("scores must be 1-D", scores.shape().to_string()));
  }
  if (scores.dim(0) != boxes.dim(0)) return absl::InvalidArgumentError("scores has incompatible shape");
  if (boxes.dim(0) > std::numeric_limits<int32_t>::max()) return absl::InvalidArgumentError("too many boxes");
  return absl::OkStatus();
}

absl::Status write_indices(KernelContext& context, Selected& selected, bool pad, int64_t max_output,
                           int valid_output) {
  const auto count = static_cast<int32_t>(selected.index.size());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{pad ? max_output : count}));
  auto rest = std::copy(selected.index.begin(), selected.index.end(), out->flat<int32_t>().begin());
  if (pad) {
    std::fill(rest, out->flat<int32_t>().end(), 0);
    selected.score.resize(static_cast<size_t>(max_output), 0.0f);
  }
  if (valid_output > 0) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * valid, context.allocate_output(valid_output, Shape()));
    valid->flat<int32_t>()[0] = count;
  }
  return absl::OkStatus();
}

/// NonMaxSuppression and V2 to V5.
template <int kVersion>
class NmsKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    if constexpr (kVersion == 1) {
      TROUPE_ASSIGN_OR_RETURN(iou_, c.attr<float>("iou_threshold"));
    }
    if constexpr (kVersion >= 4) {
      TROUPE_ASSIGN_OR_RETURN(pad_, c.attr<bool>("pad_to_max_output_size"));
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor &boxes = context.input(0), &scores = context.input(1);
    TROUPE_RETURN_IF_ERROR(check_boxes(boxes, scores));
    Suppression s;
    TROUPE_ASSIGN_OR_RETURN(s.max_output, scalar_count(context.input(2), "max_output_size"));
    float iou = iou_;
    if constexpr (kVersion >= 2) {
      TROUPE_ASSIGN_OR_RETURN(iou, scalar_float(context.input(3), "iou_threshold"));
    }
    TROUPE_ASSIGN_OR_RETURN(s.overlap_threshold, overlap_threshold(iou));
    if constexpr (kVersion >= 3) {
      TROUPE_ASSIGN_OR_RETURN(s.score_threshold, scalar_float(context.input(4), "score_threshold"));
    }
    if constexpr (kVersion == 5) {
      TROUPE_ASSIGN_OR_RETURN(s.sigma, scalar_float(context.input(5), "soft_nms_sigma"));
      if (!(s.sigma >= 0)) {
        return absl::InvalidArgumentError(absl::StrCat("soft_nms_sigma must be non-negative, got ", s.sigma));
      }
    }
    std::vector<float> box_store, score_store;
    const float* b = as_floats(boxes, &box_store);
    std::span<const float> values(as_floats(scores, &score_store),
                                  static_cast<size_t>(scores.num_elements()));
    Selected selected = suppress(
        s, values, [b](int32_t i, int32_t j) { return intersection_over_union(b + i * 4L, b + j * 4L); });
    TROUPE_RETURN_IF_ERROR(write_indices(context, selected, pad_, s.max_output,
                                         kVersion == 4   ? 1
                                         : kVersion == 5 ? 2
                                                         : 0));
    if constexpr (kVersion == 5) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                              context.allocate_output(1, Shape{static_cast<int64_t>(selected.score.size())}));
      store_floats(selected.score, out);
    }
    return absl::OkStatus();
  }

 private:
  float iou_ = 0;
  bool pad_ = false;
};

absl::Status with_overlaps(KernelContext& context) {
  const Tensor &overlaps = context.input(0), &scores = context.input(1);
  if (overlaps.rank() != 2 || overlaps.dim(0) != overlaps.dim(1)) {
    return absl::InvalidArgumentError(absl::StrCat("overlaps must be square", overlaps.shape().to_string()));
  }
  if (scores.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("scores must be 1-D", scores.shape().to_string()));
  }
  if (scores.dim(0) != overlaps.dim(0)) return absl::InvalidArgumentError("scores has incompatible shape");
  Suppression s;
  TROUPE_ASSIGN_OR_RETURN(s.max_output, scalar_count(context.input(2), "max_output_size"));
  TROUPE_ASSIGN_OR_RETURN(s.overlap_threshold, scalar_float(context.input(3), "overlap_threshold"));
  TROUPE_ASSIGN_OR_RETURN(s.score_threshold, scalar_float(context.input(4), "score_threshold"));
  const float* o = overlaps.flat<float>().data();
  const int64_t n = overlaps.dim(0);
  Selected selected =
      suppress(s, scores.flat<float>(), [o, n](int32_t i, int32_t j) { return o[i * n + j]; });
  return write_indices(context, selected, false, 0, 0);
}

/// CombinedNonMaxSuppression: per class, then the best of all classes, for each image of a batch.
class CombinedKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("pad_per_class", &pad_per_class_)("clip_boxes", &clip_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor &boxes = context.input(0), &scores = context.input(1);
    if (boxes.rank() != 4) {
      return absl::InvalidArgumentError(absl::StrCat("boxes must be 4-D", boxes.shape().to_string()));
    }
    if (scores.rank() != 3) {
      return absl::InvalidArgumentError(absl::StrCat("scores must be 3-D", scores.shape().to_string()));
    }
    if (boxes.dim(0) != scores.dim(0))
      return absl::InvalidArgumentError("boxes and scores must have same batch size");
    if (boxes.dim(3) != 4) return absl::InvalidArgumentError("boxes must have 4 columns");
    const int64_t batch = boxes.dim(0), count = boxes.dim(1), sets = boxes.dim(2), classes = scores.dim(2);
    if (scores.dim(1) != count) return absl::InvalidArgumentError("scores has incompatible shape");
    if (sets != 1 && sets != classes) {
      return absl::InvalidArgumentError(
          "third dimension of boxes must be either 1 or equal to the third dimension of scores");
    }
    Suppression s;
    TROUPE_ASSIGN_OR_RETURN(s.max_output, scalar_count(context.input(2), "max_size_per_class"));
    TROUPE_ASSIGN_OR_RETURN(int64_t total, scalar_count(context.input(3), "max_total_size"));
    if (s.max_output == 0) return absl::InvalidArgumentError("max_size_per_class must be positive");
    if (total == 0) return absl::InvalidArgumentError("max_total_size must be > 0");
    TROUPE_ASSIGN_OR_RETURN(float iou, scalar_float(context.input(4), "iou_threshold"));
    TROUPE_ASSIGN_OR_RETURN(s.overlap_threshold, overlap_threshold(iou));
    TROUPE_ASSIGN_OR_RETURN(s.score_threshold, scalar_float(context.input(5), "score_threshold"));
    int64_t per_image = total;
    if (pad_per_class_) {
      int64_t all;
      per_image = multiply_overflows(s.max_output, classes, &all) ? total : std::min(total, all);
    }
    TROUPE_ASSIGN_OR_RETURN(Shape box_shape, Shape::make({{batch, per_image, 4}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_boxes, context.allocate_output(0, box_shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_scores, context.allocate_output(1, Shape{batch, per_image}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out_classes, context.allocate_output(2, Shape{batch, per_image}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * valid, context.allocate_output(3, Shape{batch}));
    for (Tensor* t : {out_boxes, out_scores, out_classes}) {
      std::span<float> all = t->flat<float>();
      std::fill(all.begin(), all.end(), 0.0f);
    }
    struct Hit {
      float score;
      int64_t klass;
      const float* box;
    };
    for (int64_t b = 0; b < batch; ++b) {
      const float* image_boxes = boxes.flat<float>().data() + b * count * sets * 4;
      const float* image_scores = scores.flat<float>().data() + b * count * classes;
      std::vector<Hit> hits;
      std::vector<float> column(static_cast<size_t>(count));
      for (int64_t k = 0; k < classes; ++k) {
        for (int64_t i = 0; i < count; ++i) column[static_cast<size_t>(i)] = image_scores[i * classes + k];
        const int64_t set = sets == 1 ? 0 : k;
        auto box = [&](int32_t i) { return image_boxes + (i * sets + set) * 4; };
        Selected selected = suppress(
            s, column, [&](int32_t i, int32_t j) { return intersection_over_union(box(i), box(j)); });
        for (size_t i = 0; i < selected.index.size(); ++i)
          hits.push_back({selected.score[i], k, box(selected.index[i])});
      }
      std::stable_sort(hits.begin(), hits.end(),
                       [](const Hit& x, const Hit& y) { return x.score > y.score; });
      const int64_t kept = std::min<int64_t>(static_cast<int64_t>(hits.size()), per_image);
      valid->flat<int32_t>()[static_cast<size_t>(b)] = static_cast<int32_t>(kept);
      for (int64_t i = 0; i < kept; ++i) {
        const Hit& h = hits[static_cast<size_t>(i)];
        const auto at = static_cast<size_t>(b * per_image + i);
        out_scores->flat<float>()[at] = h.score;
        out_classes->flat<float>()[at] = static_cast<float>(h.klass);
        for (size_t j = 0; j < 4; ++j) {
          out_boxes->flat<float>()[at * 4 + j] = clip_ ? std::min(1.0f, std::max(0.0f, h.box[j])) : h.box[j];
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  bool pad_per_class_ = false;
  bool clip_ = true;
};

}  // namespace

void register_image_nms(KernelRegistry* r) {
  const std::vector<DataType> types = {DataType::kFloat, DataType::kHalf};
  r->add(KernelDef("NonMaxSuppression").kernel<NmsKernel<1>>());
  r->add(KernelDef("NonMaxSuppressionV2").types("T", types).kernel<NmsKernel<2>>());
  r->add(KernelDef("NonMaxSuppressionV3").types("T", types).kernel<NmsKernel<3>>());
  r->add(KernelDef("NonMaxSuppressionV4").types("T", types).kernel<NmsKernel<4>>());
  r->add(KernelDef("NonMaxSuppressionV5").types("T", types).kernel<NmsKernel<5>>());
  r->add(KernelDef("NonMaxSuppressionWithOverlaps").fn(with_overlaps));
  r->add(KernelDef("CombinedNonMaxSuppression").kernel<CombinedKernel>());
}

}  // namespace troupe
