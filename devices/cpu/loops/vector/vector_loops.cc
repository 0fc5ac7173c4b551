#include "devices/cpu/loops/vector/vector_loops.h"

#include "devices/cpu/loops/vector/sets.h"

namespace troupe {

// Each table is filled by code of its own set, and so only where the machine has it.
#define TROUPE_RETURN_LOOPS(isa)                                 \
  do {                                                           \
    static const VectorLoops loops = {isa::functions(),          \
                                      isa::double_functions(),   \
                                      isa::float_pairs(),        \
                                      isa::int_pairs(),          \
                                      isa::long_pairs(),         \
                                      isa::double_pairs(),       \
                                      isa::float_comparisons(),  \
                                      isa::double_comparisons(), \
                                      isa::int_comparisons(),    \
                                      isa::long_comparisons(),   \
                                      isa::folds(),              \
                                      isa::casts(),              \
                                      isa::scales(),             \
                                      isa::updates(),            \
                                      isa::products(),           \
                                      isa::randoms()};           \
    return loops;                                                \
  } while (false)

const VectorLoops& vector_loops(Isa isa) {
#if defined(TROUPE_HAS_X86_SETS)
  if (isa == Isa::kAvx512) TROUPE_RETURN_LOOPS(avx512);
  if (isa == Isa::kAvx2) TROUPE_RETURN_LOOPS(avx2);
#else
  static_cast<void>(isa);
#endif
  TROUPE_RETURN_LOOPS(baseline);
}

const VectorLoops& vector_loops() {
  static const VectorLoops& loops = vector_loops(current_isa());
  return loops;
}

}  // namespace troupe
