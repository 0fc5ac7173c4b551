#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>

namespace troupe::test {

/// One to four changes to bytes that meant something: other bytes, cuts, repetitions, numbers that are special; those to the first 128 are the most
/// likely.
void mutate(std::string* bytes, std::mt19937& random);

/// How a fuzz target runs: TROUPE_FUZZ_SECONDS (three unless it is set), from the seed TROUPE_FUZZ_SEED (the same one unless it is set).
class FuzzRun {
 public:
  FuzzRun();
  /// Whether there is time for another round, which it counts.
  bool next();

  std::mt19937 random;
  int64_t rounds = 0;
  uint32_t seed = 0;

 private:
  std::chrono::steady_clock::time_point until_;
};

}  // namespace troupe::test
