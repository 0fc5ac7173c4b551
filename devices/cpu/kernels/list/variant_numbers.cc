// Variants that hold one plain number.
#include <cstring>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/list/variant_math.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

/// A number in a variant. Its wire form is its bytes.
template <class T>
class NumberVariant final : public VariantValue, public VariantMath {
 public:
  NumberVariant(std::string type, T number) : type_(std::move(type)), number_(number) {}
  std::string type_name() const override { return type_; }
  std::string debug_string() const override {
    return absl::StrCat("Variant<type: ", type_, " value: ", static_cast<double>(number_), ">");
  }
  bool serialize(std::string* metadata, std::vector<Tensor>*) const override {
    metadata->assign(reinterpret_cast<const char*>(&number_), sizeof(T));
    return true;
  }
  absl::StatusOr<Variant> zeros(KernelContext&, const ElementMemory&) const override { return with_number(T{}); }
  absl::StatusOr<Variant> plus(KernelContext&, const ElementMemory&, const VariantValue& other) const override {
    const T b = static_cast<const NumberVariant&>(other).number_;
    if constexpr (std::is_same_v<T, bool>) return with_number(number_ || b);
    if constexpr (std::is_same_v<T, int32_t>) {
      return with_number(static_cast<int32_t>(static_cast<uint32_t>(number_) + static_cast<uint32_t>(b)));
    }
    return with_number(static_cast<T>(number_ + b));
  }

 private:
  Variant with_number(T number) const { return Variant(std::make_shared<NumberVariant>(type_, number)); }

  const std::string type_;
  const T number_;
};

template <class T>
void register_number(const char* type) {
  register_variant_decoder(type,
                           [type](const std::string& bytes, std::vector<Tensor> tensors)
                               -> absl::StatusOr<std::shared_ptr<VariantValue>> {
                             if (bytes.size() != sizeof(T) || !tensors.empty()) {
                               return invalid("A variant of type ", type, " has ", sizeof(T), " bytes, got ",
                                              bytes.size(), " and ", tensors.size(), " tensors");
                             }
                             T number{};
                             if constexpr (std::is_same_v<T, bool>) {
                               number = bytes[0] != 0;
                             } else {
                               std::memcpy(&number, bytes.data(), sizeof(T));
                             }
                             return std::make_shared<NumberVariant<T>>(type, number);
                           });
}

}  // namespace

void register_list_variant_numbers(KernelRegistry*) {
  register_number<int32_t>("int");
  register_number<float>("float");
  register_number<double>("double");
  register_number<bool>("bool");
}

}  // namespace troupe
