// Random ops whose generator lives in a resource variable.
#include <mutex>
#include <random>

#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/random/rng_state.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/variable.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Numbers of the state that make up a Philox generator: two of the counter, one of the key.
constexpr int64_t kPhiloxWords = 3;

/// The counter after `blocks` more. A count whose upper half is all ones, as that of a negative delta, and whose lower half
/// carries does not reach the counter's upper half: so it is in TensorFlow.
void advance(int64_t* state, uint64_t blocks) {
  const uint64_t low = static_cast<uint64_t>(state[0]);
  const uint64_t sum = low + blocks;
  const bool low_word_carries = static_cast<uint32_t>(sum) < static_cast<uint32_t>(blocks);
  state[0] = static_cast<int64_t>(sum);
  if (sum < blocks && !(blocks >> 32 == 0xffffffff && low_word_carries)) {
    state[1] = static_cast<int64_t>(static_cast<uint64_t>(state[1]) + 1);
  }
}

absl::Status check_state(const Tensor& state, int64_t from, absl::string_view algorithm) {
  if (state.num_elements() < from + kPhiloxWords) {
    return invalid("For ", algorithm, " algorithm, the size of state must be at least ", from + kPhiloxWords,
                   "; got ", state.num_elements());
  }
  return absl::OkStatus();
}

/// The variable in input `i`, when it can be a state of some generator at all.
absl::StatusOr<std::shared_ptr<Var>> state_variable(const KernelContext& context, int i) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, i));
  std::shared_lock lock(var->mu());
  const Tensor& state = var->locked();
  if (!state.initialized()) {
    return absl::FailedPreconditionError("Attempting to use an uninitialized variable as RNG state.");
  }
  if (state.dtype() != DataType::kInt64) {
    return invalid("dtype of RNG state variable must be int64, not ", dtype_name(state.dtype()));
  }
  if (state.rank() != 1) {
    return invalid("RNG state must have one and only one dimension, not ", state.rank());
  }
  return var;
}

absl::StatusOr<Philox> take(const KernelContext& context, Var& var, int64_t from, uint64_t blocks,
                            absl::string_view algorithm) {
  std::unique_lock lock(var.mu());
  if (var.locked().initialized()) TROUPE_RETURN_IF_ERROR(check_state(var.locked(), from, algorithm));
  TROUPE_ASSIGN_OR_RETURN(Tensor * state, var.writable(context.allocator()));
  int64_t* words = state->flat<int64_t>().data() + from;
  const Philox generator(static_cast<uint64_t>(words[2]), static_cast<uint64_t>(words[0]),
                         static_cast<uint64_t>(words[1]));
  advance(words, blocks);
  return generator;
}

/// Unimplemented for ThreeFry, InvalidArgument for numbers that mean nothing.
absl::Status check_algorithm(int64_t id) {
  if (id == kRngPhilox || id == kRngAutoSelect) return absl::OkStatus();
  if (id == kRngThreeFry) {
    return absl::UnimplementedError("Non-XLA devices don't support the ThreeFry algorithm.");
  }
  return invalid("Unsupported algorithm id: ", id);
}

absl::Status check_scalar_input(const KernelContext& context, int i) {
  if (is_scalar(context.input(i))) return absl::OkStatus();
  return invalid("input ", i, " (0-based) must have shape [], not ", context.input(i).shape().to_string());
}

/// The generator of a random op with `outputs` results: inputs resource and algorithm.
absl::StatusOr<Philox> take_for_outputs(const KernelContext& context, int64_t outputs) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, state_variable(context, 0));
  TROUPE_RETURN_IF_ERROR(check_algorithm(context.input(1).value<int64_t>()));
  return take(context, *var, 0, static_cast<uint64_t>(outputs) * kSamplesPerOutput, "the Philox");
}

template <RandomKind kKind>
absl::Status floats(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_scalar_input(context, 1));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(2)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Philox g, take_for_outputs(context, out->num_elements()));
  fill_random(context, kKind, g, out);
  return absl::OkStatus();
}

absl::Status full_int(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_scalar_input(context, 1));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(2)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Philox g, take_for_outputs(context, out->num_elements()));
  fill_random_bits(context, g, out);
  return absl::OkStatus();
}

