#include "tools/troupe/messages.h"

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace troupe {

std::string one_line(const absl::Status& status) {
  std::string text = absl::StrCat(absl::StatusCodeToString(status.code()), ": ", status.message());
  std::string out;
  for (char c : text) {
    const bool blank = c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

int fail(const std::string& command, const absl::Status& status) {
  std::fprintf(stderr, "troupe %s: %s\n", command.c_str(), one_line(status).c_str());
  return 1;
}

}  // namespace troupe
