#include <gmock/gmock.h>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A picture that is smooth enough for JPEG.
Tensor picture(int64_t height, int64_t width, int64_t channels) {
  Tensor t(DataType::kUint8, Shape{height, width, channels});
  for (size_t i = 0; i < t.flat<uint8_t>().size(); ++i)
    t.flat<uint8_t>()[i] = static_cast<uint8_t>(i * 10 % 251);
  return t;
}

Tensor encoded(const std::string& op, const Tensor& image, AttrMap attrs = {}) {
  auto out = run(op, {image}, std::move(attrs));
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? out->at(0) : Tensor::string_scalar("");
}

absl::StatusOr<std::vector<Tensor>> decoded(const std::string& op, absl::string_view bytes,
                                            AttrMap attrs = {}) {
  return run(op, {Tensor::string_scalar(bytes)}, std::move(attrs));
}

std::string bytes_of(const Tensor& t) { return t.value<TString>().str(); }

const char kOneFrame[] =
    "GIF89a\x02\x00\x02\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff,"
    "\x00\x00\x00\x00\x02\x00\x02\x00\x00\x02\x03\x44\x02\x05\x00;";
const char kTwoFrames[] =
    "GIF89a\x02\x00\x02\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff,"
    "\x00\x00\x00\x00\x02\x00\x02\x00\x00\x02\x03\x44\x02\x05\x00"
    ",\x01\x00\x01\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00;";
const absl::string_view kGif(kOneFrame, sizeof(kOneFrame) - 1);
const absl::string_view kAnimation(kTwoFrames, sizeof(kTwoFrames) - 1);

/// A bitmap of 2 x 2 pixels of 24 bits; rows from the bottom up.
std::string bitmap() {
  std::string b(
      "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\2\0\0\0\1\0\x18\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0"
      "\0\0\0\0\0\0\0",
      54);
  return b + std::string("\1\2\3\4\5\6\0\0\7\x8\x9\xa\xb\xc\0\0", 16);
}

TEST(Png, gives_back_every_channel_count_and_depth) {
  for (int64_t channels = 1; channels <= 4; ++channels) {
    Tensor image = picture(3, 5, channels);
    auto out = decoded("DecodePng", bytes_of(encoded("EncodePng", image)));
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_TRUE(tensors_near(out->at(0), image));
  }
  Tensor deep = Tensor::from<uint16_t>(Shape{1, 2, 3}, {0, 2000, 4000, 6000, 60000, 65535});
  const std::string file = bytes_of(encoded("EncodePng", deep));
  EXPECT_TRUE(tensors_near(decoded("DecodePng", file, {{"dtype", DataType::kUint16}})->at(0), deep));
  EXPECT_THAT(values<uint8_t>(decoded("DecodePng", file)->at(0)), ElementsAre(0, 7, 15, 23, 234, 255));
}

TEST(Png, converts_between_channel_counts_and_depths) {
  const std::string rgb = bytes_of(encoded("EncodePng", Tensor::from<uint8_t>(Shape{1, 1, 3}, {0, 10, 20})));
  EXPECT_THAT(values<uint8_t>(decoded("DecodePng", rgb, {{"channels", 1}})->at(0)), ElementsAre(8));
  EXPECT_THAT(values<uint8_t>(decoded("DecodePng", rgb, {{"channels", 4}})->at(0)),
              ElementsAre(0, 10, 20, 255));
  EXPECT_THAT(values<uint16_t>(decoded("DecodePng", rgb, {{"dtype", DataType::kUint16}})->at(0)),
              ElementsAre(0, 2570, 5140));
  const std::string gray_alpha =
      bytes_of(encoded("EncodePng", Tensor::from<uint8_t>(Shape{1, 1, 2}, {20, 30})));
  EXPECT_THAT(values<uint8_t>(decoded("DecodePng", gray_alpha, {{"channels", 4}})->at(0)),
              ElementsAre(20, 20, 20, 30));
  EXPECT_THAT(values<uint8_t>(decoded("DecodePng", gray_alpha, {{"channels", 3}})->at(0)),
              ElementsAre(20, 20, 20));
}

TEST(Png, encodes_batches_and_refuses_what_is_no_picture) {
  EXPECT_EQ(encoded("EncodePng", zeros(DataType::kUint8, Shape{4, 2, 3, 1})).shape(), Shape{4});
  EXPECT_EQ(message(run("EncodePng", {zeros(DataType::kUint8, Shape{3, 3})})),
            "images must be at least rank 3[3,3]");
  EXPECT_EQ(message(run("EncodePng", {zeros(DataType::kUint8, Shape{1, 1, 5})})),
            "image must have 1, 2, 3, or 4 channels, got 5");
  EXPECT_EQ(run("EncodePng", {zeros(DataType::kUint8, Shape{0, 2, 1})}).status(),
            absl::InternalError("PNG encoding failed at the following flattened batch indices: 0"));
  EXPECT_EQ(message(run("EncodePng", {picture(1, 1, 1)}, {{"compression", 10}})),
            "compression should be in [-1,9], got 10");
}

