#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"DecodeCSV", "records:string, record_defaults:list(OUT_TYPE)", "output:list(OUT_TYPE)",
     "OUT_TYPE:list(csv_field) >= 1; field_delim:string = ','; use_quote_delim:bool = True; "
     "na_value:string = ''; select_cols:list(int) = []",
     ""},
    {"DecodeCompressed", "bytes:string", "output:string", "compression_type:string = ''", ""},
    {"DecodeJSONExample", "json_examples:string", "binary_examples:string", "", ""},
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
    {"EncodeProto", "sizes:int32, values:list(Tinput_types)", "bytes:string",
     "field_names:list(string); message_type:string; descriptor_source:string = 'local://'; "
     "Tinput_types:list(type) >= 1",
     ""},
    {"ParseExample",
     "serialized:string, names:string, sparse_keys:Nsparse * string, dense_keys:Ndense * string, "
     "dense_defaults:list(Tdense)",
     "sparse_indices:Nsparse * int64, sparse_values:list(sparse_types), sparse_shapes:Nsparse * int64, "
     "dense_values:list(Tdense)",
     "Nsparse:int >= 0; Ndense:int >= 0; sparse_types:list(feature) >= 0; Tdense:list(feature) >= 0; "
     "dense_shapes:list(shape) >= 0",
     ""},
    {"ParseExampleV2",
     "serialized:string, names:string, sparse_keys:string, dense_keys:string, ragged_keys:string, "
     "dense_defaults:list(Tdense)",
     "sparse_indices:num_sparse * int64, sparse_values:list(sparse_types), sparse_shapes:num_sparse * int64, "
     "dense_values:list(Tdense), ragged_values:list(ragged_value_types), "
     "ragged_row_splits:list(ragged_split_types)",
     "Tdense:list(feature) >= 0; num_sparse:int >= 0; sparse_types:list(feature) >= 0; "
     "ragged_value_types:list(feature) >= 0; ragged_split_types:list(index) >= 0; "
     "dense_shapes:list(shape) >= 0",
     ""},
    {"ParseSequenceExample",
     "serialized:string, debug_name:string, context_dense_defaults:list(Tcontext_dense)",
     "context_sparse_indices:Ncontext_sparse * int64, context_sparse_values:list(context_sparse_types), "
     "context_sparse_shapes:Ncontext_sparse * int64, context_dense_values:list(Tcontext_dense), "
     "feature_list_sparse_indices:Nfeature_list_sparse * int64, "
     "feature_list_sparse_values:list(feature_list_sparse_types), "
     "feature_list_sparse_shapes:Nfeature_list_sparse * int64, "
     "feature_list_dense_values:list(feature_list_dense_types), "
     "feature_list_dense_lengths:Nfeature_list_dense * int64",
     "feature_list_dense_missing_assumed_empty:list(string) >= 0; context_sparse_keys:list(string) >= 0; "
     "context_dense_keys:list(string) >= 0; feature_list_sparse_keys:list(string) >= 0; "
     "feature_list_dense_keys:list(string) >= 0; Ncontext_sparse:int >= 0 = 0; "
     "Ncontext_dense:int >= 0 = 0; Nfeature_list_sparse:int >= 0 = 0; Nfeature_list_dense:int >= 0 = 0; "
     "context_sparse_types:list(feature) >= 0 = []; Tcontext_dense:list(feature) >= 0 = []; "
     "feature_list_dense_types:list(feature) >= 0 = []; context_dense_shapes:list(shape) >= 0 = []; "
     "feature_list_sparse_types:list(feature) >= 0 = []; feature_list_dense_shapes:list(shape) >= 0 = []",
     ""},
    {"ParseSequenceExampleV2",
     "serialized:string, debug_name:string, context_sparse_keys:string, context_dense_keys:string, "
     "context_ragged_keys:string, feature_list_sparse_keys:string, feature_list_dense_keys:string, "
     "feature_list_ragged_keys:string, feature_list_dense_missing_assumed_empty:bool, "
     "context_dense_defaults:list(Tcontext_dense)",
     "context_sparse_indices:Ncontext_sparse * int64, context_sparse_values:list(context_sparse_types), "
     "context_sparse_shapes:Ncontext_sparse * int64, context_dense_values:list(Tcontext_dense), "
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
     "Ncontext_sparse:int >= 0 = 0; Tcontext_dense:list(feature) >= 0 = []; "
     "context_sparse_types:list(feature) >= 0 = []; context_ragged_value_types:list(feature) >= 0 = []; "
     "context_ragged_split_types:list(index) >= 0 = []; context_dense_shapes:list(shape) >= 0 = []; "
     "Nfeature_list_sparse:int >= 0 = 0; Nfeature_list_dense:int >= 0 = 0; "
     "feature_list_dense_types:list(feature) >= 0 = []; feature_list_sparse_types:list(feature) >= 0 ="
     " []; feature_list_ragged_value_types:list(feature) >= 0 = []; "
     "feature_list_ragged_split_types:list(index) >= 0 = []; "
     "feature_list_dense_shapes:list(shape) >= 0 = []",
     ""},
    {"ParseSingleExample", "serialized:string, dense_defaults:list(Tdense)",
     "sparse_indices:num_sparse * int64, sparse_values:list(sparse_types), sparse_shapes:num_sparse * int64, "
     "dense_values:list(Tdense)",
     "num_sparse:int >= 0; sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; "
     "sparse_types:list(feature) >= 0; Tdense:list(feature) >= 0; dense_shapes:list(shape) >= 0",
     ""},
    {"ParseSingleSequenceExample",
     "serialized:string, feature_list_dense_missing_assumed_empty:string, "
     "context_sparse_keys:Ncontext_sparse * string, context_dense_keys:Ncontext_dense * string, "
     "feature_list_sparse_keys:Nfeature_list_sparse * string, feature_list_dense_keys:Nfeature_list_dense * "
     "string, context_dense_defaults:list(Tcontext_dense), debug_name:string",
     "context_sparse_indices:Ncontext_sparse * int64, context_sparse_values:list(context_sparse_types), "
     "context_sparse_shapes:Ncontext_sparse * int64, context_dense_values:list(Tcontext_dense), "
     "feature_list_sparse_indices:Nfeature_list_sparse * int64, "
     "feature_list_sparse_values:list(feature_list_sparse_types), "
     "feature_list_sparse_shapes:Nfeature_list_sparse * int64, "
     "feature_list_dense_values:list(feature_list_dense_types)",
     "Ncontext_sparse:int >= 0 = 0; Ncontext_dense:int >= 0 = 0; Nfeature_list_sparse:int >= 0 = 0; "
     "Nfeature_list_dense:int >= 0 = 0; context_sparse_types:list(feature) >= 0 = []; "
     "Tcontext_dense:list(feature) >= 0 = []; feature_list_dense_types:list(feature) >= 0 = []; "
     "context_dense_shapes:list(shape) >= 0 = []; feature_list_sparse_types:list(feature) >= 0 = []; "
     "feature_list_dense_shapes:list(shape) >= 0 = []",
     ""},
    {"ParseTensor", "serialized:string", "output:out_type", "out_type:type", ""},
    {"SerializeTensor", "tensor:T", "serialized:string", "T:type", ""},
};

}  // namespace

absl::Status register_parsing_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
