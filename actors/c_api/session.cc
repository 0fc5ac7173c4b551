#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "actors/c_api/border.h"
#include "actors/c_api/session_handle.h"

#include "graph/ir/graph_increment.h"
#include "graph/status.h"

namespace c_api = troupe::c_api;
using troupe::Tensor;

namespace troupe::c_api {
namespace {

/// What a client says that a run feeds, fetches and targets.
struct RunArguments {
  const TF_Output* inputs;
  TF_Tensor* const* input_values;
  int ninputs;
  const TF_Output* outputs;
  TF_Tensor** output_values;
  int noutputs;
  const TF_Operation* const* targets;
  int ntargets;
};

absl::Status check_ends(const TF_Output* ends, int n, absl::string_view what) {
  TROUPE_RETURN_IF_ERROR(check_array(ends, n, what));
  for (int i = 0; i < n; ++i) {
    if (ends[i].oper == nullptr)
      return absl::InvalidArgumentError(absl::StrCat("Operation ", i, " of the ", what, " is null"));
  }
  return absl::OkStatus();
}

/// Everything but the values, which a setup has none of.
absl::Status check_signature(const RunArguments& a) {
  TROUPE_RETURN_IF_ERROR(check_ends(a.inputs, a.ninputs, "inputs"));
  TROUPE_RETURN_IF_ERROR(check_ends(a.outputs, a.noutputs, "outputs"));
  TROUPE_RETURN_IF_ERROR(check_array(a.targets, a.ntargets, "targets"));
  for (int i = 0; i < a.ntargets; ++i) {
    if (a.targets[i] == nullptr)
      return absl::InvalidArgumentError(absl::StrCat("Target operation ", i, " is null"));
  }
  return absl::OkStatus();
}

absl::Status check(const RunArguments& a) {
  TROUPE_RETURN_IF_ERROR(check_array(a.output_values, a.noutputs, "output values"));
  std::fill_n(a.output_values, a.noutputs, nullptr);
  TROUPE_RETURN_IF_ERROR(check_signature(a));
  return check_array(a.input_values, a.ninputs, "input values");
}

template <class Names>
void append_names(const TF_Output* ends, int n, Names* names) {
  for (int i = 0; i < n; ++i) names->emplace_back(output_name(ends[i]));
}

std::vector<std::string> target_names(const RunArguments& a) {
  std::vector<std::string> names;
  for (int i = 0; i < a.ntargets; ++i)
    names.emplace_back(TF_OperationName(const_cast<TF_Operation*>(a.targets[i])));
  return names;
}

CallableOptions callable_options(const RunArguments& a) {
  CallableOptions options;
  append_names(a.inputs, a.ninputs, &options.feeds);
  append_names(a.outputs, a.noutputs, &options.fetches);
  options.targets = target_names(a);
  return options;
}

/// `values` null: without them.
absl::StatusOr<NamedRun> named_run(const RunArguments& a) {
  NamedRun run;
  for (int i = 0; i < a.ninputs; ++i) {
    Tensor value;
    if (a.input_values != nullptr) {
      TROUPE_ASSIGN_OR_RETURN(value, to_tensor(a.input_values[i]));
    }
    run.feeds.emplace_back(output_name(a.inputs[i]), std::move(value));
  }
  append_names(a.outputs, a.noutputs, &run.fetches);
  run.targets = target_names(a);
  return run;
}

using Words = absl::InlinedVector<uint64_t, 32>;

uint64_t word_of(const TF_Operation* oper) { return reinterpret_cast<uintptr_t>(oper); }

void append_words(const TF_Output* ends, int n, Words* words) {
  words->push_back(static_cast<uint64_t>(n));
  for (int i = 0; i < n; ++i) {
    words->push_back(word_of(ends[i].oper));
    words->push_back(static_cast<uint64_t>(ends[i].index));
  }
}

absl::Status run_callable(TF_Session* session, const CallableCode& callable, const RunArguments& a) {
  absl::InlinedVector<Tensor, 4> feeds(a.ninputs);
  absl::InlinedVector<Tensor, 4> fetches(a.noutputs);
  for (int i = 0; i < a.ninputs; ++i) {
    TROUPE_ASSIGN_OR_RETURN(feeds[i], to_tensor(a.input_values[i]));
  }
  TROUPE_RETURN_IF_ERROR(session->session->run_callable(callable, {feeds.data(), feeds.size()},
                                                        {fetches.data(), fetches.size()}));
  return hand_out({fetches.data(), fetches.size()}, a.output_values);
}

/// A run without options needs no names once its signature is known.
absl::Status run(TF_Session* session, const TF_Buffer* run_options, const RunArguments& a,
                 TF_Buffer* run_metadata) {
  if ((run_options == nullptr || run_options->length == 0) && run_metadata == nullptr) {
    Words words;
    append_words(a.inputs, a.ninputs, &words);
    append_words(a.outputs, a.noutputs, &words);
    for (int i = 0; i < a.ntargets; ++i) words.push_back(word_of(a.targets[i]));
    const CallableCode* callable =
        session->callables.find({words.data(), words.size()}, [&] { return callable_options(a); });
    if (callable != nullptr) return run_callable(session, *callable, a);
  }
  TROUPE_ASSIGN_OR_RETURN(NamedRun named, named_run(a));
  return run_by_name(*session->session, named, run_options, a.output_values, run_metadata);
}

/// Hands the session the nodes that it lacks; the whole graph when nodes that it has were changed. `graph->mu` held.
absl::Status hand_over(TF_Session* session, const TF_Graph& graph) {
  const int first_id = session->num_nodes.load(std::memory_order_relaxed);
  if (first_id == 0 || session->num_changes != graph.num_changes) {
    return session->session->extend(graph.graph.clone());
  }
  return session->session->extend(increment_of(graph.graph, first_id));
}

/// Hands the session what was added to the graph since it last was.
absl::Status extend(TF_Session* session) {
  TF_Graph* graph = session->graph;
  if (session->num_nodes.load(std::memory_order_acquire) ==
      graph->num_nodes.load(std::memory_order_acquire)) {
    return absl::OkStatus();
  }
  std::lock_guard lock(graph->mu);
  const int num_nodes = graph->graph.num_ids();
  if (session->num_nodes.load(std::memory_order_relaxed) == num_nodes) return absl::OkStatus();
  TROUPE_RETURN_IF_ERROR(hand_over(session, *graph));
  session->num_changes = graph->num_changes;
  graph->num_extended = std::max(graph->num_extended, num_nodes);
  session->num_nodes.store(num_nodes, std::memory_order_release);
  return absl::OkStatus();
}

absl::Status extend_before_run(TF_Session* session) {
  return session->extend_before_run.load(std::memory_order_relaxed) ? extend(session) : absl::OkStatus();
}

absl::StatusOr<TF_Session*> new_session(TF_Graph* graph, const TF_SessionOptions* options) {
  if (graph == nullptr) return absl::InvalidArgumentError("A session needs a graph");
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Session> session, open_session(options));
  std::lock_guard lock(graph->mu);
  ++graph->num_sessions;
  return new TF_Session(std::move(session), graph);
}

constexpr char kNoSession[] = "The session is null";

absl::Status setup(TF_Session* session, const RunArguments& a, const char** handle) {
  if (session == nullptr) return absl::InvalidArgumentError(kNoSession);
  TROUPE_RETURN_IF_ERROR(check_signature(a));
  TROUPE_RETURN_IF_ERROR(extend_before_run(session));
  TROUPE_ASSIGN_OR_RETURN(NamedRun named, named_run(a));
  return setup_partial_run(*session->session, named, handle);
}

absl::Status partial_run(TF_Session* session, const char* handle, const RunArguments& a) {
  if (session == nullptr) return absl::InvalidArgumentError(kNoSession);
  TROUPE_RETURN_IF_ERROR(check(a));
  TROUPE_RETURN_IF_ERROR(extend_before_run(session));
  TROUPE_ASSIGN_OR_RETURN(NamedRun named, named_run(a));
  return partial_run_by_name(*session->session, handle, named, a.output_values);
}

}  // namespace
}  // namespace troupe::c_api

