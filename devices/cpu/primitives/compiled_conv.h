#pragma once

#include <dnnl.hpp>

#include <memory>

#include "devices/common/conv/conv_problem.h"

namespace troupe::onednn {

/// What every call into oneDNN needs: see the README on OpenMP. The engine is the process's, the stream the calling thread's.
void use_one_openmp_thread();
const dnnl::engine& engine();
dnnl::stream& stream();

enum class Pass : int { kForward, kForwardBias, kBackwardInput, kBackwardFilter };

/// One compiled convolution: the primitive, and how its filter differs from TensorFlow's layout. Immutable, and
/// safe to execute from several threads because the scratchpad comes from the caller.
struct Conv {
  dnnl::convolution_forward forward;
  dnnl::convolution_backward_data backward_input;
  dnnl::convolution_backward_weights backward_filter;
  dnnl::reorder filter_reorder;
  bool reorders_filter = false;
  dnnl::memory::desc image_in, image_out, plain_filter, filter, bias, scratchpad;
};

/// The convolution of one pass, compiled or from the cache. Throws oneDNN's exceptions. Thread-safe.
std::shared_ptr<const Conv> find_conv(const ConvProblem& p, Pass pass);
/// Convolutions now in the cache.
int64_t num_compiled_convs();

}  // namespace troupe::onednn
