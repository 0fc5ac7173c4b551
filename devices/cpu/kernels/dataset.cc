#include "devices/cpu/kernels/dataset.h"

#include <condition_variable>

#include "devices/cpu/kernels/array_util.h"
#include "devices/function_runner.h"

namespace troupe {
namespace {

/// A dataset on an edge.
class DatasetVariant final : public VariantValue {
 public:
  explicit DatasetVariant(DatasetPtr dataset) : dataset_(std::move(dataset)) {}
  std::string type_name() const override { return "tensorflow::DatasetVariantWrapper"; }
  const DatasetPtr& dataset() const { return dataset_; }

 private:
  const DatasetPtr dataset_;
};

}  // namespace

absl::Status ElementContext::check() const {
  return cancellation != nullptr && cancellation->cancelled() ? cancellation->reason() : absl::OkStatus();
}

DatasetPtr dataset_of(const Tensor& tensor) {
  if (tensor.dtype() != DataType::kVariant || tensor.num_elements() != 1) return nullptr;
  const DatasetVariant* variant = tensor.flat<Variant>()[0].get<DatasetVariant>();
  return variant == nullptr ? nullptr : variant->dataset();
}

absl::StatusOr<DatasetPtr> input_dataset(const KernelContext& context, int i) {
  if (DatasetPtr dataset = dataset_of(context.input(i))) return dataset;
  return invalid("Tensor must be a Dataset object.");
}

absl::StatusOr<int64_t> input_count(const KernelContext& context, int i, const char* name) {
  const Tensor& t = context.input(i);
  if (!is_scalar(t)) return invalid(name, " must be a scalar");
  return t.value<int64_t>();
}

absl::Status output_dataset(KernelContext& context, std::shared_ptr<Dataset> dataset) {
  const AttrMap& attrs = context.node().attrs;
  const char* types = attrs.find("Toutput_types") != nullptr ? "Toutput_types" : "output_types";
  TROUPE_ASSIGN_OR_RETURN(dataset->types, attrs.get<std::vector<DataType>>(types));
  TROUPE_ASSIGN_OR_RETURN(dataset->shapes, attrs.get<std::vector<PartialShape>>("output_shapes"));
  Tensor out(DataType::kVariant, Shape());
  out.flat<Variant>()[0] = Variant(std::make_shared<DatasetVariant>(std::move(dataset)));
  context.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::StatusOr<Element> call_and_wait(const ElementContext& context, const FunctionRef& function,
                                      Element args) {
  if (context.functions == nullptr) {
    return absl::FailedPreconditionError("A dataset that calls functions needs a session, which runs them");
  }
  struct Reply {
    std::mutex mu;
    std::condition_variable came;
    bool there = false;
    absl::Status status;
    Element results;
  };
  auto reply = std::make_shared<Reply>();
  context.functions->call(function, context.device, std::move(args),
                          [reply](absl::Status status, std::vector<Tensor> results) {
                            std::lock_guard lock(reply->mu);
                            reply->status = std::move(status);
                            reply->results = std::move(results);
                            reply->there = true;
                            reply->came.notify_all();
                          });
  std::unique_lock lock(reply->mu);
  // Answered on every path, also when the step is cancelled.
  reply->came.wait(lock, [&] { return reply->there; });
  TROUPE_RETURN_IF_ERROR(reply->status);
  return std::move(reply->results);
}

}  // namespace troupe
