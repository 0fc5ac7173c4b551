#pragma once

#include <string>

#include "tools/troupe/script.h"
#include "tools/troupe/verify_case.h"

namespace troupe {

class Runtime;

/// Runs one script, in sessions of its own and with an empty folder of its own, and judges every step; it
/// ends with the first step that went otherwise than it should. Codes, dtypes, shapes and values decide;
/// what messages lack is told in CaseResult::text_difference. `root` is where its paths begin; `as_written`: without any pass that
/// rewrites graphs, whatever the script asks for.
CaseResult run_script(const ScriptEntry& entry, const std::string& root, Runtime& runtime,
                      bool as_written = false);

}  // namespace troupe
