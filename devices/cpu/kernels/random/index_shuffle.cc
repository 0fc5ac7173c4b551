// RandomIndexShuffle: where an index goes in a random permutation, without making the permutation.
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/shuffled_index.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

uint64_t bits_at(const Tensor& t, int64_t i) {
  return t.dtype() == DataType::kUint64 ? t.flat<uint64_t>()[static_cast<size_t>(i)]
                                        : static_cast<uint64_t>(int_at(t, i));
}

void set_bits(Tensor* t, int64_t i, uint64_t value) {
  const size_t at = static_cast<size_t>(i);
  switch (t->dtype()) {
    case DataType::kInt32: t->flat<int32_t>()[at] = static_cast<int32_t>(value); break;
    case DataType::kUint32: t->flat<uint32_t>()[at] = static_cast<uint32_t>(value); break;
    case DataType::kInt64: t->flat<int64_t>()[at] = static_cast<int64_t>(value); break;
    default: t->flat<uint64_t>()[at] = value;
  }
}

/// Elements of a scalar or vector; -1 for what is neither.
int64_t count_of(const Tensor& t) { return t.rank() == 0 ? 1 : t.rank() == 1 ? t.dim(0) : -1; }

absl::Status check_inputs(const Tensor& index, const Tensor& seed, const Tensor& max_index, int64_t* count) {
  const int64_t indices = count_of(index), ends = count_of(max_index);
  const int64_t seeds = seed.rank() == 1 ? 1 : seed.rank() == 2 ? seed.dim(0) : -1;
  *count = std::max({indices, ends, seeds});
  if (indices < 0) return invalid("Index bust be a scalar or vector.");
  if (seed.rank() < 1 || seed.rank() > 2 || seed.dim(seed.rank() - 1) != 3) {
    return invalid("Seed must be a vector of size [3] or a matrix of size [", *count, ", 3] but got ",
                   seed.shape().to_string(), ".");
  }
  if (ends < 0) return invalid("Index bust be a scalar or vector.");
  auto fits = [count](int64_t n) { return n == 1 || n == *count; };
  if (!fits(indices) || !fits(ends) || !fits(seeds)) return invalid("Index bust be a scalar or vector.");
  return absl::OkStatus();
}

absl::Status index_shuffle(KernelContext& context) {
  const Tensor& index = context.input(0);
  const Tensor& seed = context.input(1);
  const Tensor& max_index = context.input(2);
  const int64_t rounds = context.node().attrs.get_or<int64_t>("rounds", 4);
  int64_t count = 0;
  TROUPE_RETURN_IF_ERROR(check_inputs(index, seed, max_index, &count));
  constexpr int64_t kMaxRounds = 1 << 20;
  if (rounds > kMaxRounds) return invalid("rounds must be at most ", kMaxRounds, ", got ", rounds);
  const bool alone = index.rank() == 0 && max_index.rank() == 0 && seed.rank() == 1;
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, alone ? Shape() : Shape{count}));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = seed.rank() == 1 || seed.dim(0) == 1 ? 0 : i * 3;
    uint32_t key[3];
    for (int k = 0; k < 3; ++k) key[k] = static_cast<uint32_t>(bits_at(seed, row + k));
    const uint64_t at = bits_at(index, index.num_elements() == 1 ? 0 : i);
    const uint64_t end = bits_at(max_index, max_index.num_elements() == 1 ? 0 : i);
    if (at > end) return invalid("Index ", at, " must not be greater than max_index ", end, ".");
    set_bits(out, i, shuffled_index(at, key, end, rounds));
  }
  return absl::OkStatus();
}

}  // namespace

void register_random_index_shuffle(KernelRegistry* r) {
  r->add(KernelDef("RandomIndexShuffle")
             .types("dtype", {DataType::kInt32, DataType::kInt64, DataType::kUint32, DataType::kUint64})
             .fn(index_shuffle));
}

}  // namespace troupe
