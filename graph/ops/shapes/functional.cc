// Calls of functions, and what the runtime puts into graphs by itself: arguments, sends, collectives.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

/// Attr "output_shapes", when it is given.
absl::Status declared_outputs(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(auto shapes, c.attr<std::vector<PartialShape>>("output_shapes"));
  if (shapes.empty()) return absl::OkStatus();
  return output_shapes_attr(c);
}

absl::Status while_loop(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(auto shapes, c.attr<std::vector<PartialShape>>("output_shapes"));
  if (!shapes.empty()) return output_shapes_attr(c);
  // A body must not change dtypes, but may change shapes.
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (const HandleShapes* handle = c.known(i).handle.get()) c.set_output_handle(i, *handle);
  }
  return absl::OkStatus();
}

absl::Status handed_out(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(i));
    if (const HandleShapes* handle = c.known(i).handle.get()) c.set_output_handle(i, *handle);
  }
  return absl::OkStatus();
}

absl::Status collective_gather(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  TROUPE_ASSIGN_OR_RETURN(int64_t group, c.attr<int64_t>("group_size"));
  if (in.known_rank() && dim_of(in, 0) >= 0 && group >= 0) {
    TROUPE_ASSIGN_OR_RETURN(int64_t rows, multiply_dims(dim_of(in, 0), group));
    c.set_output(0, replace_dim(in, 0, rows));
  } else {
    c.set_output(0, replace_dim(in, 0, kUnknownDim));
  }
  return absl::OkStatus();
}

absl::Status argument(ShapeContext& c) {
  const auto shapes = c.attrs().get<std::vector<PartialShape>>("_output_shapes");
  if (shapes.ok() && !shapes->empty()) c.set_output(0, (*shapes)[0]);
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"Case", declared_outputs},
    {"StatelessCase", declared_outputs},
    {"If", declared_outputs},
    {"StatelessIf", declared_outputs},
    {"While", while_loop},
    {"StatelessWhile", while_loop},
    {"For", unknown},
    {"MapDefun", unknown},
    {"PartitionedCall", unknown},
    {"StatefulPartitionedCall", unknown},
    {"RemoteCall", unknown},
    {"SymbolicGradient", unknown},
    {"PyFunc", unknown},
    {"PyFuncStateless", unknown},
    {"EagerPyFunc", unknown},
    {"Timestamp", scalar},
    {"_Arg", argument},
    {"_DeviceArg", argument},
    {"_Retval", no_outputs},
    {"_DeviceRetval", no_outputs},
    {"_ArrayToList", unknown},
    {"_ListToArray", unknown},
    {"Send", no_outputs},
    {"_Send", no_outputs},
    {"_HostSend", no_outputs},
    {"Recv", unknown},
    {"_Recv", unknown},
    {"_HostRecv", unknown},
    {"CollectiveBcastRecv", shape_attr},
    {"CollectiveBcastSend", shape_attr},
    {"CollectiveGather", collective_gather},
    {"CollectiveReduce", handed_out},
    {"NcclAllReduce", handed_out},
};

}  // namespace

absl::Status register_functional_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
