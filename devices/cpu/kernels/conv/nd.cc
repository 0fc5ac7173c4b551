// Conv: convolutions of images and volumes with any number of batch dimensions, and groups of channels.
#include "devices/cpu/kernels/conv/padded.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

class ConvNd final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    TROUPE_ASSIGN_OR_RETURN(const std::string padding, c.attr<std::string>("padding"));
    TROUPE_ASSIGN_OR_RETURN(attrs_.padding, parse_padding(padding));
    TROUPE_ASSIGN_OR_RETURN(attrs_.strides, c.attr<std::vector<int64_t>>("strides"));
    attrs_.dilations = attrs.get_or<std::vector<int64_t>>("dilations", {});
    attrs_.explicit_paddings = attrs.get_or<std::vector<int64_t>>("explicit_paddings", {});
    const std::string format = attrs.get_or<std::string>("data_format", "CHANNELS_LAST");
    if (format != "CHANNELS_LAST" && format != "CHANNELS_FIRST")
      return invalid("Unknown data format: ", format);
    attrs_.layout.channels_last = format == "CHANNELS_LAST";
    batch_dims_ = attrs.get_or<int64_t>("batch_dims", 1);
    groups_ = attrs.get_or<int64_t>("groups", 1);
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& filter = context.input(1);
    WindowAttrs attrs = attrs_;
    TROUPE_RETURN_IF_ERROR(check(input, filter, &attrs));
    // All batch dimensions as one; an input without any is a batch of one.
    std::vector<int64_t> dims = input.shape().to_vector();
    const auto spatial_and_channels = dims.begin() + batch_dims_;
    const std::vector<int64_t> batch(dims.begin(), spatial_and_channels);
    std::vector<int64_t> flat = {count_dims(input.shape(), 0, static_cast<int>(batch_dims_))};
    flat.insert(flat.end(), spatial_and_channels, dims.end());
    TROUPE_ASSIGN_OR_RETURN(Shape flat_shape, Shape::make(flat));
    if (flat_shape.num_elements() != input.num_elements())
      return invalid("Batch dimensions of ", input.shape().to_string(), " are too large");
    TROUPE_ASSIGN_OR_RETURN(Tensor out, convolve(context, attrs, input.reshaped(flat_shape), filter));
    std::vector<int64_t> out_dims = batch;
    for (int i = 1; i < out.rank(); ++i) out_dims.push_back(out.dim(i));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(out_dims));
    context.set_output(0, out.reshaped(std::move(shape)));
    return absl::OkStatus();
  }

 private:
  /// Checks the operands against the attrs, and sets what only their ranks tell.
  absl::Status check(const Tensor& input, const Tensor& filter, WindowAttrs* attrs) const {
    const int64_t spatial = input.rank() - 1 - batch_dims_;
    if (batch_dims_ < 0 || spatial < 2 || spatial > 3)
      return invalid("The input must have 2 or 3 spatial dimensions but got ", spatial);
    if (filter.rank() != 4 && filter.rank() != 5)
      return invalid("The filter must be rank 4 or 5 but got ", filter.rank());
    if (filter.rank() != spatial + 2)
      return invalid("The filter must have ", spatial, " spatial dimensions, as the input has, but got ",
                     filter.rank() - 2);
    if (filter.num_elements() == 0)
      return invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)");
    const int rank = static_cast<int>(spatial) + 2;
    attrs->layout.spatial_rank = static_cast<int>(spatial);
    if (attrs->dilations.empty()) attrs->dilations.assign(static_cast<size_t>(rank), 1);
    TROUPE_RETURN_IF_ERROR(attrs->check());
    const int64_t depth =
        input.dim(attrs->layout.channels_last ? input.rank() - 1 : static_cast<int>(batch_dims_));
    const int64_t filter_depth = filter.dim(rank - 2), out_depth = filter.dim(rank - 1);
    if (groups_ < 1) return invalid("groups must be at least 1 but got ", groups_);
    if (groups_ == 1 && depth != filter_depth)
      return invalid("Input depth must be equal to filter depth: ", depth, " vs ", filter_depth);
    if (depth % groups_ != 0 || depth / groups_ != filter_depth)
      return invalid("Input depth divided by filter input depth does not match with groups parameter (",
                     groups_, ")");
    if (out_depth % groups_ != 0)
      return invalid("output depth must be evenly divisible by number of groups: ", out_depth, " vs ",
                     groups_);
    return absl::OkStatus();
  }

  WindowAttrs attrs_;
  int64_t batch_dims_ = 1;
  int64_t groups_ = 1;
};

}  // namespace

void register_conv_nd(KernelRegistry* registry) {
  registry->add(KernelDef("Conv")
                    .types("T", {DataType::kHalf, DataType::kBfloat16, DataType::kFloat, DataType::kDouble,
                                 DataType::kInt32})
                    .kernel<ConvNd>());
}

}  // namespace troupe
