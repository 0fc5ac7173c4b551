#include "devices/cpu/kernels/shared/random_stream.h"

#include <random>

#include "devices/cpu/kernels/shared/array_util.h"
#include "graph/passes/function_body.h"

namespace troupe {

SharedPhilox::Start SharedPhilox::from_attrs(const KernelConstruction& c) {
  const AttrMap& attrs = c.node().attrs;
  uint64_t seed = static_cast<uint64_t>(attrs.get_or<int64_t>("seed", 0));
  uint64_t seed2 = static_cast<uint64_t>(attrs.get_or<int64_t>("seed2", 0));
  if (seed == 0 && seed2 == 0) {
    std::random_device random;
    seed = (uint64_t{random()} << 32) | random();
    seed2 = (uint64_t{random()} << 32) | random();
    return Philox(seed, seed2);
  }
  Start start(Philox(seed, seed2));
  start.rounds = RandomScope::rounds_of(attrs.get_or<int64_t>(kRandomScopeAttr, -1));
  return start;
}

absl::StatusOr<Philox> philox_of_seed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2) {
    return invalid("seed must have shape [2], not ", seed.shape().to_string());
  }
  uint64_t pair[2];
  for (int i = 0; i < 2; ++i) {
    pair[i] =
        seed.dtype() == DataType::kUint64 ? seed.flat<uint64_t>()[i] : static_cast<uint64_t>(int_at(seed, i));
  }
  constexpr uint64_t kScramblingKey = 0x02461e293ec8f720;
  const Philox::Block mixed = Philox(kScramblingKey, pair[0], pair[1])();
  return Philox((uint64_t{mixed[1]} << 32) | mixed[0], 0, (uint64_t{mixed[3]} << 32) | mixed[2]);
}

}  // namespace troupe
