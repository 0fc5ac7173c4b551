// Random ops with a stream of their own, which continues from run to run.
#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

/// A kernel with a stream. D::run(context, stream) does the work.
template <class D>
class StatefulRandom final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return std::make_unique<StatefulRandom>(SharedPhilox::from_attrs(c));
  }
  explicit StatefulRandom(SharedPhilox::Start start) : stream_(std::move(start)) {}
  absl::Status compute(KernelContext& context) override { return D::run(context, stream_); }

 private:
  SharedPhilox stream_;
};

template <RandomKind kKind>
struct Floats {
  static absl::Status run(KernelContext& context, SharedPhilox& stream) {
    TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(0)));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    fill_random(context, kKind, stream.reserve_outputs(out->num_elements()), out);
    return absl::OkStatus();
  }
};

struct UniformInt {
  static absl::Status run(KernelContext& context, SharedPhilox& stream) {
    TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(0)));
    const Tensor& low = context.input(1);
    const Tensor& high = context.input(2);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    Philox g = out->num_elements() == 0 ? Philox() : stream.reserve_outputs(out->num_elements());
    return fill_random_range(context, g, low, high, out);
  }
};

/// The shape given, followed by that of the parameters.
absl::StatusOr<Shape> sample_shape(const Tensor& given, const Shape& parameters) {
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(given));
  std::vector<int64_t> dims = shape.to_vector();
  dims.insert(dims.end(), parameters.dims().begin(), parameters.dims().end());
  return Shape::make(dims);
}

struct Gamma {
  static absl::Status run(KernelContext& context, SharedPhilox& stream) {
    const Tensor& alphas = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, sample_shape(context.input(0), alphas.shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    return fill_gamma(context, stream.reserve_outputs(out->num_elements()), alphas, out);
  }
};

struct Poisson {
  static absl::Status run(KernelContext& context, SharedPhilox& stream) {
    const Tensor& rates = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, sample_shape(context.input(0), rates.shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    return fill_poisson(context, stream.reserve_outputs(out->num_elements()), rates, out);
  }
};

struct Multinomial {
  static absl::Status run(KernelContext& context, SharedPhilox& stream) {
    const Tensor& logits = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(int64_t samples, check_multinomial(logits, context.input(1)));
    const int64_t dims[2] = {logits.dim(0), samples};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    // Each choice takes a double, which is two samples.
    Philox g = stream.reserve_outputs(logits.dim(0) * ((samples + 3) / 4 * 4) * 2);
    return fill_multinomial(g, logits, samples, out);
  }
};

/// Parameters are scalars, or vectors with one element for each index of the first dimension.
struct ParameterizedTruncatedNormal {
  static absl::Status run(KernelContext& context, SharedPhilox& stream) {
    static constexpr const char* kNames[4] = {"means", "stdevs", "minvals", "maxvals"};
    TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(0)));
    if (shape.rank() < 1)
      return invalid("Shape tensor must not be empty, got ", context.input(0).shape().to_string());
    const Tensor* parameters[4];
    int64_t rows = 1;
    for (int k = 0; k < 4; ++k) {
      parameters[k] = &context.input(k + 1);
      const Tensor& p = *parameters[k];
      if (p.rank() > 1)
        return invalid(kNames[k], " should be a scalar or vector, got shape: ", p.shape().to_string());
      if (p.num_elements() != 1 && p.num_elements() != shape.dim(0)) {
        return invalid(kNames[k], " must have length 1 or equal to the number of batches, got shape: ",
                       p.shape().to_string());
      }
      rows = std::max(rows, p.num_elements());
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    // Rows of the same parameters are split anew, into parts of a hundred.
    constexpr int64_t kPart = 100;
    const int64_t parts = rows == 1 ? (out->num_elements() + kPart - 1) / kPart : shape.dim(0);
    const int64_t part_elements = rows == 1 ? kPart : out->num_elements() / shape.dim(0);
    constexpr int64_t kSamplesEach = 2 * 1000;  // two numbers an iteration, at most so many iterations
    Philox g = stream.reserve(static_cast<uint64_t>(parts * kSamplesEach * (part_elements + 3) / 4));
    return fill_bounded_normal(g, parameters, out);
  }
};

struct Shuffle {
  static absl::Status run(KernelContext& context, SharedPhilox& stream) {
    const Tensor& in = context.input(0);
    if (in.rank() == 0 || in.num_elements() <= 1 || in.dim(0) <= 1) {
      context.forward_input(0, 0);
      return absl::OkStatus();
    }
    return shuffle_rows(context, stream.reserve(static_cast<uint64_t>((in.dim(0) - 1 + 3) / 4)), in);
  }
};

template <class D>
KernelDef stateful(const char* op) {
  return KernelDef(op).kernel<StatefulRandom<D>>();
}

}  // namespace

void register_random_stateful(KernelRegistry* r) {
  const std::vector<DataType> wide = {DataType::kHalf, DataType::kFloat, DataType::kDouble};
  const std::vector<DataType> counts = {DataType::kHalf, DataType::kFloat, DataType::kDouble,
                                        DataType::kInt32, DataType::kInt64};
  r->add(stateful<Floats<RandomKind::kUniform>>("RandomUniform").types("dtype", float_types()));
  r->add(stateful<Floats<RandomKind::kNormal>>("RandomStandardNormal").types("dtype", float_types()));
  r->add(stateful<Floats<RandomKind::kTruncatedNormal>>("TruncatedNormal").types("dtype", float_types()));
  r->add(stateful<UniformInt>("RandomUniformInt").types("Tout", index_types()));
  r->add(stateful<Gamma>("RandomGamma").types("T", float_types()));
  r->add(stateful<Poisson>("RandomPoisson").types("dtype", wide));
  r->add(stateful<Poisson>("RandomPoissonV2").types("R", counts).types("dtype", counts));
  r->add(stateful<Multinomial>("Multinomial").types("T", float_types()).types("output_dtype", index_types()));
  r->add(stateful<ParameterizedTruncatedNormal>("ParameterizedTruncatedNormal").types("dtype", wide));
  r->add(stateful<Shuffle>("RandomShuffle"));
}

}  // namespace troupe
