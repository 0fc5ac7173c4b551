// Random parts of pictures: RandomCrop and SampleDistortedBoundingBox.
#include <cmath>
#include <limits>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/random_stream.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Pixels [left, right) x [top, bottom).
struct Box {
  int64_t left = 0, top = 0, right = 0, bottom = 0;

  int64_t width() const { return right - left; }
  int64_t height() const { return bottom - top; }
  float area() const { return static_cast<float>(width() * height()); }
};

Box intersection(const Box& a, const Box& b) {
  const Box both = {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                    std::min(a.bottom, b.bottom)};
  return both.left > both.right || both.top > both.bottom ? Box() : both;
}

/// Whether `crop` shows at least the part `minimum` of one of the objects; those without a pixel do not count.
bool covers_an_object(const Box& crop, float minimum, const std::vector<Box>& objects) {
  constexpr float kMinArea = 1;
  if (crop.area() < kMinArea) return false;
  for (const Box& object : objects) {
    if (object.area() >= kMinArea && intersection(crop, object).area() / object.area() >= minimum)
      return true;
  }
  return false;
}

int64_t rounded(float v) { return std::lrintf(v); }

/// What a sampled box must keep to.
struct BoxLimits {
  float aspect[2] = {0.75f, 1.33f};
  float area[2] = {0.05f, 1};
  int64_t max_attempts = 100;
  bool use_image_if_no_boxes = false;
};

/// A crop of the given shape (width over height) with a random size and place; nothing when none fits the limits.
bool random_crop_box(int64_t image_width, int64_t image_height, const BoxLimits& limits, float aspect,
                     PhiloxStream& bits, Box* crop) {
  if (limits.area[1] <= 0 || aspect <= 0 || image_width <= 0 || image_height <= 0) return false;
  if (limits.area[0] > limits.area[1]) return false;
  const float pixels_w = static_cast<float>(image_width), pixels_h = static_cast<float>(image_height);
  const float min_area = limits.area[0] * pixels_w * pixels_h;
  const float max_area = limits.area[1] * pixels_w * pixels_h;
  auto width_of = [aspect](int64_t height) { return rounded(static_cast<float>(height) * aspect); };

  int64_t height = rounded(std::sqrt(min_area / aspect));
  int64_t max_height = rounded(std::sqrt(max_area / aspect));
  if (width_of(max_height) > image_width) {
    // The highest that is not too wide, but for rounding.
    constexpr float kEpsilon = 1e-7f;
    max_height = static_cast<int64_t>((pixels_w + 0.5 - kEpsilon) / aspect);
    if (width_of(max_height) > image_width) --max_height;
  }
  max_height = std::min(max_height, image_height);
  height = std::min(height, max_height);
  if (height < max_height) height += random_below(static_cast<uint32_t>(max_height - height + 1), bits);
  // Rounding may have left the limits by a pixel.
  int64_t width = width_of(height);
  if (static_cast<float>(width * height) < min_area) width = width_of(++height);
  if (static_cast<float>(width * height) > max_area) width = width_of(--height);
  const float area = static_cast<float>(width * height);
  if (area < min_area || area > max_area || width > image_width || height > image_height || width <= 0 ||
      height <= 0) {
    return false;
  }
  crop->top = height < image_height ? random_below(static_cast<uint32_t>(image_height - height), bits) : 0;
  crop->left = width < image_width ? random_below(static_cast<uint32_t>(image_width - width), bits) : 0;
  crop->right = crop->left + width;
  crop->bottom = crop->top + height;
  return true;
}

absl::StatusOr<BoxLimits> limits_of(const KernelConstruction& c) {
  BoxLimits limits;
  TROUPE_ASSIGN_OR_RETURN(auto aspect, c.attr<std::vector<float>>("aspect_ratio_range"));
  TROUPE_ASSIGN_OR_RETURN(auto area, c.attr<std::vector<float>>("area_range"));
  TROUPE_ASSIGN_OR_RETURN(limits.max_attempts, c.attr<int64_t>("max_attempts"));
  TROUPE_ASSIGN_OR_RETURN(limits.use_image_if_no_boxes, c.attr<bool>("use_image_if_no_bounding_boxes"));
  if (aspect.size() != 2) return invalid("Aspect ratio range field must specify 2 dimensions");
  if (!(aspect[0] > 0 && aspect[1] > 0)) {
    return invalid("Aspect ratio range must be non-negative: [", aspect[0], ", ", aspect[1], "]");
  }
  if (area.size() != 2) return invalid("Area range field must specify 2 dimensions");
  if (!(area[0] > 0 && area[1] > 0)) {
    return invalid("Area range must be non-negative: [", area[0], ", ", area[1], "]");
  }
  if (!(area[0] <= 1 && area[1] <= 1)) {
    return invalid("Area range must be less then or equal to 1.0: [", area[0], ", ", area[1], "]");
  }
  if (limits.max_attempts <= 0) return invalid("Max attempts must be non-negative: ", limits.max_attempts);
  std::copy(aspect.begin(), aspect.end(), limits.aspect);
  std::copy(area.begin(), area.end(), limits.area);
  return limits;
}

