#include "devices/cuda/libraries/library_call.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace troupe {
namespace {

bool is_on(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return false;
  const std::string value = absl::AsciiStrToLower(text);
  return value == "1" || value == "true";
}

LibraryOptions read_options() {
  const char* tf32 = std::getenv("NVIDIA_TF32_OVERRIDE");
  return {.deterministic = is_on("TF_DETERMINISTIC_OPS") || is_on("TF_CUDNN_DETERMINISTIC"),
          .tensor_float_32 = tf32 == nullptr || absl::string_view(tf32) != "0"};
}

}  // namespace

const LibraryOptions& LibraryOptions::of_process() {
  static const LibraryOptions options = read_options();
  return options;
}

}  // namespace troupe
