#include "devices/common/variable/resource_access.h"

#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace troupe {
namespace {

bool is_container_name(absl::string_view s) {
  auto is_first = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.'; };
  if (s.empty() || !is_first(s[0])) return false;
  for (char c : s.substr(1)) {
    if (!is_first(c) && c != '_' && c != '-' && c != '/') return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<ResourceName> resolve_resource_name(const KernelConstruction& construction,
                                                   UnnamedResource unnamed) {
  const AttrMap& attrs = construction.node().attrs;
  ResourceName result;
  result.container = attrs.get_or<std::string>("container", "");
  if (!result.container.empty() && !is_container_name(result.container)) {
    return absl::InvalidArgumentError(
        absl::StrCat("container contains invalid characters: ", absl::CHexEscape(result.container)));
  }
  if (result.container.empty()) result.container = construction.device()->resources().default_container();
  result.name = attrs.get_or<std::string>("shared_name", "");
  if (!result.name.empty()) {
    if (result.name[0] == '_') {
      return absl::InvalidArgumentError(
          absl::StrCat("shared_name cannot start with '_':", absl::CHexEscape(result.name)));
    }
    return result;
  }
  if (unnamed == UnnamedResource::kNodeName || attrs.get_or<bool>("use_node_name_sharing", false)) {
    result.name = construction.name();
    return result;
  }
  result.is_private = true;
  result.name = absl::StrCat("_", ResourceManager::next_private_number(), "_", construction.name());
  return result;
}

absl::StatusOr<const ResourceHandle*> input_handle(const KernelContext& context, int i) {
  const Tensor& t = context.input(i);
  if (t.dtype() != DataType::kResource || t.num_elements() < 1) [[unlikely]] {
    return absl::InvalidArgumentError(
        absl::StrCat("Input ", i, " must be a scalar resource handle, but it is ", t.to_string()));
  }
  const ResourceHandle& handle = t.value<ResourceHandle>();
  if (handle.device != context.device()->name()) [[unlikely]] {
    return absl::InvalidArgumentError(absl::StrCat("Trying to access resource ", handle.name,
                                                   " located in device ", handle.device, " from device ",
                                                   context.device()->name()));
  }
  return &handle;
}

absl::StatusOr<std::pair<std::string, std::string>> input_ref_handle(const KernelContext& context, int i) {
  Tensor t;
  if (const auto& ref = context.input_ref(i); ref != nullptr) {
    std::lock_guard lock(ref->mu);
    t = ref->tensor;
  } else {
    t = context.input(i);
  }
  if (t.dtype() != DataType::kString || t.num_elements() != 2) {
    return absl::InvalidArgumentError("Resource handle must have 2 elements, but had shape: " +
                                      t.shape().to_string());
  }
  auto parts = t.flat<TString>();
  return std::make_pair(parts[0].str(), parts[1].str());
}

/// TensorFlow's hash of a type, which its messages name and clients of its handles see: a 64-bit murmur hash of the
/// mangled name.
static uint64_t type_hash_in_messages(const std::string& mangled) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995, kSeed = 0xdecafcaffe;
  constexpr int kShift = 47;
  uint64_t h = kSeed ^ mangled.size() * kFactor;
  size_t at = 0;
  for (; mangled.size() - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, mangled.data() + at, sizeof(word));
    word *= kFactor;
    word ^= word >> kShift;
    h = (h ^ word * kFactor) * kFactor;
  }
  if (at < mangled.size()) {
    uint64_t rest = 0;
    std::memcpy(&rest, mangled.data() + at, mangled.size() - at);
    h = (h ^ rest) * kFactor;
  }
  h = (h ^ h >> kShift) * kFactor;
  return h ^ h >> kShift;
}

/// "N10tensorflow3VarE" of "tensorflow::Var".
static std::string mangle(absl::string_view type) {
  std::string mangled = "N";
  for (absl::string_view part : absl::StrSplit(type, "::")) absl::StrAppend(&mangled, part.size(), part);
  return mangled + "E";
}

absl::Status internal::wrong_resource_type(const ResourceHandle& handle, const char* expected) {
  // The handle of a variable says its type in the mangled form.
  auto plain = [](absl::string_view type) {
    return type == kVariableTypeName ? std::string("tensorflow::Var") : std::string(type);
  };
  const std::string type = handle.maybe_type_name.empty() ? "<unknown>" : plain(handle.maybe_type_name);
  const std::string wanted = plain(expected);
  return absl::InvalidArgumentError(absl::StrCat(
      "Trying to access a handle's resource using the wrong type. The handle points to a resource (name '",
      handle.name, "') of type '", type, "' (hash code ", type_hash_in_messages(mangle(type)),
      ") but you are trying to access the resource as type '", wanted, "' (hash code ",
      type_hash_in_messages(mangle(wanted)), ")"));
}

Tensor handle_tensor(ResourceHandle handle) {
  Tensor t(DataType::kResource, Shape());
  t.flat<ResourceHandle>()[0] = std::move(handle);
  return t;
}

std::shared_ptr<RefTensor> make_ref_handle(const std::string& container, const std::string& name) {
  auto ref = std::make_shared<RefTensor>();
  ref->tensor = Tensor(DataType::kString, Shape{2});
  ref->tensor.flat<TString>()[0] = absl::string_view(container);
  ref->tensor.flat<TString>()[1] = absl::string_view(name);
  ref->name = name;
  return ref;
}

}  // namespace troupe
