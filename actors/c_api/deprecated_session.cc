#include <algorithm>

#include "absl/strings/str_cat.h"
#include "actors/c_api/border.h"
#include "actors/c_api/session_handle.h"

#include "graph/status.h"
#include "proto/graph.pb.h"

namespace c_api = troupe::c_api;

namespace troupe::c_api {
namespace {

constexpr char kNoSession[] = "The session is null";

/// What a client names that a run feeds, fetches and targets.
struct NamedArguments {
  const char** inputs;
  TF_Tensor** input_values;
  int ninputs;
  const char** outputs;
  TF_Tensor** output_values;
  int noutputs;
  const char** targets;
  int ntargets;
};

absl::Status append_names(const char** names, int n, absl::string_view what, std::vector<std::string>* out) {
  TROUPE_RETURN_IF_ERROR(check_array(names, n, what));
  for (int i = 0; i < n; ++i) {
    if (names[i] == nullptr)
      return absl::InvalidArgumentError(absl::StrCat("Name ", i, " of the ", what, " is null"));
    out->emplace_back(names[i]);
  }
  return absl::OkStatus();
}

/// `with_values` false: a setup, whose feeds have no values yet.
absl::StatusOr<NamedRun> named_run(const NamedArguments& a, bool with_values) {
  if (with_values) {
    TROUPE_RETURN_IF_ERROR(check_array(a.output_values, a.noutputs, "output values"));
    std::fill_n(a.output_values, a.noutputs, nullptr);
    TROUPE_RETURN_IF_ERROR(check_array(a.input_values, a.ninputs, "input values"));
  }
  NamedRun run;
  std::vector<std::string> feeds;
  TROUPE_RETURN_IF_ERROR(append_names(a.inputs, a.ninputs, "inputs", &feeds));
  TROUPE_RETURN_IF_ERROR(append_names(a.outputs, a.noutputs, "outputs", &run.fetches));
  TROUPE_RETURN_IF_ERROR(append_names(a.targets, a.ntargets, "targets", &run.targets));
  for (int i = 0; i < a.ninputs; ++i) {
    Tensor value;
    if (with_values) {
      TROUPE_ASSIGN_OR_RETURN(value, to_tensor(a.input_values[i]));
    }
    run.feeds.emplace_back(std::move(feeds[i]), std::move(value));
  }
  return run;
}

absl::Status extend(TF_DeprecatedSession* session, const void* proto, size_t proto_len) {
  if (session == nullptr) return absl::InvalidArgumentError(kNoSession);
  pb::GraphDef graph;
  if ((proto == nullptr && proto_len > 0) || proto_len > INT32_MAX ||
      !graph.ParseFromArray(proto, static_cast<int>(proto_len))) {
    return absl::InvalidArgumentError("Invalid GraphDef");
  }
  return session->session->extend(graph);
}

absl::Status run(TF_DeprecatedSession* session, const TF_Buffer* run_options, const NamedArguments& a,
                 TF_Buffer* run_metadata) {
  if (session == nullptr) return absl::InvalidArgumentError(kNoSession);
  TROUPE_ASSIGN_OR_RETURN(NamedRun named, named_run(a, true));
  return run_by_name(*session->session, named, run_options, a.output_values, run_metadata);
}

absl::Status setup(TF_DeprecatedSession* session, const NamedArguments& a, const char** handle) {
  if (session == nullptr) return absl::InvalidArgumentError(kNoSession);
  TROUPE_ASSIGN_OR_RETURN(NamedRun named, named_run(a, false));
  return setup_partial_run(*session->session, named, handle);
}

absl::Status partial_run(TF_DeprecatedSession* session, const char* handle, const NamedArguments& a) {
  if (session == nullptr) return absl::InvalidArgumentError(kNoSession);
  TROUPE_ASSIGN_OR_RETURN(NamedRun named, named_run(a, true));
  return partial_run_by_name(*session->session, handle, named, a.output_values);
}

}  // namespace
}  // namespace troupe::c_api

extern "C" {

TF_DeprecatedSession* TF_NewDeprecatedSession(const TF_SessionOptions* opts, TF_Status* status) try {
  absl::StatusOr<std::shared_ptr<troupe::Session>> session = c_api::open_session(opts);
  c_api::set_status(status, session.status());
  if (!session.ok()) return nullptr;
  return new TF_DeprecatedSession{*std::move(session)};
}
TROUPE_BORDER_OR({}, status)

void TF_CloseDeprecatedSession(TF_DeprecatedSession* session, TF_Status* status) try {
  if (session == nullptr) return c_api::set_invalid(status, c_api::kNoSession);
  c_api::set_status(status, session->session->close());
}
TROUPE_BORDER(status)

void TF_DeleteDeprecatedSession(TF_DeprecatedSession* session, TF_Status* status) try {
  c_api::set_status(status, absl::OkStatus());
  delete session;
}
TROUPE_BORDER(status)

void TF_ExtendGraph(TF_DeprecatedSession* session, const void* proto, size_t proto_len,
                    TF_Status* status) try {
  c_api::set_status(status, c_api::extend(session, proto, proto_len));
}
TROUPE_BORDER(status)

void TF_Run(TF_DeprecatedSession* session, const TF_Buffer* run_options, const char** input_names,
            TF_Tensor** inputs, int ninputs, const char** output_names, TF_Tensor** outputs, int noutputs,
            const char** target_oper_names, int ntargets, TF_Buffer* run_metadata, TF_Status* status) try {
  c_api::NamedArguments a{input_names, inputs,   ninputs,           output_names,
                          outputs,     noutputs, target_oper_names, ntargets};
  c_api::set_status(status, c_api::run(session, run_options, a, run_metadata));
}
TROUPE_BORDER(status)

void TF_PRunSetup(TF_DeprecatedSession* session, const char** input_names, int ninputs,
                  const char** output_names, int noutputs, const char** target_oper_names, int ntargets,
                  const char** handle, TF_Status* status) try {
  if (handle == nullptr) return c_api::set_invalid(status, "There is no place for the handle");
  *handle = nullptr;
  c_api::NamedArguments a{input_names, nullptr,  ninputs,           output_names,
                          nullptr,     noutputs, target_oper_names, ntargets};
  c_api::set_status(status, c_api::setup(session, a, handle));
}
TROUPE_BORDER(status)

void TF_PRun(TF_DeprecatedSession* session, const char* handle, const char** input_names, TF_Tensor** inputs,
             int ninputs, const char** output_names, TF_Tensor** outputs, int noutputs,
             const char** target_oper_names, int ntargets, TF_Status* status) try {
  c_api::NamedArguments a{input_names, inputs,   ninputs,           output_names,
                          outputs,     noutputs, target_oper_names, ntargets};
  c_api::set_status(status, c_api::partial_run(session, handle, a));
}
TROUPE_BORDER(status)

}  // extern "C"
