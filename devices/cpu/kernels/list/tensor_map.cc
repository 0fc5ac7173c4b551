// TensorMap ops: a map from tensors to tensors, as a value.

#include <map>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/list/variant_math.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"
#include "graph/tensor/variant.h"

namespace troupe {
namespace {

/// Like TensorList, changed in place only when nobody else holds it.
class TensorMap final : public VariantValue, public VariantMath {
 public:
  static constexpr const char* kTypeName = "tensorflow::TensorMap";
  std::string type_name() const override { return kTypeName; }
  /// TensorFlow's wire form: keys and values in turn.
  bool serialize(std::string* metadata, std::vector<Tensor>* tensors) const override;
  absl::StatusOr<Variant> zeros(KernelContext&, const ElementMemory&) const override {
    return Variant(std::make_shared<TensorMap>());
  }
  /// Of both, with the sums of values that have the same key.
  absl::StatusOr<Variant> plus(KernelContext& context, const ElementMemory& memory,
                               const VariantValue& other) const override;

  /// By the bytes of the key: dtype, shape and elements.
  std::map<std::string, std::pair<Tensor, Tensor>> entries;
};

std::string key_bytes(const Tensor& key) {
  std::string bytes = absl::StrCat(static_cast<int>(key.dtype()), key.shape().to_string());
  if (key.dtype() == DataType::kString) {
    for (const TString& s : key.flat<TString>()) absl::StrAppend(&bytes, s.size(), ":", s.view());
  } else if (key.bytes() > 0) {
    bytes.append(static_cast<const char*>(key.raw()), key.bytes());
  }
  return bytes;
}

absl::Status check_key(const Tensor& key) {
  if (key.dtype() == DataType::kString || is_trivial(key.dtype())) return absl::OkStatus();
  return invalid("Keys of type ", dtype_name(key.dtype()), " are not supported");
}

bool TensorMap::serialize(std::string* metadata, std::vector<Tensor>* tensors) const {
  metadata->clear();
  for (const auto& [bytes, entry] : entries) {
    tensors->push_back(entry.first);
    tensors->push_back(entry.second);
  }
  return true;
}

absl::StatusOr<Variant> TensorMap::plus(KernelContext& context, const ElementMemory& memory,
                                        const VariantValue& other) const {
  auto sum = std::make_shared<TensorMap>(*this);
  for (const auto& [bytes, entry] : static_cast<const TensorMap&>(other).entries) {
    auto [it, is_new] = sum->entries.try_emplace(bytes, entry);
    if (is_new) continue;
    TROUPE_ASSIGN_OR_RETURN(it->second.second, sum_of(context, memory, entry.second, it->second.second));
  }
  return Variant(std::move(sum));
}

absl::StatusOr<std::shared_ptr<VariantValue>> decode_map(const std::string&, std::vector<Tensor> tensors) {
  if (tensors.size() % 2 != 0) return invalid("A TensorMap has as many values as keys");
  auto map = std::make_shared<TensorMap>();
  for (size_t i = 0; i < tensors.size(); i += 2) {
    TROUPE_RETURN_IF_ERROR(check_key(tensors[i]));
    map->entries[key_bytes(tensors[i])] = {tensors[i], tensors[i + 1]};
  }
  return map;
}

absl::StatusOr<const TensorMap*> input_map(const KernelContext& context) {
  const Tensor& t = context.input(0);
  if (!is_scalar(t)) return invalid("Input map must be a scalar saw: ", t.shape().to_string());
  const Variant& v = t.value<Variant>();
  const TensorMap* map = v.get<TensorMap>();
  if (map == nullptr) {
    return invalid("Input handle is not a map. Saw: '",
                   v.empty() ? "<uninitialized>" : v.value()->debug_string(), "'");
  }
  return map;
}

TensorMap* output_changed_map(KernelContext& context, const TensorMap& map) {
  Tensor handle = context.take_input(0);
  if (!handle.unique() || !handle.value<Variant>().unique()) {
    auto copy = std::make_shared<TensorMap>(map);
    handle = Tensor(DataType::kVariant, Shape());
    handle.flat<Variant>()[0] = Variant(std::move(copy));
  }
  TensorMap* result = handle.value<Variant>().get<TensorMap>();
  context.set_output(0, std::move(handle));
  return result;
}

absl::Status empty_map(KernelContext& context) {
  Tensor handle(DataType::kVariant, Shape());
  handle.flat<Variant>()[0] = Variant(std::make_shared<TensorMap>());
  context.set_output(0, std::move(handle));
  return absl::OkStatus();
}

absl::Status map_size(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const TensorMap* map, input_map(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int32_t>()[0] = static_cast<int32_t>(map->entries.size());
  return absl::OkStatus();
}

absl::Status insert(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const TensorMap* map, input_map(context));
  const Tensor key = context.input(1), value = context.input(2);
  TROUPE_RETURN_IF_ERROR(check_key(key));
  output_changed_map(context, *map)->entries[key_bytes(key)] = {key, value};
  return absl::OkStatus();
}

absl::Status lookup(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const TensorMap* map, input_map(context));
  TROUPE_RETURN_IF_ERROR(check_key(context.input(1)));
  auto it = map->entries.find(key_bytes(context.input(1)));
  if (it == map->entries.end()) {
    return invalid("Trying to lookup non-existent key. Could not find key \"",
                   context.input(1).to_string(100), "\".");
  }
  const Tensor& value = it->second.second;
  if (value.dtype() != context.output_type(0)) {
    return invalid("The value is of type ", dtype_name(value.dtype()), ", not ",
                   dtype_name(context.output_type(0)));
  }
  context.set_output(0, value);
  return absl::OkStatus();
}

absl::Status erase(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const TensorMap* map, input_map(context));
  TROUPE_RETURN_IF_ERROR(check_key(context.input(1)));
  const std::string key = key_bytes(context.input(1));
  if (map->entries.count(key) == 0) {
    return invalid("Trying to erase non-existent item. Could not find key \"",
                   context.input(1).to_string(100), "\".");
  }
  output_changed_map(context, *map)->entries.erase(key);
  return absl::OkStatus();
}

