#include <algorithm>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/ir/algorithm.h"
#include "graph/ir/attr_proto.h"
#include "graph/ir/deprecations.h"
#include "graph/ir/function_library.h"
#include "graph/ir/graph_def.h"
#include "graph/ir/names.h"
#include "graph/ops/op_check.h"
#include "graph/tensor/tensor_proto.h"

#include "proto/graph.pb.h"
#include "proto/tensor.pb.h"

namespace troupe {
namespace {

/// More inputs or outputs than this is a malformed number attr, not a node.
constexpr int64_t kMaxArgs = 1 << 20;
/// First producer version at which an empty shape of a Placeholder means a scalar; before, nothing was known.
constexpr int kScalarPlaceholderVersion = 24;
/// From this producer on, Extend checks every node of the graph.
constexpr int kValidatedVersion = 5;
/// The release whose GraphDefs these are; messages name it as programs expect.
constexpr absl::string_view kTensorFlowVersion = "2.21.0";
constexpr absl::string_view kColocationPrefix = "loc:@";

absl::Status invalid(std::string text) { return absl::InvalidArgumentError(std::move(text)); }

std::string node_suffix(absl::string_view name) { return absl::StrCat("\n\t [[{{node ", name, "}}]]"); }

absl::Status check_versions(const pb::VersionDef& v) {
  if (v.producer() < 0) {
    return invalid(absl::StrCat("GraphDef producer version ", v.producer(),
                                " below min producer 0 supported by TensorFlow ", kTensorFlowVersion,
                                ".  Please regenerate your graph."));
  }
  if (v.min_consumer() > kGraphDefVersion) {
    return invalid(absl::StrCat("GraphDef min consumer version ", v.min_consumer(), " above current version ",
                                kGraphDefVersion, " for TensorFlow ", kTensorFlowVersion,
                                ".  Please upgrade TensorFlow."));
  }
  for (int bad : v.bad_consumers()) {
    if (bad == kGraphDefVersion) {
      return invalid(absl::StrCat("GraphDef disallows consumer version ", bad,
                                  ".  Please upgrade TensorFlow: this version is likely buggy."));
    }
  }
  return absl::OkStatus();
}

absl::Status check_deprecation(const OpDef& op, int producer) {
  if (op.deprecated_since <= 0 || producer < op.deprecated_since) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "Op ", op.name, " is not available in GraphDef version ", producer, ". It has been removed in version ",
      op.deprecated_since, ". ", op.deprecation.empty() ? deprecation_advice(op.name) : op.deprecation, "."));
}

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

/// One call of import_graph_def. Nodes of the GraphDef go by their position ("index") until they have an id, which is
/// `first_id_` + position among those that are made.
class Importer {
 public:
  Importer(const pb::GraphDef& def, const ImportOptions& options, Graph* graph)
      : def_(def), options_(options), graph_(*graph), first_id_(graph->num_ids()),
        old_library_(graph->library()) {}

  absl::Status run(ImportResults* results) {
    absl::Status status = import(results);
    if (!status.ok()) {
      graph_.truncate(first_id_);
      graph_.set_library(old_library_);
    }
    return status;
  }

 private:
  /// Where an input of the GraphDef comes from.
  struct Source {
    int node = -1;  // id in the graph; -1: unknown
    int slot = 0;   // -1: control
  };

  absl::Status import(ImportResults* results);
  absl::Status merge_library();
  absl::Status find_ops();
  absl::Status choose_prefix();
  bool is_taken(absl::string_view name);
  absl::Status index_names();
  absl::Status choose_names();
  void find_skipped();
  absl::Status resolve_inputs();
  absl::Status resolve_mapped(const TensorName& in, const pb::NodeDef& def, Source* out);
  absl::Status add_nodes();
  absl::Status check_attrs_now(int index, const OpDef& op, AttrMap* attrs) const;
  absl::Status add_node(int index);
  absl::Status read_attrs(const pb::NodeDef& def, const OpDef& op, AttrMap* attrs, absl::Status* defect);
  absl::Status charge(const pb::NodeDef& def, const pb::AttrValue& value);
  absl::Status check_arg_counts(const OpDef& op, const AttrMap& attrs, const pb::NodeDef& def) const;
  absl::Status rename_colocation(const pb::NodeDef& def, AttrMap* attrs) const;
  absl::Status connect(int index);
  absl::Status wrong_count(const Node& node, int given) const;
  absl::Status check_missing(Node* node, int given);
  absl::Status add_control_dependencies();
  absl::Status revalidate_old_nodes() const;
  absl::Status collect(ImportResults* results);

