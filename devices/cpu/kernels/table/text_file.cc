// Static tables from text files: vocabularies.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/table/text_file.h"

namespace troupe {
namespace {

absl::Status check_field(int64_t field, DataType type, const char* what, const char* lower) {
  if (field == kLineNumberField && type != DataType::kInt64) {
    return invalid(what, " index for line number requires table ", lower, " dtype of int64, got ",
                   dtype_name(type));
  }
  if (field == kWholeLineField && type != DataType::kString && type != DataType::kInt64 &&
      type != DataType::kInt32) {
    return invalid(what, " index for whole line requires table ", lower, " dtype of integer or string, got ",
                   dtype_name(type));
  }
  return absl::OkStatus();
}

absl::Status set_field(absl::string_view line, const std::vector<absl::string_view>& tokens, int64_t field,
                       int64_t offset, Tensor* t, int64_t i) {
  if (field == kLineNumberField) {
    t->flat<int64_t>()[i] = i + offset;
    return absl::OkStatus();
  }
  const absl::string_view token = field == kWholeLineField ? line : tokens[static_cast<size_t>(field)];
  auto bad = [&](const char* type) {
    return invalid("Field ", token, " in line ", i, " is not a valid ", type, ".");
  };
  switch (t->dtype()) {
    case DataType::kInt32:
      if (!absl::SimpleAtoi(token, &t->flat<int32_t>()[i])) return bad("int32");
      return absl::OkStatus();
    case DataType::kInt64:
      if (!absl::SimpleAtoi(token, &t->flat<int64_t>()[i])) return bad("int64");
      return absl::OkStatus();
    case DataType::kFloat:
      if (!absl::SimpleAtof(token, &t->flat<float>()[i])) return bad("float");
      return absl::OkStatus();
    case DataType::kDouble:
      if (!absl::SimpleAtod(token, &t->flat<double>()[i])) return bad("double");
      return absl::OkStatus();
    case DataType::kString: t->flat<TString>()[i] = token; return absl::OkStatus();
    default: return invalid("Data type ", dtype_name(t->dtype()), " not supported.");
  }
}

absl::StatusOr<std::string> read_file(const TableFile& file) {
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(file.path));
  errno = 0;
  std::ifstream in(local, std::ios::binary);
  if (!in) {
    const std::string why = absl::StrCat(file.path, "; ", std::strerror(errno == 0 ? ENOENT : errno));
    return errno == EACCES ? absl::PermissionDeniedError(why) : absl::NotFoundError(why);
  }
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) return absl::FailedPreconditionError(absl::StrCat(file.path, "; cannot be read"));
  return text;
}

/// Lines without their ends, a carriage return before them included; an empty one that only the file ends is none.
struct Lines {
  std::vector<std::string> lines;
  /// Offset in the file behind each line.
  std::vector<int64_t> ends;
};

Lines split_lines(absl::string_view text) {
  Lines result;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('\n', at);
    const bool last = end == absl::string_view::npos;
    if (last) end = text.size();
    std::string line(text.substr(at, end - at));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    at = last ? end : end + 1;
    if (last && line.empty()) break;
    result.lines.push_back(std::move(line));
    result.ends.push_back(static_cast<int64_t>(at));
  }
  return result;
}

}  // namespace

absl::Status initialize_from_file(const TableFile& file, LookupTable* table) {
  const LookupTable::Options& o = table->options();
  TROUPE_RETURN_IF_ERROR(check_field(file.key_field, o.key_dtype, "Key", "key"));
  TROUPE_RETURN_IF_ERROR(check_field(file.value_field, o.value_dtype, "Value", "value"));
  TROUPE_ASSIGN_OR_RETURN(std::string text, read_file(file));
  const Lines lines = split_lines(text);
  const int64_t found = static_cast<int64_t>(lines.lines.size());
  const int64_t wanted = file.vocab_size < 0 ? found : file.vocab_size;
  if (wanted == 0 || found == 0) {
    if (wanted > 0) return invalid("Invalid vocab_size in ", file.path, ": expected ", wanted, " but got 0");
    return absl::OutOfRangeError(absl::StrCat("Finished reading 0 of lines from ", file.path));
  }
  const int64_t n = std::min(found, wanted);
  TROUPE_ASSIGN_OR_RETURN(Tensor keys, Tensor::make(o.key_dtype, Shape{n}));
  TROUPE_ASSIGN_OR_RETURN(Tensor values, Tensor::make(o.value_dtype, Shape{n}));
  const int64_t columns = std::max(file.key_field, file.value_field) + 1;
  for (int64_t i = 0; i < n; ++i) {
    const std::string& line = lines.lines[static_cast<size_t>(i)];
    if (line.empty()) {
      return invalid("Invalid content in ", file.path, ": empty line found at position ",
                     lines.ends[static_cast<size_t>(i)], ".");
    }
    std::vector<absl::string_view> tokens;
    if (columns > 0) {
      tokens = absl::StrSplit(line, file.delimiter);
      if (static_cast<int64_t>(tokens.size()) < columns) {
        return invalid("Invalid number of columns in ", file.path, " line ", i, " (", line,
                       ") : expected at least ", columns, " got ", tokens.size());
      }
    }
    TROUPE_RETURN_IF_ERROR(set_field(line, tokens, file.key_field, file.offset, &keys, i));
    TROUPE_RETURN_IF_ERROR(set_field(line, tokens, file.value_field, file.offset, &values, i));
  }
  if (found < wanted)
    return invalid("Invalid vocab_size in ", file.path, ": expected ", wanted, " but got ", found);
  absl::Status status = table->initialize(keys, values);
  // Whoever fills a table from a file a second time is late, not wrong.
  if (absl::IsFailedPrecondition(status) && table->is_initialized()) return absl::OkStatus();
  return status;
}

}  // namespace troupe
