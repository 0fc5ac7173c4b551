// Select and SelectV2: elements of one tensor or of another.
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/cwise/rows.h"
#include "devices/cpu/loops/broadcast.h"
#include "devices/cpu/loops/storage.h"

namespace troupe {
namespace {

absl::Status shapes_differ(const KernelContext& context, int i, int j) {
  return absl::InvalidArgumentError(absl::StrCat(
      "Inputs to operation ", context.node().name, " of type ", context.node().op->name,
      " must have the same size and shape.  Input ", i, ": ", context.input(i).shape().to_string(),
      " != input ", j, ": ", context.input(j).shape().to_string()));
}

/// out = condition ? t : e for rows of n; a stride of 0 repeats an operand.
template <class S>
void select_row(const bool* condition, int64_t condition_step, const S* t, int64_t t_step, const S* e,
                int64_t e_step, S* out, int64_t n) {
  if (condition_step == 1 && t_step == 1 && e_step == 1) {
    if constexpr (std::is_integral_v<S>) {
      // By masks, for which there is vector code.
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        const S mask = static_cast<S>(-static_cast<S>(condition[i]));
        out[i] = static_cast<S>((t[i] & mask) | (e[i] & ~mask));
      }
    } else {
      for (int64_t i = 0; i < n; ++i) out[i] = condition[i] ? t[i] : e[i];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = condition[i * condition_step] ? t[i * t_step] : e[i * e_step];
  }
}

absl::Status select_same_shape(KernelContext& context) {
  const bool* c = context.input(0).flat<bool>().data();
  const void* t = context.input(1).raw();
  const void* e = context.input(2).raw();
  const int64_t n = context.input(0).num_elements();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                          context.forward_or_allocate_output({1, 2}, 0, context.input(1).shape()));
  with_storage(out->dtype(), [&]<class S>(S*) {
    const S* pt = static_cast<const S*>(t);
    const S* pe = static_cast<const S*>(e);
    S* po = static_cast<S*>(out->raw());
    auto part = [&](int64_t begin, int64_t end) {
      select_row(c + begin, 1, pt + begin, 1, pe + begin, 1, po + begin, end - begin);
    };
    if (n < kParallelElements) {
      part(0, n);
    } else {
      context.parallel().parallel_for(n, 1, part);
    }
  });
  return absl::OkStatus();
}

/// A condition of rank 1 chooses whole rows of dimension 0.
absl::Status select_rows(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& t = context.input(1);
  const Tensor& e = context.input(2);
  if (t.rank() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("'then' must be at least a vector, but saw shape: ", t.shape().to_string()));
  }
  if (t.dim(0) != condition.num_elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Number of batches of 'then' must match size of 'cond', but saw: ", t.dim(0), " vs. ",
                     condition.num_elements()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, t.shape()));
  const int64_t row = t.shape().num_elements(1, t.rank());
  const bool* c = condition.flat<bool>().data();
  for (int64_t i = 0; i < t.dim(0); ++i) copy_elements(c[i] ? t : e, i * row, *out, i * row, row);
  return absl::OkStatus();
}

absl::Status select(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& t = context.input(1);
  const Tensor& e = context.input(2);
  if (!(t.shape() == e.shape())) {
    return condition.rank() == 0 || condition.rank() == 1 ? shapes_differ(context, 1, 2)
                                                          : shapes_differ(context, 0, 2);
  }
  if (condition.rank() == 0) {
    context.forward_input(condition.value<bool>() ? 1 : 2, 0);
    return absl::OkStatus();
  }
  if (condition.shape() == t.shape()) return select_same_shape(context);
  if (condition.rank() == 1) {
    return t.rank() == 1 && t.dim(0) != condition.dim(0) ? shapes_differ(context, 0, 1)
                                                         : select_rows(context);
  }
  return shapes_differ(context, 0, 1);
}

absl::Status select_v2(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& t = context.input(1);
  const Tensor& e = context.input(2);
  if (t.shape() == e.shape()) {
    if (condition.rank() == 0) {
      context.forward_input(condition.value<bool>() ? 1 : 2, 0);
      return absl::OkStatus();
    }
    if (condition.shape() == t.shape()) return select_same_shape(context);
  }
  Shape both;
  Shape shape;
  if (!broadcast_shape(t.shape(), e.shape(), &both) || !broadcast_shape(condition.shape(), both, &shape)) {
    return absl::InvalidArgumentError(absl::StrCat("condition ", condition.shape().to_string(), ", then ",
                                                   t.shape().to_string(), ", and else ",
                                                   e.shape().to_string(), " must be broadcastable"));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  BroadcastWalk walk(shape, {&condition.shape(), &t.shape(), &e.shape()});
  const bool* c = condition.flat<bool>().data();
  with_storage(out->dtype(), [&]<class S>(S*) {
    const S* pt = static_cast<const S*>(t.raw());
    const S* pe = static_cast<const S*>(e.raw());
    S* po = static_cast<S*>(out->raw());
    const int64_t step[3] = {walk.repeats_in_row(0) ? 0 : 1, walk.repeats_in_row(1) ? 0 : 1,
                             walk.repeats_in_row(2) ? 0 : 1};
    context.parallel().parallel_for(walk.num_rows(), walk.row() + 4, [&](int64_t begin, int64_t end) {
      walk.for_rows(begin, end, [&](const int64_t* at, int64_t to) {
        select_row(c + at[0], step[0], pt + at[1], step[1], pe + at[2], step[2], po + to, walk.row());
        return true;
      });
    });
  });
  return absl::OkStatus();
}

}  // namespace

void register_cwise_select(KernelRegistry* r) {
  r->add(KernelDef("Select").fn(select, true));
  r->add(KernelDef("SelectV2").fn(select_v2, true));
}

}  // namespace troupe
