// StringToHashBucket, StringToHashBucketFast, StringToHashBucketStrong, Fingerprint.
#include <array>
#include <cstring>
#include <vector>

#include "devices/cpu/kernels/shared/hash_string.h"
#include "devices/cpu/kernels/string/util.h"

namespace troupe {
namespace {

enum class Hash { kMurmur, kFarm, kSip };

template <Hash kHash>
class HashBucketKernel final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t buckets, c.attr<int64_t>("num_buckets"));
    if (buckets < 1) return invalid("num_buckets must be positive, got ", buckets);
    buckets_ = static_cast<uint64_t>(buckets);
    if constexpr (kHash == Hash::kSip) {
      TROUPE_ASSIGN_OR_RETURN(std::vector<int64_t> key, c.attr<std::vector<int64_t>>("key"));
      if (key.size() != 2) return invalid("Key must have 2 elements");
      k0_ = static_cast<uint64_t>(key[0]);
      k1_ = static_cast<uint64_t>(key[1]);
    }
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, input.shape()));
    auto in = input.flat<TString>();
    auto out = output->flat<int64_t>();
    context.parallel().parallel_for(static_cast<int64_t>(in.size()), kStringNs / 4,
                                    [&](int64_t begin, int64_t end) {
                                      for (int64_t i = begin; i < end; ++i)
                                        out[i] = static_cast<int64_t>(hash(in[i].view()) % buckets_);
                                    });
    return absl::OkStatus();
  }

 private:
  uint64_t hash(absl::string_view s) const {
    if constexpr (kHash == Hash::kMurmur) return murmur_hash64(s);
    if constexpr (kHash == Hash::kFarm) return farm_fingerprint64(s);
    return sip_hash(k0_, k1_, s);
  }

  uint64_t buckets_ = 1;
  uint64_t k0_ = 0, k1_ = 0;
};

/// Eight bytes a row of dimension 0. A row of several strings is hashed by its strings' fingerprints.
absl::Status fingerprint(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& method = context.input(1);
  if (data.rank() < 1)
    return invalid("`data` should have at least one dimension: ", data.shape().to_string());
  if (method.rank() != 0) return invalid("`method` should be a scalar string: ", method.shape().to_string());
  if (method.value<TString>().view() != "farmhash64") {
    return invalid("Unsupported fingerprint method: ", method.value<TString>().view());
  }
  const int64_t rows = data.dim(0);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(std::array<int64_t, 2>{rows, 8}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * output, context.allocate_output(0, shape));
  const int64_t per_row = count_dims(data.shape(), 1, data.rank());
  uint8_t* out = output->flat<uint8_t>().data();
  std::vector<uint64_t> parts;
  for (int64_t r = 0; r < rows; ++r) {
    uint64_t print = 0;
    if (data.dtype() == DataType::kString) {
      auto in = data.flat<TString>();
      if (data.rank() == 1) {
        print = farm_fingerprint64(in[r].view());
      } else {
        parts.clear();
        for (int64_t i = 0; i < per_row; ++i) parts.push_back(farm_fingerprint64(in[r * per_row + i].view()));
        print = farm_fingerprint64(
            {reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof(uint64_t)});
      }
    } else {
      const size_t bytes = static_cast<size_t>(per_row) * dtype_size(data.dtype());
      const char* from =
          bytes == 0 ? nullptr : static_cast<const char*>(data.raw()) + static_cast<size_t>(r) * bytes;
      print = farm_fingerprint64({from, bytes});
    }
    std::memcpy(out + 8 * r, &print, sizeof(print));
  }
  return absl::OkStatus();
}

}  // namespace

void register_string_hash(KernelRegistry* registry) {
  registry->add(KernelDef("StringToHashBucket").kernel<HashBucketKernel<Hash::kMurmur>>());
  registry->add(KernelDef("StringToHashBucketFast").kernel<HashBucketKernel<Hash::kFarm>>());
  registry->add(KernelDef("StringToHashBucketStrong").kernel<HashBucketKernel<Hash::kSip>>());
  registry->add(
      KernelDef("Fingerprint")
          .types("T", with(value_types(), {DataType::kQint8, DataType::kQuint8, DataType::kQint16,
                                           DataType::kQuint16, DataType::kQint32, DataType::kFloat8E5m2,
                                           DataType::kFloat8E4m3fn, DataType::kInt4, DataType::kUint4}))
          .fn(fingerprint));
}

}  // namespace troupe
