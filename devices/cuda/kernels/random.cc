#include "devices/cuda/kernels/random.h"

#include <mutex>
#include <random>

#include "devices/common/array_values.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/host_kernel.h"
#include "devices/cuda/kernels/source/philox.h"

namespace troupe {
namespace {
using launchable::kSamplesPerOutput;
using launchable::Philox;

/// A generator that continues from run to run. Thread-safe.
class SharedPhilox {
 public:
  /// Of attrs `seed` and `seed2`; both 0 stand for a seed that nobody knows.
  explicit SharedPhilox(const AttrMap& attrs) {
    auto seed = static_cast<uint64_t>(attrs.get_or<int64_t>("seed", 0));
    auto seed2 = static_cast<uint64_t>(attrs.get_or<int64_t>("seed2", 0));
    if (seed == 0 && seed2 == 0) {
      std::random_device random;
      seed = (uint64_t{random()} << 32) | random();
      seed2 = (uint64_t{random()} << 32) | random();
    }
    generator_ = {seed, 0, seed2};
  }
  /// The generator as it is, while this one moves on by what `outputs` numbers of any need take.
  Philox reserve(int64_t outputs) {
    std::lock_guard lock(mu_);
    const Philox g = generator_;
    generator_.skip(static_cast<uint64_t>(outputs) * kSamplesPerOutput);
    return g;
  }

 private:
  std::mutex mu_;
  // Guarded by mu_.
  Philox generator_;
};

absl::StatusOr<Shape> shape_of_vector(const Tensor& t) {
  if (t.rank() != 1)
    return invalid("shape must be a vector of {int32,int64}, got shape ", t.shape().to_string());
  const Indices dims = ints_of(t);
  for (int64_t d : dims) {
    if (d < 0) return invalid("Dimension ", d, " must be >= 0");
  }
  return Shape::make(std::span<const int64_t>(dims.data(), dims.size()));
}

/// One block of a fixed key scrambles the seed pair.
absl::StatusOr<Philox> philox_of_seed(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2)
    return invalid("seed must have shape [2], not ", seed.shape().to_string());
  constexpr uint64_t kScramblingKey = 0x02461e293ec8f720;
  Philox scrambler = {kScramblingKey, static_cast<uint64_t>(int_at(seed, 0)),
                      static_cast<uint64_t>(int_at(seed, 1))};
  const Philox::Block b = scrambler();
  return Philox{(uint64_t{b.words[1]} << 32) | b.words[0], 0, (uint64_t{b.words[3]} << 32) | b.words[2]};
}

/// Of the inputs key, counter and alg, which start at input `i`.
absl::StatusOr<Philox> philox_of_key(const KernelContext& c, int i) {
  const Tensor &key = c.input(i), &counter = c.input(i + 1), &alg = c.input(i + 2);
  if (alg.rank() != 0) return invalid("algorithm must be of shape [], not ", alg.shape().to_string());
  const int32_t id = alg.value<int32_t>();
  if (id != 1 && id != 3) return invalid("Unsupported algorithm id: ", id);
  if (key.rank() != 1 || key.dim(0) != 1)
    return invalid("key must have shape [1], not ", key.shape().to_string());
  if (counter.rank() != 1 || counter.dim(0) < 2) {
    return invalid("counter must be a vector with length at least 2 for the Philox algorithm; got ",
                   counter.shape().to_string());
  }
  return Philox{key.flat<uint64_t>()[0], counter.flat<uint64_t>()[0], counter.flat<uint64_t>()[1]};
}

/// One thread a block of numbers.
int64_t blocks_of(const Tensor& out) {
  const int64_t each = dtype_size(out.dtype()) == 8 ? 2 : 4;
  return (out.num_elements() + each - 1) / each;
}

absl::Status fill(KernelContext& c, const char* kernel, DataType as, const Philox& generator, Tensor* out) {
  return enqueue(c, with_suffix(kernel, as), blocks_of(*out), out->raw(), out->num_elements(), generator);
}

absl::Status fill_bits(KernelContext& c, const Philox& generator, Tensor* out) {
  return fill(c, "random_bits", dtype_size(out->dtype()) == 8 ? DataType::kUint64 : DataType::kUint32,
              generator, out);
}

template <class T>
absl::Status fill_range_of(KernelContext& c, const Philox& generator, const Tensor& low, const Tensor& high,
                           Tensor* out) {
  using U = std::make_unsigned_t<T>;
  const T from = low.value<T>(), to = high.value<T>();
  if (out->num_elements() == 0) return absl::OkStatus();
  if (!(from < to)) return invalid("Need minval < maxval, got ", from, " >= ", to);
  const U range = static_cast<U>(static_cast<U>(to) - static_cast<U>(from));
  return enqueue(c, with_suffix("random_range", dtype_of<U>()), blocks_of(*out), out->raw(),
                 out->num_elements(), generator, static_cast<U>(from), range);
}

absl::Status fill_range(KernelContext& c, const Philox& generator, const Tensor& low, const Tensor& high,
                        Tensor* out) {
  if (low.rank() != 0) return invalid("minval must be 0-D, got shape ", low.shape().to_string());
  if (high.rank() != 0) return invalid("maxval must be 0-D, got shape ", high.shape().to_string());
  if (out->dtype() == DataType::kInt32) return fill_range_of<int32_t>(c, generator, low, high, out);
  return fill_range_of<int64_t>(c, generator, low, high, out);
}

struct Uniform {
  static constexpr char kKernel[] = "random_uniform";
};
struct Normal {
  static constexpr char kKernel[] = "random_normal";
};
struct TruncatedNormal {
  static constexpr char kKernel[] = "random_truncated";
};

/// A kernel with a stream of its own.
class StatefulKernel : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    stream_ = std::make_unique<SharedPhilox>(c.node().attrs);
    return absl::OkStatus();
  }

 protected:
  std::unique_ptr<SharedPhilox> stream_;
};

