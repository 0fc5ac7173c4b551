#pragma once

#include "devices/common/conv/problem.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/libraries/conv_library.h"

namespace troupe {

/// Enqueues one pass of a convolution over float, double, half or bfloat16; `result` is written. Operands: forward (input, filter), backward
/// input (filter, gradient of the output), backward filter (input, gradient of the output). Images may be empty. By a product of
/// matrices where it is one, by the library where it has that convolution, else by kernels of our own.
absl::Status enqueue_conv(KernelContext& context, ConvPass pass, const ConvProblem& problem,
                          const Tensor& first, const Tensor& second, Tensor* result);

/// The same by the library. Unimplemented when it does not have that convolution: nothing is of use then.
absl::Status enqueue_library_conv(KernelContext& context, ConvLibrary& library, ConvPass pass,
                                  const ConvProblem& problem, const Tensor& first, const Tensor& second,
                                  Tensor* result);

}  // namespace troupe
