#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "devices/checkpoint/file.h"
#include "devices/checkpoint/table.h"
#include "devices/checkpoint/tensor_slice.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class BundleEntryProto;
}  // namespace tensorflow

namespace troupe {

/// Reads a V2 checkpoint. Everything in its files is doubted: sizes are compared with the files' before
/// memory is allocated, and checksums with what was read. Used by one thread.
class BundleReader {
 public:
  struct Info {
    DataType dtype = DataType::kInvalid;
    Shape shape;
    /// Bytes in the data file; 0 when the tensor is kept in parts.
    int64_t stored_bytes = 0;
  };

  BundleReader();
  ~BundleReader();
  BundleReader(const BundleReader&) = delete;
  BundleReader& operator=(const BundleReader&) = delete;

  /// NotFound when there is no index.
  absl::Status open(const std::string& prefix);
  /// NotFound "Key k not found in checkpoint".
  absl::StatusOr<Info> info(const std::string& key);
  absl::StatusOr<Tensor> lookup(const std::string& key, Allocator* allocator = plain_allocator());
  /// A part of a tensor, however it is kept. InvalidArgument when it does not fit, or is not all there.
  absl::StatusOr<Tensor> lookup_slice(const std::string& key, const TensorSlice& slice,
                                      Allocator* allocator = plain_allocator());
  /// All entries but the header, in order of their keys: those of parts too.
  absl::Status for_each(const std::function<absl::Status(absl::string_view key,
                                                         const tensorflow::BundleEntryProto& entry)>& fn);
  int num_shards() const { return num_shards_; }
  const std::string& prefix() const { return prefix_; }

 private:
  absl::StatusOr<tensorflow::BundleEntryProto> entry_of(const std::string& key);
  absl::Status parse_entry(absl::string_view key, absl::string_view bytes,
                           tensorflow::BundleEntryProto* entry) const;
  absl::StatusOr<Info> check_entry(absl::string_view key, const tensorflow::BundleEntryProto& entry) const;
  absl::StatusOr<const InputFile*> shard(int32_t id);
  /// The data file, which is long enough for the entry; OutOfRange when it is not.
  absl::StatusOr<const InputFile*> check_extent(const std::string& key,
                                                const tensorflow::BundleEntryProto& entry);
  absl::Status corrupt(const InputFile& file, absl::string_view key, absl::string_view what) const;

  absl::StatusOr<Tensor> read(const std::string& key, const tensorflow::BundleEntryProto& entry,
                              Allocator* allocator);
  absl::Status read_plain(const std::string& key, const tensorflow::BundleEntryProto& entry,
                          const InputFile& file, Tensor* out) const;
  absl::Status read_strings(const std::string& key, const tensorflow::BundleEntryProto& entry,
                            const InputFile& file, Tensor* out) const;
  absl::Status read_variants(const std::string& key, const tensorflow::BundleEntryProto& entry,
                             const InputFile& file, Tensor* out) const;
  absl::Status check_crc(const std::string& key, const tensorflow::BundleEntryProto& entry,
                         const InputFile& file, uint32_t crc) const;

  std::string prefix_;
  TableReader table_;
  int num_shards_ = 0;
  std::map<int32_t, std::unique_ptr<InputFile>> shards_;
};

}  // namespace troupe
