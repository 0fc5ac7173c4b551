#pragma once

#include <cstdint>

namespace troupe {

/// Elements from one row, or column, of logits (x) and of labels to the next; 0 where one is repeated. For host and device.
struct CrossEntropyStrides {
  int64_t x_row;
  int64_t x_column;
  int64_t labels_row;
  int64_t labels_column;
};

}  // namespace troupe
