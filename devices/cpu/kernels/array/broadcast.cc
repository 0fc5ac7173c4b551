// BroadcastTo, and the shape arithmetic of broadcasts and of their gradients.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/broadcast.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/cpu/loops/storage.h"

namespace troupe {
namespace {

absl::Status broadcast_to(KernelContext& context) {
  const Tensor& in = context.input(0);
  const Tensor& sizes = context.input(1);
  if (sizes.rank() != 1) {
    // A single size is taken for a vector of one.
    if (sizes.rank() != 0) {
      return invalid("shape must be a vector of {int32,int64}, got shape ", sizes.shape().to_string());
    }
  }
  Indices dims = ints_of(sizes);
  for (int64_t d : dims) {
    if (d < 0) return invalid("Dimension ", d, " must be >= 0");
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(std::span<const int64_t>(dims.data(), dims.size())));
  if (in.shape() == shape) {
    context.forward_input(0, 0);
    return absl::OkStatus();
  }
  if (in.rank() > shape.rank()) {
    return invalid("Rank of input (", in.rank(), ") must be no greater than rank of output shape (",
                   shape.rank(), ").");
  }
  Shape result;
  if (!broadcast_shape(in.shape(), shape, &result) || !(result == shape)) {
    return invalid("Incompatible shapes: ", in.shape().to_string(), " vs. ", shape.to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  BroadcastWalk walk(shape, {&in.shape()});
  const bool fill = walk.repeats_in_row(0);
  with_storage(in.dtype(), [&]<class S>(S*) {
    const S* x = static_cast<const S*>(in.raw());
    S* o = static_cast<S*>(out->raw());
    context.parallel().parallel_for(walk.num_rows(), walk.row() + 4, [&](int64_t begin, int64_t end) {
      walk.for_rows(begin, end, [&](const int64_t* at, int64_t to) {
        if (fill) {
          std::fill_n(o + to, walk.row(), x[at[0]]);
        } else {
          std::copy_n(x + at[0], walk.row(), o + to);
        }
        return true;
      });
    });
  });
  return absl::OkStatus();
}

/// The shapes that two vectors of sizes describe.
absl::Status read_two(const KernelContext& context, Indices dims[2]) {
  for (int k = 0; k < 2; ++k) {
    const Tensor& t = context.input(k);
    if (t.rank() != 1) return invalid("In[", k, "] must be a vector.", t.shape().to_string());
    dims[k] = ints_of(t);
  }
  return absl::OkStatus();
}

std::string list(const Indices& dims) { return absl::StrCat("[", absl::StrJoin(dims, ","), "]"); }

/// Size of dimension i of `rank` when `dims` are aligned at the end.
int64_t aligned(const Indices& dims, size_t rank, size_t i) {
  const size_t missing = rank - dims.size();
  return i < missing ? 1 : dims[i - missing];
}

absl::Status incompatible(const Indices dims[2]) {
  return invalid("Incompatible shapes: ", list(dims[0]), " vs. ", list(dims[1]));
}

absl::Status broadcast_args(KernelContext& context) {
  Indices dims[2];
  TROUPE_RETURN_IF_ERROR(read_two(context, dims));
  const size_t rank = std::max(dims[0].size(), dims[1].size());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{static_cast<int64_t>(rank)}));
  for (size_t i = 0; i < rank; ++i) {
    int64_t a = aligned(dims[0], rank, i);
    int64_t b = aligned(dims[1], rank, i);
    if (a != b && a != 1 && b != 1) return incompatible(dims);
    set_int(out, static_cast<int64_t>(i), a == 1 ? b : a);
  }
  return absl::OkStatus();
}

/// For each operand the dimensions of the result along which it was repeated: where gradients are to be summed. Two
/// equal shapes have none; else dimensions of 1 on both sides count as repeated.
absl::Status broadcast_gradient_args(KernelContext& context) {
  Indices dims[2];
  TROUPE_RETURN_IF_ERROR(read_two(context, dims));
  Indices axes[2];
  if (dims[0] != dims[1]) {
    const size_t rank = std::max(dims[0].size(), dims[1].size());
    for (size_t i = 0; i < rank; ++i) {
      int64_t a = aligned(dims[0], rank, i);
      int64_t b = aligned(dims[1], rank, i);
      if (a != b && a != 1 && b != 1) return incompatible(dims);
      if (a == 1) axes[0].push_back(static_cast<int64_t>(i));
      if (b == 1) axes[1].push_back(static_cast<int64_t>(i));
    }
  }
  for (int k = 0; k < 2; ++k) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                            context.allocate_output(k, Shape{static_cast<int64_t>(axes[k].size())}));
    for (size_t i = 0; i < axes[k].size(); ++i) set_int(out, static_cast<int64_t>(i), axes[k][i]);
  }
  return absl::OkStatus();
}

}  // namespace

void register_array_broadcast(KernelRegistry* r) {
  r->add(KernelDef("BroadcastTo").types("Tidx", index_types()).fn(broadcast_to));
  r->add(KernelDef("BroadcastArgs").types("T", index_types()).fn(broadcast_args, true));
  r->add(KernelDef("BroadcastGradientArgs").types("T", index_types()).fn(broadcast_gradient_args, true));
}

}  // namespace troupe
