#pragma once

#include "devices/kernel.h"

namespace troupe {

// What ops of order are asked for, and whether their inputs fit. Numbers that say so are in the host's memory. InvalidArgument with
// TensorFlow's words.

/// TopK of rows: whether input 0 has k columns, whose numbers fit output 1.
absl::Status check_top_k(const KernelContext& context, int64_t k);
/// The k of TopKV2, checked like that.
absl::StatusOr<int64_t> top_k_v2_k(const KernelContext& context);

/// InTopK: predictions, whose rows go with the targets.
absl::Status check_in_top_k(const Tensor& predictions, const Tensor& targets);
/// The k of InTopKV2.
absl::StatusOr<int64_t> in_top_k_v2_k(const KernelContext& context);

/// LowerBound and UpperBound: rows in order, and rows of what is looked for in them; positions fit output 0.
absl::Status check_bounds(const KernelContext& context);

}  // namespace troupe
