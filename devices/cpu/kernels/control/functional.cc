// Calls of functions that were not inlined, and If and Case that were not lowered.

#include <Eigen/Core>
#include <complex>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/control/functional.h"
#include "devices/function_runner.h"

namespace troupe {

absl::Status needs_a_session(const KernelContext& context) {
  return absl::FailedPreconditionError(
      absl::StrCat(context.node().op->name, " needs a session, which runs functions"));
}

namespace {

absl::Status check_results(const KernelContext& context, absl::Span<const Tensor> results) {
  if (static_cast<int>(results.size()) != context.num_outputs()) {
    return absl::InternalError(
        absl::StrCat("Expect to produce ", context.num_outputs(), " tensors, but only get ", results.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const DataType want = context.output_type(static_cast<int>(i));
    if (results[i].dtype() == want) continue;
    return absl::InternalError(absl::StrCat("Expect ", i, "-th output is of type ", dtype_name(want),
                                            " but get ", dtype_name(results[i].dtype())));
  }
  return absl::OkStatus();
}

/// Runs a function with the inputs from `first` on, and hands on its results.
void call_with_inputs(KernelContext& context, const FunctionRef* function, const std::string& device,
                      int first, AsyncKernel::Done done) {
  FunctionRunner* runner = context.step().functions;
  if (runner == nullptr) return done(needs_a_session(context));
  std::vector<Tensor> args;
  args.reserve(context.num_inputs());
  for (int i = first; i < context.num_inputs(); ++i) args.push_back(context.take_input(i));
  runner->call(*function, device, std::move(args),
               [&context, done = std::move(done)](absl::Status status, std::vector<Tensor> results) {
                 if (status.ok()) status = check_results(context, results);
                 for (size_t i = 0; status.ok() && i < results.size(); ++i) {
                   context.set_output(static_cast<int>(i), std::move(results[i]));
                 }
                 done(std::move(status));
               });
}

/// A function of the node that runs: kernels of stateful ops are shared by nodes of one name. Null when there is none.
const FunctionRef* function_attr(const KernelContext& context, absl::string_view name) {
  const AttrValue* f = context.node().attrs.find(name);
  return f == nullptr ? nullptr : f->get<FunctionRef>();
}

void call_function_attr(KernelContext& context, absl::string_view name, const std::string& device, int first,
                        AsyncKernel::Done done) {
  const FunctionRef* function = function_attr(context, name);
  if (function == nullptr) {
    return done(absl::InvalidArgumentError(absl::StrCat("No attr named '", name, "' that is a function")));
  }
  call_with_inputs(context, function, device, first, std::move(done));
}

/// PartitionedCall, StatefulPartitionedCall: what the inliner leaves of calls.
class CallKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<CallKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    call_function_attr(context, "f", context.device()->name(), 0, std::move(done));
  }
};

/// RemoteCall to a device that only the step knows.
class RemoteCallKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<RemoteCallKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    const Tensor& target = context.input(0);
    if (target.num_elements() != 1) {
      return done(absl::InvalidArgumentError(absl::StrCat(
          "RemoteCall: the target must be a scalar, but has shape ", target.shape().to_string())));
    }
    call_function_attr(context, "f", std::string(target.flat<TString>()[0].view()), 1, std::move(done));
  }
};

/// If and StatelessIf that the inliner leaves: the branch is a call, and all of it runs.
class IfKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<IfKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    const auto truth = truth_of(context.input(0));
    if (!truth.ok()) return done(truth.status());
    call_function_attr(context, *truth ? "then_branch" : "else_branch", context.device()->name(), 1,
                       std::move(done));
  }
};

/// Case and StatelessCase that the inliner leaves.
class CaseKernel final : public AsyncKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction&) {
    return std::make_unique<CaseKernel>();
  }
  void compute_async(KernelContext& context, Done done) override {
    const Tensor& index = context.input(0);
    if (index.rank() != 0) return done(absl::InvalidArgumentError("branch_index must be scalar"));
    const AttrValue* attr = context.node().attrs.find("branches");
    const auto* branches = attr == nullptr ? nullptr : attr->get<std::vector<FunctionRef>>();
    if (branches == nullptr || branches->empty()) {
      return done(absl::InvalidArgumentError("No attr named 'branches' that is a list of functions"));
    }
    // The last branch is for every number that no other has.
    const int32_t i = index.value<int32_t>();
    const auto n = static_cast<int32_t>(branches->size());
    const size_t chosen = static_cast<size_t>(i < 0 || i >= n ? n - 1 : i);
    call_with_inputs(context, &(*branches)[chosen], context.device()->name(), 1, std::move(done));
  }
};

template <class T>
bool is_nonzero(const Tensor& t) {
  return t.value<T>() != T(0);
}

}  // namespace

absl::StatusOr<bool> truth_of(const Tensor& t) {
  if (t.rank() > 0) return t.num_elements() > 0;
  switch (t.dtype()) {
    case DataType::kBool: return t.value<bool>();
    case DataType::kString: return !t.value<TString>().empty();
    case DataType::kFloat: return is_nonzero<float>(t);
    case DataType::kDouble: return is_nonzero<double>(t);
    case DataType::kHalf: return is_nonzero<Eigen::half>(t);
    case DataType::kBfloat16: return is_nonzero<Eigen::bfloat16>(t);
    case DataType::kInt8: return is_nonzero<int8_t>(t);
    case DataType::kInt16: return is_nonzero<int16_t>(t);
    case DataType::kInt32: return is_nonzero<int32_t>(t);
    case DataType::kInt64: return is_nonzero<int64_t>(t);
    case DataType::kUint8: return is_nonzero<uint8_t>(t);
    case DataType::kUint16: return is_nonzero<uint16_t>(t);
    case DataType::kUint32: return is_nonzero<uint32_t>(t);
    case DataType::kUint64: return is_nonzero<uint64_t>(t);
    case DataType::kComplex64: return is_nonzero<std::complex<float>>(t);
    case DataType::kComplex128: return is_nonzero<std::complex<double>>(t);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat(dtype_name(t.dtype()), " cannot be converted to a boolean"));
  }
}

void register_control_functional(KernelRegistry* registry) {
  registry->add(KernelDef("PartitionedCall").kernel<CallKernel>());
  registry->add(KernelDef("StatefulPartitionedCall").kernel<CallKernel>());
  for (const char* op : {"If", "StatelessIf"}) registry->add(KernelDef(op).kernel<IfKernel>());
  for (const char* op : {"Case", "StatelessCase"}) registry->add(KernelDef(op).kernel<CaseKernel>());
  registry->add(KernelDef("RemoteCall").kernel<RemoteCallKernel>());
}

}  // namespace troupe
