#include "graph/passes/rendezvous_key.h"

#include <charconv>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/ir/device_name.h"

namespace troupe {

namespace {

bool parse_number(absl::string_view text, int base, uint64_t* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool complete_device(absl::string_view text) {
  auto name = DeviceName::parse(text);
  return name.has_value() && name->complete();
}

}  // namespace

std::string RendezvousKey::prefix(absl::string_view src_device, uint64_t src_incarnation,
                                  absl::string_view dst_device, absl::string_view tensor_name) {
  return absl::StrCat(src_device, ";", absl::Hex(src_incarnation, absl::kZeroPad16), ";", dst_device, ";",
                      tensor_name, ";");
}

std::string RendezvousKey::to_string() const {
  return absl::StrCat(prefix(src_device, src_incarnation, dst_device, tensor_name), frame, ":", iteration);
}

absl::string_view RendezvousKey::dst_device_of(absl::string_view key) {
  for (int part = 0; part < 2; ++part) {
    const size_t end = key.find(';');
    if (end == absl::string_view::npos) return {};
    key.remove_prefix(end + 1);
  }
  return key.substr(0, key.find(';'));
}

absl::StatusOr<RendezvousKey> RendezvousKey::parse(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ';');
  RendezvousKey key;
  bool good = parts.size() == 5 && complete_device(parts[0]) && complete_device(parts[2]) &&
              !parts[3].empty() && parse_number(parts[1], 16, &key.src_incarnation);
  if (good) {
    const size_t colon = parts[4].find(':');
    good = colon != absl::string_view::npos && parse_number(parts[4].substr(0, colon), 10, &key.frame) &&
           parse_number(parts[4].substr(colon + 1), 10, &key.iteration);
  }
  if (!good) return absl::InvalidArgumentError(absl::StrCat("Invalid rendezvous key: ", text));
  key.src_device = std::string(parts[0]);
  key.dst_device = std::string(parts[2]);
  key.tensor_name = std::string(parts[3]);
  return key;
}

}  // namespace troupe
