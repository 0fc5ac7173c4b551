#include "tools/troupe/top.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace troupe {
namespace {

using Json = nlohmann::json;

std::string duration_text(const Json& us) {
  if (!us.is_number()) return "-";
  const double n = us.get<double>();
  if (n < 1e3) return absl::StrFormat("%.0f us", n);
  if (n < 1e6) return absl::StrFormat("%.1f ms", n / 1e3);
  return absl::StrFormat("%.1f s", n / 1e6);
}

std::string bytes_text(int64_t n) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(n);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return unit == 0 ? absl::StrCat(n, " B") : absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

/// Rows of cells; the columns are as wide as their widest cell, the last one as it is.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { add(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::string out;
    for (const auto& row : rows_) {
      for (size_t c = 0; c + 1 < row.size(); ++c)
        absl::StrAppendFormat(&out, "%*s  ", static_cast<int>(width(c)), row[c]);
      absl::StrAppend(&out, row.back(), "\n");
    }
    return out;
  }

 private:
  size_t width(size_t column) const {
    size_t most = 0;
    for (const auto& row : rows_) most = std::max(most, row[column].size());
    return most;
  }
  std::vector<std::vector<std::string>> rows_;
};

std::string number(const Json& object, const char* key) {
  return absl::StrCat(object.at(key).get<int64_t>());
}

/// Names are others': what would move the cursor is not printed.
std::string name(const Json& object, const char* key) {
  std::string text = object.at(key).get<std::string>();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return text;
}

std::string errors_text(const Json& errors) {
  std::vector<std::string> parts;
  int64_t all = 0;
  for (const auto& [code, n] : errors.items()) {
    all += n.get<int64_t>();
    parts.push_back(absl::StrCat(code, " ", n.get<int64_t>()));
  }
  return absl::StrCat("errors ", all,
                      parts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(parts, ", "), ")"));
}

std::string sessions_text(const Json& sessions) {
  Table t({"SESSION", "RUNS", "RUNNING", "SIGNATURES", "COMPILED", "SLOTS", "NAME"});
  for (const Json& s : sessions)
    t.add({number(s, "id"), number(s, "runs"), number(s, "running"), number(s, "signatures"),
           number(s, "signature_misses"), number(s, "slots"), name(s, "name")});
  return t.text();
}

std::string pools_text(const Json& pools) {
  Table t({"THREADS", "OF", "BUSY", "TURNS QUEUED", "KERNELS QUEUED", "KERNELS RUN", "POOL"});
  for (const Json& p : pools)
    t.add({number(p, "threads"), number(p, "max_threads"), number(p, "busy"), number(p, "turns_queued"),
           number(p, "kernels_queued"), number(p, "kernels_run"), name(p, "name")});
  return t.text();
}

std::string devices_text(const Json& devices) {
  Table t({"BATCHES", "KERNELS", "QUEUED", "HELD BY STEPS", "DEVICE"});
  for (const Json& d : devices) {
    int64_t held = 0;
    for (const Json& s : d.at("steps")) held += s.at("bytes").get<int64_t>();
    t.add({number(d, "batches"), number(d, "kernels_launched"), number(d, "kernels_queued"), bytes_text(held),
           name(d, "name")});
  }
  return t.text();
}

std::string steps_text(const Json& sessions, size_t max_steps) {
  struct Step {
    int64_t age_us;
    std::vector<std::string> row;
  };
  std::vector<Step> steps;
  for (const Json& session : sessions) {
    for (const Json& s : session.at("steps")) {
      const Json& frontier = s.at("frontier");
      std::string what = name(s, "label");
      if (!frontier.empty()) absl::StrAppend(&what, "  |  ", name(Json{{"node", frontier[0]}}, "node"));
      steps.push_back(
          {s.at("age_us").get<int64_t>(),
           {number(session, "id"), number(s, "step"), duration_text(s.at("age_us")), std::move(what)}});
    }
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.age_us > b.age_us; });
  Table t({"SESSION", "STEP", "FOR", "FETCHES -> TARGETS  |  FIRST NODE NOT DONE"});
  for (size_t i = 0; i < std::min(max_steps, steps.size()); ++i) t.add(std::move(steps[i].row));
  return t.text();
}

}  // namespace

absl::StatusOr<std::string> Top::show(const std::string& status_json, size_t max_steps) {
  try {
    const Json s = Json::parse(status_json);
    int64_t running = 0;
    for (const Json& session : s.at("sessions")) running += session.at("running").get<int64_t>();
    const int64_t at = s.at("at_us").get<int64_t>(), runs = s.at("runs").get<int64_t>();
    std::string rate;
    if (at_us_ != 0 && at > at_us_)
      rate = absl::StrFormat(" (%.0f/s)",
                             static_cast<double>(runs - runs_) * 1e6 / static_cast<double>(at - at_us_));
    at_us_ = at;
    runs_ = runs;
    const Json &memory = s.at("memory"), &steps = s.at("steps");
    return absl::StrCat(absl::StrFormat("up %.0f s, %s; ", s.at("up_seconds").get<double>(),
                                        s.at("ready").get<bool>() ? "ready" : "shutting down"),
                        "runs ", runs, rate, ", in flight ", running, ", ", errors_text(steps.at("errors")),
                        "\nsteps: half <= ", duration_text(steps.at("p50_us")),
                        ", 99 % <= ", duration_text(steps.at("p99_us")), "; memory ",
                        bytes_text(memory.at("bytes").get<int64_t>()), ", most ",
                        bytes_text(memory.at("peak_bytes").get<int64_t>()), "\n\n",
                        sessions_text(s.at("sessions")), "\n", pools_text(s.at("pools")), "\n",
                        devices_text(s.at("devices")), "\n", steps_text(s.at("sessions"), max_steps));
  } catch (const Json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat("what answers is no console: ", e.what()));
  }
}

}  // namespace troupe
