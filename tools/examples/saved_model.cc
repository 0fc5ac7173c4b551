#include "tools/examples/saved_model.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "actors/session.h"

#include "graph/ir/graph_def.h"
#include "graph/status.h"

#include "proto/meta_graph.pb.h"
#include "proto/saved_model.pb.h"
#include "proto/saver.pb.h"

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr char kVariables[] = "variables";

Tensor strings(const std::vector<std::string>& texts) {
  Tensor t(DataType::kString, Shape{static_cast<int64_t>(texts.size())});
  for (size_t i = 0; i < texts.size(); ++i) t.flat<TString>()[i] = TString(texts[i]);
  return t;
}

absl::StatusOr<pb::TensorInfo> tensor_info(const Graph& graph, const std::string& name) {
  const Node* node = graph.find(name);
  if (node == nullptr || node->num_outputs() == 0) {
    return absl::NotFoundError(
        absl::StrCat("the signature names '", name, "', which is no tensor of the graph"));
  }
  pb::TensorInfo info;
  info.set_name(absl::StrCat(name, ":0"));
  info.set_dtype(static_cast<pb::DataType>(node->output_types[0]));
  const auto shape = node->attrs.get<PartialShape>("shape");
  info.mutable_tensor_shape()->set_unknown_rank(!shape.ok() || !shape->known_rank());
  if (shape.ok() && shape->known_rank()) {
    for (int i = 0; i < shape->rank(); ++i) info.mutable_tensor_shape()->add_dim()->set_size(shape->dim(i));
  }
  return info;
}

absl::StatusOr<pb::SavedModel> to_proto(const Graph& graph, const SaverNames& saver,
                                        const SignatureNames& signature) {
  pb::SavedModel model;
  model.set_saved_model_schema_version(1);
  pb::MetaGraphDef& meta = *model.add_meta_graphs();
  meta.mutable_meta_info_def()->add_tags("serve");
  to_graph_def(graph, meta.mutable_graph_def());
  pb::SaverDef& saver_def = *meta.mutable_saver_def();
  saver_def.set_filename_tensor_name(absl::StrCat(saver.prefix, ":0"));
  saver_def.set_save_tensor_name(saver.save);
  saver_def.set_restore_op_name(saver.restore);
  saver_def.set_version(pb::SaverDef::V2);
  pb::SignatureDef& def = (*meta.mutable_signature_def())["serving_default"];
  def.set_method_name("tensorflow/serving/predict");
  for (const auto& [key, name] : signature.inputs) {
    TROUPE_ASSIGN_OR_RETURN((*def.mutable_inputs())[key], tensor_info(graph, name));
  }
  for (const auto& [key, name] : signature.outputs) {
    TROUPE_ASSIGN_OR_RETURN((*def.mutable_outputs())[key], tensor_info(graph, name));
  }
  return model;
}

}  // namespace

SaverNames add_saver(GraphBuilder& builder, const std::vector<GraphBuilder::Variable>& variables) {
  const auto scope = builder.scope("save");
  std::vector<std::string> names;
  std::vector<Out> values;
  std::vector<DataType> types;
  for (const GraphBuilder::Variable& variable : variables) {
    names.push_back(builder.name_of(variable.handle));
    values.push_back(builder.read(variable));
    types.push_back(variable.dtype);
  }
  const Out prefix = builder.placeholder(DataType::kString, {}, "prefix");
  const Out tensor_names = builder.constant(strings(names), "tensor_names");
  const Out whole = builder.constant(strings(std::vector<std::string>(names.size())), "shape_and_slices");
  const Out save = builder.op("SaveV2", {prefix, tensor_names, whole, values}, {}, "save");
  const Out read = builder.op("RestoreV2", {prefix, tensor_names, whole}, {{"dtypes", types}}, "read");
  std::vector<Out> assigned;
  for (size_t i = 0; i < variables.size(); ++i) {
    assigned.push_back(builder.assign(variables[i], read[static_cast<int>(i)]));
  }
  const Out restore = builder.group(assigned, "restore");
  return {builder.name_of(prefix), builder.name_of(save), builder.name_of(restore)};
}

absl::Status save_model(const std::string& folder, const Graph& graph, const SaverNames& saver,
                        const SignatureNames& signature, Session& session) {
  TROUPE_ASSIGN_OR_RETURN(const pb::SavedModel model, to_proto(graph, saver, signature));
  std::error_code error;
  fs::create_directories(fs::path(folder) / kVariables, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot make ", folder, ": ", error.message()));
  const std::string prefix = (fs::path(folder) / kVariables / kVariables).string();
  TROUPE_RETURN_IF_ERROR(
      session.run({{saver.prefix, Tensor::string_scalar(prefix)}}, {}, {saver.save}).status());

  const std::string path = (fs::path(folder) / "saved_model.pb").string();
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << model.SerializeAsString();
  out.close();
  if (!out) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

}  // namespace troupe