absl::Status check_min_covered(float covered) {
  if (covered >= 0) return absl::OkStatus();
  return invalid("Min object covered must be non-negative: ", covered);
}

/// The boxes in pixels, or the image where there are none.
absl::StatusOr<std::vector<Box>> objects_of(const Tensor& boxes, const Box& image, const BoxLimits& limits) {
  if (boxes.rank() != 3) {
    return invalid("input boxes must be 3-dimensional [batch, num_boxes, coords]: ",
                   boxes.shape().to_string());
  }
  if (boxes.dim(2) != 4) {
    return invalid("bounding boxes must have shape [4] or [*, 4], got ", boxes.shape().to_string());
  }
  std::vector<Box> objects;
  auto corners = boxes.flat<float>();
  const float width = static_cast<float>(image.width()), height = static_cast<float>(image.height());
  for (size_t at = 0; at < corners.size(); at += 4) {
    for (size_t i = at; i < at + 4; ++i) {
      if (!(corners[i] >= 0 && corners[i] <= 1)) {
        return invalid("All bounding box coordinates must be in [0.0, 1.0]: ", corners[i]);
      }
    }
    auto pixel = [](float part, float size) { return static_cast<int64_t>(part * size); };
    objects.push_back({pixel(corners[at + 1], width), pixel(corners[at], height),
                       pixel(corners[at + 3], width), pixel(corners[at + 2], height)});
  }
  if (!objects.empty()) return objects;
  if (!limits.use_image_if_no_boxes) {
    return invalid(
        "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish "
        "to not provide any bounding boxes.");
  }
  objects.push_back(image);
  return objects;
}

absl::StatusOr<Box> image_of(const Tensor& size) {
  if (!is_vector(size)) return invalid("image_size must be 1-dimensional", size.shape().to_string());
  if (size.dim(0) != 3) return invalid("image_size must contain 3 elements", size.shape().to_string());
  const int64_t height = int_at(size, 0), width = int_at(size, 1);
  constexpr int64_t kEnd = std::numeric_limits<int32_t>::max();
  if (height < 0 || height >= kEnd) return invalid("image height cannot be >= int32 max");
  if (width < 0 || width >= kEnd) return invalid("image width cannot be >= int32 max");
  return Box{0, 0, width, height};
}

/// Outputs begin and size, as Slice takes them, and the box in parts of the image.
absl::Status output_crop(KernelContext& context, const Box& crop, const Box& image) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * begin, context.allocate_output(0, Shape{3}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * size, context.allocate_output(1, Shape{3}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * boxes, context.allocate_output(2, Shape{1, 1, 4}));
  const int64_t begins[3] = {crop.top, crop.left, 0};
  const int64_t sizes[3] = {crop.height(), crop.width(), -1};
  auto put = [&]<class T>(T) {
    for (size_t i = 0; i < 3; ++i) {
      begin->flat<T>()[i] = static_cast<T>(begins[i]);
      size->flat<T>()[i] = static_cast<T>(sizes[i]);
    }
  };
  switch (begin->dtype()) {
    case DataType::kUint8: put(uint8_t{}); break;
    case DataType::kInt8: put(int8_t{}); break;
    case DataType::kInt16: put(int16_t{}); break;
    case DataType::kInt32: put(int32_t{}); break;
    default: put(int64_t{});
  }
  const float width = static_cast<float>(image.width()), height = static_cast<float>(image.height());
  auto corners = boxes->flat<float>();
  corners[0] = static_cast<float>(crop.top) / height;
  corners[1] = static_cast<float>(crop.left) / width;
  corners[2] = static_cast<float>(crop.bottom) / height;
  corners[3] = static_cast<float>(crop.right) / width;
  return absl::OkStatus();
}

