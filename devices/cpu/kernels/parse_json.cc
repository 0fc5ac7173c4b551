// DecodeJSONExample.
#include <google/protobuf/util/json_util.h>

#include <string>

#include "devices/cpu/kernels/parse_example.h"
#include "devices/cpu/kernels/string_util.h"
#include "proto/example.pb.h"
#include "proto/pb.h"

namespace troupe {
namespace {

absl::Status decode_json_example(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
  auto in = input.flat<TString>();
  auto out = output->flat<TString>();
  for (size_t i = 0; i < in.size(); ++i) {
    pb::Example example;
    const auto status = google::protobuf::util::JsonStringToMessage(in[i].str(), &example);
    if (!status.ok()) return invalid("Error while parsing JSON: ", std::string(status.message()));
    out[i].assign(example.SerializeAsString());
  }
  return absl::OkStatus();
}

}  // namespace

void register_parse_json_kernels(KernelRegistry* registry) {
  registry->add(KernelDef("DecodeJSONExample").fn(decode_json_example));
}

}  // namespace troupe
