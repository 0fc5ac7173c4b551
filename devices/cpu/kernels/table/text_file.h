#pragma once

#include <string>

#include "devices/cpu/kernels/shared/lookup_table.h"

namespace troupe {

/// Which field of a line a key or value comes from: a column >= 0, or one of these.
inline constexpr int64_t kLineNumberField = -1;
inline constexpr int64_t kWholeLineField = -2;

struct TableFile {
  std::string path;
  /// The number of the first line.
  int64_t offset = 0;
  int64_t key_field = kWholeLineField;
  int64_t value_field = kLineNumberField;
  /// Lines to read; -1: all.
  int64_t vocab_size = -1;
  char delimiter = '\t';
};

/// Fills a static table from the lines of a file; does nothing when it is filled already. NotFound, or
/// InvalidArgument for lines that do not fit.
absl::Status initialize_from_file(const TableFile& file, LookupTable* table);

}  // namespace troupe
