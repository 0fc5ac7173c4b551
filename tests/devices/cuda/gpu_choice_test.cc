#include "devices/cuda/gpu_choice.h"

#include <gtest/gtest.h>

#include <cmath>

namespace troupe::test {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

GpuOptions visible(const char* list) {
  GpuOptions options;
  options.visible_device_list = list;
  return options;
}

GpuOptions fraction_of(double fraction) {
  GpuOptions options;
  options.per_process_gpu_memory_fraction = fraction;
  return options;
}

absl::Status refused(const GpuOptions& options, std::optional<int> count = {}, int num_gpus = 2) {
  return choose_gpus(options, count, num_gpus).status();
}

TEST(GpuChoice, takes_all_in_the_drivers_order) {
  EXPECT_EQ(*choose_gpus({}, {}, 2), (std::vector<GpuPart>{{.gpu = 0}, {.gpu = 1}}));
  EXPECT_EQ(*choose_gpus({}, 1, 2), (std::vector<GpuPart>{{.gpu = 0}}));
  EXPECT_EQ(*choose_gpus({}, 5, 2), (std::vector<GpuPart>{{.gpu = 0}, {.gpu = 1}}));
  EXPECT_TRUE(choose_gpus(visible("nonsense"), 0, 2)->empty());
}

TEST(GpuChoice, takes_those_that_are_visible_in_their_order) {
  EXPECT_EQ(*choose_gpus(visible("2,0"), {}, 3), (std::vector<GpuPart>{{.gpu = 2}, {.gpu = 0}}));
  EXPECT_EQ(*choose_gpus(visible("2,0"), 1, 3), (std::vector<GpuPart>{{.gpu = 2}}));
}

TEST(GpuChoice, refuses_lists_that_make_no_sense) {
  EXPECT_EQ(refused(visible("0,x")),
            absl::InvalidArgumentError(
                "Could not parse entry in 'visible_device_list': 'x'. visible_device_list = 0,x"));
  EXPECT_EQ(refused(visible("2")),
            absl::InvalidArgumentError(
                "'visible_device_list' listed an invalid Device id '2' but visible device count is 2"));
  EXPECT_EQ(refused(visible("-1")),
            absl::InvalidArgumentError(
                "'visible_device_list' listed an invalid Device id '-1' but visible device count is 2"));
  EXPECT_EQ(refused(visible("1,1")),
            absl::InvalidArgumentError("visible_device_list contained a duplicate entry: 1,1"));
}

TEST(GpuChoice, splits_gpus) {
  GpuOptions options;
  options.virtual_devices = {{.memory_limit_mb = {1, 2.5F}, .priority = {0, -1}}, {}};
  EXPECT_EQ(*choose_gpus(options, {}, 2),
            (std::vector<GpuPart>{{.gpu = 0, .part = 0, .limit_bytes = kMiB},
                                  {.gpu = 0, .part = 1, .limit_bytes = 5 * kMiB / 2, .priority = -1},
                                  {.gpu = 1}}));
}

TEST(GpuChoice, refuses_splits_that_make_no_sense) {
  GpuOptions options;
  options.virtual_devices = {{.memory_limit_mb = {1, 2}, .priority = {0}}, {}};
  EXPECT_EQ(refused(options).code(), absl::StatusCode::kInvalidArgument);
  options.virtual_devices[0].priority.clear();
  EXPECT_EQ(refused(options), absl::OkStatus());
  EXPECT_EQ(refused(options, 1),
            absl::UnknownError(
                "Not enough GPUs to create virtual devices. num_gpus_to_use: 1 #virtual_devices: 2"));
  EXPECT_EQ(refused(options, {}, 3).code(), absl::StatusCode::kUnknown);
  options.visible_device_list = "0,1,2";
  EXPECT_EQ(refused(options, {}, 3).code(), absl::StatusCode::kInvalidArgument);
  options.visible_device_list = "";
  options.per_process_gpu_memory_fraction = 0.5;
  EXPECT_EQ(refused(options),
            absl::InvalidArgumentError(
                "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set."));
  for (const float mb : {0.0F, -1.0F, NAN, INFINITY}) {
    options = {};
    options.virtual_devices.resize(2);
    options.virtual_devices[0].memory_limit_mb = {mb};
    EXPECT_EQ(refused(options).code(), absl::StatusCode::kInvalidArgument) << mb;
  }
}

TEST(GpuChoice, shares_memory_as_tensorflow_does) {
  EXPECT_EQ(*memory_share({}, 1000 * kMiB, 900 * kMiB, 9), 675 * kMiB);
  EXPECT_EQ(*memory_share({}, 80000 * kMiB, 79000 * kMiB, 9), 77200 * kMiB);
  EXPECT_EQ(*memory_share({}, 80000 * kMiB, 79000 * kMiB, 8), 77464 * kMiB);
  EXPECT_EQ(*memory_share({}, 1000 * kMiB, 100 * kMiB, 9), 100 * kMiB);
  EXPECT_EQ(*memory_share(fraction_of(0.25), 1000 * kMiB, 10 * kMiB, 9), 250 * kMiB);
  for (const double fraction : {-0.1, 1.5, std::nan("")}) {
    EXPECT_EQ(memory_share(fraction_of(fraction), 1000, 1000, 9).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace troupe::test
