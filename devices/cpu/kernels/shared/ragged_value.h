#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/common/list/variant_math.h"
#include "graph/tensor/tensor.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// A ragged tensor inside a variant element: row splits from the outermost dimension inwards, then the flat values.
class RaggedValue final : public VariantValue, public VariantMath {
 public:
  static constexpr const char* kTypeName = "RaggedTensorVariant";

  RaggedValue(std::vector<Tensor> splits_in, Tensor values_in)
      : splits(std::move(splits_in)), values(std::move(values_in)) {}
  std::string type_name() const override { return kTypeName; }
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override {
    metadata->clear();
    *tensors = splits;
    tensors->push_back(values);
    return true;
  }
  absl::StatusOr<Variant> zeros(KernelContext& context, const ElementMemory& memory) const override;
  absl::StatusOr<Variant> plus(KernelContext& context, const ElementMemory& memory,
                               const VariantValue& other) const override;

  const std::vector<Tensor> splits;
  const Tensor values;
};

/// A ragged tensor as the element of a variant tensor: row splits from the outermost dimension inwards, then the
/// flat values.
Variant ragged_variant(std::vector<Tensor> splits, Tensor values);

/// A RaggedValue out of its wire form: splits and values. InvalidArgument when they are none.
absl::StatusOr<std::shared_ptr<VariantValue>> decode_ragged(const std::string& metadata,
                                                            std::vector<Tensor> tensors);

}  // namespace troupe
