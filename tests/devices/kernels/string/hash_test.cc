// Hashes of strings. Expected values are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include <cstring>
#include <limits>

#include "tests/support/string_tensors.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;

/// Strings of every length class of the hashes.
std::vector<std::string> hash_inputs() {
  std::vector<std::string> out;
  for (int n : {0, 1, 3, 4, 7, 8, 16, 17, 32, 33, 63, 64, 65, 128, 129, 200, 1000}) {
    std::string s;
    for (int i = 0; i < n; ++i) s.push_back(static_cast<char>((i * 7 + 3) & 255));
    out.push_back(s);
  }
  return out;
}

TEST(StringHash, gives_the_fingerprints_of_farmhash) {
  auto out = run("Fingerprint", {strings(hash_inputs()), text("farmhash64")});
  ASSERT_TRUE(out.ok()) << out.status();
  std::vector<uint64_t> got(17);
  ASSERT_EQ(out->at(0).shape(), (Shape{17, 8}));
  std::memcpy(got.data(), out->at(0).raw(), 17 * 8);
  EXPECT_THAT(got, ElementsAre(0x9ae16a3b2f90404f, 0xbec09cc447469d8b, 0x40b4412e33eefd64, 0xf3c7ee05197a7b92,
                               0x4fef0b39c12aa9a4, 0x0c97ecbc1e9d2626, 0x7eda0ed8c837a168, 0xc9518fe63ebf6127,
                               0xa53f806f23a314e8, 0xc24f9d7ce864f0e9, 0x9643c13fc68d469c, 0x0566266cb579eca2,
                               0x77e0867714e6b0e4, 0x666823960b3ac271, 0x98206b8579bca083, 0x6d7105b27cbe2fd7,
                               0xe021806cc1e3dc4c));
}

TEST(StringHash, puts_strings_into_the_buckets_of_tensorflow) {
  const int64_t kAll = std::numeric_limits<int64_t>::max();
  auto old = run("StringToHashBucket", {strings(hash_inputs())}, {{"num_buckets", kAll}});
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_THAT(values<int64_t>(old->at(0)),
              ElementsAre(105434511174508092, 7001769250909271135, 5276484929406308779, 5799242685562273649,
                          1142397842043859391, 384654127350334882, 5129953047346710616, 7037566801403733717,
                          1458650421252541103, 2574933530128875931, 5271103884795240918, 3945209722589307479,
                          8278743160437407290, 8132594031198021779, 1361456403630484005, 2651614156366774965,
                          7053322195746116809));
  auto strong = run("StringToHashBucketStrong", {strings(hash_inputs())},
                    {{"num_buckets", kAll}, {"key", std::vector<int64_t>{1, -2}}});
  ASSERT_TRUE(strong.ok()) << strong.status();
  EXPECT_THAT(values<int64_t>(strong->at(0)),
              ElementsAre(1583518726171341606, 7472303574057572037, 2282110341036447820, 1301699630242067245,
                          1155125825375311995, 4360276685361680722, 2531266197829376485, 6439805097801107270,
                          5120838890200885023, 239507206900989172, 6172932334959135000, 2314274273780457194,
                          3150277196934579517, 5782655565715780443, 3476070095757889509, 7930688405225397180,
                          332754099699151231));
  EXPECT_EQ(
      run("StringToHashBucketStrong", {text("a")}, {{"num_buckets", 3}, {"key", std::vector<int64_t>{1}}})
          .status(),
      absl::InvalidArgumentError("Key must have 2 elements"));
}

TEST(Fingerprint, hashes_rows_of_strings_and_of_numbers) {
  auto rows = run("Fingerprint", {strings({"abc", "d"}, Shape{1, 2}), text("farmhash64")});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_THAT(values<uint8_t>(rows->at(0)), ElementsAre(42, 36, 211, 10, 152, 245, 170, 130));
  auto numbers = run("Fingerprint", {Tensor::from<int32_t>(Shape{1, 2}, {1, 2}), text("farmhash64")});
  EXPECT_THAT(values<uint8_t>(numbers->at(0)), ElementsAre(76, 18, 253, 133, 168, 204, 240, 10));
  EXPECT_EQ(run("Fingerprint", {text("a"), text("farmhash64")}).status(),
            absl::InvalidArgumentError("`data` should have at least one dimension: []"));
  EXPECT_EQ(run("Fingerprint", {strings({"a"}), text("md5")}).status(),
            absl::InvalidArgumentError("Unsupported fingerprint method: md5"));
}

}  // namespace
}  // namespace troupe::test
