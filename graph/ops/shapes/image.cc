// Images and sound: codecs, colours, sizes, boxes, spectra.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/reused.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// Images of the height and width that input 1 says.
absl::Status sized_image(ShapeContext& c, int64_t batch, int64_t depth) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape size, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(size, 0), 2).status());
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const auto values = c.all_ints(1); values && values->size() == 2) {
    height = (*values)[0];
    width = (*values)[1];
    if (height < -1 || width < -1)
      return invalid(absl::StrCat("Dimension ", std::min(height, width), " must be >= 0"));
  }
  c.set_output(0, PartialShape({batch, height, width, depth}));
  return absl::OkStatus();
}

}  // namespace

absl::Status resize_image(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  return sized_image(c, dim_of(in, 0), dim_of(in, 3));
}

namespace {

absl::Status glimpse(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(PartialShape offsets, with_rank(c.input(2), 2));
  TROUPE_ASSIGN_OR_RETURN(int64_t batch, merge_dims(dim_of(in, 0), dim_of(offsets, 0)));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(offsets, 1), 2).status());
  return sized_image(c, batch, dim_of(in, 3));
}

absl::Status resize_gradient(ShapeContext& c) {
  c.set_output(0, c.input(1));
  return absl::OkStatus();
}

absl::Status colours(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(in, -1), 3).status());
  c.set_output(0, replace_dim(in, -1, 3));
  return absl::OkStatus();
}

absl::Status decode(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t channels, c.attr<int64_t>("channels"));
  if (channels < 0) return invalid(absl::StrCat("channels must be non-negative, got ", channels));
  // Animations add a dimension.
  if (c.op().name == "DecodeImage" && c.attrs().get_or<bool>("expand_animations", true))
    return absl::OkStatus();
  c.set_output(0, PartialShape({kUnknownDim, kUnknownDim, channels == 0 ? kUnknownDim : channels}));
  return absl::OkStatus();
}

absl::Status encode_png(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 3));
  c.set_output(0, subshape(c.input(0), 0, -3));
  return absl::OkStatus();
}

absl::Status adjust_contrast(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 3));
  return unchanged(c);
}

absl::Status draw_boxes(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape images, with_rank(c.input(0), 4));
  const int64_t depth = dim_of(images, 3);
  if (depth >= 0 && depth != 1 && depth != 3 && depth != 4) {
    return invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  }
  TROUPE_ASSIGN_OR_RETURN(PartialShape boxes, with_rank(c.input(1), 3));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(boxes, 2), 4).status());
  return unchanged(c);
}

absl::Status crop_and_resize(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape image, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(PartialShape boxes, with_rank(c.input(1), 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape index, with_rank(c.input(2), 1));
  TROUPE_ASSIGN_OR_RETURN(int64_t n, merge_dims(dim_of(boxes, 0), dim_of(index, 0)));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(boxes, 1), 4).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape size, with_rank(c.input(3), 1));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(size, 0), 2).status());
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const auto values = c.all_ints(3); values && values->size() == 2) {
    height = (*values)[0] < 0 ? kUnknownDim : (*values)[0];
    width = (*values)[1] < 0 ? kUnknownDim : (*values)[1];
  }
  c.set_output(0, PartialShape({n, height, width, dim_of(image, 3)}));
  return absl::OkStatus();
}

/// NonMaxSuppressionV4 and V5: indices (and scores) of what is selected, and how many are.
absl::Status suppress_padded(ShapeContext& c) {
  const bool soft = c.num_outputs() > 2;
  TROUPE_RETURN_IF_ERROR(apply_rule(soft ? "[n,4] [n] [] [] [] []" : "[n,4] [n] [] [] []", c));
  int64_t selected = kUnknownDim;
  if (c.attrs().get_or<bool>("pad_to_max_output_size", false)) {
    TROUPE_ASSIGN_OR_RETURN(selected, dim_from_input(c, 2));
  }
  for (int i = 0; i + 1 < c.num_outputs(); ++i) c.set_output(i, PartialShape({selected}));
  c.set_output(c.num_outputs() - 1, PartialShape(Dims()));
  return absl::OkStatus();
}

