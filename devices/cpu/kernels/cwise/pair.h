#pragma once

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {

/// Output 0 of the shape of input 0, from inputs 0 and 1, which have as many elements; in the memory of one of them where it may.
inline absl::Status compute_pair(KernelContext& context, const BinarySpec& spec) {
  const char* a = static_cast<const char*>(context.input(0).raw());
  const char* b = static_cast<const char*>(context.input(1).raw());
  const int64_t n = context.input(0).num_elements();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                          context.forward_or_allocate_output({0, 1}, 0, context.input(0).shape()));
  char* o = static_cast<char*>(out->raw());
  auto part = [&](int64_t begin, int64_t end) {
    const int64_t at = begin * spec.in_size;
    spec.row(a + at, b + at, o + at, end - begin, RowMode::kBoth);
  };
  if (n < kParallelElements) {
    part(0, n);
  } else {
    context.parallel().parallel_for(n, spec.cost, part);
  }
  return absl::OkStatus();
}

/// A kernel that is compute_pair behind a check that the two are alike. What passes for alike, and what is said when they are not,
/// differs; of one shape they always are.
class PairKernel : public Kernel {
 public:
  explicit PairKernel(BinarySpec spec) : spec_(spec) {}
  absl::Status compute(KernelContext& context) final {
    TROUPE_RETURN_IF_ERROR(check(context));
    return compute_pair(context, spec_);
  }
  const BinarySpec& spec() const { return spec_; }

 protected:
  virtual absl::Status check(const KernelContext& context) const = 0;

 private:
  const BinarySpec spec_;
};

}  // namespace troupe
