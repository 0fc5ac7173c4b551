#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace troupe {

/// While one lives, floating point numbers of its thread that are too small to be normal count as zero, and so do results,
/// as in TensorFlow's threads; afterwards the thread has its modes and flags back as they were. Some 15 nanoseconds, or less where it is so already. Elsewhere than on x86: nothing.
class FlushDenormals {
 public:
#if defined(__SSE__)
  /// Not wanted: does nothing.
  explicit FlushDenormals(bool wanted = true) {
    if (!wanted) return;
    const unsigned now = _mm_getcsr();
    if ((now & kFlushBoth) == kFlushBoth) return;
    before_ = now;
    _mm_setcsr(now | kFlushBoth);
  }
  ~FlushDenormals() {
    if (before_ != kNothing) _mm_setcsr(before_);
  }
#else
  explicit FlushDenormals(bool = true) {}
  ~FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE__)
  /// FTZ (results) and DAZ (operands).
  static constexpr unsigned kFlushBoth = 0x8040;
  /// A register never holds it: the upper half is reserved.
  static constexpr unsigned kNothing = ~0u;
  unsigned before_ = kNothing;
#endif
};

}  // namespace troupe
