#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"BatchMatMul", "x:T, y:T", "output:T",
     "T:type in [bfloat16,half,float,double,int32,int64,complex64,complex128]; adj_x:bool = "
     "False; adj_y:bool = False; grad_x:bool = False; grad_y:bool = False",
     ""},
    {"BatchMatMulV2", "x:T, y:T", "output:T",
     "T:type in [bfloat16,half,float,double,int16,int32,int64,uint8,uint16,uint32,uint64,"
     "complex64,complex128]; adj_x:bool = False; adj_y:bool = False; grad_x:bool = False; "
     "grad_y:bool = False",
     ""},
    {"BatchMatMulV3", "x:Ta, y:Tb", "output:Tout",
     "Ta:type in [bfloat16,half,float,double,uint8,int8,int16,int32,int64,complex64,"
     "complex128]; Tb:type in [bfloat16,half,float,double,uint8,int8,int16,int32,int64,"
     "complex64,complex128]; Tout:type in [bfloat16,half,float,double,int16,int32,int64,"
     "complex64,complex128]; adj_x:bool = False; adj_y:bool = False; grad_x:bool = False; "
     "grad_y:bool = False",
     ""},
    {"Einsum", "inputs:N * T", "output:T", "equation:string; N:int >= 1; T:type", ""},
    {"MatMul", "a:T, b:T", "product:T",
     "transpose_a:bool = False; transpose_b:bool = False; T:type in [bfloat16,half,float,"
     "double,int32,int64,uint8,uint16,uint32,uint64,complex64,complex128]; grad_a:bool = "
     "False; grad_b:bool = False",
     ""},
    {"SparseMatMul", "a:Ta, b:Tb", "product:float",
     "transpose_a:bool = False; transpose_b:bool = False; a_is_sparse:bool = False; "
     "b_is_sparse:bool = False; Ta:type in [float,bfloat16] = float; Tb:type in [float,"
     "bfloat16] = float",
     ""},
    {"_FusedMatMul", "a:T, b:T, args:num_args * T", "product:T",
     "transpose_a:bool = False; transpose_b:bool = False; T:type in [bfloat16,half,float]; "
     "num_args:int >= 0; fused_ops:list(string) = []; epsilon:float = 9.999999747378752e-05; "
     "leakyrelu_alpha:float = 0.20000000298023224",
     ""},
};

}  // namespace

absl::Status register_matmul_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
