#pragma once

#include "devices/common/norm/images.h"
#include "devices/device.h"

namespace troupe {

/// Calls f(element index, channel) for every element, in parallel.
template <class F>
void each_element(ParallelRunner& runner, const Images& s, F f) {
  if (s.inner == 1) {
    runner.parallel_for(s.outer, s.channels + 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t c = 0; c < s.channels; ++c) f(r * s.channels + c, c);
      }
    });
    return;
  }
  runner.parallel_for(s.outer * s.channels, s.inner + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t i = 0; i < s.inner; ++i) f(r * s.inner + i, r % s.channels);
    }
  });
}

}  // namespace troupe
