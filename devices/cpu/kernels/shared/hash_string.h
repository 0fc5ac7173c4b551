#pragma once

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"

namespace troupe {

/// FarmHash's Fingerprint64 (Geoff Pike, 2014): the same for all time and on every machine, so that values that were
/// hashed into a checkpoint or a data set keep their buckets.
uint64_t farm_fingerprint64(absl::string_view s);
/// Its Fingerprint128: the low and the high word.
std::pair<uint64_t, uint64_t> farm_fingerprint128(absl::string_view s);

/// SipHash-2-4 (Aumasson and Bernstein, 2012) under the key k0, k1.
uint64_t sip_hash(uint64_t k0, uint64_t k1, absl::string_view s);

/// MurmurHash64A (Austin Appleby) with the seed that StringToHashBucket uses.
uint64_t murmur_hash64(absl::string_view s);

}  // namespace troupe
