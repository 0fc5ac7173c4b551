// Other people's classifiers of handwritten digits, on the 10,000 test images of MNIST: the share of right answers is
// TensorFlow's own. It was measured with TensorFlow 2.21; a few images may lie on the border between two digits.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "actors/runtime.h"
#include "actors/saved_model.h"
#include "actors/session.h"
#include "graph/ir/graph_file.h"

namespace troupe {
namespace {

constexpr int kImages = 10'000;
constexpr int kPixels = 28 * 28;
constexpr int kBorderImages = 5;

std::string shared_data() {
  if (const char* folder = std::getenv("TROUPE_SHARED")) return std::string(folder) + "/data/";
  return TROUPE_SOURCE_DIR "/../shared/data/";
}

/// What an .idx.gz file holds behind its header; empty when it cannot be read.
std::vector<uint8_t> read_idx(const std::string& path, size_t header_bytes, size_t count) {
  std::vector<uint8_t> bytes(header_bytes + count);
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  const int read = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  if (read != static_cast<int>(bytes.size())) return {};
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<long>(header_bytes));
  return bytes;
}

struct Classifier {
  std::string name;
  std::string path;
  std::string input;
  /// Scores of the ten digits, or the digit itself.
  std::string output;
  /// Of the input, beside the batch.
  std::vector<int64_t> image_shape;
  int batch;
  int right_answers;
  DataType dtype = DataType::kFloat;
  friend void PrintTo(const Classifier& c, std::ostream* out) { *out << c.name; }
};

class Mnist : public ::testing::TestWithParam<Classifier> {
 protected:
  /// Pixels from 0 to 1 of the images from `first` on.
  Tensor batch(int first) const {
    const Classifier& c = GetParam();
    std::vector<int64_t> dims = {c.batch};
    dims.insert(dims.end(), c.image_shape.begin(), c.image_shape.end());
    Tensor t(c.dtype, *PartialShape(dims).to_shape());
    for (int i = 0; i < c.batch * kPixels; ++i) {
      const float pixel = static_cast<float>(images_[static_cast<size_t>(first) * kPixels + i]) / 255;
      if (c.dtype == DataType::kDouble) {
        t.flat<double>()[i] = static_cast<double>(pixel);
      } else {
        t.flat<float>()[i] = pixel;
      }
    }
    return t;
  }

  template <class T>
  static int64_t best(const Tensor& scores, int image) {
    const auto row = scores.flat<T>().subspan(static_cast<size_t>(image) * 10, 10);
    return std::max_element(row.begin(), row.end()) - row.begin();
  }

  static int64_t answer(const Tensor& out, int image) {
    switch (out.dtype()) {
      case DataType::kInt64: return out.flat<int64_t>()[image];
      case DataType::kDouble: return best<double>(out, image);
      default: return best<float>(out, image);
    }
  }

  std::vector<uint8_t> images_;
  std::vector<uint8_t> labels_;
};

TEST_P(Mnist, is_read_as_well_as_by_tensorflow) {
  const Classifier& c = GetParam();
  const std::string path = shared_data() + c.path, images = shared_data() + "datasets/mnist/t10k-";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file " << path << " (set TROUPE_SHARED)";
  images_ = read_idx(images + "images-idx3-ubyte.gz", 16, size_t{kImages} * kPixels);
  labels_ = read_idx(images + "labels-idx1-ubyte.gz", 8, kImages);
  ASSERT_FALSE(images_.empty() || labels_.empty()) << "cannot read " << images << "...";

  const absl::StatusOr<GraphFile> model = read_graph_file(path);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  const auto session = open_model(*runtime, *model, SessionOptions());
  ASSERT_TRUE(session.ok()) << session.status();
  int right = 0;
  for (int first = 0; first < kImages; first += c.batch) {
    const auto out = (*session)->run({{c.input, batch(first)}}, {c.output});
    ASSERT_TRUE(out.ok()) << out.status();
    ASSERT_EQ((*out)[0].dim(0), c.batch);
    for (int i = 0; i < c.batch; ++i) right += answer((*out)[0], i) == labels_[first + i] ? 1 : 0;
  }
  EXPECT_NEAR(right, c.right_answers, kBorderImages);
  RecordProperty("right", right);
}

INSTANTIATE_TEST_SUITE_P(
    , Mnist,
    ::testing::Values(
        Classifier{"softmax", "dl4j/examples/mnist_00/frozen_model.pb", "input", "output", {784}, 1000, 8675},
        Classifier{"three_layers", "tensorflow_onnx/fc-layers/frozen.pb", "X", "output", {784}, 1000, 9548},
        Classifier{"ten_at_a_time", "utensor/tests/deep_mlp/simple_mnist.pb", "x", "y_pred", {784}, 10, 9590},
        Classifier{"lstm",
                   "dl4j/examples/lstm_mnist/frozen_model.pb",
                   "input",
                   "output",
                   {28, 28},
                   500,
                   4377,
                   DataType::kDouble},
        Classifier{"saved_softmax",
                   "tfdeploy/inst/models/tensorflow-mnist",
                   "Placeholder",
                   "Softmax",
                   {784},
                   1000,
                   9189},
        Classifier{"saved_convolutions",
                   "dotnet_mltestdata/mnist_conv_model",
                   "Features",
                   "Prediction",
                   {28, 28, 1},
                   500,
                   7813}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace troupe
