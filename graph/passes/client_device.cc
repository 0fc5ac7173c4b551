#include "graph/passes/client_device.h"

#include "absl/strings/str_cat.h"
#include "graph/ir/device_name.h"

namespace troupe {
namespace {

/// As in TensorFlow: what its GPUs have _Arg and _Retval for, in their own memory.
bool is_fed_from_gpus(DataType type) {
  switch (type) {
    case DataType::kBfloat16:
    case DataType::kBool:
    case DataType::kComplex128:
    case DataType::kComplex64:
    case DataType::kDouble:
    case DataType::kFloat:
    case DataType::kHalf:
    case DataType::kInt16:
    case DataType::kInt64:
    case DataType::kInt8:
    case DataType::kUint16:
    case DataType::kUint8: return true;
    default: return false;
  }
}

}  // namespace

absl::Status check_client_device(const Graph& graph, Endpoint tensor, const std::string& device) {
  const std::string type = DeviceName::parse(device).value_or(DeviceName()).type.value_or("");
  const DataType dtype = base_type(graph.type_of(tensor));
  if (type == "GPU" && is_fed_from_gpus(dtype)) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("Cannot feed or fetch tensor '", graph.node(tensor.node).name, ":", tensor.slot, "' from device ",
                   device, " as feeding/fetching from ", type, " devices is not yet supported for ",
                   dtype_name(dtype), " tensors"));
}

}  // namespace troupe
