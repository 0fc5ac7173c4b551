#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/actors/session_fixture.h"
#include "tests/support/graph_text.h"

namespace troupe::test {

inline const std::string kInts = graph_text::elements("DT_INT64");

/// Numbers from 0 to `count`, the stages, and an iterator over the one that is called `last`.
std::string pipeline(int64_t count, const std::string& stages, const std::string& last,
                     const std::string& types = kInts);

/// A session over a pipeline in text form, which may call these functions:
/// Mod2(x), Below3(x), Count(x): the numbers below x; WindowSize(k): k + 2; Pairs(k, w): batches of two of the
/// window; SumUp(s, x): (s + x, s); Plus(s, x).
class DatasetTest : public SessionTest {
 protected:
  Session& open_text(const std::string& nodes);
  absl::Status run(const std::string& target, const std::vector<NamedTensor>& feeds = {}) {
    return session_->run(feeds, {}, {target}).status();
  }
  /// Makes the iterator, and fetches `next` to the end; all numbers, flat.
  std::vector<int64_t> numbers(size_t most = 1000);
};

}  // namespace troupe::test
