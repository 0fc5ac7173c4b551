#pragma once

#include <memory>
#include <string>
#include <vector>

namespace troupe {

class Tensor;

/// What a variant element holds: an immutable value of a named type ("tensorflow::TensorList", ...).
class VariantValue {
 public:
  virtual ~VariantValue() = default;
  virtual std::string type_name() const = 0;
  virtual std::string debug_string() const { return type_name(); }
  /// The wire form: bytes, and tensors inside the value. False when it cannot leave the process.
  virtual bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const {
    (void)metadata, (void)tensors;
    return false;
  }
};

/// The element of a variant tensor. Copying shares the value; who changes a value copies it first unless
/// `unique()`.
class Variant {
 public:
  Variant() = default;
  explicit Variant(std::shared_ptr<VariantValue> value) : value_(std::move(value)) {}

  bool empty() const { return value_ == nullptr; }
  const std::shared_ptr<VariantValue>& value() const { return value_; }
  bool unique() const { return value_.use_count() == 1; }

  /// The value as a T, or null when it is of another type or empty.
  template <class T>
  T* get() const {
    return dynamic_cast<T*>(value_.get());
  }

 private:
  std::shared_ptr<VariantValue> value_;
};

}  // namespace troupe
