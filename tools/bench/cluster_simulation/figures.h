#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace troupe::simulation {

/// Numbers of one kind, and what is said of them.
class Figures {
 public:
  void add(int64_t value) { values_.push_back(value); }
  bool empty() const { return values_.empty(); }
  /// In units of `unit`: null when there are none.
  nlohmann::json to_json(double unit) const {
    if (values_.empty()) return nullptr;
    std::vector<int64_t> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double part) {
      return static_cast<double>(sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))]) /
             unit;
    };
    double sum = 0;
    for (const int64_t v : sorted) sum += static_cast<double>(v);
    return {{"number", sorted.size()},
            {"mean", sum / unit / static_cast<double>(sorted.size())},
            {"median", at(0.5)},
            {"p90", at(0.9)},
            {"most", at(1)}};
  }

 private:
  std::vector<int64_t> values_;
};

}  // namespace troupe::simulation
