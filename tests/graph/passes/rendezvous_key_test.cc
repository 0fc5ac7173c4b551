#include "graph/passes/rendezvous_key.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace troupe {
namespace {

constexpr char kCpu[] = "/job:mnist/replica:1/task:2/device:CPU:0";
constexpr char kGpu[] = "/job:mnist/replica:1/task:2/device:GPU:0";

RendezvousKey some_key() { return {kCpu, 7890, kGpu, "var0", 0, 0}; }

TEST(RendezvousKey, s085_is_a_text_of_five_parts_with_the_incarnation_in_sixteen_digits) {
  const std::string text = some_key().to_string();
  EXPECT_EQ(text, absl::StrCat(kCpu, ";0000000000001ed2;", kGpu, ";var0;0:0"));
  const auto parsed = RendezvousKey::parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, some_key());
  EXPECT_EQ(RendezvousKey::prefix(kCpu, 7890, kGpu, "var0") + "0:0", text);
}

TEST(RendezvousKey, keeps_frames_iterations_and_large_incarnations_apart) {
  RendezvousKey key = some_key();
  key.src_incarnation = ~uint64_t{0};
  key.frame = uint64_t{1} << 63;
  key.iteration = 12;
  const std::string text = key.to_string();
  EXPECT_EQ(text, absl::StrCat(kCpu, ";ffffffffffffffff;", kGpu, ";var0;9223372036854775808:12"));
  const auto parsed = RendezvousKey::parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, key);
}

TEST(RendezvousKey, s085_is_refused_when_a_part_is_missing_doubled_or_malformed) {
  const std::string good = some_key().to_string();
  ASSERT_TRUE(RendezvousKey::parse(good).ok());
  auto with = [&](absl::string_view part, absl::string_view other) {
    const std::string text = absl::StrReplaceAll(good, {{part, other}});
    EXPECT_NE(text, good) << part;
    return text;
  };
  const std::string bad[] = {
      "",
      "foo;bar;baz",
      absl::StrCat(kCpu, ";", kGpu, ";0:0"),
      absl::StrCat(kCpu, ";var0;", kGpu, ";0:0"),
      absl::StrCat(good, ";", good),
      absl::StrCat(good, ";"),
      with(kCpu, ""),
      with(kGpu, "/device:GPU:0"),
      with(kGpu, "nowhere"),
      with("0000000000001ed2", ""),
      with("0000000000001ed2", "1ed2x"),
      with("0000000000001ed2", "10000000000000000"),
      with("var0", ""),
      with("0:0", "0"),
      with("0:0", ":0"),
      with("0:0", "0:"),
      with("0:0", "0:-1"),
  };
  for (const std::string& text : bad) {
    const absl::Status refused = RendezvousKey::parse(text).status();
    EXPECT_EQ(refused, absl::InvalidArgumentError(absl::StrCat("Invalid rendezvous key: ", text)));
  }
}

}  // namespace
}  // namespace troupe