TEST(Decoders, answer_every_broken_off_file_with_an_error) {
  const std::string png = bytes_of(encoded("EncodePng", picture(4, 4, 3)));
  const std::string jpeg = bytes_of(encoded("EncodeJpeg", picture(8, 8, 3)));
  for (size_t n = 0; n < png.size() - 12; ++n)
    EXPECT_FALSE(decoded("DecodeImage", png.substr(0, n)).ok()) << n;
  for (size_t n = 0; n + 2 < jpeg.size(); ++n)
    EXPECT_FALSE(decoded("DecodeImage", jpeg.substr(0, n)).ok()) << n;
  for (size_t n = 0; n < bitmap().size(); ++n)
    EXPECT_FALSE(decoded("DecodeImage", bitmap().substr(0, n)).ok()) << n;
  EXPECT_EQ(message(decoded("DecodeImage", png.substr(0, 50))), "Invalid PNG data, size 50");
  EXPECT_EQ(message(decoded("DecodeJpeg", jpeg.substr(0, 300))),
            "jpeg::Uncompress failed. Invalid JPEG data or crop window.");
  EXPECT_EQ(message(decoded("DecodePng", "")), "Input is empty.");
  EXPECT_THAT(message(decoded("DecodePng", "junk")), StartsWith("Unknown image file format."));
}

TEST(Decoders, survive_changed_bytes) {
  const std::string files[] = {bytes_of(encoded("EncodePng", picture(4, 4, 3))),
                               bytes_of(encoded("EncodeJpeg", picture(8, 8, 3))), bitmap(),
                               std::string(kAnimation)};
  for (const std::string& file : files) {
    for (size_t i = 0; i < file.size(); ++i) {
      for (int change : {1, 0x80, 0xff}) {
        std::string other = file;
        other[i] = static_cast<char>(other[i] ^ change);
        auto out = decoded("DecodeImage", other);
        EXPECT_TRUE(out.ok() || absl::IsInvalidArgument(out.status())) << out.status();
      }
    }
  }
}

TEST(Png, refuses_a_claimed_size_that_no_memory_holds) {
  std::string png = bytes_of(encoded("EncodePng", picture(2, 3, 3)));
  png.replace(16, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_FALSE(decoded("DecodePng", png).ok());
}

TEST(Jpeg, comes_back_close_to_what_was_encoded) {
  Tensor image(DataType::kUint8, Shape{16, 24, 3});
  for (int64_t i = 0; i < image.num_elements(); ++i)
    image.flat<uint8_t>()[i] = static_cast<uint8_t>(i / 72 * 8 + i % 3 * 20);
  const std::string file =
      bytes_of(encoded("EncodeJpeg", image, {{"quality", 100}, {"chroma_downsampling", false}}));
  const auto accurate = decoded("DecodeJpeg", file, {{"dct_method", "INTEGER_ACCURATE"}});
  ASSERT_TRUE(accurate.ok()) << accurate.status();
  ASSERT_EQ(accurate->at(0).shape(), image.shape());
  for (int64_t i = 0; i < image.num_elements(); ++i) {
    ASSERT_NEAR(accurate->at(0).flat<uint8_t>()[i], image.flat<uint8_t>()[i], 3) << i;
  }
  // Who asks for nothing gets the quick transform, as TensorFlow's users.
  const auto out = decoded("DecodeJpeg", file);
  EXPECT_EQ(values<uint8_t>(out->at(0)),
            values<uint8_t>(decoded("DecodeJpeg", file, {{"dct_method", "INTEGER_FAST"}})->at(0)));
  EXPECT_NE(values<uint8_t>(out->at(0)), values<uint8_t>(accurate->at(0)));
  EXPECT_EQ(decoded("DecodeJpeg", file, {{"ratio", 2}})->at(0).shape(), (Shape{8, 12, 3}));
  EXPECT_EQ(decoded("DecodeJpeg", file, {{"channels", 1}})->at(0).shape(), (Shape{16, 24, 1}));
  EXPECT_THAT(values<int32_t>(decoded("ExtractJpegShape", file)->at(0)), ElementsAre(16, 24, 3));
  auto crop = run("DecodeAndCropJpeg", {Tensor::string_scalar(file), Tensor::vector<int32_t>({3, 4, 2, 1})});
  ASSERT_TRUE(crop.ok()) << crop.status();
  const uint8_t* at = out->at(0).flat<uint8_t>().data() + (3 * 24 + 4) * 3;
  EXPECT_THAT(values<uint8_t>(crop->at(0)), ElementsAre(at[0], at[1], at[2], at[72], at[73], at[74]));
  EXPECT_THAT(message(run("DecodeAndCropJpeg",
                          {Tensor::string_scalar(file), Tensor::vector<int32_t>({0, 0, 17, 1})})),
              HasSubstr("Invalid JPEG data or crop window."));
}

TEST(Jpeg, takes_part_of_a_picture_when_told_to) {
  const std::string file = bytes_of(encoded("EncodeJpeg", picture(64, 16, 3)));
  const std::string part = file.substr(0, file.size() - 200);
  EXPECT_FALSE(decoded("DecodeJpeg", part).ok());
  auto some = decoded("DecodeJpeg", part, {{"acceptable_fraction", 0.1f}});
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->at(0).flat<uint8_t>()[64 * 16 * 3 - 1], 0);
  EXPECT_TRUE(decoded("DecodeJpeg", part, {{"try_recover_truncated", true}}).ok());
}

