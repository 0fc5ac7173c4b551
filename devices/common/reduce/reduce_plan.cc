#include "devices/common/reduce/reduce_plan.h"

#include <bitset>

#include "absl/strings/str_cat.h"

namespace troupe {

absl::Status ReducePlan::init(const Shape& input, const Tensor& axes, bool keep_dims) {
  std::bitset<Shape::kMaxRank + 1> reduced;
  const int rank = input.rank();
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = axes.dtype() == DataType::kInt32 ? axes.flat<int32_t>()[i] : axes.flat<int64_t>()[i];
    if (axis < -rank || axis >= rank) {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid reduction dimension (", axis, " for input with ", rank, " dimension(s)"));
    }
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (reduced[at]) {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid reduction arguments: Axes contains duplicate dimension: ", at));
    }
    reduced[at] = true;
  }

  struct Merged {
    int64_t size;
    bool reduced;
  };
  absl::InlinedVector<Merged, 8> merged;
  absl::InlinedVector<int64_t, 8> out;
  for (int d = 0; d < rank; ++d) {
    const int64_t size = input.dim(d);
    if (!reduced[d]) {
      out.push_back(size);
    } else if (keep_dims) {
      out.push_back(1);
    }
    if (size == 1) continue;
    if (!merged.empty() && merged.back().reduced == reduced[d]) {
      merged.back().size *= size;
    } else {
      merged.push_back({size, reduced[d]});
    }
  }
  output_ = Shape(std::span<const int64_t>(out.data(), out.size()));
  if (merged.empty()) return absl::OkStatus();
  inner_ = merged.back().size;
  inner_reduced_ = merged.back().reduced;
  int64_t stride = inner_;
  for (size_t i = merged.size() - 1; i-- > 0;) {
    Dims& dims = merged[i].reduced ? reduced_ : kept_;
    dims.insert(dims.begin(), Dim{merged[i].size, stride});
    (merged[i].reduced ? num_reduced_ : num_kept_) *= merged[i].size;
    stride *= merged[i].size;
  }
  return absl::OkStatus();
}

}  // namespace troupe
