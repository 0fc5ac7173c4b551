// Examples out of a text. The numbers are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

/// A text in which word i stands 40 - i times.
std::string write_text() {
  const std::string path = testing::TempDir() + "/skipgram.txt";
  std::ofstream out(path);
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 30 && round < 40 - i; ++i) out << 'w' << i << (i % 2 == 0 ? " " : "\n\t");
  }
  return path;
}

TEST(Skipgram, makes_tensorflows_examples) {
  auto out = run("Skipgram", {},
                 {{"filename", write_text()},
                  {"batch_size", int64_t{3500}},
                  {"min_count", int64_t{20}},
                  {"subsample", 0.03f},
                  {"window_size", int64_t{3}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), Shape{22});
  EXPECT_EQ(texts(out->at(0))[1], "w0");
  EXPECT_THAT(out->at(1).flat<int32_t>().first(3), ElementsAre(135, 40, 39));
  EXPECT_EQ(out->at(2).value<int64_t>(), 765);
  EXPECT_EQ(out->at(3).value<int32_t>(), 2);
  EXPECT_EQ(out->at(4).value<int64_t>(), 1507);
  int64_t examples = 0, labels = 0;
  for (int i = 0; i < 3500; ++i) {
    examples += out->at(5).flat<int32_t>()[i] * (i % 97);
    labels += out->at(6).flat<int32_t>()[i] * (i % 89);
  }
  EXPECT_EQ(examples, 1448785);
  EXPECT_EQ(labels, 1274210);
}

TEST(Skipgram, refuses_texts_without_enough_words) {
  const std::string path = write_text();
  EXPECT_EQ(
      run("Skipgram", {}, {{"filename", path}, {"batch_size", int64_t{1}}, {"window_size", int64_t{77}}})
          .status(),
      absl::InvalidArgumentError("The text file " + path + " contains too little data: 765 words"));
  EXPECT_EQ(run("Skipgram", {}, {{"filename", "/nowhere/text"}, {"batch_size", int64_t{1}}}).status(),
            absl::NotFoundError("/nowhere/text; No such file or directory"));
}

}  // namespace
}  // namespace troupe::test
