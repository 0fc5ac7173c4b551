#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AsString", "input:T", "output:string",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,"
     "complex64,complex128,bool,variant,string]; precision:int = -1; scientific:bool = False; "
     "shortest:bool = False; width:int = -1; fill:string = ''",
     ""},
    {"DecodeBase64", "input:string", "output:string", "", ""},
    {"DecodeCSV", "records:string, record_defaults:list(OUT_TYPE)", "output:list(OUT_TYPE)",
     "OUT_TYPE:list(type) in [float,double,int32,int64,string] >= 1; field_delim:string = ',"
     "'; use_quote_delim:bool = True; na_value:string = ''; select_cols:list(int) = []",
     ""},
    {"DecodeCompressed", "bytes:string", "output:string", "compression_type:string = ''", ""},
    {"DecodeJSONExample", "json_examples:string", "binary_examples:string", "", ""},
    {"DecodeJxl", "contents:string", "image:dtype", "channels:int = 0; dtype:type in [uint8] = uint8", ""},
    {"DecodePaddedRaw", "input_bytes:string, fixed_length:int32", "output:out_type",
     "out_type:type in [half,float,double,int32,uint16,uint8,int16,int8,int64,bfloat16]; "
     "little_endian:bool = True",
     ""},
    {"DecodeProtoV2", "bytes:string", "sizes:int32, values:list(output_types)",
     "message_type:string; field_names:list(string); output_types:list(type) >= 0; "
     "descriptor_source:string = 'local://'; message_format:string = 'binary'; sanitize:bool "
     "= False",
     ""},
    {"DecodeRaw", "bytes:string", "output:out_type",
     "out_type:type in [half,float,double,int32,uint16,uint8,int16,int8,int64,complex64,"
     "complex128,bool,bfloat16]; little_endian:bool = True",
     ""},
    {"DecodeWebP", "contents:string", "image:dtype", "channels:int = 0; dtype:type in [uint8] = uint8", ""},
    {"EncodeBase64", "input:string", "output:string", "pad:bool = False", ""},
    {"EncodeProto", "sizes:int32, values:list(Tinput_types)", "bytes:string",
     "field_names:list(string); message_type:string; descriptor_source:string = 'local://'; "
     "Tinput_types:list(type) >= 1",
     ""},
    {"HistogramSummary", "tag:string, values:T", "summary:string",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64] = float",
     ""},
    {"IdentityReaderV2", "", "reader_handle:resource", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"ImageSummary", "tag:string, tensor:T", "summary:string",
     "max_images:int >= 1 = 3; T:type in [uint8,float,half,double] = float; bad_color:tensor = "
     "uint8[4]{255,0,0,255}",
     ""},
    {"MatchingFiles", "pattern:string", "filenames:string", "", ""},
    {"MergeSummary", "inputs:N * string", "summary:string", "N:int >= 1", ""},
    {"MergeV2Checkpoints", "checkpoint_prefixes:string, destination_prefix:string", "",
     "delete_old_dirs:bool = True; allow_missing_files:bool = False", "stateful"},
    {"ParseExample",
     "serialized:string, names:string, sparse_keys:Nsparse * string, dense_keys:Ndense * "
     "string, dense_defaults:list(Tdense)",
     "sparse_indices:Nsparse * int64, sparse_values:list(sparse_types), sparse_shapes:Nsparse "
     "* int64, dense_values:list(Tdense)",
     "Nsparse:int >= 0; Ndense:int >= 0; sparse_types:list(type) in [float,int64,string] >= "
     "0; Tdense:list(type) in [float,int64,string] >= 0; dense_shapes:list(shape) >= 0",
     ""},
    {"ParseExampleV2",
     "serialized:string, names:string, sparse_keys:string, dense_keys:string, "
     "ragged_keys:string, dense_defaults:list(Tdense)",
     "sparse_indices:num_sparse * int64, sparse_values:list(sparse_types), "
     "sparse_shapes:num_sparse * int64, dense_values:list(Tdense), "
     "ragged_values:list(ragged_value_types), ragged_row_splits:list(ragged_split_types)",
     "Tdense:list(type) in [float,int64,string] >= 0; num_sparse:int >= 0; "
     "sparse_types:list(type) in [float,int64,string] >= 0; ragged_value_types:list(type) in "
     "[float,int64,string] >= 0; ragged_split_types:list(type) in [int32,int64] >= 0; "
     "dense_shapes:list(shape) >= 0",
     ""},
    {"ParseSequenceExample",
     "serialized:string, debug_name:string, context_dense_defaults:list(Tcontext_dense)",
     "context_sparse_indices:Ncontext_sparse * int64, "
     "context_sparse_values:list(context_sparse_types), context_sparse_shapes:Ncontext_sparse "
     "* int64, context_dense_values:list(Tcontext_dense), "
     "feature_list_sparse_indices:Nfeature_list_sparse * int64, "
     "feature_list_sparse_values:list(feature_list_sparse_types), "
     "feature_list_sparse_shapes:Nfeature_list_sparse * int64, "
     "feature_list_dense_values:list(feature_list_dense_types), "
     "feature_list_dense_lengths:Nfeature_list_dense * int64",
     "feature_list_dense_missing_assumed_empty:list(string) >= 0; "
     "context_sparse_keys:list(string) >= 0; context_dense_keys:list(string) >= 0; "
     "feature_list_sparse_keys:list(string) >= 0; feature_list_dense_keys:list(string) >= 0; "
     "Ncontext_sparse:int >= 0 = 0; Ncontext_dense:int >= 0 = 0; Nfeature_list_sparse:int >= "
     "0 = 0; Nfeature_list_dense:int >= 0 = 0; context_sparse_types:list(type) in [float,"
     "int64,string] >= 0 = []; Tcontext_dense:list(type) in [float,int64,string] >= 0 = []; "
     "feature_list_dense_types:list(type) in [float,int64,string] >= 0 = []; "
     "context_dense_shapes:list(shape) >= 0 = []; feature_list_sparse_types:list(type) in "
     "[float,int64,string] >= 0 = []; feature_list_dense_shapes:list(shape) >= 0 = []",
     ""},
    {"ParseSequenceExampleV2",
     "serialized:string, debug_name:string, context_sparse_keys:string, "
     "context_dense_keys:string, context_ragged_keys:string, feature_list_sparse_keys:string, "
     "feature_list_dense_keys:string, feature_list_ragged_keys:string, "
     "feature_list_dense_missing_assumed_empty:bool, "
     "context_dense_defaults:list(Tcontext_dense)",
     "context_sparse_indices:Ncontext_sparse * int64, "
     "context_sparse_values:list(context_sparse_types), context_sparse_shapes:Ncontext_sparse "
     "* int64, context_dense_values:list(Tcontext_dense), "
     "context_ragged_values:list(context_ragged_value_types), "
     "context_ragged_row_splits:list(context_ragged_split_types), "
     "feature_list_sparse_indices:Nfeature_list_sparse * int64, "
     "feature_list_sparse_values:list(feature_list_sparse_types), "
     "feature_list_sparse_shapes:Nfeature_list_sparse * int64, "
     "feature_list_dense_values:list(feature_list_dense_types), "
     "feature_list_dense_lengths:Nfeature_list_dense * int64, "
     "feature_list_ragged_values:list(feature_list_ragged_value_types), "
     "feature_list_ragged_outer_splits:list(feature_list_ragged_split_types), "
     "feature_list_ragged_inner_splits:list(feature_list_ragged_split_types)",
     "Ncontext_sparse:int >= 0 = 0; Tcontext_dense:list(type) in [float,int64,string] >= 0 = "
     "[]; context_sparse_types:list(type) in [float,int64,string] >= 0 = []; "
     "context_ragged_value_types:list(type) in [float,int64,string] >= 0 = []; "
     "context_ragged_split_types:list(type) in [int32,int64] >= 0 = []; "
     "context_dense_shapes:list(shape) >= 0 = []; Nfeature_list_sparse:int >= 0 = 0; "
     "Nfeature_list_dense:int >= 0 = 0; feature_list_dense_types:list(type) in [float,int64,"
     "string] >= 0 = []; feature_list_sparse_types:list(type) in [float,int64,string] >= 0 = "
     "[]; feature_list_ragged_value_types:list(type) in [float,int64,string] >= 0 = []; "
     "feature_list_ragged_split_types:list(type) in [int32,int64] >= 0 = []; "
     "feature_list_dense_shapes:list(shape) >= 0 = []",
     ""},
    {"ParseSingleExample", "serialized:string, dense_defaults:list(Tdense)",
     "sparse_indices:num_sparse * int64, sparse_values:list(sparse_types), "
     "sparse_shapes:num_sparse * int64, dense_values:list(Tdense)",
     "num_sparse:int >= 0; sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; "
     "sparse_types:list(type) in [float,int64,string] >= 0; Tdense:list(type) in [float,int64,"
     "string] >= 0; dense_shapes:list(shape) >= 0",
     ""},
    {"ParseSingleSequenceExample",
     "serialized:string, feature_list_dense_missing_assumed_empty:string, "
     "context_sparse_keys:Ncontext_sparse * string, context_dense_keys:Ncontext_dense * "
     "string, feature_list_sparse_keys:Nfeature_list_sparse * string, "
     "feature_list_dense_keys:Nfeature_list_dense * string, "
     "context_dense_defaults:list(Tcontext_dense), debug_name:string",
     "context_sparse_indices:Ncontext_sparse * int64, "
     "context_sparse_values:list(context_sparse_types), context_sparse_shapes:Ncontext_sparse "
     "* int64, context_dense_values:list(Tcontext_dense), "
     "feature_list_sparse_indices:Nfeature_list_sparse * int64, "
     "feature_list_sparse_values:list(feature_list_sparse_types), "
     "feature_list_sparse_shapes:Nfeature_list_sparse * int64, "
     "feature_list_dense_values:list(feature_list_dense_types)",
     "Ncontext_sparse:int >= 0 = 0; Ncontext_dense:int >= 0 = 0; Nfeature_list_sparse:int >= "
     "0 = 0; Nfeature_list_dense:int >= 0 = 0; context_sparse_types:list(type) in [float,"
     "int64,string] >= 0 = []; Tcontext_dense:list(type) in [float,int64,string] >= 0 = []; "
     "feature_list_dense_types:list(type) in [float,int64,string] >= 0 = []; "
     "context_dense_shapes:list(shape) >= 0 = []; feature_list_sparse_types:list(type) in "
     "[float,int64,string] >= 0 = []; feature_list_dense_shapes:list(shape) >= 0 = []",
     ""},
    {"ParseTensor", "serialized:string", "output:out_type", "out_type:type", ""},
    {"RaggedBincount", "splits:int64, values:Tidx, size:Tidx, weights:T", "output:T",
     "Tidx:type in [int32,int64]; T:type in [int32,int64,float,double]; binary_output:bool = "
     "False",
     ""},
    {"RaggedCross",
     "ragged_values:list(ragged_values_types), ragged_row_splits:list(ragged_splits_types), "
     "sparse_indices:Nsparse * int64, sparse_values:list(sparse_values_types), "
     "sparse_shape:Nsparse * int64, dense_inputs:list(dense_types)",
     "output_values:out_values_type, output_row_splits:out_row_splits_type",
     "Nsparse:int >= 0; input_order:string; hashed_output:bool; num_buckets:int >= 0; "
     "hash_key:int; ragged_values_types:list(type) in [int64,string] >= 0; "
     "ragged_splits_types:list(type) in [int32,int64] >= 0; sparse_values_types:list(type) in "
     "[int64,string] >= 0; dense_types:list(type) in [int64,string] >= 0; "
     "out_values_type:type in [int64,string]; out_row_splits_type:type in [int32,int64]",
     ""},
    {"RaggedFillEmptyRows", "value_rowids:int64, values:T, nrows:int64, default_value:T",
     "output_value_rowids:int64, output_values:T, empty_row_indicator:bool, "
     "reverse_index_map:int64",
     "T:type", ""},
    {"RaggedFillEmptyRowsGrad", "reverse_index_map:int64, grad_values:T", "d_values:T, d_default_value:T",
     "T:type", ""},
    {"RaggedGather",
     "params_nested_splits:PARAMS_RAGGED_RANK * Tsplits, params_dense_values:Tvalues, "
     "indices:Tindices",
     "output_nested_splits:OUTPUT_RAGGED_RANK * Tsplits, output_dense_values:Tvalues",
     "Tvalues:type; Tindices:type in [int32,int64]; Tsplits:type in [int32,int64] = int64; "
     "PARAMS_RAGGED_RANK:int >= 1; OUTPUT_RAGGED_RANK:int >= 0",
     ""},
    {"RaggedRange", "starts:T, limits:T, deltas:T", "rt_nested_splits:Tsplits, rt_dense_values:T",
     "T:type in [bfloat16,float,double,int32,int64] = int32; Tsplits:type in [int32,int64] = "
     "int64",
     ""},
    {"RaggedTensorToTensor",
     "shape:Tshape, values:T, default_value:T, "
     "row_partition_tensors:num_row_partition_tensors * Tindex",
     "result:T",
     "T:type; Tindex:type in [int64,int32]; Tshape:type in [int64,int32]; "
     "num_row_partition_tensors:int >= 1; row_partition_types:list(string)",
     ""},
    {"ReadFile", "filename:string", "contents:string", "", ""},
    {"ReaderNumRecordsProducedV2", "reader_handle:resource", "records_produced:int64", "", "stateful"},
    {"ReaderReadUpToV2", "reader_handle:resource, queue_handle:resource, num_records:int64",
     "keys:string, values:string", "", "stateful"},
    {"ReaderReadV2", "reader_handle:resource, queue_handle:resource", "key:string, value:string", "",
     "stateful"},
    {"ReduceJoin", "inputs:string, reduction_indices:int32", "output:string",
     "keep_dims:bool = False; separator:string = ''", ""},
    {"RegexFullMatch", "input:string, pattern:string", "output:bool", "", ""},
    {"RegexReplace", "input:string, pattern:string, rewrite:string", "output:string",
     "replace_global:bool = True", ""},
    {"Restore", "file_pattern:string, tensor_name:string", "tensor:dt", "dt:type; preferred_shard:int = -1",
     "stateful"},
    {"RestoreSlice", "file_pattern:string, tensor_name:string, shape_and_slice:string", "tensor:dt",
     "dt:type; preferred_shard:int = -1", "stateful"},
    {"RestoreV2", "prefix:string, tensor_names:string, shape_and_slices:string", "tensors:list(dtypes)",
     "dtypes:list(type) >= 1", "stateful"},
    {"Save", "filename:string, tensor_names:string, data:list(T)", "", "T:list(type) >= 1", "stateful"},
    {"SaveSlices", "filename:string, tensor_names:string, shapes_and_slices:string, data:list(T)", "",
     "T:list(type) >= 1", "stateful"},
    {"SaveV2", "prefix:string, tensor_names:string, shape_and_slices:string, tensors:list(dtypes)", "",
     "dtypes:list(type) >= 1", "stateful"},
    {"ScalarSummary", "tags:string, values:T", "summary:string",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"SerializeTensor", "tensor:T", "serialized:string", "T:type", ""},
    {"ShardedFilename", "basename:string, shard:int32, num_shards:int32", "filename:string", "", ""},
    {"ShardedFilespec", "basename:string, num_shards:int32", "filename:string", "", ""},
    {"SparseConcat", "indices:N * int64, values:N * T, shapes:N * int64",
     "output_indices:int64, output_values:T, output_shape:int64", "concat_dim:int; N:int >= 2; T:type", ""},
    {"SparseFillEmptyRows", "indices:int64, values:T, dense_shape:int64, default_value:T",
     "output_indices:int64, output_values:T, empty_row_indicator:bool, reverse_index_map:int64", "T:type",
     ""},
    {"SparseReorder", "input_indices:int64, input_values:T, input_shape:int64",
     "output_indices:int64, output_values:T", "T:type", ""},
    {"SparseReshape", "input_indices:int64, input_shape:int64, new_shape:int64",
     "output_indices:int64, output_shape:int64", "", ""},
    {"SparseSlice", "indices:int64, values:T, shape:int64, start:int64, size:int64",
     "output_indices:int64, output_values:T, output_shape:int64", "T:type", ""},
    {"SparseTensorDenseMatMul", "a_indices:Tindices, a_values:T, a_shape:int64, b:T", "product:T",
     "T:type; Tindices:type in [int32,int64] = int64; adjoint_a:bool = False; adjoint_b:bool "
     "= False",
     ""},
    {"SparseToDense", "sparse_indices:Tindices, output_shape:Tindices, sparse_values:T, default_value:T",
     "dense:T", "validate_indices:bool = True; T:type; Tindices:type in [int32,int64]", ""},
    {"StaticRegexFullMatch", "input:string", "output:bool", "pattern:string", ""},
    {"StaticRegexReplace", "input:string", "output:string",
     "pattern:string; rewrite:string; replace_global:bool = True", ""},
    {"StringFormat", "inputs:list(T)", "output:string",
     "T:list(type) >= 0; template:string = '%s'; placeholder:string = '%s'; summarize:int = 3", ""},
    {"StringJoin", "inputs:N * string", "output:string", "N:int >= 0; separator:string = ''", ""},
    {"StringLength", "input:string", "output:int32", "unit:string in [b'BYTE',b'UTF8_CHAR'] = 'BYTE'", ""},
    {"StringLower", "input:string", "output:string", "encoding:string = ''", ""},
    {"StringNGrams", "data:string, data_splits:Tsplits", "ngrams:string, ngrams_splits:Tsplits",
     "separator:string; ngram_widths:list(int) >= 0; left_pad:string; right_pad:string; "
     "pad_width:int; preserve_short_sequences:bool; Tsplits:type in [int32,int64] = int64",
     ""},
    {"StringSplit", "input:string, delimiter:string", "indices:int64, values:string, shape:int64",
     "skip_empty:bool = True", ""},
    {"StringSplitV2", "input:string, sep:string", "indices:int64, values:string, shape:int64",
     "maxsplit:int = -1", ""},
    {"StringStrip", "input:string", "output:string", "", ""},
    {"StringToHashBucket", "string_tensor:string", "output:int64", "num_buckets:int >= 1", ""},
    {"StringToHashBucketFast", "input:string", "output:int64", "num_buckets:int >= 1", ""},
    {"StringToHashBucketStrong", "input:string", "output:int64", "num_buckets:int >= 1; key:list(int)", ""},
    {"StringToNumber", "string_tensor:string", "output:out_type",
     "out_type:type in [float,double,int32,int64,uint32,uint64] = float", ""},
    {"StringUpper", "input:string", "output:string", "encoding:string = ''", ""},
    {"Substr", "input:string, pos:T, len:T", "output:string",
     "T:type in [int32,int64]; unit:string in [b'BYTE',b'UTF8_CHAR'] = 'BYTE'", ""},
    {"TFRecordReaderV2", "", "reader_handle:resource",
     "container:string = ''; shared_name:string = ''; compression_type:string = ''", "stateful"},
    {"TensorSummaryV2", "tag:string, tensor:T, serialized_summary_metadata:string", "summary:string",
     "T:type", ""},
    {"TextLineReaderV2", "", "reader_handle:resource",
     "skip_header_lines:int = 0; container:string = ''; shared_name:string = ''", "stateful"},
    {"UnicodeDecode", "input:string", "row_splits:Tsplits, char_values:int32",
     "input_encoding:string; errors:string in [b'strict',b'replace',b'ignore'] = 'replace'; "
     "replacement_char:int = 65533; replace_control_characters:bool = False; Tsplits:type in "
     "[int32,int64] = int64",
     ""},
    {"UnicodeDecodeWithOffsets", "input:string",
     "row_splits:Tsplits, char_values:int32, char_to_byte_starts:int64",
     "input_encoding:string; errors:string in [b'strict',b'replace',b'ignore'] = 'replace'; "
     "replacement_char:int = 65533; replace_control_characters:bool = False; Tsplits:type in "
     "[int32,int64] = int64",
     ""},
    {"UnicodeEncode", "input_values:int32, input_splits:Tsplits", "output:string",
     "errors:string in [b'ignore',b'replace',b'strict'] = 'replace'; output_encoding:string "
     "in [b'UTF-8',b'UTF-16-BE',b'UTF-32-BE']; replacement_char:int = 65533; Tsplits:type in "
     "[int32,int64] = int64",
     ""},
    {"UnicodeScript", "input:int32", "output:int32", "", ""},
    {"UnicodeTranscode", "input:string", "output:string",
     "input_encoding:string; output_encoding:string in [b'UTF-8',b'UTF-16-BE',b'UTF-32-BE']; "
     "errors:string in [b'strict',b'replace',b'ignore'] = 'replace'; replacement_char:int = "
     "65533; replace_control_characters:bool = False",
     ""},
    {"WholeFileReaderV2", "", "reader_handle:resource", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"WriteFile", "filename:string, contents:string", "", "", "stateful"},
};

}  // namespace

absl::Status register_string_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
