#pragma once

#include <span>

#include "actors/option_table.h"
#include "actors/options.h"
#include "proto/config.pb.h"

namespace troupe {

/// A row, and how an honoured field gets into the plain options. Internal to the option tables and to who reads them.
template <class Proto, class Options>
struct ReadRow : OptionRow {
  void (*read)(const Proto& from, Options* to) = nullptr;
};
using ConfigRow = ReadRow<tensorflow::ConfigProto, SessionOptions>;
using RunRow = ReadRow<tensorflow::RunOptions, RunOptions>;
using CallableRow = ReadRow<tensorflow::CallableOptions, CallableOptions>;

/// Of ConfigProto all but the next three.
std::span<const ConfigRow> config_rows();
/// Of ConfigProto.gpu_options.
std::span<const ConfigRow> gpu_rows();
/// Of ConfigProto.graph_options.
std::span<const ConfigRow> graph_rows();
/// Of ConfigProto.experimental.
std::span<const ConfigRow> experimental_rows();
std::span<const RunRow> run_rows();
std::span<const CallableRow> callable_rows();

/// Reads all honoured fields of a message.
template <class Proto, class Options>
void read_rows(std::span<const ReadRow<Proto, Options>> rows, const Proto& from, Options* to) {
  for (const auto& row : rows) {
    if (row.read != nullptr) row.read(from, to);
  }
}

}  // namespace troupe