absl::Status uniform_int(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_scalar_input(context, 1));
  const Tensor& low = context.input(3);
  const Tensor& high = context.input(4);
  if (!is_scalar(low)) return invalid("minval must be 0-D, got shape ", low.shape().to_string());
  if (!is_scalar(high)) return invalid("maxval must be 0-D, got shape ", high.shape().to_string());
  // Before the state moves on.
  const int64_t from = int_at(low, 0), to = int_at(high, 0);
  if (from >= to) return invalid("Need minval < maxval, got ", from, " >= ", to);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(2)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Philox g, take_for_outputs(context, out->num_elements()));
  return fill_random_range(context, g, low, high, out);
}

/// The first form of the op, whose state begins with the algorithm.
absl::Status standard_normal_v1(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(1)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, state_variable(context, 0));
  const Tensor state = var->snapshot();
  if (state.num_elements() < 1) return invalid("Size of tensor must be at least 1");
  TROUPE_RETURN_IF_ERROR(check_algorithm(state.flat<int64_t>()[0]));
  TROUPE_ASSIGN_OR_RETURN(
      Philox g,
      take(context, *var, 1, static_cast<uint64_t>(out->num_elements()) * kSamplesPerOutput, "the Philox"));
  fill_random(context, RandomKind::kNormal, g, out);
  return absl::OkStatus();
}

absl::Status rng_skip(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_scalar_input(context, 1));
  TROUPE_RETURN_IF_ERROR(check_scalar_input(context, 2));
  const uint64_t delta = static_cast<uint64_t>(context.input(2).value<int64_t>());
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, state_variable(context, 0));
  TROUPE_RETURN_IF_ERROR(check_algorithm(context.input(1).value<int64_t>()));
  return take(context, *var, 0, delta * kSamplesPerOutput, "the Philox").status();
}

absl::Status rng_read_and_skip(KernelContext& context) {
  TROUPE_RETURN_IF_ERROR(check_scalar_input(context, 1));
  TROUPE_RETURN_IF_ERROR(check_scalar_input(context, 2));
  const uint64_t delta = context.input(2).value<uint64_t>();
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, state_variable(context, 0));
  TROUPE_RETURN_IF_ERROR(check_algorithm(context.input(1).value<int32_t>()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{kPhiloxWords}));
  TROUPE_ASSIGN_OR_RETURN(Philox g, take(context, *var, 0, delta * kSamplesPerOutput, "the Philox"));
  auto words = out->flat<int64_t>();
  words[0] = static_cast<int64_t>(g.counter_low());
  words[1] = static_cast<int64_t>(g.counter_high());
  words[2] = static_cast<int64_t>(g.key());
  return absl::OkStatus();
}

absl::Status non_deterministic_ints(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  std::random_device random;
  auto word = [&] { return (uint64_t{random()} << 32) | random(); };
  const uint64_t key = word(), low = word(), high = word();
  fill_random_bits(context, Philox(key, low, high), out);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Philox> take_from_state(const KernelContext& context, int i, int64_t from, uint64_t blocks) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, state_variable(context, i));
  return take(context, *var, from, blocks, "Philox");
}

void register_random_rng_resource(KernelRegistry* r) {
  const std::vector<DataType> ints = {DataType::kInt32, DataType::kInt64, DataType::kUint32,
                                      DataType::kUint64};
  auto add = [r](const char* op, KernelFn fn, std::vector<DataType> types) {
    r->add(KernelDef(op).types("dtype", std::move(types)).types("shape_dtype", index_types()).fn(fn));
  };
  add("StatefulUniform", floats<RandomKind::kUniform>, float_types());
  add("StatefulStandardNormalV2", floats<RandomKind::kNormal>, float_types());
  add("StatefulTruncatedNormal", floats<RandomKind::kTruncatedNormal>, float_types());
  add("StatefulStandardNormal", standard_normal_v1, float_types());
  add("StatefulUniformFullInt", full_int, ints);
  add("StatefulUniformInt", uniform_int, index_types());
  add("NonDeterministicInts", non_deterministic_ints, ints);
  r->add(KernelDef("RngSkip").fn(rng_skip, true));
  r->add(KernelDef("RngReadAndSkip").fn(rng_read_and_skip, true));
}

}  // namespace troupe
