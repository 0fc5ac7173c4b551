// Ops through which no gradient flows: they count, compare, look up, draw, read or write; or what they do has no slope.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

const char* const kOps[] = {
    "All", "Any", "ApproximateEqual", "ArgMax", "ArgMin", "AsString", "Assert", "Assign", "AssignAdd",
    "AssignSub", "AudioSummary", "AudioSummaryV2", "Bitcast", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
    "BroadcastArgs", "BroadcastGradientArgs", "Bucketize", "CTCBeamSearchDecoder", "CTCGreedyDecoder",
    "CombinedNonMaxSuppression", "ConcatOffset", "Const", "ControlTrigger", "CountUpTo", "DataFormatDimMap",
    "DataFormatVecPermute", "DecodeBase64", "DecodeCSV", "DecodePaddedRaw", "DecodeProtoV2", "DecodeRaw",
    "DeleteSessionTensor", "DenseBincount", "DenseToDenseSetOperation", "DenseToSparseSetOperation",
    "DrawBoundingBoxes", "DrawBoundingBoxesV2", "EditDistance", "Empty", "EmptyTensorList",
    "EmptyTensorMap", "EncodeBase64", "EncodeJpeg", "EncodePng", "EncodeProto", "Equal", "ExtractJpegShape",
    "FakeParam", "FakeQuantWithMinMaxArgsGradient", "FakeQuantWithMinMaxVarsGradient",
    "FakeQuantWithMinMaxVarsPerChannelGradient", "Fingerprint", "FixedLengthRecordReader",
    "GetSessionHandle", "GetSessionHandleV2", "GetSessionTensor", "Greater", "GreaterEqual", "HashTable",
    "HashTableV2", "HistogramFixedWidth", "HistogramSummary", "IdentityReader", "ImageSummary",
    "ImmutableConst", "InTopK", "InTopKV2", "InitializeTable", "InitializeTableFromTextFile",
    "InitializeTableFromTextFileV2", "InitializeTableV2", "Invert", "InvertPermutation", "IsFinite",
    "IsInf", "IsNan", "LMDBReader", "LeftShift", "Less", "LessEqual", "LinSpace", "ListDiff", "LogicalAnd",
    "LogicalNot", "LogicalOr", "LookupTableFind", "LookupTableFindV2", "LookupTableInsert",
    "LookupTableInsertV2", "LookupTableSize", "LookupTableSizeV2", "LowerBound", "Lu", "MatchingFiles",
    "MergeSummary", "Multinomial", "MutableDenseHashTable", "MutableDenseHashTableV2", "MutableHashTable",
    "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableHashTableV2", "NoOp",
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4",
    "NonMaxSuppressionV5", "NonMaxSuppressionWithOverlaps", "NotEqual", "OneHot", "OnesLike",
    "OptionalHasValue", "OptionalNone", "ParameterizedTruncatedNormal", "ParseTensor", "Placeholder",
    "PlaceholderV2", "PopulationCount", "PyFunc", "PyFuncStateless", "QueueClose", "QueueDequeue",
    "QueueDequeueMany", "QueueDequeueUpTo", "QueueEnqueue", "QueueEnqueueMany", "QueueSize",
    "RaggedBincount", "RandomIndexShuffle", "RandomPoisson", "RandomPoissonV2", "RandomShuffle",
    "RandomStandardNormal", "RandomUniform", "RandomUniformInt", "Range", "Rank", "ReadFile",
    "ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted", "ReaderRead", "ReaderReadUpTo",
    "ReaderReset", "ReaderRestoreState", "ReaderSerializeState", "ReduceJoin", "RegexReplace",
    "ResizeBilinearGrad", "RightShift", "SampleDistortedBoundingBoxV2", "ScalarSummary", "ScatterAdd",
    "ScatterDiv", "ScatterMul", "ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate", "ScatterSub",
    "SdcaFprint", "SdcaOptimizer", "SdcaOptimizerV2", "SdcaShrinkL1", "SerializeTensor", "SetSize", "Shape",
    "ShapeN", "Size", "SparseAddGrad", "SparseBincount", "SparseMatrixNNZ",
    "SparseMatrixZeros", "SparseReshape", "SparseToSparseSetOperation", "Stack", "StackClose", "StackPop",
    "StackPush", "StatelessMultinomial", "StatelessRandomBinomial", "StatelessRandomGetAlg",
    "StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", "StatelessRandomNormal",
    "StatelessRandomNormalV2", "StatelessRandomPoisson", "StatelessRandomUniform",
    "StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2", "StatelessRandomUniformInt",
    "StatelessRandomUniformIntV2", "StatelessRandomUniformV2", "StatelessTruncatedNormal",
    "StatelessTruncatedNormalV2", "StringJoin", "StringLength", "StringLower", "StringSplit", "StringStrip",
    "StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong", "StringToNumber",
    "StringUpper", "Substr", "TFRecordReader", "TensorArray", "TensorArrayClose", "TensorArrayCloseV2",
    "TensorArrayCloseV3", "TensorArrayGrad", "TensorArrayGradV2", "TensorArrayGradV3",
    "TensorArrayGradWithShape", "TensorArraySize", "TensorArraySizeV2", "TensorArraySizeV3",
    "TensorArrayV2", "TensorArrayV3", "TensorListConcatLists", "TensorListElementShape", "TensorListLength",
    "TensorListPushBackBatch", "TensorListReserve", "TensorMapHasKey", "TensorMapSize",
    "TensorMapStackKeys", "TensorSummary", "TensorSummaryV2", "TextLineReader", "Timestamp",
    "TruncatedNormal", "Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2", "UnravelIndex",
    "UpperBound", "VarHandleOp", "VarIsInitializedOp", "Variable", "VariableShape", "VariableV2", "Where",
    "WholeFileReader", "ZerosLike",
};

}  // namespace

std::span<const char* const> ops_without_gradient() { return kOps; }

}  // namespace troupe