absl::Status has_key(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const TensorMap* map, input_map(context));
  TROUPE_RETURN_IF_ERROR(check_key(context.input(1)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<bool>()[0] = map->entries.count(key_bytes(context.input(1))) > 0;
  return absl::OkStatus();
}

absl::Status stack_keys(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const TensorMap* map, input_map(context));
  if (map->entries.empty()) return invalid("TensorMapStackKeys requires non-empty map.");
  const Shape& first = map->entries.begin()->second.first.shape();
  std::vector<int64_t> dims = first.to_vector();
  dims.insert(dims.begin(), static_cast<int64_t>(map->entries.size()));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  for (const auto& [bytes, entry] : map->entries) {
    if (entry.first.dtype() != context.output_type(0)) return invalid("Key does not match requested dtype.");
    if (!(entry.first.shape() == first)) return invalid("Keys must all have the same shape.");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  int64_t offset = 0;
  for (const auto& [bytes, entry] : map->entries) {
    copy_elements(entry.first, 0, *out, offset, entry.first.num_elements());
    offset += entry.first.num_elements();
  }
  return absl::OkStatus();
}

}  // namespace

void register_list_tensor_map(KernelRegistry* registry) {
  register_variant_decoder(TensorMap::kTypeName, decode_map);
  registry->add(KernelDef("EmptyTensorMap").fn(empty_map, /*cheap=*/true));
  registry->add(KernelDef("TensorMapSize").fn(map_size, /*cheap=*/true));
  registry->add(KernelDef("TensorMapInsert").fn(insert));
  registry->add(KernelDef("TensorMapLookup").fn(lookup));
  registry->add(KernelDef("TensorMapErase").fn(erase));
  registry->add(KernelDef("TensorMapHasKey").fn(has_key));
  registry->add(KernelDef("TensorMapStackKeys").fn(stack_keys));
}

}  // namespace troupe
