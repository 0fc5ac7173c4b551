#pragma once
// What each set's sources make, and vector_loops.cc puts together.
#include "devices/cpu/loops/vector/tables.h"

#define TROUPE_SET_OF_LOOPS(isa)      \
  namespace troupe::isa {             \
  FloatFunctions functions();         \
  DoubleFunctions double_functions(); \
  FloatPairs float_pairs();           \
  IntPairs int_pairs();               \
  IntPairs long_pairs();              \
  IntPairs double_pairs();            \
  Comparisons float_comparisons();    \
  Comparisons double_comparisons();   \
  Comparisons int_comparisons();      \
  Comparisons long_comparisons();     \
  FloatFolds folds();                 \
  FloatCasts casts();                 \
  FloatScales scales();               \
  FloatUpdates updates();             \
  Products products();                \
  Randoms randoms();                  \
  }
TROUPE_SET_OF_LOOPS(baseline)
TROUPE_SET_OF_LOOPS(avx2)
TROUPE_SET_OF_LOOPS(avx512)
#undef TROUPE_SET_OF_LOOPS
