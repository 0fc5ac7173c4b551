// What `troupe top` makes of a console's answers.
#include "tools/troupe/top.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

namespace troupe {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

json answer() {
  return json::parse(R"({"at_us": 1000000, "up_seconds": 12.5, "ready": true, "runs": 100,
    "sessions": [{"id": 1, "name": "train", "runs": 90, "running": 2, "signatures": 3, "signature_misses": 4, "slots": 5, "steps": [
      {"step": 17, "age_us": 2500, "label": "loss", "frontier": ["a (MatMul) on CPU:0: running", "b (Add) on CPU:0: waits for a"]},
      {"step": 18, "age_us": 1500000, "label": "y -> train", "frontier": []}]}],
    "pools": [{"name": "default", "threads": 1, "max_threads": 2, "busy": 1, "turns_queued": 3, "kernels_queued": 4, "kernels_run": 5}],
    "devices": [{"name": "CPU:0", "batches": 6, "kernels_launched": 7, "kernels_queued": 8, "steps": [{"session": 1, "step": 17, "bytes": 2048}]}],
    "memory": {"bytes": 1536, "peak_bytes": 3145728},
    "steps": {"errors": {"CANCELLED": 2, "INTERNAL": 1}, "p50_us": 300, "p99_us": null}})");
}

TEST(TopTest, shows_sessions_pools_devices_and_the_oldest_steps_first) {
  Top top;
  const auto text = top.show(answer().dump(), 10);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text,
              AllOf(HasSubstr("up 12 s, ready; runs 100, in flight 2, errors 3 (CANCELLED 2, INTERNAL 1)\n"),
                    HasSubstr("steps: half <= 300 us, 99 % <= -; memory 1.5 KiB, most 3.0 MiB\n")));
  EXPECT_THAT(*text, ContainsRegex("\n +1 +90 +2 +3 +4 +5 +train\n"));
  EXPECT_THAT(*text, ContainsRegex("\n +1 +2 +1 +3 +4 +5 +default\n"));
  EXPECT_THAT(*text, ContainsRegex("\n +6 +7 +8 +2.0 KiB +CPU:0\n"));
  EXPECT_THAT(
      *text,
      ContainsRegex("1 +18 +1.5 s +y -> train\n +1 +17 +2.5 ms +loss  \\|  a .MatMul. on CPU:0: running\n"));
}

TEST(TopTest, tells_runs_per_second_from_the_second_look_on) {
  Top top;
  json later = answer();
  EXPECT_THAT(*top.show(later.dump(), 10), Not(HasSubstr("/s)")));
  later["at_us"] = 3'000'000;
  later["runs"] = 1100;
  EXPECT_THAT(*top.show(later.dump(), 10), HasSubstr("runs 1100 (500/s)"));
}

TEST(TopTest, lists_no_more_steps_than_it_may) {
  const auto text = Top().show(answer().dump(), 1);
  EXPECT_THAT(*text, AllOf(HasSubstr("y -> train"), Not(HasSubstr("MatMul"))));
}

TEST(TopTest, prints_nothing_that_moves_the_cursor) {
  json odd = answer();
  odd["sessions"][0]["name"] = "red\x1b[31m";
  odd["sessions"][0]["steps"][0]["label"] = "two\nlines";
  EXPECT_THAT(*Top().show(odd.dump(), 10), AllOf(HasSubstr("red?[31m"), HasSubstr("two?lines")));
}

TEST(TopTest, refuses_what_is_no_console) {
  for (const char* other : {"", "{}", "<html>", "[1]", R"({"sessions": 1})"}) {
    const auto text = Top().show(other, 10);
    EXPECT_EQ(text.status().code(), absl::StatusCode::kInvalidArgument) << other;
    EXPECT_THAT(std::string(text.status().message()), HasSubstr("no console"));
  }
}

}  // namespace
}  // namespace troupe
