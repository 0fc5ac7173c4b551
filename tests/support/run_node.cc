#include "tests/support/run_node.h"

#include <condition_variable>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "graph/ops/op_registry.h"
#include "graph/thrown.h"

namespace troupe::test {
namespace {

/// Fills type and number attrs that the inputs imply.
void infer_attrs(const OpDef& op, const std::vector<Tensor>& inputs, AttrMap* attrs) {
  size_t next = 0;
  for (const ArgDef& arg : op.inputs) {
    if (next >= inputs.size()) return;
    if (!arg.number_attr.empty()) {
      int64_t n = op.inputs.size() == 1 ? static_cast<int64_t>(inputs.size())
                                        : static_cast<int64_t>(inputs.size() - (op.inputs.size() - 1));
      if (!attrs->contains(arg.number_attr)) attrs->set(arg.number_attr, n);
      n = attrs->get_or<int64_t>(arg.number_attr, n);
      if (!arg.type_attr.empty() && !attrs->contains(arg.type_attr))
        attrs->set(arg.type_attr, inputs[next].dtype());
      next += static_cast<size_t>(n);
    } else if (!arg.type_list_attr.empty()) {
      if (auto given = attrs->get<std::vector<DataType>>(arg.type_list_attr); given.ok()) {
        next += given->size();
        continue;
      }
      std::vector<DataType> types;
      size_t count = inputs.size() - (op.inputs.size() - 1);
      for (size_t i = 0; i < count; ++i) types.push_back(inputs[next++].dtype());
      if (!attrs->contains(arg.type_list_attr)) attrs->set(arg.type_list_attr, types);
    } else {
      if (!arg.type_attr.empty() && !attrs->contains(arg.type_attr))
        attrs->set(arg.type_attr, inputs[next].dtype());
      ++next;
    }
  }
}

}  // namespace

absl::StatusOr<KernelNode> make_node(const std::string& op, const std::vector<Tensor>& inputs, AttrMap attrs, const std::string& name) {
  TROUPE_ASSIGN_OR_RETURN(const OpDef* def, builtin_ops().lookup(op));
  infer_attrs(*def, inputs, &attrs);
  TROUPE_RETURN_IF_ERROR(complete_and_check_attrs(*def, &attrs));
  KernelNode node;
  node.name = name;
  node.op = def;
  node.attrs = attrs;
  node.graph_producer_version = 2000;
  TROUPE_RETURN_IF_ERROR(op_types(*def, attrs, &node.input_types, &node.output_types));
  if (node.input_types.size() != inputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat("op ", op, " takes ", node.input_types.size(), " inputs"));
  }
  return node;
}

absl::StatusOr<std::vector<Tensor>> run_node(Device* device, Kernel* kernel, const KernelNode& node, std::vector<Tensor> inputs) {
  CancellationToken token;
  SessionTensors session_tensors;
  StepState step;
  step.step_id = 1;
  step.device = device;
  step.cancellation = &token;
  step.session_tensors = &session_tensors;
  step.step_container = "__per_step_1";
  std::vector<Value> in(inputs.size()), out(node.output_types.size());
  for (size_t i = 0; i < inputs.size(); ++i) in[i].tensor = std::move(inputs[i]);
  KernelContext context(&step, &node, in, out);
  if (kernel->is_async()) {
    std::mutex mu;
    std::condition_variable cv;
    bool finished = false;
    absl::Status status;
    auto done = [&](absl::Status s) {
      std::lock_guard lock(mu);
      status = std::move(s);
      finished = true;
      cv.notify_all();
    };
    const absl::Status begun = guarded("a kernel", [&] {
      static_cast<AsyncKernel&>(*kernel).compute_async(context, done);
      return absl::OkStatus();
    });
    if (!begun.ok()) done(begun);
    std::unique_lock lock(mu);
    cv.wait(lock, [&] { return finished; });
    TROUPE_RETURN_IF_ERROR(status);
  } else {
    // As the executor calls it.
    TROUPE_RETURN_IF_ERROR(guarded("a kernel", [&] { return kernel->compute(context); }));
  }
  std::vector<Tensor> result;
  for (size_t i = 0; i < out.size(); ++i) {
    const Value& v = out[i];
    result.push_back(v.ref != nullptr ? v.ref->tensor : v.tensor);
    if (result.back().dtype() != base_type(node.output_types[i])) {
      return absl::InternalError(absl::StrCat("output ", i, " of type ", dtype_name(result.back().dtype()),
                                              " does not match declared output type ",
                                              dtype_name(node.output_types[i])));
    }
  }
  return result;
}

}  // namespace troupe::test
