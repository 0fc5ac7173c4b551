// Sound files.
#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<std::vector<Tensor>> decoded(const std::string& op, absl::string_view bytes,
                                            AttrMap attrs = {}) {
  return run(op, {Tensor::string_scalar(bytes)}, std::move(attrs));
}

std::string bytes_of(const Tensor& t) { return t.value<TString>().str(); }

TEST(Wav, keeps_samples) {
  Tensor audio = Tensor::from<float>(Shape{3, 2}, {0.5f, -0.5f, 1, -1, 2, 0});
  auto file = run("EncodeWav", {audio, Tensor::scalar<int32_t>(8000)});
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string bytes = bytes_of(file->at(0));
  auto out = decoded("DecodeWav", bytes);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<float>(out->at(0)), ElementsAre(0.5f, -0.5f, 32767 / 32768.0f, -1, 32767 / 32768.0f, 0));
  EXPECT_EQ(out->at(1).value<int32_t>(), 8000);
  EXPECT_THAT(
      values<float>(decoded("DecodeWav", bytes, {{"desired_samples", 1}, {"desired_channels", 3}})->at(0)),
      ElementsAre(0.5f, -0.5f, -0.5f));
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decoded("DecodeWav", bytes.substr(0, n)).ok()) << n;
  EXPECT_THAT(message(decoded("DecodeWav", "junkjunk")),
              HasSubstr("Header mismatch: Expected RIFF but found junk"));
  EXPECT_EQ(message(run("EncodeWav", {Tensor::vector<float>({1}), Tensor::scalar<int32_t>(1)})),
            "audio must be 2-dimensional[1]");
}

}  // namespace
}  // namespace troupe::test
