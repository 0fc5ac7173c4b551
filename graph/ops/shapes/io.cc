// Files, checkpoints, summaries, and the parsing of examples.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

/// Names for as many tensors as are saved; input 0 is a file name.
absl::Status save(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  const int lists = c.op().name == "Save" ? 1 : 2;
  for (int i = 1; i <= lists; ++i) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape names, with_rank(c.input(i), 1));
    TROUPE_RETURN_IF_ERROR(with_value(dim_of(names, 0), c.num_inputs() - 1 - lists).status());
  }
  return absl::OkStatus();
}

/// Tensors of a checkpoint: shapes are known where a slice says them.
absl::Status restore_v2(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  TROUPE_ASSIGN_OR_RETURN(PartialShape names, with_rank(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape slices, with_rank(c.input(2), 1));
  return merge(names, slices).status();
}

absl::Status decode_csv(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(i), 1));
    if (c.input(i).rank() == 1 && c.input(i).dim(0) > 1) {
      return invalid("Shape of a default must be a length-0 or length-1 vector, or a scalar.");
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return absl::OkStatus();
}

/// The outputs of the three parsers come in the same groups, of sizes that their attrs tell.
struct ExampleOutputs {
  int64_t sparse = 0;
  std::vector<PartialShape> dense;
  int next = 0;
};

absl::Status check_dense_shapes(const std::vector<PartialShape>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    bool known = shapes[i].known_rank();
    for (int d = 1; known && d < shapes[i].rank(); ++d) known = shapes[i].dim(d) >= 0;
    if (!known) {
      return invalid(absl::StrCat("dense_shapes[", i,
                                  "] has unknown rank or unknown inner dimensions: ", shapes[i].to_string()));
    }
  }
  return absl::OkStatus();
}

/// Sparse indices, values and shapes of `batch_rank` + 1 dimensions.
void set_sparse(ShapeContext& c, ExampleOutputs* out, int64_t batch_rank) {
  for (int64_t i = 0; i < out->sparse; ++i)
    c.set_output(out->next++, PartialShape({kUnknownDim, batch_rank + 1}));
  for (int64_t i = 0; i < out->sparse; ++i) c.set_output(out->next++, PartialShape({kUnknownDim}));
  for (int64_t i = 0; i < out->sparse; ++i) c.set_output(out->next++, PartialShape({batch_rank + 1}));
}

void set_dense(ShapeContext& c, ExampleOutputs* out, const PartialShape& batch) {
  for (const PartialShape& shape : out->dense) c.set_output(out->next++, concatenate(batch, shape));
}

absl::StatusOr<size_t> list_size(const ShapeContext& c, absl::string_view attr) {
  TROUPE_ASSIGN_OR_RETURN(auto types, c.attr<std::vector<DataType>>(attr));
  return types.size();
}

