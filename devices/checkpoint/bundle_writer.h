#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "devices/checkpoint/file.h"
#include "devices/checkpoint/tensor_slice.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class BundleEntryProto;
}  // namespace tensorflow

namespace troupe {

/// Writes a V2 checkpoint with one data file. The files appear under their names when `finish` is called; a
/// writer destroyed before leaves nothing. Used by one thread.
class BundleWriter {
 public:
  BundleWriter();
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  /// Makes the prefix's folder when only that is missing. NotFound when its parent is missing too.
  absl::Status open(const std::string& prefix);
  /// InvalidArgument "Adding duplicate key: k"; Unimplemented for resources.
  absl::Status add(const std::string& key, const Tensor& value);
  /// Adds a part of a tensor; all parts of a key must agree in dtype and shape of the whole.
  absl::Status add_slice(const std::string& key, const Shape& full_shape, const TensorSlice& slice,
                         const Tensor& value);
  /// Writes the index, and gives the files their names.
  absl::Status finish();

 private:
  absl::Status write_strings(const Tensor& value, uint32_t* crc);
  absl::Status write_variants(const Tensor& value, uint32_t* crc);
  absl::Status append(absl::string_view bytes, uint32_t* crc);

  std::string prefix_;
  OutputFile data_;
  // Sorted, as the index wants them.
  std::map<std::string, std::unique_ptr<tensorflow::BundleEntryProto>> entries_;
};

}  // namespace troupe
