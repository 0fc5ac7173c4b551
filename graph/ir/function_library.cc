#include "graph/ir/function_library.h"

#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "absl/strings/str_cat.h"
#include "graph/ir/attr_proto.h"

#include "proto/function.pb.h"

namespace troupe {
namespace {

/// Equal messages give equal bytes: the order of map entries and of body nodes does not count, nor where a node came
/// from.
std::string canonical_bytes(const pb::FunctionDef& function) {
  pb::FunctionDef copy = function;
  for (pb::NodeDef& n : *copy.mutable_node_def()) n.clear_experimental_debug_info();
  std::sort(copy.mutable_node_def()->pointer_begin(), copy.mutable_node_def()->pointer_end(),
            [](const pb::NodeDef* a, const pb::NodeDef* b) { return a->name() < b->name(); });
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    copy.SerializeToCodedStream(&coded);
  }
  return bytes;
}

bool same_function(const pb::FunctionDef& a, const pb::FunctionDef& b) {
  return &a == &b || canonical_bytes(a) == canonical_bytes(b);
}

}  // namespace

absl::Status FunctionLibrary::add(const pb::FunctionDefLibrary& library) {
  for (const pb::FunctionDef& function : library.function()) {
    const std::string& name = function.signature().name();
    auto [it, fresh] = functions_.try_emplace(name);
    if (!fresh) {
      if (same_function(*it->second.def, function)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Cannot add function '", name,
                       "' because a different function with the same name already exists."));
    }
    it->second.def = std::make_shared<pb::FunctionDef>(function);
    auto signature = from_proto(function.signature());
    if (signature.ok()) it->second.signature = std::make_shared<OpDef>(*std::move(signature));
  }
  for (const pb::GradientDef& gradient : library.gradient()) {
    auto [it, fresh] = gradients_.try_emplace(gradient.function_name(), gradient.gradient_func());
    if (!fresh && it->second != gradient.gradient_func()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Cannot assign gradient function '", gradient.gradient_func(), "' to '", it->first,
                       "' because it already has gradient function '", it->second, "'"));
    }
  }
  for (const pb::RegisteredGradient& gradient : library.registered_gradients())
    registered_gradients_.try_emplace(gradient.registered_op_type(), gradient.gradient_func());
  return absl::OkStatus();
}

const OpDef* FunctionLibrary::find_signature(absl::string_view name) const {
  auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second.signature.get();
}

const pb::FunctionDef* FunctionLibrary::find(absl::string_view name) const {
  auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second.def.get();
}

std::string FunctionLibrary::gradient_of(absl::string_view name) const {
  auto it = gradients_.find(name);
  return it == gradients_.end() ? "" : it->second;
}

std::vector<std::string> FunctionLibrary::names() const {
  std::vector<std::string> out;
  out.reserve(functions_.size());
  for (const auto& [name, entry] : functions_) out.push_back(name);
  std::sort(out.begin(), out.end());
  return out;
}

FunctionLibrary FunctionLibrary::only(const absl::flat_hash_set<std::string>& names) const {
  FunctionLibrary out;
  for (const std::string& name : names) {
    auto it = functions_.find(name);
    if (it != functions_.end()) out.functions_.insert(*it);
  }
  for (const auto& [function, gradient] : gradients_) {
    if (names.contains(function) && names.contains(gradient)) out.gradients_.emplace(function, gradient);
  }
  for (const auto& [op_type, gradient] : registered_gradients_) {
    if (names.contains(gradient)) out.registered_gradients_.emplace(op_type, gradient);
  }
  return out;
}

void FunctionLibrary::to_proto(pb::FunctionDefLibrary* out) const {
  out->Clear();
  for (const std::string& name : names()) *out->add_function() = *find(name);
  std::vector<std::pair<std::string, std::string>> gradients(gradients_.begin(), gradients_.end());
  std::sort(gradients.begin(), gradients.end());
  for (auto& [function, gradient] : gradients) {
    auto* g = out->add_gradient();
    g->set_function_name(function);
    g->set_gradient_func(gradient);
  }
  std::vector<std::pair<std::string, std::string>> registered(registered_gradients_.begin(),
                                                              registered_gradients_.end());
  std::sort(registered.begin(), registered.end());
  for (auto& [op_type, gradient] : registered) {
    auto* g = out->add_registered_gradients();
    g->set_registered_op_type(op_type);
    g->set_gradient_func(gradient);
  }
}

}  // namespace troupe
