#pragma once

#include <string>
#include <vector>

#include "devices/cpu/kernels/parsing/example.h"

namespace troupe {

/// ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample.
class ParseSequenceKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c);
  absl::Status compute(KernelContext& context) override;

 private:
  enum class Version { kKeysInAttrs, kKeysInInputs, kOne };

  /// Context features and feature lists that one run is asked for.
  struct SequenceRequest {
    std::vector<absl::string_view> context_sparse, context_dense, context_ragged;
    std::vector<absl::string_view> list_sparse, list_dense, list_ragged;
    /// Of each dense list: whether it may be missing.
    std::vector<bool> may_miss;
    int first_default = 0;
    std::span<const TString> serialized;
    std::span<const TString> names;
    bool single = false;
  };

  /// Values of a feature list over the batch: how many steps each example has and how many values each step.
  struct Steps {
    explicit Steps(DataType dtype) : values(dtype) {}
    FeatureColumn values;
    std::vector<int64_t> steps;
    std::vector<int64_t> counts;
  };

  /// The same of a context feature: one step an example.
  struct ContextRows {
    explicit ContextRows(DataType dtype) : values(dtype) {}
    FeatureColumn values;
    std::vector<int64_t> counts;
    std::vector<bool> found;
  };

  absl::Status read_attrs(const KernelConstruction& c);
  static absl::Status check_splits(const KernelConstruction& c, const char* name, size_t values);
  static absl::Status check_count(const KernelConstruction& c, const char* name, size_t types);
  absl::Status read_request(KernelContext& context, SequenceRequest* request) const;
  void read_attr_request(SequenceRequest* request) const;
  absl::Status read_input_request(KernelContext& context, SequenceRequest* request) const;
  absl::Status read_one_request(KernelContext& context, SequenceRequest* request) const;
  static std::string blame(const SequenceRequest& request, size_t row);
  absl::string_view context_key(const SequenceRequest& request, size_t i) const;
  absl::string_view list_key(const SequenceRequest& request, size_t i) const;
  absl::Status add_context(const SequenceRequest& request, size_t row, size_t i, const FeatureView& feature,
                           absl::string_view bytes, ContextRows* rows) const;
  absl::Status add_list(const SequenceRequest& request, size_t row, size_t i, const FeatureListView& list,
                        absl::string_view bytes, Steps* out) const;

  absl::Status write(KernelContext& context, const SequenceRequest& request,
                     const std::vector<ContextRows>& context_rows, const std::vector<Steps>& lists) const;
  /// Splits over the batch; one example has none to split, which is a scalar zero.
  static absl::Status write_outer(KernelContext& context, int i, std::span<const int64_t> counts,
                                  bool single);
  absl::Status write_context_dense(KernelContext& context, int out_index, const SequenceRequest& request,
                                   size_t i, const ContextRows& rows) const;
  /// Rows are (example, step, place), or (step, place) of a single example.
  static absl::Status write_list_sparse(KernelContext& context, int i, int stride, const Steps& list,
                                        bool single);
  absl::Status write_list_dense(KernelContext& context, int i, int lengths, const SequenceRequest& request,
                                int which, const Steps& list) const;
  static PartialShape with_unknown_steps(const Shape& row);

  Version version_ = Version::kKeysInAttrs;
  std::vector<DataType> context_sparse_types_, context_dense_types_, context_ragged_types_;
  std::vector<DataType> list_sparse_types_, list_dense_types_, list_ragged_types_;
  std::vector<DenseSpec> context_specs_, list_specs_;
  std::vector<std::string> context_sparse_keys_, context_dense_keys_, list_sparse_keys_, list_dense_keys_,
      may_miss_;
};

}  // namespace troupe
