#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// A tensor of a case: "name|dtype|[shape]|value", where value is "inline:<JSON>" or the path of a .npy or .json file.
struct CaseTensor {
  std::string name;
  DataType dtype = DataType::kInvalid;
  Shape shape;
  std::string value;
};

/// What a runner has to do with a case.
enum class CaseKind {
  /// Fetches equal within the tolerances.
  kOk,
  /// Exact with the same random stream; dtype and shape are enough.
  kSeededRng,
  /// Dtype and shape.
  kNondeterministic,
  /// Equal as sets.
  kOrderUnspecified,
  /// Creating the session must fail.
  kIlltyped,
  /// Running must fail and name the placeholder.
  kMissingFeed,
};

/// One row of a list of cases.
struct Case {
  std::string id;
  std::string graph;
  CaseKind kind = CaseKind::kOk;
  double rtol = 0;
  double atol = 0;
  std::vector<CaseTensor> feeds;
  std::vector<CaseTensor> fetches;
  std::string notes;
};

/// Reads a tab-separated list with a header line. InvalidArgument names the line that is wrong.
absl::StatusOr<std::vector<Case>> parse_cases(absl::string_view text);

/// "ok", "seeded_rng", ...
absl::string_view case_kind_name(CaseKind kind);

/// The value of a feed or fetch; paths are relative to `root`. NotFound when the file is absent.
absl::StatusOr<Tensor> load_case_tensor(const CaseTensor& tensor, const std::string& root);
/// The path of the file behind the value, or "" when it is inline.
std::string case_tensor_path(const CaseTensor& tensor, const std::string& root);

}  // namespace troupe
