#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::simulation {

/// What of the figures of `measure_growth` and `measure_faults` must not be, a line each; nothing where all is well.
std::vector<std::string> check_figures(const nlohmann::json& figures);

}  // namespace troupe::simulation
