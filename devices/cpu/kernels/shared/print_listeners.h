#pragma once

#include "absl/strings/string_view.h"

namespace troupe {

/// Is given what PrintV2 prints, with its end; a text that ends with a zero. Called from any thread.
using PrintListener = void (*)(const char* text);

/// From now on what PrintV2 prints goes to this listener, and no longer to its stream. Any thread; for the
/// rest of the process.
void add_print_listener(PrintListener listener);
/// Gives the text to all listeners; false when there are none.
bool print_to_listeners(absl::string_view text);

}  // namespace troupe