  bool importing() const { return options_.mode == ImportOptions::Mode::kImport; }
  absl::string_view name_of(int index) const {
    return names_.empty() ? absl::string_view(def_.node(index).name()) : absl::string_view(names_[index]);
  }
  std::span<const Source> sources_of(int index) const {
    return {sources_.data() + source_begin_[index],
            static_cast<size_t>(source_begin_[index + 1] - source_begin_[index])};
  }

  const pb::GraphDef& def_;
  const ImportOptions& options_;
  Graph& graph_;
  const int first_id_;
  const std::shared_ptr<const FunctionLibrary> old_library_;

  int producer_ = 0;
  /// Every node must be sound now; otherwise faults become defects.
  bool strict_ = false;
  std::string prefix_;
  std::vector<const OpDef*> ops_;
  /// Names in the graph, when they differ from those of the GraphDef.
  std::vector<std::string> names_;
  absl::flat_hash_map<absl::string_view, int> index_;
  /// Of the nodes that were there before; see is_taken.
  absl::flat_hash_set<absl::string_view> scopes_;
  bool scopes_known_ = false;
  std::vector<bool> skipped_;
  std::vector<int> ids_;
  std::vector<Source> sources_;
  std::vector<int> source_begin_;
  absl::flat_hash_set<NamedOutput> used_map_keys_;
  /// Per id: the last node that took it as a control input.
  std::vector<int> control_stamp_;
  int64_t expanded_bytes_ = 0;
};

absl::Status Importer::import(ImportResults* results) {
  TROUPE_RETURN_IF_ERROR(check_versions(def_.versions()));
  producer_ =
      def_.has_versions() || graph_.num_ids() == 0 ? def_.versions().producer() : graph_.versions().producer;
  strict_ = importing() || (graph_.num_nodes() > 0 && producer_ >= kValidatedVersion);
  TROUPE_RETURN_IF_ERROR(merge_library());
  TROUPE_RETURN_IF_ERROR(find_ops());
  TROUPE_RETURN_IF_ERROR(choose_prefix());
  TROUPE_RETURN_IF_ERROR(index_names());
  TROUPE_RETURN_IF_ERROR(choose_names());
  find_skipped();
  TROUPE_RETURN_IF_ERROR(resolve_inputs());
  TROUPE_RETURN_IF_ERROR(add_nodes());
  for (int i = 0; i < def_.node_size(); ++i) {
    if (ids_[i] >= 0) TROUPE_RETURN_IF_ERROR(connect(i));
  }
  if (int n = count_cyclic_nodes(graph_, first_id_); n > 0)
    return invalid(absl::StrCat(n, " nodes in a cycle"));
  TROUPE_RETURN_IF_ERROR(add_control_dependencies());
  if (strict_ && !importing()) TROUPE_RETURN_IF_ERROR(revalidate_old_nodes());
  TROUPE_RETURN_IF_ERROR(collect(results));
  if (def_.has_versions() || first_id_ == 0) {
    GraphVersions& v = graph_.versions();
    // Importing into a graph that has nodes keeps to the older of both; Extend takes what the client says now.
    v.producer = importing() && first_id_ > 0 ? std::min(v.producer, producer_) : producer_;
    v.min_consumer = std::max(v.min_consumer, def_.versions().min_consumer());
    for (int bad : def_.versions().bad_consumers()) v.bad_consumers.push_back(bad);
    std::sort(v.bad_consumers.begin(), v.bad_consumers.end());
    v.bad_consumers.erase(std::unique(v.bad_consumers.begin(), v.bad_consumers.end()), v.bad_consumers.end());
  }
  return absl::OkStatus();
}

