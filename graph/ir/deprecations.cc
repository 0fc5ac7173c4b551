#include "graph/ir/deprecations.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

struct Advice {
  const char* op;
  const char* text;
};

/// In the order of names.
constexpr Advice kAdvice[] = {
    {"AdjustContrast", "Use AdjustContrastv2 instead"},
    {"AudioSummary", "Use AudioSummaryV2."},
    {"BatchCholesky", "Use Cholesky instead."},
    {"BatchCholeskyGrad", "Use CholeskyGrad instead."},
    {"BatchFFT", "Use FFT"},
    {"BatchFFT2D", "Use FFT2D"},
    {"BatchFFT3D", "Use FFT3D"},
    {"BatchIFFT", "Use IFFT"},
    {"BatchIFFT2D", "Use IFFT2D"},
    {"BatchIFFT3D", "Use IFFT3D"},
    {"BatchMatrixBandPart", "Use MatrixBandPart"},
    {"BatchMatrixDeterminant", "Use MatrixDeterminant instead."},
    {"BatchMatrixDiag", "Use MatrixDiag"},
    {"BatchMatrixDiagPart", "Use MatrixDiagPart"},
    {"BatchMatrixInverse", "Use MatrixInverse instead."},
    {"BatchMatrixSetDiag", "Use MatrixSetDiag"},
    {"BatchMatrixSolve", "Use MatrixSolve instead."},
    {"BatchMatrixSolveLs", "Use MatrixSolveLs instead."},
    {"BatchMatrixTriangularSolve", "Use MatrixTriangularSolve instead."},
    {"BatchNormWithGlobalNormalization", "Use tf.nn.batch_normalization()"},
    {"BatchNormWithGlobalNormalizationGrad", "Use tf.nn.batch_normalization()"},
    {"BatchSelfAdjointEig", "Use SelfAdjointEigV2 instead."},
    {"BatchSelfAdjointEigV2", "Use SelfAdjointEigV2 instead."},
    {"BatchSvd", "Use Svd instead."},
    {"Conv3DBackpropFilter", "Use Conv3DBackpropFilterV2"},
    {"Conv3DBackpropInput", "Use Conv3DBackpropInputV2"},
    {"FixedLengthRecordReader", "Use FixedLengthRecordReaderV2"},
    {"IdentityReader", "Use IdentityReaderV2"},
    {"MatrixExponential", "Use Python implementation tf.linalg.matrix_exponential instead."},
    {"NegTrain", "Moving word2vec into tensorflow_models/tutorials and deprecating its ops here as a result"},
    {"PlaceholderV2", "Placeholder now behaves the same as PlaceholderV2."},
    {"QuantizeAndDequantize", "Replaced by QuantizeAndDequantizeV2"},
    {"RandomCrop", "Random crop is now pure Python"},
    {"RandomPoisson", "Replaced by RandomPoissonV2"},
    {"SelfAdjointEig", "Use SelfAdjointEigV2 instead."},
    {"Skipgram", "Moving word2vec into tensorflow_models/tutorials and deprecating its ops here as a result"},
    {"StatefulStandardNormal", "Use StatefulStandardNormalV2 instead"},
    {"TFRecordReader", "Use TFRecordReaderV2"},
    {"TensorArray", "Use TensorArrayV3"},
    {"TensorArrayClose", "Use TensorArrayCloseV3"},
    {"TensorArrayCloseV2", "Use TensorArrayCloseV3"},
    {"TensorArrayConcat", "Use TensorArrayGradV3"},
    {"TensorArrayGather", "Use TensorArrayGatherV3"},
    {"TensorArrayGatherV2", "Use TensorArrayGatherV3"},
    {"TensorArrayGrad", "Use TensorArrayGradV3"},
    {"TensorArrayGradV2", "Use TensorArrayGradV3"},
    {"TensorArrayPack", "Use TensorArrayGatherV3 with RangeOp"},
    {"TensorArrayRead", "Use TensorArrayReadV3"},
    {"TensorArrayReadV2", "Use TensorArrayReadV3"},
    {"TensorArrayScatter", "Use TensorArrayGradV3"},
    {"TensorArrayScatterV2", "Use TensorArrayScatterV3"},
    {"TensorArraySize", "Use TensorArraySizeV3"},
    {"TensorArraySizeV2", "Use TensorArraySizeV3"},
    {"TensorArraySplit", "Use TensorArraySplitV3"},
    {"TensorArraySplitV2", "Use TensorArraySplitV3"},
    {"TensorArrayUnpack", "Use TensorArrayScatterV3 with RangeOp"},
    {"TensorArrayV2", "Use TensorArrayV3"},
    {"TensorArrayWrite", "Use TensorArrayWriteV3"},
    {"TensorArrayWriteV2", "Use TensorArrayWriteV3"},
    {"TextLineReader", "Use TextLineReaderV2"},
    {"TileGrad", "TileGrad has been replaced with reduce_sum"},
    {"TopK", "Use TopKV2 instead"},
};

}  // namespace

absl::string_view deprecation_advice(absl::string_view op) {
  auto it = std::lower_bound(
      std::begin(kAdvice), std::end(kAdvice), op,
      [](const Advice& a, absl::string_view name) { return absl::string_view(a.op) < name; });
  return it != std::end(kAdvice) && op == it->op ? it->text : "";
}

absl::Status check_not_deprecated(const OpDef& op, int producer) {
  if (op.deprecated_since <= 0 || producer < op.deprecated_since) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "Op ", op.name, " is not available in GraphDef version ", producer, ". It has been removed in version ",
      op.deprecated_since, ". ", op.deprecation.empty() ? deprecation_advice(op.name) : op.deprecation, "."));
}

}  // namespace troupe
