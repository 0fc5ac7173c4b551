#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/attr_proto.h"
#include "graph/ir/deprecations.h"
#include "graph/ir/importer.h"
#include "graph/ops/op_check.h"
#include "graph/tensor/tensor_proto.h"

#include "proto/tensor.pb.h"

namespace troupe {
namespace {

/// More inputs or outputs than this is a malformed number attr, not a node.
constexpr int64_t kMaxArgs = 1 << 20;
/// First producer version at which an empty shape of a Placeholder means a scalar; before, nothing was known.
constexpr int kScalarPlaceholderVersion = 24;
constexpr absl::string_view kColocationPrefix = "loc:@";

absl::Status invalid(std::string text) { return absl::InvalidArgumentError(std::move(text)); }

std::string node_suffix(absl::string_view name) { return absl::StrCat("\n\t [[{{node ", name, "}}]]"); }

bool type_allowed(const AttrDef& attr, DataType t) {
  return attr.allowed_types.empty() ||
         std::find(attr.allowed_types.begin(), attr.allowed_types.end(), t) != attr.allowed_types.end();
}

/// A dtype that the op does not take is refused when the graph is made, unlike the other faults of attrs.
bool has_refused_type(const OpDef& op, const AttrMap& attrs) {
  for (const AttrDef& attr : op.attrs) {
    const AttrValue* v = attr.allowed_types.empty() ? nullptr : attrs.find(attr.name);
    if (v == nullptr) continue;
    if (const auto* t = v->get<DataType>(); t != nullptr && *t != DataType::kInvalid && !is_ref(*t)) {
      if (!type_allowed(attr, *t)) return true;
    }
  }
  return false;
}

}  // namespace

absl::Status Importer::find_ops() {
  absl::flat_hash_map<absl::string_view, const OpDef*> cache;
  ops_.reserve(def_.node_size());
  for (const pb::NodeDef& n : def_.node()) {
    const OpDef*& op = cache[n.op()];
    if (op == nullptr) op = graph_.find_op(n.op());
    if (op == nullptr) return graph_.ops().lookup(n.op()).status();
    if (!options_.allow_internal_ops && absl::StartsWith(n.op(), "_")) {
      return invalid(absl::StrCat("Node '", n.name(), "': Illegal op name '", n.op(),
                                  "': ops whose names begin with '_' are internal"));
    }
    ops_.push_back(op);
  }
  return absl::OkStatus();
}

/// Nodes without any output left that the GraphDef itself would produce.
void Importer::find_skipped() {
  skipped_.assign(def_.node_size(), false);
  if (!options_.skip_mapped_nodes) return;
  absl::flat_hash_map<absl::string_view, int> mapped;
  for (const auto& [from, to] : options_.input_map) mapped[from.first] += from.second >= 0;
  for (int i = 0; i < def_.node_size(); ++i) {
    auto it = mapped.find(def_.node(i).name());
    if (it == mapped.end()) continue;
    AttrMap attrs;
    absl::Status defect;
    std::vector<DataType> inputs, outputs;
    if (!read_attrs(def_.node(i), *ops_[i], &attrs, &defect).ok()) continue;
    if (!op_types(*ops_[i], attrs, &inputs, &outputs).ok()) continue;
    skipped_[i] = !outputs.empty() && static_cast<size_t>(it->second) >= outputs.size();
  }
}

absl::Status Importer::add_nodes() {
  graph_.reserve(def_.node_size());
  for (int i = 0; i < def_.node_size(); ++i) {
    if (ids_[i] >= 0) TROUPE_RETURN_IF_ERROR(add_node(i));
  }
  control_stamp_.assign(graph_.num_ids(), -1);
  return absl::OkStatus();
}

/// Tensors grow when they are read; a graph may not grow without end.
absl::Status Importer::charge(const pb::NodeDef& def, const pb::AttrValue& value) {
  int64_t bytes = declared_bytes(value.tensor());
  if (bytes <= 4096) return absl::OkStatus();
  expanded_bytes_ += std::max<int64_t>(0, bytes - static_cast<int64_t>(value.tensor().ByteSizeLong()));
  if (expanded_bytes_ <= kMaxExpandedBytesPerGraph) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("The constants of the GraphDef up to node '", def.name(), "' take ", expanded_bytes_,
                   " bytes more than the message, over the limit of ", kMaxExpandedBytesPerGraph));
}

absl::Status Importer::read_attrs(const pb::NodeDef& def, const OpDef& op, AttrMap* attrs,
                                  absl::Status* defect) {
  for (const auto& [name, proto] : def.attr()) {
    if (proto.has_tensor()) TROUPE_RETURN_IF_ERROR(charge(def, proto));
    auto value = from_proto(proto);
    if (value.ok()) {
      attrs->set(name, *std::move(value));
    } else if (op.find_attr(name) != nullptr) {
      // The kind is right even so, which keeps the checks from finding fault with it too.
      if (proto.has_tensor()) attrs->set(name, Tensor());
      defect->Update(annotate(value.status(), "", node_suffix(def.name())));
    }
  }
  return absl::OkStatus();
}

