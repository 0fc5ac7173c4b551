#include "devices/cpu/kernels/register_kernels.h"
#include "devices/cpu/kernels/string_util.h"

namespace troupe {

void register_string_kernels(KernelRegistry* registry) {
  register_string_case_kernels(registry);
  register_string_join_kernels(registry);
  register_string_split_kernels(registry);
  register_string_number_kernels(registry);
  register_string_hash_kernels(registry);
  register_string_bytes_kernels(registry);
  register_string_ngram_kernels(registry);
  register_regex_kernels(registry);
  register_unicode_kernels(registry);
  register_decode_raw_kernels(registry);
  register_parse_tensor_kernels(registry);
}

}  // namespace troupe
