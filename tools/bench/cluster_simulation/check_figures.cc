#include "tools/bench/cluster_simulation/check_figures.h"

#include "absl/strings/str_cat.h"

namespace troupe::simulation {
namespace {

using nlohmann::json;

/// At the master, for each worker: RunPart and its answer, a value each way.
constexpr double kMessagesOfStep = 4;
/// The same, and three questions with their answers, two greetings of a connection each way.
constexpr double kMessagesOfOpening = 8, kMessagesOfFirstStep = 8;

class Checker {
 public:
  explicit Checker(std::string where) : where_(std::move(where)) {}
  void must(bool holds, const std::string& what) {
    if (!holds) wrong_.push_back(where_ + ": " + what);
  }
  void nothing_left(const json& left) {
    for (const auto& [name, number] : left.items())
      must(number == 0, absl::StrCat(number.dump(), " ", name, " are left"));
  }
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  const std::string where_;
  std::vector<std::string> wrong_;
};

std::vector<std::string> check_growth(const json& entry) {
  const double workers = entry["workers"];
  Checker check(absl::StrCat(workers, " workers"));
  check.must(!entry.contains("error"), entry.value("error", ""));
  if (entry.contains("error")) return check.wrong();
  check.must(
      entry["step"]["messages"]["most"] == kMessagesOfStep * workers,
      absl::StrCat("a step took ", entry["step"]["messages"]["most"].dump(), " messages at the master"));
  check.must(entry["open"]["messages"] <= kMessagesOfOpening * workers,
             "too many messages to open a session");
  check.must(entry["first_step"]["messages"] <= kMessagesOfFirstStep * workers,
             "too many messages for a first step");
  check.nothing_left(entry["left"]);
  return check.wrong();
}

std::vector<std::string> check_faults(const json& entry) {
  Checker check(absl::StrCat(entry["workers"].dump(), " workers that fail"));
  check.must(entry["wrong_steps"] == 0, "sums are wrong");
  check.must(entry["never_recovered"] == 0, "there are failures that no step got over");
  check.must(entry["lost_without_a_name"] == 0, "steps were lost without a word about who is");
  check.must(entry["steps"] > 0, "no step was good");
  check.must(entry["left_after_recovery"] == 0, "sessions were left after one was lost");
  check.nothing_left(entry["left_at_end"]);
  return check.wrong();
}

}  // namespace

std::vector<std::string> check_figures(const json& figures) {
  std::vector<std::string> wrong;
  for (const json& entry : figures.value("growth", json::array())) {
    for (std::string& line : check_growth(entry)) wrong.push_back(std::move(line));
  }
  for (const json& entry : figures.value("faults", json::array())) {
    for (std::string& line : check_faults(entry)) wrong.push_back(std::move(line));
  }
  return wrong;
}

}  // namespace troupe::simulation
