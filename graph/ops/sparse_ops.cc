#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AddManySparseToTensorsMap", "sparse_indices:int64, sparse_values:T, sparse_shape:int64",
     "sparse_handles:int64", "T:type; container:string = ''; shared_name:string = ''", "stateful"},
    {"AddSparseToTensorsMap", "sparse_indices:int64, sparse_values:T, sparse_shape:int64",
     "sparse_handle:int64", "T:type; container:string = ''; shared_name:string = ''", "stateful"},
    {"CSRSparseMatrixComponents", "csr_sparse_matrix:variant, index:int32",
     "row_ptrs:int32, col_inds:int32, values:type", "type:type in [float,double,complex64,complex128]", ""},
    {"CSRSparseMatrixToDense", "sparse_input:variant", "dense_output:type",
     "type:type in [float,double,complex64,complex128]", ""},
    {"CSRSparseMatrixToSparseTensor", "sparse_matrix:variant",
     "indices:int64, values:type, dense_shape:int64", "type:type in [float,double,complex64,complex128]", ""},
    {"DenseCountSparseOutput", "values:T, weights:output_type",
     "output_indices:int64, output_values:output_type, output_dense_shape:int64",
     "T:type in [int32,int64]; minlength:int >= -1 = -1; maxlength:int >= -1 = -1; "
     "binary_output:bool; output_type:type in [int32,int64,float,double]",
     ""},
    {"DenseToCSRSparseMatrix", "dense_input:T, indices:int64", "sparse_output:variant",
     "T:type in [float,double,complex64,complex128]", ""},
    {"DenseToDenseSetOperation", "set1:T, set2:T",
     "result_indices:int64, result_values:T, result_shape:int64",
     "set_operation:string; validate_indices:bool = True; T:type in [int8,int16,int32,int64,"
     "uint8,uint16,string]",
     ""},
    {"DenseToSparseSetOperation", "set1:T, set2_indices:int64, set2_values:T, set2_shape:int64",
     "result_indices:int64, result_values:T, result_shape:int64",
     "set_operation:string; validate_indices:bool = True; T:type in [int8,int16,int32,int64,"
     "uint8,uint16,string]",
     ""},
    {"DeserializeManySparse", "serialized_sparse:string",
     "sparse_indices:int64, sparse_values:dtype, sparse_shape:int64", "dtype:type", ""},
    {"DeserializeSparse", "serialized_sparse:Tserialized",
     "sparse_indices:int64, sparse_values:dtype, sparse_shape:int64",
     "dtype:type; Tserialized:type in [string,variant] = string", ""},
    {"RaggedBincount", "splits:int64, values:Tidx, size:Tidx, weights:T", "output:T",
     "Tidx:type in [int32,int64]; T:type in [int32,int64,float,double]; binary_output:bool = "
     "False",
     ""},
    {"RaggedCountSparseOutput", "splits:int64, values:T, weights:output_type",
     "output_indices:int64, output_values:output_type, output_dense_shape:int64",
     "T:type in [int32,int64]; minlength:int >= -1 = -1; maxlength:int >= -1 = -1; "
     "binary_output:bool; output_type:type in [int32,int64,float,double]",
     ""},
    {"RaggedFillEmptyRows", "value_rowids:int64, values:T, nrows:int64, default_value:T",
     "output_value_rowids:int64, output_values:T, empty_row_indicator:bool, "
     "reverse_index_map:int64",
     "T:type", ""},
    {"RaggedFillEmptyRowsGrad", "reverse_index_map:int64, grad_values:T", "d_values:T, d_default_value:T",
     "T:type", ""},
    {"SerializeManySparse", "sparse_indices:int64, sparse_values:T, sparse_shape:int64",
     "serialized_sparse:out_type", "T:type; out_type:type in [string,variant] = string", ""},
    {"SerializeSparse", "sparse_indices:int64, sparse_values:T, sparse_shape:int64",
     "serialized_sparse:out_type", "T:type; out_type:type in [string,variant] = string", ""},
    {"SetSize", "set_indices:int64, set_values:T, set_shape:int64", "size:int32",
     "validate_indices:bool = True; T:type in [int8,int16,int32,int64,uint8,uint16,string]", ""},
    {"SparseAdd",
     "a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64, "
     "thresh:Treal",
     "sum_indices:int64, sum_values:T, sum_shape:int64",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Treal:type in [float,"
     "double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]",
     ""},
    {"SparseAddGrad", "backprop_val_grad:T, a_indices:int64, b_indices:int64, sum_indices:int64",
     "a_val_grad:T, b_val_grad:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseBincount", "indices:int64, values:Tidx, dense_shape:int64, size:Tidx, weights:T", "output:T",
     "Tidx:type in [int32,int64]; T:type in [int32,int64,float,double]; binary_output:bool = "
     "False",
     ""},
    {"SparseConcat", "indices:N * int64, values:N * T, shapes:N * int64",
     "output_indices:int64, output_values:T, output_shape:int64", "concat_dim:int; N:int >= 2; T:type", ""},
    {"SparseCountSparseOutput", "indices:int64, values:T, dense_shape:int64, weights:output_type",
     "output_indices:int64, output_values:output_type, output_dense_shape:int64",
     "T:type in [int32,int64]; minlength:int >= -1 = -1; maxlength:int >= -1 = -1; "
     "binary_output:bool; output_type:type in [int32,int64,float,double]",
     ""},
    {"SparseCross",
     "indices:N * int64, values:list(sparse_types), shapes:N * int64, "
     "dense_inputs:list(dense_types)",
     "output_indices:int64, output_values:out_type, output_shape:int64",
     "N:int >= 0; hashed_output:bool; num_buckets:int >= 0; hash_key:int; "
     "sparse_types:list(type) in [int64,string] >= 0; dense_types:list(type) in [int64,"
     "string] >= 0; out_type:type in [int64,string]; internal_type:type in [int64,string]",
     ""},
    {"SparseCrossHashed",
     "indices:N * int64, values:list(sparse_types), shapes:N * int64, "
     "dense_inputs:list(dense_types), num_buckets:int64, strong_hash:bool, salt:int64",
     "output_indices:int64, output_values:int64, output_shape:int64",
     "N:int >= 0; sparse_types:list(type) in [int64,string] >= 0; dense_types:list(type) in "
     "[int64,string] >= 0",
     ""},
    {"SparseCrossV2",
     "indices:N * int64, values:list(sparse_types), shapes:N * int64, "
     "dense_inputs:list(dense_types), sep:string",
     "output_indices:int64, output_values:string, output_shape:int64",
     "N:int >= 0; sparse_types:list(type) in [int64,string] >= 0; dense_types:list(type) in "
     "[int64,string] >= 0",
     ""},
    {"SparseDenseCwiseAdd", "sp_indices:int64, sp_values:T, sp_shape:int64, dense:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseDenseCwiseDiv", "sp_indices:int64, sp_values:T, sp_shape:int64, dense:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseDenseCwiseMul", "sp_indices:int64, sp_values:T, sp_shape:int64, dense:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseFillEmptyRows", "indices:int64, values:T, dense_shape:int64, default_value:T",
     "output_indices:int64, output_values:T, empty_row_indicator:bool, reverse_index_map:int64", "T:type",
     ""},
    {"SparseFillEmptyRowsGrad", "reverse_index_map:int64, grad_values:T", "d_values:T, d_default_value:T",
     "T:type", ""},
    {"SparseMatrixAdd", "a:variant, b:variant, alpha:T, beta:T", "c:variant",
     "T:type in [float,double,complex64,complex128]", ""},
    {"SparseMatrixMatMul", "a:variant, b:T", "output:T",
     "T:type; transpose_a:bool = False; transpose_b:bool = False; adjoint_a:bool = False; "
     "adjoint_b:bool = False; transpose_output:bool = False; conjugate_output:bool = False",
     ""},
    {"SparseMatrixMul", "a:variant, b:T", "output:variant", "T:type", ""},
    {"SparseMatrixNNZ", "sparse_matrix:variant", "nnz:int32", "", ""},
    {"SparseMatrixOrderingAMD", "input:variant", "output:int32", "", ""},
    {"SparseMatrixSoftmax", "logits:variant", "softmax:variant", "type:type in [float,double]", ""},
    {"SparseMatrixSoftmaxGrad", "softmax:variant, grad_softmax:variant", "gradient:variant",
     "type:type in [float,double]", ""},
    {"SparseMatrixSparseCholesky", "input:variant, permutation:int32", "output:variant",
     "type:type in [float,double,complex64,complex128]", ""},
    {"SparseMatrixSparseMatMul", "a:variant, b:variant", "c:variant",
     "type:type in [float,double,complex64,complex128]; transpose_a:bool = False; "
     "transpose_b:bool = False; adjoint_a:bool = False; adjoint_b:bool = False",
     ""},
    {"SparseMatrixTranspose", "input:variant", "output:variant",
     "conjugate:bool = False; type:type in [float,double,complex64,complex128]", ""},
    {"SparseMatrixZeros", "dense_shape:int64", "sparse_matrix:variant",
     "type:type in [float,double,complex64,complex128]", ""},
    {"SparseReduceMax", "input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32",
     "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64]",
     ""},
    {"SparseReduceMaxSparse", "input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32",
     "output_indices:int64, output_values:T, output_shape:int64",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64]",
     ""},
    {"SparseReduceSum", "input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32",
     "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseReduceSumSparse", "input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32",
     "output_indices:int64, output_values:T, output_shape:int64",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseReorder", "input_indices:int64, input_values:T, input_shape:int64",
     "output_indices:int64, output_values:T", "T:type", ""},
    {"SparseReshape", "input_indices:int64, input_shape:int64, new_shape:int64",
     "output_indices:int64, output_shape:int64", "", ""},
    {"SparseSlice", "indices:int64, values:T, shape:int64, start:int64, size:int64",
     "output_indices:int64, output_values:T, output_shape:int64", "T:type", ""},
    {"SparseSliceGrad", "backprop_val_grad:T, input_indices:int64, input_start:int64, output_indices:int64",
     "val_grad:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseSoftmax", "sp_indices:int64, sp_values:T, sp_shape:int64", "output:T",
     "T:type in [half,float,double]", ""},
    {"SparseSparseMaximum",
     "a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64",
     "output_indices:int64, output_values:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"SparseSparseMinimum",
     "a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64",
     "output_indices:int64, output_values:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"SparseSplit", "split_dim:int64, indices:int64, values:T, shape:int64",
     "output_indices:num_split * int64, output_values:num_split * T, output_shape:num_split * "
     "int64",
     "num_split:int >= 1; T:type", ""},
    {"SparseTensorDenseAdd", "a_indices:Tindices, a_values:T, a_shape:Tindices, b:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     ""},
    {"SparseTensorDenseMatMul", "a_indices:Tindices, a_values:T, a_shape:int64, b:T", "product:T",
     "T:type; Tindices:type in [int32,int64] = int64; adjoint_a:bool = False; adjoint_b:bool "
     "= False",
     ""},
    {"SparseTensorToCSRSparseMatrix", "indices:int64, values:T, dense_shape:int64", "sparse_matrix:variant",
     "T:type in [float,double,complex64,complex128]", ""},
    {"SparseToDense", "sparse_indices:Tindices, output_shape:Tindices, sparse_values:T, default_value:T",
     "dense:T", "validate_indices:bool = True; T:type; Tindices:type in [int32,int64]", ""},
    {"SparseToSparseSetOperation",
     "set1_indices:int64, set1_values:T, set1_shape:int64, set2_indices:int64, set2_values:T, "
     "set2_shape:int64",
     "result_indices:int64, result_values:T, result_shape:int64",
     "set_operation:string; validate_indices:bool = True; T:type in [int8,int16,int32,int64,"
     "uint8,uint16,string]",
     ""},
    {"TakeManySparseFromTensorsMap", "sparse_handles:int64",
     "sparse_indices:int64, sparse_values:dtype, sparse_shape:int64",
     "dtype:type; container:string = ''; shared_name:string = ''", "stateful"},
};

}  // namespace

absl::Status register_sparse_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
