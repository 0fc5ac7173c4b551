// GenerateVocabRemapping: where the entries of a new vocabulary stood in an old one.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/container/flat_hash_map.h"
#include "devices/checkpoint/file.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// The first `limit` lines of a file, all of them when it is negative. OutOfRange for none.
absl::StatusOr<std::vector<std::string>> read_lines(const std::string& path, int64_t limit) {
  TROUPE_ASSIGN_OR_RETURN(const std::string local, local_path(path));
  errno = 0;
  std::ifstream in(local, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat(path, "; ", std::strerror(errno == 0 ? ENOENT : errno)));
  std::vector<std::string> lines;
  std::string line;
  while ((limit < 0 || static_cast<int64_t>(lines.size()) < limit) && std::getline(in, line)) {
    std::erase(line, '\r');
    lines.push_back(std::move(line));
  }
  if (limit == 0) return absl::OutOfRangeError(absl::StrCat("Finished reading 0 of lines from ", path));
  return lines;
}

absl::StatusOr<std::string> path_in(const Tensor& t, const char* name) {
  if (t.num_elements() != 1)
    return invalid(name, " should be a single string, but got ", t.shape().to_string());
  if (t.value<TString>().empty()) return invalid(name, " cannot be empty.");
  return std::string(t.value<TString>().view());
}

absl::Status generate_vocab_remapping(KernelContext& context) {
  const AttrMap& attrs = context.node().attrs;
  TROUPE_ASSIGN_OR_RETURN(int64_t offset, attrs.get<int64_t>("new_vocab_offset"));
  TROUPE_ASSIGN_OR_RETURN(int64_t count, attrs.get<int64_t>("num_new_vocab"));
  TROUPE_ASSIGN_OR_RETURN(int64_t old_size, attrs.get<int64_t>("old_vocab_size"));
  TROUPE_ASSIGN_OR_RETURN(std::string new_path, path_in(context.input(0), "new_vocab_file"));
  TROUPE_ASSIGN_OR_RETURN(auto new_lines, read_lines(new_path, -1));
  const int64_t lines = static_cast<int64_t>(new_lines.size());
  if (offset > lines || count > lines - offset) {
    return invalid("lookup table size must be larger than last new vocab entry's line");
  }
  TROUPE_ASSIGN_OR_RETURN(std::string old_path, path_in(context.input(1), "old_vocab_file"));
  TROUPE_ASSIGN_OR_RETURN(auto old_lines, read_lines(old_path, old_size));
  absl::flat_hash_map<std::string, int64_t> places;
  for (size_t i = 0; i < old_lines.size(); ++i) places.try_emplace(old_lines[i], static_cast<int64_t>(i));
  TROUPE_ASSIGN_OR_RETURN(Tensor * remapping, context.allocate_output(0, Shape{count}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * present, context.allocate_output(1, Shape()));
  int32_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto place = places.find(new_lines[static_cast<size_t>(offset + i)]);
    found += place != places.end();
    remapping->flat<int64_t>()[static_cast<size_t>(i)] = place == places.end() ? -1 : place->second;
  }
  present->flat<int32_t>()[0] = found;
  return absl::OkStatus();
}

}  // namespace

void register_checkpoint_vocab_remap(KernelRegistry* r) {
  r->add(KernelDef("GenerateVocabRemapping").fn(generate_vocab_remapping));
}

}  // namespace troupe
