#include "devices/cpu/loops/vector/isa.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace troupe {

bool has_isa(Isa isa) {
#if defined(TROUPE_HAS_X86_SETS)
  // These also ask whether the system saves the wide registers.
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  if (isa == Isa::kAvx2) return avx2;
  if (isa == Isa::kAvx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == Isa::kBaseline;
}

Isa choose_isa(const char* name) {
  Isa best = Isa::kBaseline;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (!has_isa(isa)) continue;
    if (name != nullptr && std::strcmp(name, isa_name(isa)) == 0) return isa;
    best = isa;
  }
  return best;
}

Isa current_isa() {
  static const Isa isa = choose_isa(std::getenv("TROUPE_ISA"));
  return isa;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kBaseline: return "baseline";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
  }
  return "";
}

}  // namespace troupe
