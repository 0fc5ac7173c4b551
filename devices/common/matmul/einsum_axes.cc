#include "devices/common/matmul/einsum_axes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "devices/common/array_values.h"

namespace troupe {
namespace {

/// Reads the shapes of operands against an equation, label by label.
class Reader {
 public:
  Reader(const Equation& equation, std::span<const Shape* const> shapes)
      : equation_(equation), shapes_(shapes) {}

  /// The axes of operand i; fills in and checks the sizes of labels.
  absl::StatusOr<EinsumAxes> read(size_t i) {
    const Shape& shape = *shapes_[i];
    const Subscript& s = equation_.inputs[i];
    TROUPE_ASSIGN_OR_RETURN(std::vector<int> labels, expand_ellipsis(s, shape.rank(), static_cast<int>(i)));
    if (has_label(s, kEllipsis)) {
      broadcast_rank_ = std::max(broadcast_rank_, shape.rank() - static_cast<int>(s.size()) + 1);
    }
    const Indices strides = strides_of(shape);
    EinsumAxes axes;
    for (int d = 0; d < shape.rank(); ++d) {
      const int label = labels[static_cast<size_t>(d)];
      const int64_t size = shape.dim(d), stride = strides[static_cast<size_t>(d)];
      TROUPE_RETURN_IF_ERROR(note_size(shape, label, d, size));
      if (size == 1) continue;
      auto same =
          std::find_if(axes.begin(), axes.end(), [&](const EinsumAxis& a) { return a.label == label; });
      if (same == axes.end()) {
        axes.push_back({label, size, stride});
      } else {
        same->stride += stride;
      }
    }
    return axes;
  }

  absl::Status read_output(EinsumPlan* plan) const {
    bool ellipsis = false;
    for (int label : equation_.output) {
      if (label == kEllipsis) {
        ellipsis = true;
        for (int i = broadcast_rank_ - 1; i >= 0; --i) plan->labels.push_back(kBroadcast + i);
      } else if (size_of(label) < 0) {
        return invalid("Output subscript label '", std::string(1, static_cast<char>(label)),
                       "' does not appear in any input subscript");
      } else {
        plan->labels.push_back(label);
      }
    }
    if (broadcast_rank_ > 0 && !ellipsis) {
      return invalid("Output contains ", broadcast_rank_,
                     " broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.");
    }
    std::vector<int64_t> dims;
    for (int label : plan->labels) {
      dims.push_back(size_of(label));
      if (size_of(label) != 1 && !has_label(plan->wanted, label)) plan->wanted.push_back(label);
    }
    TROUPE_ASSIGN_OR_RETURN(plan->shape, Shape::make(dims));
    return absl::OkStatus();
  }

 private:
  int64_t size_of(int label) const { return sizes_[static_cast<size_t>(label)]; }

  absl::Status note_size(const Shape& shape, int label, int axis, int64_t size) {
    int64_t& known = sizes_[static_cast<size_t>(label)];
    const bool broadcasts = label >= kBroadcast;
    if (known == -1 || (broadcasts && known == 1)) {
      known = size;
      return absl::OkStatus();
    }
    if (known == size || (broadcasts && size == 1)) return absl::OkStatus();
    if (broadcasts) {
      return invalid("In[0] and In[1] must have compatible batch dimensions: ", shapes_[0]->to_string(),
                     " vs. ", shape.to_string());
    }
    return invalid("Expected dimension ", known, " at axis ", axis, " of the input shaped ",
                   shape.to_string(), " but got dimension ", size);
  }

  const Equation& equation_;
  const std::span<const Shape* const> shapes_;
  /// By label; -1: not seen.
  std::vector<int64_t> sizes_ = std::vector<int64_t>(kLabels, -1);
  int broadcast_rank_ = 0;
};

}  // namespace

bool has_label(const EinsumAxes& axes, int label) {
  return std::any_of(axes.begin(), axes.end(), [&](const EinsumAxis& a) { return a.label == label; });
}

bool has_label(const std::vector<int>& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int64_t elements_of(const EinsumAxes& axes) {
  int64_t n = 1;
  for (const EinsumAxis& a : axes) n *= a.size;
  return n;
}

void set_dense_strides(EinsumAxes* axes) {
  int64_t stride = 1;
  for (size_t i = axes->size(); i-- > 0;) {
    (*axes)[i].stride = stride;
    stride *= (*axes)[i].size;
  }
}

bool is_dense(const EinsumAxes& axes) {
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    if (axes[i].stride != stride) return false;
    stride *= axes[i].size;
  }
  return true;
}

EinsumAxes in_order(const EinsumAxes& axes, const std::vector<int>& labels) {
  EinsumAxes ordered;
  for (int label : labels) {
    ordered.push_back(
        *std::find_if(axes.begin(), axes.end(), [&](const EinsumAxis& a) { return a.label == label; }));
  }
  return ordered;
}

std::vector<int> joined(std::initializer_list<const std::vector<int>*> parts) {
  std::vector<int> all;
  for (const auto* p : parts) all.insert(all.end(), p->begin(), p->end());
  return all;
}

std::vector<int> EinsumPlan::kept(size_t i) const {
  std::vector<int> labels_kept;
  for (const EinsumAxis& a : operands[i]) {
    const bool shared = operands.size() == 2 && has_label(operands[1 - i], a.label);
    if (shared || has_label(wanted, a.label)) labels_kept.push_back(a.label);
  }
  return labels_kept;
}

EinsumAxes EinsumPlan::in_output(const EinsumAxes& result) const {
  EinsumAxes to = in_order(result, wanted);
  const Indices strides = strides_of(shape);
  for (EinsumAxis& axis : to) {
    axis.stride = 0;
    for (size_t d = 0; d < labels.size(); ++d) axis.stride += labels[d] == axis.label ? strides[d] : 0;
  }
  return to;
}

absl::StatusOr<EinsumPlan> plan_einsum(const Equation& equation, std::span<const Shape* const> shapes) {
  EinsumPlan plan;
  Reader reader(equation, shapes);
  for (size_t i = 0; i < shapes.size(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(EinsumAxes axes, reader.read(i));
    plan.operands.push_back(std::move(axes));
  }
  TROUPE_RETURN_IF_ERROR(reader.read_output(&plan));
  return plan;
}

Contraction plan_contraction(const EinsumAxes& a, const EinsumAxes& b, const std::vector<int>& wanted) {
  Contraction c;
  for (int label : wanted) {
    const bool in_a = has_label(a, label), in_b = has_label(b, label);
    if (in_a || in_b) (in_a && in_b ? c.batch : in_a ? c.rows : c.cols).push_back(label);
  }
  for (const EinsumAxis& axis : a) {
    if (!has_label(wanted, axis.label)) c.inner.push_back(axis.label);
  }
  if (wanted == joined({&c.batch, &c.cols, &c.rows})) {
    std::swap(c.rows, c.cols);
    c.swapped = true;
  }
  return c;
}

}  // namespace troupe