/// kForm 1 has the least part covered as an attr, 2 as an input, 3 also the seed.
template <int kForm>
class SampleBoxKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    float covered = 0;
    if constexpr (kForm == 1) {
      TROUPE_ASSIGN_OR_RETURN(covered, c.attr<float>("min_object_covered"));
      TROUPE_RETURN_IF_ERROR(check_min_covered(covered));
    }
    TROUPE_ASSIGN_OR_RETURN(BoxLimits limits, limits_of(c));
    SharedPhilox::Start start = kForm == 3 ? SharedPhilox::Start(Philox()) : SharedPhilox::from_attrs(c);
    return std::make_unique<SampleBoxKernel>(std::move(start), limits, covered);
  }
  SampleBoxKernel(SharedPhilox::Start start, const BoxLimits& limits, float covered)
      : limits_(limits), covered_(covered), stream_(std::move(start)) {}

  absl::Status compute(KernelContext& context) override {
    Philox generator;
    if constexpr (kForm == 3) {
      TROUPE_ASSIGN_OR_RETURN(generator, philox_of_seed(context.input(3)));
    }
    TROUPE_ASSIGN_OR_RETURN(Box image, image_of(context.input(0)));
    float covered = covered_;
    if constexpr (kForm > 1) {
      const Tensor& given = context.input(2);
      if (!is_scalar(given))
        return invalid("min_object_covered must be 0-D, got shape ", given.shape().to_string());
      covered = given.value<float>();
      TROUPE_RETURN_IF_ERROR(check_min_covered(covered));
    }
    TROUPE_ASSIGN_OR_RETURN(auto objects, objects_of(context.input(1), image, limits_));
    // Four numbers, a block, for each attempt.
    if constexpr (kForm != 3) generator = stream_.reserve(static_cast<uint64_t>(limits_.max_attempts));
    PhiloxStream bits(&generator);
    Box crop = image;
    for (int64_t i = 0; i < limits_.max_attempts; ++i) {
      const float aspect =
          uniform_float(bits()) * (limits_.aspect[1] - limits_.aspect[0]) + limits_.aspect[0];
      Box candidate;
      if (random_crop_box(image.width(), image.height(), limits_, aspect, bits, &candidate) &&
          covers_an_object(candidate, covered, objects)) {
        crop = candidate;
        break;
      }
    }
    return output_crop(context, crop, image);
  }

 private:
  const BoxLimits limits_;
  const float covered_;
  SharedPhilox stream_;
};

/// A random part of a picture of a given height and width.
class RandomCropKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return std::make_unique<RandomCropKernel>(SharedPhilox::from_attrs(c));
  }
  explicit RandomCropKernel(SharedPhilox::Start start) : stream_(std::move(start)) {}

  absl::Status compute(KernelContext& context) override {
    const Tensor& image = context.input(0);
    const Tensor& size = context.input(1);
    if (image.rank() != 3) return invalid("input must be 3-dimensional", image.shape().to_string());
    if (!is_vector(size)) return invalid("shape must be 1-dimensional", size.shape().to_string());
    if (size.dim(0) != 2) return invalid("shape must have two elements", size.shape().to_string());
    const int64_t height = size.flat<int64_t>()[0], width = size.flat<int64_t>()[1];
    const int64_t dims[3] = {height, width, image.dim(2)};
    if (height < 0 || width < 0) {
      return invalid("Expected shape dimensions to be non-negative, got ", std::min(height, width));
    }
    if (height > image.dim(0)) return too_large("height", image.dim(0), height);
    if (width > image.dim(1)) return too_large("width", image.dim(1), width);
    if (height == image.dim(0) && width == image.dim(1)) {
      context.forward_input(0, 0);
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    Philox generator = stream_.reserve(1);
    PhiloxStream bits(&generator);
    const int64_t top = height < image.dim(0) ? place(image.dim(0) - height + 1, bits) : 0;
    const int64_t left = width < image.dim(1) ? place(image.dim(1) - width + 1, bits) : 0;
    for (int64_t y = 0; y < height; ++y) {
      copy_elements(image, ((top + y) * image.dim(1) + left) * image.dim(2), *out, y * width * image.dim(2),
                    width * image.dim(2));
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status too_large(const char* side, int64_t is, int64_t wanted) {
    return absl::FailedPreconditionError(absl::StrCat(side, " must be >= target_", side, ": ", side, " = ",
                                                      is, ", target_", side, " = ", wanted));
  }
  /// A place below n; pictures are smaller than 2^32 pixels a side.
  static int64_t place(int64_t n, PhiloxStream& bits) {
    return random_below(static_cast<uint32_t>(std::min<int64_t>(n, std::numeric_limits<uint32_t>::max())),
                        bits);
  }

  SharedPhilox stream_;
};

}  // namespace

void register_image_boxes(KernelRegistry* r) {
  const std::vector<DataType> sizes = {DataType::kUint8, DataType::kInt8, DataType::kInt16, DataType::kInt32,
                                       DataType::kInt64};
  r->add(KernelDef("SampleDistortedBoundingBox").types("T", sizes).kernel<SampleBoxKernel<1>>());
  r->add(KernelDef("SampleDistortedBoundingBoxV2").types("T", sizes).kernel<SampleBoxKernel<2>>());
  r->add(KernelDef("StatelessSampleDistortedBoundingBox").types("T", sizes).kernel<SampleBoxKernel<3>>());
  r->add(KernelDef("RandomCrop").types("T", real_number_types()).kernel<RandomCropKernel>());
}

}  // namespace troupe
