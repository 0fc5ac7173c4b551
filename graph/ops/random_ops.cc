#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"Multinomial", "logits:T, num_samples:int32", "output:output_dtype",
     "seed:int = 0; seed2:int = 0; T:type in [float,double,int32,uint8,int16,int8,int64,"
     "bfloat16,uint16,half,uint32,uint64]; output_dtype:type in [int32,int64] = int64",
     "stateful"},
    {"NonDeterministicInts", "shape:shape_dtype", "output:dtype",
     "dtype:type = int64; shape_dtype:type = int64", "stateful"},
    {"ParameterizedTruncatedNormal", "shape:T, means:dtype, stdevs:dtype, minvals:dtype, maxvals:dtype",
     "output:dtype",
     "seed:int = 0; seed2:int = 0; dtype:type in [half,bfloat16,float,double]; T:type in "
     "[int32,int64]",
     "stateful"},
    {"RandomGamma", "shape:S, alpha:T", "output:T",
     "seed:int = 0; seed2:int = 0; S:type in [int32,int64]; T:type in [half,float,double]", "stateful"},
    {"RandomIndexShuffle", "index:dtype, seed:Tseed, max_index:dtype", "output:dtype",
     "rounds:int = 4; dtype:type in [int32,uint32,int64,uint64]; Tseed:type in [int32,uint32,"
     "int64,uint64]",
     ""},
    {"RandomPoisson", "shape:S, rate:dtype", "output:dtype",
     "seed:int = 0; seed2:int = 0; S:type in [int32,int64]; dtype:type in [half,float,double]",
     "stateful deprecated_since_25"},
    {"RandomPoissonV2", "shape:S, rate:R", "output:dtype",
     "seed:int = 0; seed2:int = 0; S:type in [int32,int64]; R:type in [half,float,double,"
     "int32,int64] = double; dtype:type in [half,float,double,int32,int64] = int64",
     "stateful"},
    {"RandomShuffle", "value:T", "output:T", "seed:int = 0; seed2:int = 0; T:type", "stateful"},
    {"RandomStandardNormal", "shape:T", "output:dtype",
     "seed:int = 0; seed2:int = 0; dtype:type in [half,bfloat16,float,double]; T:type in "
     "[int32,int64]",
     "stateful"},
    {"RandomUniform", "shape:T", "output:dtype",
     "seed:int = 0; seed2:int = 0; dtype:type in [half,bfloat16,float,double]; T:type in "
     "[int32,int64]",
     "stateful"},
    {"RandomUniformInt", "shape:T, minval:Tout, maxval:Tout", "output:Tout",
     "seed:int = 0; seed2:int = 0; Tout:type in [int32,int64]; T:type in [int32,int64]", "stateful"},
    {"RngReadAndSkip", "resource:resource, alg:int32, delta:uint64", "value:int64", "", "stateful"},
    {"RngSkip", "resource:resource, algorithm:int64, delta:int64", "", "", "stateful"},
    {"SobolSample", "dim:int32, num_results:int32, skip:int32", "samples:dtype",
     "dtype:type in [float,double] = float", ""},
    {"StatefulRandomBinomial", "resource:resource, algorithm:int64, shape:S, counts:T, probs:T",
     "output:dtype",
     "S:type in [int32,int64]; T:type in [half,float,double,int32,int64] = double; dtype:type "
     "in [half,float,double,int32,int64] = int64",
     "stateful"},
    {"StatefulStandardNormal", "resource:resource, shape:shape_dtype", "output:dtype",
     "dtype:type = float; shape_dtype:type = int64", "stateful deprecated_since_29"},
    {"StatefulStandardNormalV2", "resource:resource, algorithm:int64, shape:shape_dtype", "output:dtype",
     "dtype:type = float; shape_dtype:type = int64", "stateful"},
    {"StatefulTruncatedNormal", "resource:resource, algorithm:int64, shape:shape_dtype", "output:dtype",
     "dtype:type = float; shape_dtype:type = int64", "stateful"},
    {"StatefulUniform", "resource:resource, algorithm:int64, shape:shape_dtype", "output:dtype",
     "dtype:type = float; shape_dtype:type = int64", "stateful"},
    {"StatefulUniformFullInt", "resource:resource, algorithm:int64, shape:shape_dtype", "output:dtype",
     "dtype:type = uint64; shape_dtype:type = int64", "stateful"},
    {"StatefulUniformInt",
     "resource:resource, algorithm:int64, shape:shape_dtype, minval:dtype, maxval:dtype", "output:dtype",
     "dtype:type = int64; shape_dtype:type = int64", "stateful"},
    {"StatelessMultinomial", "logits:T, num_samples:int32, seed:Tseed", "output:output_dtype",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tseed:type in [int32,int64] = int64; output_dtype:type in [int32,int64] = int64",
     ""},
    {"StatelessParameterizedTruncatedNormal",
     "shape:S, seed:Tseed, means:dtype, stddevs:dtype, minvals:dtype, maxvals:dtype", "output:dtype",
     "S:type in [int32,int64]; Tseed:type in [int32,int64] = int64; dtype:type in [half,float,"
     "double]",
     ""},
    {"StatelessRandomBinomial", "shape:S, seed:Tseed, counts:T, probs:T", "output:dtype",
     "S:type in [int32,int64]; Tseed:type in [int32,int64] = int64; T:type in [half,float,"
     "double,int32,int64] = double; dtype:type in [half,float,double,int32,int64] = int64",
     ""},
    {"StatelessRandomGammaV2", "shape:T, seed:Tseed, alpha:dtype", "output:dtype",
     "dtype:type in [half,float,double]; T:type in [int32,int64]; Tseed:type in [int32,int64] "
     "= int64",
     ""},
    {"StatelessRandomGammaV3", "shape:shape_dtype, key:uint64, counter:uint64, alg:int32, alpha:dtype",
     "output:dtype", "dtype:type in [half,float,double]; shape_dtype:type in [int32,int64] = int32", ""},
    {"StatelessRandomGetAlg", "", "alg:int32", "", "stateful"},
    {"StatelessRandomGetKeyCounter", "seed:Tseed", "key:uint64, counter:uint64",
     "Tseed:type in [int32,int64] = int64", ""},
    {"StatelessRandomGetKeyCounterAlg", "seed:Tseed", "key:uint64, counter:uint64, alg:int32",
     "Tseed:type in [int32,int64] = int64", ""},
    {"StatelessRandomNormal", "shape:T, seed:Tseed", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; T:type in [int32,int64] = int32; "
     "Tseed:type in [int32,int64] = int64",
     ""},
    {"StatelessRandomNormalV2", "shape:Tshape, key:uint64, counter:uint64, alg:int32", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; Tshape:type in [int32,int64] = int32", ""},
    {"StatelessRandomPoisson", "shape:T, seed:Tseed, lam:Rtype", "output:dtype",
     "Rtype:type in [half,float,double,int32,int64]; dtype:type in [half,float,double,int32,"
     "int64]; T:type in [int32,int64]; Tseed:type in [int32,int64] = int64",
     ""},
    {"StatelessRandomUniform", "shape:T, seed:Tseed", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; T:type in [int32,int64] = int32; "
     "Tseed:type in [int32,int64] = int64",
     ""},
    {"StatelessRandomUniformFullInt", "shape:T, seed:Tseed", "output:dtype",
     "dtype:type in [int32,int64,uint32,uint64] = uint64; T:type in [int32,int64] = int32; "
     "Tseed:type in [int32,int64,uint32,uint64] = int64",
     ""},
    {"StatelessRandomUniformFullIntV2", "shape:Tshape, key:uint64, counter:uint64, alg:int32", "output:dtype",
     "dtype:type in [int32,int64,uint32,uint64] = uint64; Tshape:type in [int32,int64] = int32", ""},
    {"StatelessRandomUniformInt", "shape:T, seed:Tseed, minval:dtype, maxval:dtype", "output:dtype",
     "dtype:type in [int32,int64]; T:type in [int32,int64]; Tseed:type in [int32,int64] = int64", ""},
    {"StatelessRandomUniformIntV2",
     "shape:Tshape, key:uint64, counter:uint64, alg:int32, minval:dtype, maxval:dtype", "output:dtype",
     "dtype:type in [int32,int64,uint32,uint64]; Tshape:type in [int32,int64] = int32", ""},
    {"StatelessRandomUniformV2", "shape:Tshape, key:uint64, counter:uint64, alg:int32", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; Tshape:type in [int32,int64] = int32", ""},
    {"StatelessShuffle", "value:T, key:uint64, counter:uint64, alg:int32", "output:T", "T:type", ""},
    {"StatelessTruncatedNormal", "shape:T, seed:Tseed", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; T:type in [int32,int64] = int32; "
     "Tseed:type in [int32,int64] = int64",
     ""},
    {"StatelessTruncatedNormalV2", "shape:Tshape, key:uint64, counter:uint64, alg:int32", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; Tshape:type in [int32,int64] = int32", ""},
    {"StochasticCastToInt", "input:Tin, key:uint64, counter:uint64, alg:int32", "output:Tout",
     "Tin:type in [half,bfloat16,float,double]; Tout:type in [int8,int16,int32]", ""},
    {"TruncatedNormal", "shape:T", "output:dtype",
     "seed:int = 0; seed2:int = 0; dtype:type in [half,bfloat16,float,double]; T:type in "
     "[int32,int64]",
     "stateful"},
};

}  // namespace

absl::Status register_random_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
