// IsotonicRegression: the non-increasing sequence nearest to each row.
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// A run of elements that share one value, their mean.
struct Segment {
  int64_t begin;
  int64_t count;
  double sum;

  double mean() const { return sum / static_cast<double>(count); }
};

/// Pool adjacent violators: neighbours that increase are merged. Elements that stay equal keep segments of their own.
template <class In, class Out>
void fit_row(const In* in, int64_t size, Out* out, int32_t* segment_ids, std::vector<Segment>* stack) {
  stack->clear();
  for (int64_t i = 0; i < size; ++i) {
    Segment now{i, 1, static_cast<double>(in[i])};
    while (!stack->empty() && stack->back().mean() < now.mean()) {
      now = {stack->back().begin, stack->back().count + now.count, stack->back().sum + now.sum};
      stack->pop_back();
    }
    stack->push_back(now);
  }
  int32_t id = 0;
  for (const Segment& s : *stack) {
    const Out value = static_cast<Out>(s.mean());
    std::fill_n(out + s.begin, s.count, value);
    std::fill_n(segment_ids + s.begin, s.count, id++);
  }
}

template <class In, class Out>
absl::Status fit(KernelContext& context) {
  const Tensor& in = context.input(0);
  if (in.rank() == 0) return invalid("Input must be at least rank 1 but is rank 0");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * segments, context.allocate_output(1, in.shape()));
  const int64_t size = in.dim(in.rank() - 1);
  if (in.num_elements() == 0) return absl::OkStatus();
  const In* from = in.flat<In>().data();
  Out* to = out->flat<Out>().data();
  int32_t* ids = segments->flat<int32_t>().data();
  context.parallel().parallel_for(in.num_elements() / size, size * 5, [&](int64_t begin, int64_t end) {
    std::vector<Segment> stack;
    for (int64_t row = begin; row < end; ++row) {
      fit_row(from + row * size, size, to + row * size, ids + row * size, &stack);
    }
  });
  return absl::OkStatus();
}

template <class In, class Out>
void add(KernelRegistry* r) {
  r->add(KernelDef("IsotonicRegression").type<In>("T").template type<Out>("output_dtype").fn(fit<In, Out>));
}

}  // namespace

void register_nn_isotonic(KernelRegistry* r) {
  add<float, float>(r);
  add<double, double>(r);
  add<Eigen::half, Eigen::half>(r);
  add<Eigen::bfloat16, Eigen::bfloat16>(r);
  add<int8_t, float>(r);
  add<int16_t, float>(r);
  add<int32_t, double>(r);
  add<int64_t, double>(r);
}

}  // namespace troupe
