#include "devices/cpu/loops/vector/isa.h"

#include <cstdlib>
#include <cstring>

namespace troupe {
namespace {

constexpr Isa kAll[] = {Isa::kAvx512, Isa::kAvx2, Isa::kBaseline};

Isa choose() {
  if (const char* named = std::getenv("TROUPE_ISA")) {
    for (Isa isa : kAll) {
      if (std::strcmp(named, isa_name(isa)) == 0 && has_isa(isa)) return isa;
    }
  }
  for (Isa isa : kAll) {
    if (has_isa(isa)) return isa;
  }
  return Isa::kBaseline;
}

}  // namespace

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

Isa current_isa() {
  static const Isa isa = choose();
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
