#include "devices/cpu/kernels/dataset/call.h"

#include <condition_variable>

#include "absl/strings/match.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/function_runner.h"
#include "graph/passes/function_body.h"

namespace troupe {
namespace {

/// Tells the seeded random ops of the function which iterator they work for.
FunctionRef scoped(const FunctionRef& function, int64_t scope) {
  return scope < 0 ? function : in_random_scope(function, scope);
}

}  // namespace

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
  context.functions->call(scoped(function, context.random_scope), context.device, std::move(args),
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

absl::StatusOr<Element> BoundFunction::call(const ElementContext& context, Element args) const {
  args.insert(args.end(), captured.begin(), captured.end());
  return call_and_wait(context, function, std::move(args));
}

absl::StatusOr<BoundFunction> bound_function(const KernelContext& context, const char* attr, int first,
                                             int end) {
  BoundFunction bound;
  if (first < 0 || end < first || end > context.num_inputs()) {
    return invalid("The inputs do not fit the function of attr ", attr);
  }
  TROUPE_ASSIGN_OR_RETURN(bound.function, context.node().attrs.get<FunctionRef>(attr));
  for (int i = first; i < end; ++i) bound.captured.push_back(context.input(i));
  return bound;
}

std::string dataset_label(const KernelContext& context) {
  // A message whose field 1 is the name; names are short, so that their length is one byte.
  const auto metadata = context.node().attrs.get_or<std::string>("metadata", "");
  if (metadata.size() > 2 && metadata[0] == 10 && metadata[1] > 0 &&
      metadata.size() >= 2 + static_cast<size_t>(metadata[1])) {
    return metadata.substr(2, static_cast<size_t>(metadata[1]));
  }
  return context.node().op->name;
}

absl::Status in_function_of(const std::string& label, const std::string& iterator,
                            const absl::Status& status) {
  // Which function it was is told already.
  absl::string_view message = status.message();
  const size_t end = message.find("}} ");
  if (absl::StartsWith(message, "{{function_node ") && end != absl::string_view::npos) {
    message.remove_prefix(end + 3);
  }
  return absl::Status(status.code(),
                      absl::StrCat("Error in user-defined function passed to ", label,
                                   " transformation with iterator: ", iterator, ": ", message));
}

absl::StatusOr<DatasetPtr> only_dataset(const Element& results) {
  if (results.size() != 1) return invalid("Function must return a single dataset.");
  if (DatasetPtr dataset = dataset_of(results[0])) return dataset;
  return invalid("Tensor must be a Dataset object.");
}

absl::StatusOr<int> list_length(const KernelContext& context, const char* attr) {
  TROUPE_ASSIGN_OR_RETURN(auto types, context.node().attrs.get<std::vector<DataType>>(attr));
  return static_cast<int>(types.size());
}

}  // namespace troupe
