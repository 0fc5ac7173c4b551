#pragma once

#include "graph/tensor/tensor.h"

namespace troupe {

/// Whether `count` elements of `whole` from `offset` on may go out as they lie there, by Tensor::part: enough of them that a copy costs more, and
/// beginning where a tensor of its own could.
bool can_be_part(const Tensor& whole, int64_t offset, int64_t count);
/// The same of a part that nobody else's parts go out beside: it is no small rest that keeps much memory, either.
bool can_be_only_part(const Tensor& whole, int64_t offset, int64_t count);

}  // namespace troupe
