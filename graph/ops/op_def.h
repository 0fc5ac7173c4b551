#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/ops/attr.h"

namespace troupe {

class ShapeContext;

/// Infers the output shapes of one node from what is known of its inputs; see ShapeContext.
using ShapeFn = std::function<absl::Status(ShapeContext&)>;

/// An input or output of an op. The type is `type`, or that of the attr `type_attr`; a non-empty `number_attr`
/// makes it a list of that many; a non-empty `type_list_attr` a list with a type each.
struct ArgDef {
  std::string name;
  DataType type = DataType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;
  bool is_ref = false;
};

/// An attr of an op.
struct AttrDef {
  std::string name;
  /// "int", "list(type)", ...
  std::string kind;
  std::optional<AttrValue> default_value;
  /// Empty: any.
  std::vector<DataType> allowed_types;
  std::vector<std::string> allowed_strings;
  /// Lowest value of an int, or lowest length of a list.
  std::optional<int64_t> minimum;
};

/// What an op is: signature, properties and shape function. Immutable once registered.
struct OpDef {
  std::string name;
  /// The family whose table it stands in; empty for a plug-in's. Set by the registry.
  const char* family = "";
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  std::vector<std::string> control_outputs;
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  /// Talks to other processes, and may fail with them.
  bool is_distributed_communication = false;
  /// GraphDef producer version from which the op is refused; 0: never.
  int deprecated_since = 0;
  std::string deprecation;
  /// Empty: outputs are unknown.
  ShapeFn shape_fn;

  const AttrDef* find_attr(absl::string_view attr) const;
};

/// One line of an op table: the signature as text, parsed when the op is first asked for.
///   inputs, outputs: "x:T, y:Ref(float), rest:N * T, list:list(Ts)" or "" (also "-")
///   attrs: "T:type in [float,double] = float; Ts:list(index); N:int >= 1; padding:string in ['SAME','VALID']", where `index`
///          is one of the type sets in type_sets.def
///   flags: "stateful commutative aggregate uninitialized_ok distributed deprecated_since_N" or "" (also "-")
struct OpRow {
  const char* name;
  const char* inputs;
  const char* outputs;
  const char* attrs;
  const char* flags;
};

/// One line of a shape table: which function infers the shapes of an op.
struct ShapeRow {
  const char* op;
  absl::Status (*fn)(ShapeContext&);
};

/// Parses a row; Internal errors name the op and the text that is wrong.
absl::StatusOr<OpDef> parse_op_row(const OpRow& row);

/// The dtypes of the inputs and outputs of a node of this op with these attrs, lists flattened, refs included.
/// InvalidArgument when an attr is missing or of the wrong kind.
absl::Status op_types(const OpDef& op, const AttrMap& attrs, std::vector<DataType>* inputs,
                      std::vector<DataType>* outputs);

/// The flat slot range [first, second) of each argument of `args` for a node with these attrs.
absl::StatusOr<std::vector<std::pair<int, int>>> arg_ranges(const std::vector<ArgDef>& args,
                                                            const AttrMap& attrs);

/// Fills in defaults, then checks every attr against the op: missing ("NodeDef missing attr 'T' from Op<...>"), wrong kind,
/// outside the allowed list, below the minimum. InvalidArgument, without the node's name.
absl::Status complete_and_check_attrs(const OpDef& op, AttrMap* attrs);

}  // namespace troupe
