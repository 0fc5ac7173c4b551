#pragma once

#include "devices/cpu/loops/combine.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// Sums of half and bfloat16 are kept in float: `t` as float, or `t` itself when it is of another dtype.
absl::StatusOr<Tensor> widen_halves(KernelContext& context, const Tensor& t);
/// Puts `t` out as output i, in the output's dtype when it was widened.
absl::Status set_narrowed_output(KernelContext& context, int i, Tensor t);
/// What a segment without members holds: 0, 1, the lowest or the highest number.
Tensor segment_identity(Combine op, DataType dtype);
/// Divides `count` numbers by n; integers truncate.
void divide_run(DataType dtype, void* data, int64_t count, double n);

}  // namespace troupe
