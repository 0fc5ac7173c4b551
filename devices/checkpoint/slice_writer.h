#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "devices/checkpoint/tensor_slice.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class SavedSliceMeta;
}  // namespace tensorflow

namespace troupe {

/// Writes a V1 checkpoint: one table, with a list of all tensors under the empty key and a SavedTensorSlices
/// message a part. Values are kept in memory until `finish`, since the table wants its keys sorted. Used by
/// one thread.
class SliceWriter {
 public:
  explicit SliceWriter(std::string path);
  ~SliceWriter();
  SliceWriter(const SliceWriter&) = delete;
  SliceWriter& operator=(const SliceWriter&) = delete;

  /// Adds a part of a tensor. InvalidArgument when an earlier part disagrees in dtype or shape, or overlaps.
  absl::Status add(const std::string& name, const Shape& shape, const TensorSlice& slice,
                   const Tensor& value);
  absl::Status finish();

 private:
  const std::string path_;
  std::map<std::string, std::unique_ptr<tensorflow::SavedSliceMeta>> tensors_;
  // Serialised messages by key.
  std::map<std::string, std::string> values_;
};

}  // namespace troupe
