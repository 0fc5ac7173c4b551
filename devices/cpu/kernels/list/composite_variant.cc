// Composite values (ragged, sparse, of extensions) as variants: their parts, and a description of what they make.
#include "absl/strings/ascii.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"
#include "graph/tensor/variant.h"

#include "proto/composite_tensor_variant.pb.h"
#include "proto/pb.h"

namespace troupe {
namespace {

constexpr char kTypeName[] = "CompositeTensorVariant";

class CompositeVariant final : public VariantValue {
 public:
  std::string type_name() const override { return kTypeName; }
  std::string debug_string() const override {
    const auto& spec = metadata.type_spec_proto();
    return absl::StrCat("<CompositeTensorVariant type=",
                        spec.type_spec_class_name().empty()
                            ? pb::TypeSpecProto::TypeSpecClass_Name(spec.type_spec_class())
                            : spec.type_spec_class_name(),
                        ">");
  }
  bool serialize(std::string* bytes, std::vector<Tensor>* tensors) const override {
    *tensors = components;
    return metadata.SerializeToString(bytes);
  }

  pb::CompositeTensorVariantMetadata metadata;
  std::vector<Tensor> components;
};

absl::StatusOr<std::shared_ptr<VariantValue>> decode_composite(const std::string& metadata,
                                                               std::vector<Tensor> tensors) {
  auto value = std::make_shared<CompositeVariant>();
  if (!value->metadata.ParseFromString(metadata)) {
    return invalid("Error parsing the metadata of a CompositeTensorVariant");
  }
  value->components = std::move(tensors);
  return value;
}

class FromComponents final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const std::string bytes, c.attr<std::string>("metadata"));
    if (!metadata_.ParseFromString(bytes)) return invalid("Error parsing metadata");
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    auto value = std::make_shared<CompositeVariant>();
    value->metadata = metadata_;
    for (int i = 0; i < context.num_inputs(); ++i) value->components.push_back(context.input(i));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
    out->flat<Variant>()[0] = Variant(std::move(value));
    return absl::OkStatus();
  }

 private:
  pb::CompositeTensorVariantMetadata metadata_;
};

class ToComponents final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(const std::string bytes, c.attr<std::string>("metadata"));
    if (!metadata_.ParseFromString(bytes)) return invalid("Error parsing `metadata`");
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& encoded = context.input(0);
    const CompositeVariant* value =
        encoded.num_elements() < 1 ? nullptr : encoded.flat<Variant>()[0].get<CompositeVariant>();
    if (value == nullptr) {
      return invalid("The input `encoded` is not a valid CompositeTensorVariant tensor, got ",
                     encoded.to_string());
    }
    const auto wanted = metadata_.type_spec_proto().type_spec_class();
    const auto given = value->metadata.type_spec_proto().type_spec_class();
    if (wanted != given) {
      return invalid("Expected a ", pb::TypeSpecProto::TypeSpecClass_Name(wanted),
                     " (based on `type_spec`), but `encoded` contains a ",
                     pb::TypeSpecProto::TypeSpecClass_Name(given));
    }
    const auto& parts = value->components;
    if (static_cast<int>(parts.size()) != context.num_outputs()) {
      return invalid("Encoded value has ", parts.size(), " tensor components; expected ",
                     context.num_outputs(), " components based on type_spec");
    }
    for (int i = 0; i < context.num_outputs(); ++i) {
      const Tensor& part = parts[static_cast<size_t>(i)];
      if (part.dtype() != context.output_type(i)) {
        return invalid("Tensor component ", i, " had dtype DT_",
                       absl::AsciiStrToUpper(dtype_name(part.dtype())), "; expected dtype DT_",
                       absl::AsciiStrToUpper(dtype_name(context.output_type(i))));
      }
      context.set_output(i, part);
    }
    return absl::OkStatus();
  }

 private:
  pb::CompositeTensorVariantMetadata metadata_;
};

}  // namespace

void register_list_composite_variant(KernelRegistry* registry) {
  register_variant_decoder(kTypeName, decode_composite);
  registry->add(KernelDef("CompositeTensorVariantFromComponents").kernel<FromComponents>());
  registry->add(KernelDef("CompositeTensorVariantToComponents").kernel<ToComponents>());
}

}  // namespace troupe