absl::Status parse_example(ShapeContext& c) {
  ExampleOutputs out;
  TROUPE_ASSIGN_OR_RETURN(out.sparse, c.attr<int64_t>("Nsparse"));
  TROUPE_ASSIGN_OR_RETURN(int64_t dense, c.attr<int64_t>("Ndense"));
  TROUPE_ASSIGN_OR_RETURN(out.dense, c.attr<std::vector<PartialShape>>("dense_shapes"));
  TROUPE_RETURN_IF_ERROR(check_dense_shapes(out.dense));
  TROUPE_ASSIGN_OR_RETURN(size_t sparse_types, list_size(c, "sparse_types"));
  TROUPE_ASSIGN_OR_RETURN(size_t dense_types, list_size(c, "Tdense"));
  if (out.sparse != static_cast<int64_t>(sparse_types))
    return invalid("len(sparse_keys) != len(sparse_types)");
  if (dense != static_cast<int64_t>(dense_types)) return invalid("len(dense_keys) != len(dense_types)");
  if (dense != static_cast<int64_t>(out.dense.size())) return invalid("len(dense_keys) != len(dense_shapes)");
  TROUPE_ASSIGN_OR_RETURN(PartialShape batch, with_rank(c.input(0), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  set_sparse(c, &out, 1);
  set_dense(c, &out, batch);
  return absl::OkStatus();
}

absl::Status parse_example_v2(ShapeContext& c) {
  ExampleOutputs out;
  TROUPE_ASSIGN_OR_RETURN(out.sparse, c.attr<int64_t>("num_sparse"));
  TROUPE_ASSIGN_OR_RETURN(out.dense, c.attr<std::vector<PartialShape>>("dense_shapes"));
  TROUPE_RETURN_IF_ERROR(check_dense_shapes(out.dense));
  TROUPE_ASSIGN_OR_RETURN(size_t sparse_types, list_size(c, "sparse_types"));
  TROUPE_ASSIGN_OR_RETURN(size_t dense_types, list_size(c, "Tdense"));
  TROUPE_ASSIGN_OR_RETURN(size_t ragged_values, list_size(c, "ragged_value_types"));
  TROUPE_ASSIGN_OR_RETURN(size_t ragged_splits, list_size(c, "ragged_split_types"));
  if (out.sparse != static_cast<int64_t>(sparse_types))
    return invalid("len(sparse_keys) != len(sparse_types)");
  if (dense_types != out.dense.size()) return invalid("len(dense_keys) != len(dense_shapes)");
  if (ragged_values != ragged_splits) return invalid("len(ragged_value_types) != len(ragged_split_types)");
  const PartialShape& batch = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_most(batch, 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(1), 1));
  if (batch.known_rank()) {
    set_sparse(c, &out, batch.rank());
  } else {
    for (int64_t i = 0; i < out.sparse; ++i)
      c.set_output(out.next++, PartialShape({kUnknownDim, kUnknownDim}));
    for (int64_t i = 0; i < 2 * out.sparse; ++i) c.set_output(out.next++, PartialShape({kUnknownDim}));
  }
  set_dense(c, &out, batch);
  for (size_t i = 0; i < ragged_values; ++i) c.set_output(out.next++, PartialShape({kUnknownDim}));
  int64_t splits = kUnknownDim;
  if (batch.rank() == 0) splits = 0;
  if (batch.rank() == 1 && batch.dim(0) >= 0) {
    TROUPE_ASSIGN_OR_RETURN(splits, add_dims(batch.dim(0), 1));
  }
  for (size_t i = 0; i < ragged_splits; ++i) c.set_output(out.next++, PartialShape({splits}));
  return absl::OkStatus();
}

absl::Status parse_single_example(ShapeContext& c) {
  ExampleOutputs out;
  TROUPE_ASSIGN_OR_RETURN(out.sparse, c.attr<int64_t>("num_sparse"));
  TROUPE_ASSIGN_OR_RETURN(out.dense, c.attr<std::vector<PartialShape>>("dense_shapes"));
  TROUPE_RETURN_IF_ERROR(check_dense_shapes(out.dense));
  TROUPE_ASSIGN_OR_RETURN(auto sparse_keys, c.attr<std::vector<std::string>>("sparse_keys"));
  TROUPE_ASSIGN_OR_RETURN(auto dense_keys, c.attr<std::vector<std::string>>("dense_keys"));
  TROUPE_ASSIGN_OR_RETURN(size_t sparse_types, list_size(c, "sparse_types"));
  TROUPE_ASSIGN_OR_RETURN(size_t dense_types, list_size(c, "Tdense"));
  if (out.sparse != static_cast<int64_t>(sparse_keys.size()) ||
      out.sparse != static_cast<int64_t>(sparse_types)) {
    return invalid(absl::StrCat("num_sparse (", out.sparse, ") must match the size of sparse_keys (",
                                sparse_keys.size(), ") and sparse_types (", sparse_types, ")"));
  }
  if (dense_keys.size() != dense_types || dense_types != out.dense.size()) {
    return invalid(absl::StrCat("The sizes of dense_keys (", dense_keys.size(), "), Tdense (", dense_types,
                                ") and dense_shapes (", out.dense.size(), ") must be equal"));
  }
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(0), 0).status());
  set_sparse(c, &out, 0);
  set_dense(c, &out, PartialShape(Dims()));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"DecodeCSV", decode_csv},
    {"DecodeJSONExample", unchanged},
    {"HistogramSummary", scalar},
    {"ImageSummary", scalar},
    {"MergeSummary", scalar},
    {"ScalarSummary", scalar},
    {"SummaryWriter", scalar},
    {"TensorSummary", scalar},
    {"TensorSummaryV2", scalar},
    {"FixedLengthRecordReaderV2", scalar},
    {"IdentityReaderV2", scalar},
    {"TFRecordReaderV2", scalar},
    {"TextLineReaderV2", scalar},
    {"WholeFileReaderV2", scalar},
    {"ReaderNumRecordsProducedV2", scalar},
    {"ReaderNumWorkUnitsCompletedV2", scalar},
    {"ReaderReadUpToV2", rule<"[] [] [] -> [?] [?]">},
    {"ReaderReadV2", rule<"[] [] -> [] []">},
    {"ReaderResetV2", rule<"[]">},
    {"MatchingFiles", rule<"<=1 -> [?]">},
    {"MergeV2Checkpoints", rule<"[?] []">},
    {"ParseExample", parse_example},
    {"ParseExampleV2", parse_example_v2},
    {"ParseSingleExample", parse_single_example},
    {"ParseTensor", unknown},
    {"SerializeTensor", scalar},
    {"ReadFile", rule<"[] -> []">},
    {"WriteFile", rule<"[] []">},
    {"Restore", rule<"[] [] -> *">},
    {"RestoreSlice", rule<"[] [] [] -> *">},
    {"RestoreV2", restore_v2},
    {"Save", save},
    {"SaveSlices", save},
    {"SaveV2", save},
    {"ShardedFilename", rule<"[] [] [] -> []">},
    {"ShardedFilespec", rule<"[] [] -> []">},
};

}  // namespace

absl::Status register_io_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
