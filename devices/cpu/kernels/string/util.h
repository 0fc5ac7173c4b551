#pragma once

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tstring.h"

namespace troupe {

/// Nanoseconds that a loop over strings takes per element, at a guess.
inline constexpr int64_t kStringNs = 100;

/// True for the second and later bytes of a character in UTF-8.
inline bool utf8_trails(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Where the character at `pos` ends; `pos` must be inside. Stray trailing bytes go with what precedes them.
inline size_t utf8_next(absl::string_view s, size_t pos) {
  ++pos;
  while (pos < s.size() && utf8_trails(s[pos])) ++pos;
  return pos;
}

/// Writes f(element) to the same place of output 0; f takes a string_view and returns what a TString can be made of.
/// The view stays valid until the result is assigned.
template <class F>
absl::Status map_strings(KernelContext& context, F f) {
  const Tensor input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
  auto in = input.flat<TString>();
  auto out = output->flat<TString>();
  context.parallel().parallel_for(static_cast<int64_t>(in.size()), kStringNs,
                                  [&](int64_t begin, int64_t end) {
                                    for (int64_t i = begin; i < end; ++i) out[i].assign(f(in[i].view()));
                                  });
  return absl::OkStatus();
}

}  // namespace troupe