extern "C" {

TF_Session* TF_NewSession(TF_Graph* graph, const TF_SessionOptions* opts, TF_Status* status) try {
  absl::StatusOr<TF_Session*> session = c_api::new_session(graph, opts);
  c_api::set_status(status, session.status());
  return session.ok() ? *session : nullptr;
}
TROUPE_BORDER_OR({}, status)

void TF_CloseSession(TF_Session* session, TF_Status* status) try {
  c_api::set_status(status, session == nullptr ? absl::InvalidArgumentError(c_api::kNoSession)
                                               : session->session->close());
}
TROUPE_BORDER(status)

void TF_DeleteSession(TF_Session* session, TF_Status* status) try {
  c_api::set_status(status, absl::OkStatus());
  if (session == nullptr) return;
  TF_Graph* graph = session->graph;
  delete session;
  bool unused = false;
  {
    std::lock_guard lock(graph->mu);
    unused = --graph->num_sessions == 0 && graph->delete_requested;
  }
  if (unused) delete graph;
}
TROUPE_BORDER(status)

void TF_SessionRun(TF_Session* session, const TF_Buffer* run_options, const TF_Output* inputs,
                   TF_Tensor* const* input_values, int ninputs, const TF_Output* outputs,
                   TF_Tensor** output_values, int noutputs, const TF_Operation* const* target_opers,
                   int ntargets, TF_Buffer* run_metadata, TF_Status* status) try {
  c_api::RunArguments a{inputs,        input_values, ninputs,      outputs,
                        output_values, noutputs,     target_opers, ntargets};
  if (session == nullptr) return c_api::set_invalid(status, c_api::kNoSession);
  absl::Status result = c_api::check(a);
  if (result.ok()) result = c_api::extend_before_run(session);
  if (result.ok()) result = c_api::run(session, run_options, a, run_metadata);
  c_api::set_status(status, result);
}
TROUPE_BORDER(status)

void TF_SessionPRunSetup(TF_Session* session, const TF_Output* inputs, int ninputs, const TF_Output* outputs,
                         int noutputs, const TF_Operation* const* target_opers, int ntargets,
                         const char** handle, TF_Status* status) try {
  if (handle == nullptr) return c_api::set_invalid(status, "There is no place for the handle");
  *handle = nullptr;
  c_api::RunArguments a{inputs, nullptr, ninputs, outputs, nullptr, noutputs, target_opers, ntargets};
  c_api::set_status(status, c_api::setup(session, a, handle));
}
TROUPE_BORDER(status)

void TF_SessionPRun(TF_Session* session, const char* handle, const TF_Output* inputs,
                    TF_Tensor* const* input_values, int ninputs, const TF_Output* outputs,
                    TF_Tensor** output_values, int noutputs, const TF_Operation* const* target_opers,
                    int ntargets, TF_Status* status) try {
  c_api::RunArguments a{inputs,        input_values, ninputs,      outputs,
                        output_values, noutputs,     target_opers, ntargets};
  c_api::set_status(status, c_api::partial_run(session, handle, a));
}
TROUPE_BORDER(status)

void TF_ExtendSession(TF_Session* session, TF_Status* status) try {
  if (session == nullptr) return c_api::set_invalid(status, c_api::kNoSession);
  c_api::set_status(status, c_api::extend(session));
  session->extend_before_run = false;
}
TROUPE_BORDER(status)

}  // extern "C"
