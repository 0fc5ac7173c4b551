#pragma once

#include <string_view>

namespace troupe {

/// The page at /, HTML: made of page.html by the build.
extern const std::string_view kConsolePage;

}  // namespace troupe
