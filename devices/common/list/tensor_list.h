#pragma once

#include <string>
#include <vector>

#include "devices/common/list/variant_math.h"
#include "devices/kernel.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// The value of TensorList ops: an array of tensors of one dtype, which loops build up and take apart. A
/// value like a number: ops change it in place only when nobody else holds it.
class TensorList final : public VariantValue, public VariantMath {
 public:
  static constexpr const char* kTypeName = "tensorflow::TensorList";
  /// Unset elements take about 60 bytes each; a graph that asks for more of them does so by mistake.
  static constexpr int64_t kMaxElements = int64_t{1} << 25;

  std::string type_name() const override { return kTypeName; }
  std::string debug_string() const override { return kTypeName; }
  /// TensorFlow's wire form. The metadata: how many elements are unset and which, dtype, capacity, element
  /// shape.
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override;
  static absl::StatusOr<std::shared_ptr<VariantValue>> deserialize(const std::string& metadata,
                                                                   std::vector<Tensor> tensors);
  absl::StatusOr<Variant> zeros(KernelContext& context, const ElementMemory& memory) const override;
  absl::StatusOr<Variant> plus(KernelContext& context, const ElementMemory& memory,
                               const VariantValue& other) const override;

  int64_t size() const { return static_cast<int64_t>(elements.size()); }

  DataType dtype = DataType::kInvalid;
  PartialShape element_shape;
  /// How many elements it may have; -1: any number.
  int64_t capacity = -1;
  /// Elements never set are uninitialised tensors.
  std::vector<Tensor> elements;
};

/// The list in input i. InvalidArgument when it is not a scalar or no list.
absl::StatusOr<const TensorList*> input_list(const KernelContext& context, int i);

/// The same, when its dtype is that of the op.
absl::StatusOr<const TensorList*> input_list(const KernelContext& context, int i, DataType dtype);

/// Makes output 0 a list to be changed: input 0 itself when nobody else holds it, else a copy that shares the
/// elements. The input is gone afterwards.
absl::StatusOr<TensorList*> output_changed_list(KernelContext& context);

/// Makes output 0 a new list.
TensorList* output_new_list(KernelContext& context, DataType dtype, PartialShape element_shape);

/// What the list and the shape in input i say together of elements.
absl::StatusOr<PartialShape> merged_element_shape(const KernelContext& context, const TensorList& list,
                                                  int i);

/// Ops that turn lists into tensors and tensors into lists; called by add_tensor_list_ops.
void add_tensor_list_bulk_ops(const ElementMemory* memory, const AddElementOp& add);

/// ResourceExhausted when a list of so many elements is out of all proportion.
absl::Status check_list_size(int64_t size);

}  // namespace troupe