absl::Status Importer::merge_library() {
  const pb::FunctionDefLibrary& added = def_.library();
  if (old_library_ != nullptr && added.function().empty() && added.gradient().empty() &&
      added.registered_gradients().empty()) {
    return absl::OkStatus();
  }
  auto library = old_library_ == nullptr ? std::make_shared<FunctionLibrary>()
                                         : std::make_shared<FunctionLibrary>(*old_library_);
  for (const pb::FunctionDef& f : added.function()) {
    if (graph_.ops().find(f.signature().name()) != nullptr) {
      return invalid(absl::StrCat("Cannot add function '", f.signature().name(),
                                  "' because an op with the same name already exists."));
    }
  }
  TROUPE_RETURN_IF_ERROR(library->add(added));
  graph_.set_library(std::move(library));
  return absl::OkStatus();
}

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

absl::Status Importer::choose_prefix() {
  if (options_.prefix.empty()) return absl::OkStatus();
  absl::string_view wanted = options_.prefix;
  if (wanted.back() == '/') wanted.remove_suffix(1);
  if (!is_valid_node_name(wanted, options_.allow_internal_names)) {
    return invalid(
        absl::StrCat("Imported node name prefix '", wanted, "/' would lead to invalid node names"));
  }
  prefix_ = std::string(wanted);
  for (int k = 1; options_.uniquify_prefix && is_taken(prefix_); ++k) prefix_ = absl::StrCat(wanted, "_", k);
  return absl::OkStatus();
}

/// Scopes that the graph's nodes are in are taken as their names are.
bool Importer::is_taken(absl::string_view name) {
  if (first_id_ == 0) return false;
  if (graph_.find(name) != nullptr) return true;
  if (!scopes_known_) {
    scopes_known_ = true;
    for (int id = 0; id < first_id_; ++id) {
      const Node& n = graph_.node(id);
      if (n.removed()) continue;
      for (absl::string_view scope = scope_of(n.name); !scope.empty(); scope = scope_of(scope)) {
        if (!scopes_.insert(scope).second) break;
      }
    }
  }
  return scopes_.contains(name);
}

absl::Status Importer::index_names() {
  index_.reserve(def_.node_size());
  for (int i = 0; i < def_.node_size(); ++i) {
    const pb::NodeDef& n = def_.node(i);
    if (!is_valid_node_name(n.name(), options_.allow_internal_names)) {
      return invalid(absl::StrCat("Node '", n.name(), "': Node name contains invalid characters"));
    }
    if (!index_.try_emplace(n.name(), i).second)
      return invalid(absl::StrCat("Node '", n.name(), "' is not unique"));
    bool control_seen = false;
    for (const std::string& in : n.input()) {
      bool control = absl::StartsWith(in, "^");
      if (control_seen && !control) {
        return invalid(
            absl::StrCat("Node '", n.name(), "': Control dependencies must come after regular dependencies"));
      }
      control_seen = control;
    }
  }
  return absl::OkStatus();
}

