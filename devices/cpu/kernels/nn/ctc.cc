#include "devices/cpu/kernels/nn/ctc.h"

#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<Sequences> read_sequences(const Tensor& inputs, const Tensor& length) {
  if (inputs.rank() != 3) return absl::InvalidArgumentError("inputs is not a 3-Tensor");
  if (length.rank() != 1) return absl::InvalidArgumentError("sequence_length is not a vector");
  Sequences s{inputs.dim(0), inputs.dim(1), inputs.dim(2), length.flat<int32_t>()};
  if (length.dim(0) != s.batch) {
    return absl::FailedPreconditionError(absl::StrCat("len(sequence_length) != batch_size.  ",
                                                      "len(sequence_length):  ", length.dim(0),
                                                      " batch_size: ", s.batch));
  }
  if (s.steps == 0 || s.batch == 0 || s.classes == 0) {
    return absl::InvalidArgumentError(absl::StrCat("inputs must not be empty: ", inputs.shape().to_string()));
  }
  for (size_t b = 0; b < s.length.size(); ++b) {
    if (s.length[b] > s.steps || s.length[b] < 0) {
      return absl::FailedPreconditionError(absl::StrCat("sequence_length(", b, ") <= ", s.steps));
    }
  }
  return s;
}

}  // namespace troupe