absl::Status Importer::check_arg_counts(const OpDef& op, const AttrMap& attrs, const pb::NodeDef& def) const {
  for (const auto* args : {&op.inputs, &op.outputs}) {
    for (const ArgDef& arg : *args) {
      const AttrValue* v = arg.number_attr.empty() ? nullptr : attrs.find(arg.number_attr);
      const int64_t* n = v == nullptr ? nullptr : v->get<int64_t>();
      if (n == nullptr || (*n >= 0 && *n <= kMaxArgs)) continue;
      return invalid(*n < 0 ? absl::StrCat("Value for number_attr() ", *n, " < 0", node_suffix(def.name()))
                            : absl::StrCat("Number of outputs is too big: ", *n, node_suffix(def.name())));
    }
  }
  return absl::OkStatus();
}

/// Colocation names nodes: they are renamed with them, and must exist when a graph is imported into another.
absl::Status Importer::rename_colocation(const pb::NodeDef& def, AttrMap* attrs) const {
  const AttrValue* value = attrs->find("_class");
  auto classes = value == nullptr ? std::nullopt : value->get_list<std::vector<std::string>>();
  if (!classes) return absl::OkStatus();
  for (std::string& c : *classes) {
    if (!absl::StartsWith(c, kColocationPrefix)) continue;
    absl::string_view target = absl::string_view(c).substr(kColocationPrefix.size());
    if (auto it = index_.find(target); it != index_.end()) {
      c = absl::StrCat(kColocationPrefix, name_of(it->second));
    } else if (options_.validate_colocation) {
      return invalid(
          absl::StrCat("Node '", def.name(), "' expects to be colocated with unknown node '", target, "'"));
    }
  }
  attrs->set("_class", *std::move(classes));
  return absl::OkStatus();
}

absl::Status Importer::check_attrs_now(int index, const OpDef& op, AttrMap* attrs) const {
  absl::Status s = complete_and_check_attrs(op, attrs);
  if (s.ok()) return s;
  const std::string node = absl::StrCat("; NodeDef: {{node ", name_of(index), "}}");
  for (const AttrDef& attr : op.attrs) {
    const AttrValue* value = attrs->find(attr.name);
    if (value == nullptr) continue;
    TROUPE_RETURN_IF_ERROR(
        annotate(check_attr(attr, *value), "", absl::StrCat("\n\t", node, "; ", summarize_op(op))));
  }
  return annotate(s, "", node);
}

absl::Status Importer::add_node(int index) {
  const pb::NodeDef& def = def_.node(index);
  const OpDef& op = *ops_[index];
  AttrMap attrs;
  absl::Status defect;
  TROUPE_RETURN_IF_ERROR(read_attrs(def, op, &attrs, &defect));
  if (importing() && !defect.ok()) return defect;
  // A graph that imports names faults of attrs first, and each by the name that the node gets.
  if (importing()) TROUPE_RETURN_IF_ERROR(check_attrs_now(index, op, &attrs));
  TROUPE_RETURN_IF_ERROR(check_arg_counts(op, attrs, def));
  if (absl::Status s = importing() ? absl::OkStatus() : complete_and_check_attrs(op, &attrs); !s.ok()) {
    s = annotate(s, "", absl::StrCat("; NodeDef: {{node ", def.name(), "}}", node_suffix(def.name())));
    if (strict_ || has_refused_type(op, attrs)) return s;
    defect.Update(s);
    for (const AttrDef& a : op.attrs) {
      if (a.default_value && !attrs.contains(a.name)) attrs.set(a.name, *a.default_value);
    }
  }
  if (importing()) TROUPE_RETURN_IF_ERROR(rename_colocation(def, &attrs));
  if (op.name == "Placeholder" && producer_ < kScalarPlaceholderVersion) {
    const AttrValue* v = attrs.find("shape");
    const PartialShape* shape = v == nullptr ? nullptr : v->get<PartialShape>();
    if (shape != nullptr && shape->rank() == 0) attrs.set("shape", PartialShape());
  }
  for (const char* caller : {"PartitionedCall", "StatefulPartitionedCall"}) {
    if (op.name != caller || importing()) continue;
    auto f = attrs.get<FunctionRef>("f");
    if (f.ok() && graph_.library()->find(f->name) == nullptr) {
      return invalid(absl::StrCat("Failed to find function \"", f->name, "\" in function library: ",
                                  absl::StrJoin(graph_.library()->names(), ", ")));
    }
  }
  for (const AttrDef& a : op.attrs) {
    if (defect.ok() || attrs.contains(a.name) ||
        (a.kind != "type" && a.kind != "list(type)" && a.kind != "int"))
      continue;
    if (a.kind == "int" && !std::any_of(op.outputs.begin(), op.outputs.end(),
                                        [&](const ArgDef& o) { return o.number_attr == a.name; }))
      continue;
    return absl::NotFoundError(
        absl::StrCat("No attr named '", a.name, "' in NodeDef:", node_suffix(def.name())));
  }
  auto node = graph_.add_node(std::string(name_of(index)), &op, std::move(attrs));
  if (!node.ok()) return node.status();
  (*node)->requested_device = def.device().empty() ? options_.default_device : def.device();
  if (absl::Status s = check_not_deprecated(op, producer_); !s.ok()) {
    if (strict_) return s;
    defect.Update(annotate(s, "", node_suffix(def.name())));
  }
  (*node)->defect = std::move(defect);
  return absl::OkStatus();
}

}  // namespace troupe
