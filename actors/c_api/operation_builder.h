#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/c_api/handles.h"
#include "graph/ops/attr.h"
#include "graph/ops/op_def.h"

/// A node that is being built: what the client said so far, and what was wrong with it, which TF_FinishOperation
/// tells. Belongs to the client from TF_NewOperation to TF_FinishOperation.
struct TF_OperationDescription {
  TF_OperationDescription(TF_Graph* g, const char* op_type, const char* oper_name);

  void add_input(const TF_Output& input);
  void add_input_list(const TF_Output* inputs, int count);
  void add_control_input(TF_Operation* input);
  /// A value that differs from one that was given, or that inputs told, is an error.
  void set_attr(const std::string& attr, troupe::AttrValue value);
  /// A value that is none: an error if the op has such an attr.
  void set_malformed(const std::string& attr, absl::Status why);

  /// Adds the node; `graph->mu` held. The graph is as before when it fails.
  absl::StatusOr<TF_Operation*> finish();

  TF_Graph* const graph;
  const std::string name;
  std::string device;
  /// "loc:@x" of the nodes that it must share a device with.
  std::set<std::string> colocation;

 private:
  bool check_source(const TF_Output& input);
  const troupe::ArgDef* next_arg();
  void take_single(const troupe::ArgDef& arg, troupe::DataType type);
  void take_list(const troupe::ArgDef& arg, const std::vector<troupe::DataType>& types);
  void check_input_type(const troupe::ArgDef& arg, troupe::DataType expected, troupe::DataType type);
  void check_input_ref(const troupe::ArgDef& arg, troupe::DataType type);

  absl::Status building_error() const;
  absl::Status check_attrs();

  const std::string op_name_;
  /// Null when there is no such op.
  const troupe::OpDef* op_ = nullptr;
  troupe::AttrMap attrs_;
  std::vector<std::pair<std::string, absl::Status>> malformed_;
  std::vector<troupe::Endpoint> inputs_;
  std::vector<int> control_inputs_;
  size_t args_given_ = 0;
  /// Inputs that do not exist; told before all others.
  std::vector<std::string> source_errors_;
  std::vector<std::string> errors_;
};