TEST(Jpeg, refuses_what_it_cannot_hold) {
  EXPECT_EQ(message(run("EncodeJpeg", {picture(2, 2, 2)})), "image must have 1 or 3 channels, got [2,2,2]");
  EXPECT_EQ(message(run("EncodeJpeg", {picture(2, 3, 3)}, {{"format", "grayscale"}})),
            "format grayscale expects 1 channels, got [2,3,3]");
  EXPECT_EQ(message(run("EncodeJpeg", {picture(2, 3, 3)}, {{"quality", 101}})),
            "quality must be in [0,100], got 101");
  EXPECT_EQ(run("EncodeJpeg", {zeros(DataType::kUint8, Shape{1, 70000, 3})}).status(),
            absl::InternalError("JPEG encoding failed"));
  EXPECT_EQ(message(run("EncodeJpegVariableQuality", {picture(2, 3, 3), Tensor::scalar<int32_t>(150)})),
            "quality must be in [0,100], got 150");
  const std::string file = bytes_of(encoded("EncodeJpeg", picture(2, 3, 1)));
  EXPECT_EQ(message(decoded("DecodeJpeg", file, {{"channels", 4}})), "JPEG does not support 4 channels");
  EXPECT_EQ(message(decoded("DecodeJpeg", file, {{"ratio", 3}})), "ratio must be 1, 2, 4, or 8, got 3");
}

TEST(Gif, gives_frames_over_their_background) {
  auto one = decoded("DecodeGif", kGif);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->at(0).shape(), (Shape{1, 2, 2, 3}));
  EXPECT_THAT(values<uint8_t>(one->at(0)), ElementsAre(255, 0, 0, 0, 0, 255, 0, 0, 255, 255, 0, 0));
  EXPECT_EQ(decoded("DecodeImage", kAnimation)->at(0).shape(), (Shape{2, 2, 2, 3}));
  EXPECT_EQ(decoded("DecodeImage", kAnimation, {{"expand_animations", false}})->at(0).shape(),
            (Shape{2, 2, 3}));
  EXPECT_EQ(message(decoded("DecodePng", kAnimation)),
            "Got 2 frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image");
  EXPECT_EQ(message(decoded("DecodeImage", kGif, {{"channels", 1}})),
            "channels must be 0 or 3 for GIF, got 1");
  EXPECT_THAT(message(decoded("DecodeGif", kGif.substr(0, 20))),
              StartsWith("Invalid GIF data (size 20), failed to slurp gif file"));
}

TEST(Bmp, turns_rows_and_colours_round) {
  auto out = decoded("DecodeBmp", bitmap());
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values<uint8_t>(out->at(0)), ElementsAre(9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4));
  EXPECT_THAT(values<uint8_t>(decoded("DecodeBmp", bitmap(), {{"channels", 4}})->at(0)),
              ElementsAre(9, 8, 7, 255, 12, 11, 10, 255, 3, 2, 1, 255, 6, 5, 4, 255));
  EXPECT_THAT(message(decoded("DecodeBmp", bitmap().substr(0, 60))), HasSubstr("but they differ by -10"));
  EXPECT_THAT(message(decoded("DecodePng", bitmap())),
              StartsWith("Trying to decode BMP format using a wrong op."));
  const std::string jpeg = bytes_of(encoded("EncodeJpeg", picture(2, 3, 1)));
  EXPECT_EQ(message(decoded("DecodeBmp", jpeg)),
            "Trying to decode JPEG format using DecodeBmp op. Use `decode_jpeg` or `decode_image` instead.");
}

TEST(DecodeImage, scales_to_the_dtype) {
  EXPECT_THAT(values<uint16_t>(decoded("DecodeImage", bitmap(), {{"dtype", DataType::kUint16}})->at(0))[0],
              9 * 256);
  EXPECT_FLOAT_EQ(values<float>(decoded("DecodeImage", bitmap(), {{"dtype", DataType::kFloat}})->at(0))[0],
                  9 / 255.0f);
  const std::string png = bytes_of(encoded("EncodePng", Tensor::from<uint8_t>(Shape{1, 1, 1}, {10})));
  EXPECT_FLOAT_EQ(values<float>(decoded("DecodeImage", png, {{"dtype", DataType::kFloat}})->at(0))[0],
                  10 / 255.0f);
}

}  // namespace
}  // namespace troupe::test
