#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AnonymousRandomSeedGenerator", "seed:int64, seed2:int64", "handle:resource, deleter:variant", "",
     "stateful"},
    {"DeleteRandomSeedGenerator", "handle:resource, deleter:variant", "", "", "stateful"},
    {"Multinomial", "logits:T, num_samples:int32", "output:output_dtype",
     "seed:int = 0; seed2:int = 0; T:type in [float,double,int32,uint8,int16,int8,int64,"
     "bfloat16,uint16,half,uint32,uint64]; output_dtype:type in [int32,int64] = int64",
     "stateful"},
    {"ParameterizedTruncatedNormal", "shape:T, means:dtype, stdevs:dtype, minvals:dtype, maxvals:dtype",
     "output:dtype",
     "seed:int = 0; seed2:int = 0; dtype:type in [half,bfloat16,float,double]; T:type in "
     "[int32,int64]",
     "stateful"},
    {"RandomGamma", "shape:S, alpha:T", "output:T",
     "seed:int = 0; seed2:int = 0; S:type in [int32,int64]; T:type in [half,float,double]", "stateful"},
    {"RandomGammaGrad", "alpha:T, sample:T", "output:T", "T:type in [float,double]", ""},
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
    {"StatefulRandomBinomial", "resource:resource, algorithm:int64, shape:S, counts:T, probs:T",
     "output:dtype",
     "S:type in [int32,int64]; T:type in [half,float,double,int32,int64] = double; dtype:type "
     "in [half,float,double,int32,int64] = int64",
     "stateful"},
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
    {"StatelessRandomUniformInt", "shape:T, seed:Tseed, minval:dtype, maxval:dtype", "output:dtype",
     "dtype:type in [int32,int64]; T:type in [int32,int64]; Tseed:type in [int32,int64] = int64", ""},
    {"StatelessRandomUniformV2", "shape:Tshape, key:uint64, counter:uint64, alg:int32", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; Tshape:type in [int32,int64] = int32", ""},
    {"StatelessSampleDistortedBoundingBox",
     "image_size:T, bounding_boxes:float, min_object_covered:float, seed:Tseed",
     "begin:T, size:T, bboxes:float",
     "T:type in [uint8,int8,int16,int32,int64]; Tseed:type in [int32,int64]; "
     "aspect_ratio_range:list(float) = [0.75,1.3300000429153442]; area_range:list(float) = "
     "[0.05000000074505806,1.0]; max_attempts:int = 100; use_image_if_no_bounding_boxes:bool "
     "= False",
     ""},
    {"StatelessShuffle", "value:T, key:uint64, counter:uint64, alg:int32", "output:T", "T:type", ""},
    {"StatelessTruncatedNormal", "shape:T, seed:Tseed", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; T:type in [int32,int64] = int32; "
     "Tseed:type in [int32,int64] = int64",
     ""},
    {"StatelessTruncatedNormalV2", "shape:Tshape, key:uint64, counter:uint64, alg:int32", "output:dtype",
     "dtype:type in [half,bfloat16,float,double] = float; Tshape:type in [int32,int64] = int32", ""},
    {"TruncatedNormal", "shape:T", "output:dtype",
     "seed:int = 0; seed2:int = 0; dtype:type in [half,bfloat16,float,double]; T:type in "
     "[int32,int64]",
     "stateful"},
};

}  // namespace

absl::Status register_random_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