absl::Status Importer::choose_names() {
  const bool renamed = !prefix_.empty() || options_.uniquify_names;
  if (renamed) names_.reserve(def_.node_size());
  absl::flat_hash_set<std::string> taken;
  for (int i = 0; i < def_.node_size(); ++i) {
    const std::string& own = def_.node(i).name();
    if (!renamed) {
      if (first_id_ == 0 || (importing() ? !is_taken(own) : graph_.find(own) == nullptr)) continue;
      if (importing()) return invalid(absl::StrCat("Node name '", own, "' already exists in the Graph"));
      return invalid(
          absl::StrCat("GraphDef argument to Extend includes node '", own,
                       "', which was created by a previous call to Create or Extend in this session."));
    }
    const std::string wanted = prefix_.empty() ? own : absl::StrCat(prefix_, "/", own);
    std::string name = wanted;
    const bool outside = prefix_.empty();
    for (int k = 1; (outside ? is_taken(name) : graph_.find(name) != nullptr) || taken.contains(name); ++k) {
      if (!options_.uniquify_names)
        return invalid(absl::StrCat("Node name '", name, "' already exists in the Graph"));
      // A name of the GraphDef itself is not given to another of its nodes.
      do name = absl::StrCat(wanted, "_", k);
      while (prefix_.empty() && index_.contains(name) && ++k > 0);
    }
    taken.insert(name);
    names_.push_back(std::move(name));
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

absl::Status Importer::resolve_mapped(const TensorName& in, const pb::NodeDef& def, Source* out) {
  if (options_.input_map.empty()) return absl::OkStatus();
  auto it = options_.input_map.find(NamedOutput(std::string(in.node), in.slot));
  if (it == options_.input_map.end()) return absl::OkStatus();
  used_map_keys_.insert(it->first);
  const auto& [name, slot] = it->second;
  std::string entry = absl::StrCat("(input_map entry: ", input_text(it->first.first, it->first.second), "->",
                                   input_text(name, slot), ")");
  if ((slot < 0) != in.is_control()) {
    return invalid(absl::StrCat("Node '", def.name(),
                                "': data and control outputs cannot be mapped to each other ", entry));
  }
  const Node* node = graph_.find(name);
  if (node == nullptr || node->id >= first_id_) {
    return invalid(absl::StrCat("node '", name, "' in input_map does not exist in graph ", entry));
  }
  *out = {node->id, slot};
  return absl::OkStatus();
}

absl::Status Importer::resolve_inputs() {
  ids_.assign(def_.node_size(), -1);
  int next = first_id_;
  for (int i = 0; i < def_.node_size(); ++i) {
    if (!skipped_[i]) ids_[i] = next++;
  }
  source_begin_.reserve(def_.node_size() + 1);
  for (int i = 0; i < def_.node_size(); ++i) {
    source_begin_.push_back(static_cast<int>(sources_.size()));
    const pb::NodeDef& n = def_.node(i);
    if (skipped_[i]) continue;
    for (const std::string& text : n.input()) {
      TensorName in = parse_tensor_name(text);
      Source source;
      TROUPE_RETURN_IF_ERROR(resolve_mapped(in, n, &source));
      if (source.node < 0) {
        if (auto it = index_.find(in.node); it != index_.end()) {
          source = {ids_[it->second], in.slot};
        } else if (const Node* old = first_id_ > 0 && !importing() ? graph_.find(in.node) : nullptr) {
          source = {old->id, in.slot};
        }
      }
      if (source.node < 0)
        return invalid(absl::StrCat("Node '", n.name(), "': Unknown input node '", text, "'"));
      sources_.push_back(source);
    }
  }
  source_begin_.push_back(static_cast<int>(sources_.size()));
  return absl::OkStatus();
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
  if (absl::Status s = check_deprecation(op, producer_); !s.ok()) {
    if (strict_) return s;
    defect.Update(annotate(s, "", node_suffix(def.name())));
  }
  (*node)->defect = std::move(defect);
  return absl::OkStatus();
}

absl::Status Importer::connect(int index) {
  Node& node = graph_.node(ids_[index]);
  int slot = 0;
  for (const Source& source : sources_of(index)) {
    if (source.slot < 0) {
      if (control_stamp_[source.node] == node.id) continue;
      control_stamp_[source.node] = node.id;
      node.control_inputs.push_back(source.node);
      continue;
    }
    const Node& from = graph_.node(source.node);
    if (source.slot >= from.num_outputs()) {
      absl::string_view name = from.name;
      if (from.id >= first_id_ && !prefix_.empty()) name.remove_prefix(prefix_.size() + 1);
      return invalid(absl::StrCat("Node '", def_.node(index).name(), "': Connecting to invalid output ",
                                  source.slot, " of source node ", name, " which has ", from.num_outputs(),
                                  " outputs."));
    }
    if (slot >= node.num_inputs() && importing()) {
      const auto sources = sources_of(index);
      return wrong_count(node, static_cast<int>(std::count_if(sources.begin(), sources.end(),
                                                              [](const Source& i) { return i.slot >= 0; })));
    }
    if (slot >= node.num_inputs()) {
      return invalid(absl::StrCat("Input ", slot, " of node ", node.name, " does not exist. Node only has ",
                                  node.num_inputs(), " inputs."));
    }
    DataType has = from.output_types[source.slot];
    DataType wants = node.input_types[slot];
    if (has != wants && (is_ref(wants) || base_type(has) != wants)) {
      return invalid(absl::StrCat("Input ", slot, " of node ", node.name, " was passed ", dtype_name(has),
                                  " from ", tensor_text(from.name, source.slot),
                                  " incompatible with expected ", dtype_name(wants), "."));
    }
    node.inputs[slot++] = {source.node, source.slot};
  }
  return slot < node.num_inputs() ? check_missing(&node, slot) : absl::OkStatus();
}

absl::Status Importer::wrong_count(const Node& node, int given) const {
  std::string types = absl::StrJoin(
      node.input_types, ", ", [](std::string* out, DataType t) { absl::StrAppend(out, dtype_name(t)); });
  return invalid(absl::StrCat("NodeDef expected inputs '", types, "' do not match ", given,
                              " inputs specified; ", summarize_op(*node.op), "; NodeDef: {{node ", node.name,
                              "}}"));
}

absl::Status Importer::check_missing(Node* node, int given) {
  if (strict_) return wrong_count(*node, given);
  node->defect.Update(invalid(
      absl::StrCat("Incomplete graph, missing ", node->num_inputs() - given, " inputs for ", node->name)));
  node->inputs.resize(given);
  node->input_types.resize(given);
  return absl::OkStatus();
}

/// Nodes with an input among the imported ones wait through it; the others wait themselves.
absl::Status Importer::add_control_dependencies() {
  for (const std::string& name : options_.control_dependencies) {
    const Node* node = graph_.find(name);
    if (node == nullptr || node->id >= first_id_) {
      return invalid(absl::StrCat("node '", name, "' in control_dependencies does not exist in graph"));
    }
    for (int id = first_id_; id < graph_.num_ids(); ++id) {
      const Node& n = graph_.node(id);
      auto imported = [&](int from) { return from >= first_id_; };
      bool waits =
          std::any_of(n.control_inputs.begin(), n.control_inputs.end(), imported) ||
          std::any_of(n.inputs.begin(), n.inputs.end(), [&](Endpoint e) { return imported(e.node); });
      if (!waits) graph_.add_control_input(id, node->id);
    }
  }
  return absl::OkStatus();
}

/// Extend checks what was there before too, in the light of the new version. Constants that do not parse may stay.
absl::Status Importer::revalidate_old_nodes() const {
  for (int id = 0; id < first_id_; ++id) {
    const Node& n = graph_.node(id);
    if (n.removed()) continue;
    if (!n.defect.ok() && !absl::StartsWith(n.defect.message(), "Cannot parse tensor")) return n.defect;
    TROUPE_RETURN_IF_ERROR(check_deprecation(*n.op, producer_));
  }
  return absl::OkStatus();
}

absl::Status Importer::collect(ImportResults* results) {
  ImportResults out;
  for (const NamedOutput& wanted : options_.return_tensors) {
    const auto& [name, slot] = wanted;
    Endpoint e;
    if (auto mapped = options_.input_map.find(wanted); mapped != options_.input_map.end()) {
      used_map_keys_.insert(wanted);
      const Node* node = graph_.find(mapped->second.first);
      if (node != nullptr) e = {node->id, mapped->second.second};
    } else if (auto it = index_.find(name); it != index_.end()) {
      e = {ids_[it->second], slot};
    }
    if (e.node < 0) {
      return invalid(
          absl::StrCat("Requested return tensor '", tensor_text(name, slot), "' not found in graph def"));
    }
    const int outputs = graph_.node(e.node).num_outputs();
    if (e.slot < 0 || e.slot >= outputs) {
      return invalid(absl::StrCat("Invalid return output ", e.slot, " of node '", name, "', which has ",
                                  outputs, " output(s)"));
    }
    out.return_tensors.push_back(e);
  }
  for (const std::string& name : options_.return_nodes) {
    auto it = index_.find(name);
    if (it == index_.end() || ids_[it->second] < 0) {
      return invalid(absl::StrCat("Requested return node '", name, "' not found in graph def"));
    }
    out.return_nodes.push_back(ids_[it->second]);
  }
  for (const auto& [from, to] : options_.input_map) {
    if (used_map_keys_.contains(from)) continue;
    auto it = index_.find(from.first);
    bool exists = it != index_.end() &&
                  (ids_[it->second] < 0 || from.second < graph_.node(ids_[it->second]).num_outputs());
    if (!exists) out.unused_input_map_keys.push_back(from);
  }
  if (results != nullptr) *results = std::move(out);
  return absl::OkStatus();
}

}  // namespace

absl::Status import_graph_def(const pb::GraphDef& def, const ImportOptions& options, Graph* graph,
                              ImportResults* results) {
  return Importer(def, options, graph).run(results);
}

}  // namespace troupe
