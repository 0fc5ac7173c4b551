#pragma once

namespace troupe {

/// Instruction sets that the loops of this folder are compiled for. A later one can do all that those before it can.
enum class Isa : unsigned char {
  /// What the whole build assumes: on x86-64 SSE2.
  kBaseline,
  /// AVX2, FMA and F16C: x86-64-v3.
  kAvx2,
  /// And AVX-512 F, BW, CD, DQ, VL: x86-64-v4.
  kAvx512,
};

/// Whether this build has loops for the set and the machine can run them. From any thread.
bool has_isa(Isa isa);

/// The set of that name (see isa_name), or the last one that the machine has where it lacks that, there is none of the name, or it is null.
Isa choose_isa(const char* name);

/// The set that kernels use: what choose_isa makes of the environment variable TROUPE_ISA, read when the set is first asked for. From any
/// thread.
Isa current_isa();

/// "baseline", "avx2" or "avx512".
const char* isa_name(Isa isa);

}  // namespace troupe
