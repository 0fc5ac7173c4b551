// Iterators as values that checkpoints hold: SerializeIterator, DeserializeIterator.

#include "devices/checkpoint/coding.h"
#include "devices/cpu/kernels/dataset/graph.h"
#include "devices/cpu/kernels/dataset/iterator_resource.h"
#include "devices/cpu/kernels/dataset/iterator_threads.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

/// What the variant holds: numbers, with the dataset's name behind its length.
constexpr char kTypeName[] = "troupe::IteratorState";
constexpr uint64_t kFormatVersion = 1;

std::string encode(const IteratorState& state) {
  std::string out;
  for (const uint64_t n : {kFormatVersion, state.asked, uint64_t{state.dataset.size()}})
    put_varint64(&out, n);
  out += state.dataset;
  put_varint64(&out, state.orders.size());
  for (const OrderSource::State& order : state.orders) {
    for (const uint64_t n : {order.seed, order.seed2, order.passes}) put_varint64(&out, n);
  }
  return out;
}

/// False when the bytes are no state.
bool decode(absl::string_view in, IteratorState* state) {
  uint64_t version = 0, length = 0, orders = 0;
  if (!take_varint64(&in, &version) || version != kFormatVersion) return false;
  if (!take_varint64(&in, &state->asked) || !take_varint64(&in, &length) || length > in.size()) return false;
  state->dataset = std::string(in.substr(0, length));
  in.remove_prefix(length);
  // Each order takes three bytes at least.
  if (!take_varint64(&in, &orders) || orders > in.size() / 3) return false;
  state->orders.resize(orders);
  for (OrderSource::State& order : state->orders) {
    if (!take_varint64(&in, &order.seed) || !take_varint64(&in, &order.seed2) ||
        !take_varint64(&in, &order.passes)) {
      return false;
    }
  }
  return in.empty();
}

absl::Status serialize(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const auto iterator, lookup_resource<IteratorResource>(context, 0));
  TROUPE_ASSIGN_OR_RETURN(const IteratorState state, iterator->state());
  // 2: fail. Otherwise what functions keep elsewhere is not saved.
  if (context.node().attrs.get_or<int64_t>("external_state_policy", 0) == 2) {
    const DatasetPtr dataset = iterator->dataset();
    TROUPE_ASSIGN_OR_RETURN(const auto library, functions_of_step(context.step().functions));
    const absl::StatusOr<Graph> graph = graph_of_dataset(*dataset, library);
    // Elements that are no values are no functions either.
    if (graph.ok()) TROUPE_RETURN_IF_ERROR(check_external_state(*graph));
  }
  Tensor out(DataType::kVariant, Shape{1});
  out.flat<Variant>()[0] =
      Variant(std::make_shared<OpaqueVariant>(kTypeName, encode(state), std::vector<Tensor>()));
  context.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status deserialize(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const auto iterator, lookup_resource<IteratorResource>(context, 0));
  const Tensor& in = context.input(1);
  const Variant held = in.num_elements() == 1 ? in.flat<Variant>()[0] : Variant();
  std::string bytes;
  std::vector<Tensor> tensors;
  if (held.empty() || held.value()->type_name() != kTypeName || !held.value()->serialize(&bytes, &tensors)) {
    return invalid("`serialized` must hold the state of an iterator, but holds ",
                   held.empty() ? "none" : held.value()->type_name(), " in shape ", in.shape().to_string());
  }
  IteratorState state;
  if (!decode(bytes, &state)) return absl::DataLossError("The state of an iterator is malformed");
  return iterator->restore(element_context(context), state);
}

}  // namespace

void register_dataset_iterator_state(KernelRegistry* registry) {
  registry->add(KernelDef("SerializeIterator").fn(serialize, /*cheap=*/true));
  add_waiting_kernel(registry, "DeserializeIterator", deserialize);
}

}  // namespace troupe