absl::Status combined_suppression(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape boxes, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(PartialShape scores, with_rank(c.input(1), 3));
  for (int i = 2; i < 6; ++i) TROUPE_RETURN_IF_ERROR(with_rank(c.input(i), 0).status());
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(boxes, 0), dim_of(scores, 0)).status());
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(boxes, 1), dim_of(scores, 1)).status());
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(boxes, 3), 4).status());
  const int64_t classes = dim_of(boxes, 2);
  if (classes >= 0 && dim_of(scores, 2) >= 0 && classes != 1 && classes != dim_of(scores, 2)) {
    return invalid("third dimension of boxes must be either 1 or equal to the third dimension of scores");
  }
  const int64_t batch = dim_of(boxes, 0);
  int64_t size = kUnknownDim;
  const auto total = c.constant_int(3);
  if (total && *total <= 0) return invalid("max_total_size should be > 0 ");
  const auto per_class = c.constant_int(2);
  if (total) size = *total;
  if (c.attrs().get_or<bool>("pad_per_class", false)) {
    size = kUnknownDim;
    if (total && per_class && dim_of(scores, 2) >= 0 && *per_class >= 0) {
      TROUPE_ASSIGN_OR_RETURN(int64_t all, multiply_dims(*per_class, dim_of(scores, 2)));
      size = std::min(*total, all);
    }
  }
  c.set_output(0, PartialShape({batch, size, 4}));
  c.set_output(1, PartialShape({batch, size}));
  c.set_output(2, PartialShape({batch, size}));
  c.set_output(3, PartialShape({batch}));
  return absl::OkStatus();
}

absl::Status decode_wav(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t channels, c.attr<int64_t>("desired_channels"));
  TROUPE_ASSIGN_OR_RETURN(int64_t samples, c.attr<int64_t>("desired_samples"));
  if (channels < -1) return invalid(absl::StrCat("channels must be non-negative, got ", channels));
  if (samples < -1) return invalid(absl::StrCat("samples must be non-negative, got ", samples));
  c.set_output(0, PartialShape({samples, channels}));
  c.set_output(1, PartialShape(Dims()));
  return absl::OkStatus();
}

absl::Status spectrogram(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 2));
  TROUPE_ASSIGN_OR_RETURN(int64_t window, c.attr<int64_t>("window_size"));
  TROUPE_ASSIGN_OR_RETURN(int64_t stride, c.attr<int64_t>("stride"));
  if (stride < 1 || window < 2 || window > (int64_t{1} << 40))
    return invalid("window_size or stride is out of range");
  const int64_t samples = dim_of(in, 0);
  int64_t frames = kUnknownDim;
  if (samples >= 0) frames = samples < window ? 0 : 1 + (samples - window) / stride;
  int64_t length = 1;
  while (length < window) length *= 2;
  c.set_output(0, PartialShape({dim_of(in, 1), frames, length / 2 + 1}));
  return absl::OkStatus();
}

absl::Status mfcc(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 3));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t count, c.attr<int64_t>("dct_coefficient_count"));
  c.set_output(0, PartialShape({dim_of(in, 0), dim_of(in, 1), count < 0 ? kUnknownDim : count}));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"AdjustContrastv2", adjust_contrast},
    {"AdjustHue", unchanged_rank_at_least<3>},
    {"AdjustSaturation", unchanged_rank_at_least<3>},
    {"CombinedNonMaxSuppression", combined_suppression},
    {"CropAndResize", crop_and_resize},
    {"DecodeBmp", decode},
    {"DecodeGif", rule<"[] -> [?,?,?,3]">},
    {"DecodeImage", decode},
    {"DecodeJpeg", decode},
    {"DecodePng", decode},
    {"AudioSpectrogram", spectrogram},
    {"DecodeWav", decode_wav},
    {"Mfcc", mfcc},
    {"DrawBoundingBoxes", draw_boxes},
    {"DrawBoundingBoxesV2", draw_boxes},
    {"EncodeJpeg", rule<"[?,?,?] -> []">},
    {"EncodePng", encode_png},
    {"ExtractGlimpse", glimpse},
    {"ExtractGlimpseV2", glimpse},
    {"HSVToRGB", colours},
    {"RGBToHSV", colours},
    {"NonMaxSuppression", rule<"[n,4] [n] [] -> [?]">},
    {"NonMaxSuppressionV2", rule<"[n,4] [n] [] [] -> [?]">},
    {"NonMaxSuppressionV3", rule<"[n,4] [n] [] [] [] -> [?]">},
    {"NonMaxSuppressionV4", suppress_padded},
    {"NonMaxSuppressionV5", suppress_padded},
    {"ResizeArea", resize_image},
    {"ResizeBicubic", resize_image},
    {"ResizeBilinear", resize_image},
    {"ResizeBilinearGrad", resize_gradient},
    {"ResizeNearestNeighbor", resize_image},
    {"ResizeNearestNeighborGrad", resize_image},
};

}  // namespace

absl::Status register_image_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