template <class Kind>
class StatefulFloats final : public StatefulKernel {
 public:
  absl::Status compute(KernelContext& c) override {
    TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(c.input(0)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
    return fill(c, Kind::kKernel, out->dtype(), stream_->reserve(out->num_elements()), out);
  }
};

class StatefulInts final : public StatefulKernel {
 public:
  absl::Status compute(KernelContext& c) override {
    TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(c.input(0)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
    return fill_range(c, stream_->reserve(out->num_elements()), c.input(1), c.input(2), out);
  }
};

/// kV2: inputs key, counter and alg in the place of seed.
template <bool kV2>
absl::StatusOr<Philox> generator_of(const KernelContext& c) {
  if constexpr (kV2) return philox_of_key(c, 1);
  return philox_of_seed(c.input(1));
}

template <class Kind, bool kV2>
absl::Status stateless_floats(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_of<kV2>(c));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(c.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
  return fill(c, Kind::kKernel, out->dtype(), g, out);
}

template <bool kV2>
absl::Status stateless_bits(KernelContext& c) {
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_of<kV2>(c));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(c.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
  return fill_bits(c, g, out);
}

template <bool kV2>
absl::Status stateless_ints(KernelContext& c) {
  constexpr int kLow = kV2 ? 4 : 2;
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_of<kV2>(c));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(c.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
  return fill_range(c, g, c.input(kLow), c.input(kLow + 1), out);
}

/// One version of the stateless ops.
template <bool kV2>
void add_stateless(KernelRegistry* r, const std::string& version) {
  const std::vector<std::string> generator = kV2 ? std::vector<std::string>{"shape", "key", "counter", "alg"}
                                                 : std::vector<std::string>{"shape", "seed"};
  std::vector<std::string> with_range = generator;
  with_range.insert(with_range.end(), {"minval", "maxval"});
  auto add = [&](const char* op, std::vector<DataType> types, const std::vector<std::string>& on_host,
                 KernelFn fn) {
    r->add(
        KernelDef(op + version).device("GPU").types("dtype", std::move(types)).host_memory(on_host).fn(fn));
  };
  add("StatelessRandomUniform", float_types(), generator, stateless_floats<Uniform, kV2>);
  add("StatelessRandomNormal", float_types(), generator, stateless_floats<Normal, kV2>);
  add("StatelessTruncatedNormal", float_types(), generator, stateless_floats<TruncatedNormal, kV2>);
  add("StatelessRandomUniformFullInt", with(index_types(), {DataType::kUint32, DataType::kUint64}), generator,
      stateless_bits<kV2>);
  add("StatelessRandomUniformInt", index_types(), with_range, stateless_ints<kV2>);
}

template <class Kind>
void add_stateful(KernelRegistry* r, const char* op) {
  r->add(KernelDef(op)
             .device("GPU")
             .types("dtype", float_types())
             .host_memory({"shape"})
             .template kernel<StatefulFloats<Kind>>());
}

}  // namespace

void register_cuda_random_kernels(KernelRegistry* r) {
  add_stateful<Uniform>(r, "RandomUniform");
  add_stateful<Normal>(r, "RandomStandardNormal");
  add_stateful<TruncatedNormal>(r, "TruncatedNormal");
  r->add(KernelDef("RandomUniformInt")
             .device("GPU")
             .types("Tout", index_types())
             .host_memory({"shape", "minval", "maxval"})
             .kernel<StatefulInts>());
  add_stateless<false>(r, "");
  add_stateless<true>(r, "V2");
  auto on_host = [r](const char* op, std::vector<std::string> args) {
    add_host_kernel(r, KernelDef(op).device("GPU").host_memory(std::move(args)));
  };
  on_host("StatelessRandomGetKeyCounter", {"seed", "key", "counter"});
  on_host("StatelessRandomGetKeyCounterAlg", {"seed", "key", "counter", "alg"});
  on_host("StatelessRandomGetAlg", {"alg"});
}

}  // namespace troupe
