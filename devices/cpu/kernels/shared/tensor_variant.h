#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/tensor/tensor.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// A tensor as the element of a variant tensor.
class TensorVariant final : public VariantValue {
 public:
  explicit TensorVariant(Tensor tensor) : tensor_(std::move(tensor)) {}
  std::string type_name() const override { return "tensorflow::Tensor"; }
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override {
    metadata->clear();
    *tensors = {tensor_};
    return true;
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  const Tensor tensor_;
};

}  // namespace troupe
