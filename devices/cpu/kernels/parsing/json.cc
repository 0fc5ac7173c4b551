// DecodeJSONExample.
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>
#include <string>

#include "devices/cpu/kernels/parsing/example.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "proto/example.pb.h"
#include "proto/pb.h"

namespace troupe {
namespace {

absl::Status decode_json_example(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
  auto in = input.flat<TString>();
  auto out = output->flat<TString>();
  // Straight to bytes, not by way of a message: numbers then stay one field each, as TensorFlow writes them.
  const std::unique_ptr<google::protobuf::util::TypeResolver> types(
      google::protobuf::util::NewTypeResolverForDescriptorPool("type.googleapis.com",
                                                               pb::Example::descriptor()->file()->pool()));
  const std::string type =
      absl::StrCat("type.googleapis.com/", std::string(pb::Example::descriptor()->full_name()));
  for (size_t i = 0; i < in.size(); ++i) {
    std::string bytes;
    const auto status = google::protobuf::util::JsonToBinaryString(types.get(), type, in[i].str(), &bytes);
    if (!status.ok()) return invalid("Error while parsing JSON: ", std::string(status.message()));
    out[i].assign(bytes);
  }
  return absl::OkStatus();
}

}  // namespace

void register_parsing_json(KernelRegistry* registry) {
  registry->add(KernelDef("DecodeJSONExample").fn(decode_json_example));
}

}  // namespace troupe
