#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace troupe {

/// While one lives, floating point numbers of its thread that are too small to be normal count as zero, and so do results,
/// as in TensorFlow's threads; afterwards the thread has its modes and flags back as they were. A few nanoseconds. Elsewhere than on x86: nothing.
class FlushDenormals {
 public:
#if defined(__SSE__)
  FlushDenormals() : before_(_mm_getcsr()) {
    if ((before_ & kFlushBoth) != kFlushBoth) _mm_setcsr(before_ | kFlushBoth);
  }
  ~FlushDenormals() {
    if ((before_ & kFlushBoth) != kFlushBoth) _mm_setcsr(before_);
  }
#else
  FlushDenormals() {}
  ~FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE__)
  /// FTZ (results) and DAZ (operands).
  static constexpr unsigned kFlushBoth = 0x8040;
  const unsigned before_;
#endif
};

}  // namespace troupe
