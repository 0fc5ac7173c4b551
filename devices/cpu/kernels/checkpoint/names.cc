#include "devices/cpu/kernels/checkpoint/names.h"

#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<std::string> input_path(const KernelContext& context, int i, absl::string_view arg) {
  const Tensor& t = context.input(i);
  if (t.num_elements() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("Input ", arg, " should have a single element, got ", t.num_elements(), " instead."));
  }
  return t.value<TString>().str();
}

absl::Status check_names(const KernelContext& context, int names, int slices, int count,
                         absl::string_view what) {
  const Tensor& list = context.input(names);
  if (list.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("Input tensor_names should be an 1-D tensor, got ",
                                                   list.shape().to_string(), " instead."));
  }
  if (slices >= 0) {
    const Tensor& specs = context.input(slices);
    if (specs.rank() != 1) {
      return absl::InvalidArgumentError(absl::StrCat("Input shape_and_slices should be an 1-D tensor, got ",
                                                     specs.shape().to_string(), " instead."));
    }
    if (specs.num_elements() != list.num_elements()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor_names and shape_and_slices have different number of elements: ", list.num_elements(),
          " vs. ", specs.num_elements()));
    }
  }
  if (list.num_elements() == count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Got ", list.num_elements(), " tensor names but ", count, " ", what, "."));
}

}  // namespace troupe
