#include "tools/troupe/op_support.h"

namespace troupe {
namespace {

constexpr char kNotInTensorFlow[] = "TensorFlow has no CPU kernel for it either";
constexpr char kCollective[] = "needs a group of devices or workers that reduce together";
constexpr char kDataService[] = "needs a server of the tf.data service";
constexpr char kRpc[] = "needs TensorFlow's RPC server, which no session can start";
constexpr char kRewrites[] = "made by rewrites of TensorFlow's own optimiser, no client's graph has it";
constexpr char kEager[] = "made by eager execution";

constexpr LeftOut kLeftOut[] = {
    {"_CopyTo*", "copies between a GPU's memory and the host's, where partitions of GPUs need it"},
    {"AllToAll", kCollective},
    {"BoostedTrees*", kNotInTensorFlow},
    {"CTCLossV2", kNotInTensorFlow},
    {"CalibrationStatisticsSaver", "writes files of TensorFlow's quantiser"},
    {"Collective*", kCollective},
    {"CreateSummaryDbWriter", "summaries are written to event files, not to SQLite"},
    {"CrossReplicaSum", kCollective},
    {"CudnnRNN*", kNotInTensorFlow},
    {"DataService*", kDataService},
    {"DecodeJxl", "no JPEG XL decoder is linked"},
    {"DecodeWebP", "no WebP decoder is linked"},
    {"DeleteRpcFutureResource", kRpc},
    {"DistributedSave", kDataService},
    {"EagerPyFunc", "calls Python functions of eager tensors"},
    {"FilterByLastComponentDataset", kNotInTensorFlow},
    {"GenerateBoundingBoxProposals", kNotInTensorFlow},
    {"IsBoostedTrees*", kNotInTensorFlow},
    {"IteratorGetModelProto", "tells the model of TensorFlow's autotuner; datasets are not autotuned here"},
    {"KthOrderStatistic", kNotInTensorFlow},
    {"MakeUnique", kNotInTensorFlow},
    {"MaxPoolGradGradWithArgmax", kNotInTensorFlow},
    {"Nccl*", kCollective},
    {"PyFunc*", "calls functions of a Python process, whose package brings the kernel"},
    {"QuantizedReluX", kNotInTensorFlow},
    {"RegisterDataset*", kDataService},
    {"Rpc*", kRpc},
    {"SegmentMaxV2", kNotInTensorFlow},
    {"SegmentMinV2", kNotInTensorFlow},
    {"SegmentProdV2", kNotInTensorFlow},
    {"SegmentSumV2", kNotInTensorFlow},
    {"SparseMatrixAdd", kNotInTensorFlow},
    {"SparseMatrixMul", kNotInTensorFlow},
    {"SparseMatrixSoftmax*", kNotInTensorFlow},
    {"SparseMatrixZeros", kNotInTensorFlow},
    {"StatsAggregatorSetSummaryWriter",
     "statistics of datasets are fetched as a summary, not written by a thread"},
    {"TopKUnique", kNotInTensorFlow},
    {"TopKWithUnique", kNotInTensorFlow},
    {"_EagerConst", kEager},
    {"_FusedBatchNormGradEx", kNotInTensorFlow},
    {"_FusedQuantized*", kRewrites},
    {"_If", kRewrites},
    {"_Nccl*", kCollective},
    {"_ParallelConcat*", kRewrites},
    {"_Quantized*", kRewrites},
    {"_ScopedAllocator*", kRewrites},
    {"_While", kRewrites},
};

}  // namespace

std::span<const LeftOut> left_out_ops() { return kLeftOut; }

}  // namespace troupe
