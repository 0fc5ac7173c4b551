#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/common/list/variant_math.h"
#include "graph/tensor/tensor.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// Components, or their absence, as the element of a variant tensor.
class OptionalVariant final : public VariantValue, public VariantMath {
 public:
  static constexpr const char* kTypeName = "tensorflow::data::Optional";

  explicit OptionalVariant(std::optional<std::vector<Tensor>> values) : values_(std::move(values)) {}
  std::string type_name() const override { return kTypeName; }
  /// TensorFlow's wire form. The metadata: one byte, whether there is a value.
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override;
  absl::StatusOr<Variant> zeros(KernelContext& context, const ElementMemory& memory) const override;
  absl::StatusOr<Variant> plus(KernelContext& context, const ElementMemory& memory,
                               const VariantValue& other) const override;
  const std::optional<std::vector<Tensor>>& values() const { return values_; }

 private:
  const std::optional<std::vector<Tensor>> values_;
};

/// A variant scalar with an optional value.
Tensor optional_tensor(std::optional<std::vector<Tensor>> values);

/// An OptionalVariant out of its wire form. InvalidArgument when it is none.
absl::StatusOr<std::shared_ptr<VariantValue>> decode_optional(const std::string& metadata,
                                                              std::vector<Tensor> tensors);

}  // namespace troupe
