#include "tools/troupe/start_console.h"

#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "graph/status.h"

namespace troupe {

absl::StatusOr<std::unique_ptr<Console>> start_console(Runtime& runtime, const std::string& where) {
  ConsoleOptions options;
  const size_t colon = where.rfind(':');
  if (colon != std::string::npos)
    options.host = absl::StrReplaceAll(where.substr(0, colon), {{"[", ""}, {"]", ""}});
  if (!absl::SimpleAtoi(colon == std::string::npos ? where : where.substr(colon + 1), &options.port))
    return absl::InvalidArgumentError(absl::StrCat("--console '", where, "' is not PORT or HOST:PORT"));
  TROUPE_ASSIGN_OR_RETURN(auto console, Console::start(runtime, options));
  std::fprintf(stderr, "console: %s\n", console->url().c_str());
  return console;
}

}  // namespace troupe
