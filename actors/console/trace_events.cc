#include "actors/console/trace_events.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace troupe {
namespace {

using Json = nlohmann::json;

/// Of a step with more, the others are counted only.
constexpr size_t kMaxNodes = 50'000;
/// Rows of a lane: its STEP, and its EXECUTORs.
constexpr int64_t kRowsOfLane = 1000;

int64_t begin_of(const StepTrace::Partition& p) {
  int64_t first = INT64_MAX;
  for (const auto& n : p.nodes)
    first = std::min(first, n.launched_ns != 0 ? std::min(n.launched_ns, n.begin_ns) : n.begin_ns);
  return first;
}

int64_t end_of(const StepTrace::Partition& p) {
  int64_t last = 0;
  for (const auto& n : p.nodes) last = std::max(last, n.end_ns);
  return last;
}

}  // namespace

/// The events of one step.
class TraceEvents::Writer {
 public:
  Writer(TraceEvents* events, const StepTrace& trace) : events_(*events), trace_(trace) {}

  std::string write() {
    const int lane = events_.lane_of(trace_);
    const Row step =
        row(absl::StrCat("session ", trace_.session_id), lane * kRowsOfLane, absl::StrCat("STEP ", lane));
    slice(step, absl::StrCat("step ", trace_.step_id, ": ", trace_.label), "STEP", trace_.began_ns,
          trace_.ended_ns, about());
    for (size_t i = 0; i < trace_.partitions.size(); ++i) {
      if (!trace_.partitions[i].nodes.empty())
        add(trace_.partitions[i], step, lane * kRowsOfLane + 1 + static_cast<int64_t>(i), lane);
    }
    for (const auto& [what, ends] : transfers_) {
      for (size_t i = 0; i < std::min(ends.sent.size(), ends.received.size()); ++i)
        arrow("RENDEZVOUS", ends.sent[i].first, ends.sent[i].second, ends.received[i].first,
              ends.received[i].second);
    }
    if (left_out_ > 0)
      slice(step, absl::StrCat(left_out_, " nodes are not shown"), "STEP", trace_.ended_ns, trace_.ended_ns,
            {});
    return std::move(text_);
  }

 private:
  using Moment = std::pair<Row, int64_t>;
  struct Transfer {
    std::vector<Moment> sent;
    std::vector<Moment> received;
  };

  Json about() const {
    Json args = {{"status", trace_.status.ToString()}};
    if (trace_.recorded) {
      args["messages"] = trace_.messages;
    } else {
      args["nodes"] = "not recorded";
    }
    return args;
  }

  void add(const StepTrace::Partition& p, const Row& step, int64_t tid, int lane) {
    const Row executor{step.pid, tid};
    name_thread(executor, absl::StrCat("EXECUTOR ", lane, ".", tid % kRowsOfLane));
    const int64_t begin = begin_of(p), end = end_of(p);
    slice(executor, absl::StrCat(p.called ? "function on " : "", p.device), "EXECUTOR", begin, end,
          {{"step", trace_.step_id}});
    if (!p.called) {
      if (trace_.messages.contains("StartExecutor"))
        arrow("StartExecutor", step, trace_.began_ns, executor, begin);
      if (trace_.messages.contains("ExecutorDone"))
        arrow("ExecutorDone", executor, end, step, trace_.ended_ns);
    }
    for (const StepTrace::Node& n : p.nodes) {
      if (shown_++ >= kMaxNodes) {
        ++left_out_;
        continue;
      }
      add(n, p, executor);
    }
  }

  void add(const StepTrace::Node& n, const StepTrace::Partition& p, const Row& executor) {
    const Row thread = row(absl::StrCat("session ", trace_.session_id, ": ", p.device), n.thread,
                           absl::StrCat("thread ", n.thread));
    Json args = {{"op", n.op}, {"step", trace_.step_id}};
    if (n.launched_ns != 0) args["queued_us"] = us(n.begin_ns - n.launched_ns);
    slice(thread, n.name, n.op, n.begin_ns, n.end_ns, std::move(args));
    if (n.launched_ns != 0) {
      arrow("LaunchKernels", executor, n.launched_ns, thread, n.begin_ns);
      arrow("DrainKernels", thread, n.end_ns, executor, n.end_ns);
    }
    if (n.transfer.empty()) return;
    Transfer& t = transfers_[n.transfer];
    (n.op == "_Send" ? t.sent : t.received).emplace_back(thread, n.end_ns);
  }

  Row row(const std::string& process, int64_t tid, const std::string& thread) {
    const auto [known, first] =
        events_.processes_.try_emplace(process, static_cast<int>(events_.processes_.size()) + 1);
    const Row r{known->second, tid};
    if (first)
      put({{"ph", "M"}, {"name", "process_name"}, {"pid", r.pid}, {"tid", 0}, {"args", {{"name", process}}}});
    name_thread(r, thread);
    return r;
  }

  void name_thread(const Row& r, const std::string& name) {
    if (!events_.named_.try_emplace({r.pid, r.tid}, true).second) return;
    put({{"ph", "M"}, {"name", "thread_name"}, {"pid", r.pid}, {"tid", r.tid}, {"args", {{"name", name}}}});
  }

  void slice(const Row& r, const std::string& name, const std::string& category, int64_t begin, int64_t end,
             Json args) {
    put({{"ph", "X"},
         {"name", name},
         {"cat", category},
         {"pid", r.pid},
         {"tid", r.tid},
         {"ts", us(begin - events_.first_ns_)},
         {"dur", us(std::max<int64_t>(0, end - begin))},
         {"args", std::move(args)}});
  }

  void arrow(const char* name, const Row& from, int64_t sent, const Row& to, int64_t received) {
    const int64_t id = ++events_.arrows_;
    const auto end = [&](const char* phase, const Row& r, int64_t at) {
      return Json{{"ph", phase},
                  {"name", name},
                  {"cat", "message"},
                  {"id", id},
                  {"pid", r.pid},
                  {"tid", r.tid},
                  {"ts", us(at - events_.first_ns_)}};
    };
    put(end("s", from, sent));
    Json head = end("f", to, received);
    head["bp"] = "e";
    put(head);
  }

  static double us(int64_t ns) { return static_cast<double>(ns) / 1000; }

  void put(const Json& event) {
    if (!text_.empty()) text_ += ",\n";
    // Names may be any bytes.
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  TraceEvents& events_;
  const StepTrace& trace_;
  std::string text_;
  std::map<std::string, Transfer> transfers_;
  size_t shown_ = 0, left_out_ = 0;
};

void TraceEvents::begin_file() {
  processes_.clear();
  named_.clear();
  lanes_.clear();
}

std::string TraceEvents::of(const StepTrace& trace) {
  if (first_ns_ == 0) first_ns_ = trace.began_ns;
  return Writer(this, trace).write();
}

int TraceEvents::lane_of(const StepTrace& trace) {
  std::vector<int64_t>& lanes = lanes_[trace.session_id];
  auto free = std::find_if(lanes.begin(), lanes.end(), [&](int64_t end) { return end <= trace.began_ns; });
  if (free == lanes.end()) free = lanes.insert(free, 0);
  *free = trace.ended_ns;
  return static_cast<int>(free - lanes.begin());
}

}  // namespace troupe
