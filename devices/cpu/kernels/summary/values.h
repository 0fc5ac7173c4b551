#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/cpu/kernels/shared/running_histogram.h"
#include "devices/kernel_registry.h"
#include "proto/summary.pb.h"
#include "proto/tensor.pb.h"

namespace troupe {

// What summaries are made of, for those that are strings and for those that go to a file.

/// The one number of a tensor of real numbers. InvalidArgument when it is no scalar.
absl::Status scalar_value(const Tensor& t, float* out);
/// InvalidArgument "Nan in summary histogram for: NAME", "Infinity in KIND for: NAME".
absl::Status fill_histogram(const Tensor& values, absl::string_view name, absl::string_view kind,
                            tensorflow::HistogramProto* histogram);
/// Numbers always as raw bytes.
void put_tensor(const Tensor& tensor, tensorflow::TensorProto* out);
/// A value for each of the first `most` clips of [clips, frames] or [clips, frames, channels].
absl::Status add_audio(const Tensor& tensor, const std::string& tag, int64_t most, float rate,
                       tensorflow::Summary* summary);
/// A value for each of the first `most` pictures of [pictures, height, width, channels]. Pixels that are no numbers get
/// `bad_color`.
absl::Status add_images(const Tensor& images, const std::string& tag, const std::vector<uint8_t>& bad_color,
                        int64_t most, tensorflow::Summary* summary);

}  // namespace troupe
