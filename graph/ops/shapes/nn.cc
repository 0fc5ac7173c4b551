// Layers of neural networks that do not slide a window: normalisation, activations, losses, recurrent cells.

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

bool channels_first(const ShapeContext& c) {
  return absl::StartsWith(c.attrs().get_or<std::string>("data_format", "NHWC"), "NC");
}

absl::Status bias_add(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const bool first = channels_first(c);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, first ? 3 : 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape bias, with_rank(c.input(1), 1));
  if (!in.known_rank()) return absl::OkStatus();
  const int channel = first ? 1 : -1;
  TROUPE_ASSIGN_OR_RETURN(int64_t dim, merge_dims(dim_of(in, channel), dim_of(bias, 0)));
  c.set_output(0, replace_dim(in, channel, dim));
  return absl::OkStatus();
}

absl::Status bias_add_gradient(ShapeContext& c) {
  const bool first = channels_first(c);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), first ? 3 : 2));
  c.set_output(0, PartialShape({dim_of(c.input(0), first ? 1 : -1)}));
  return absl::OkStatus();
}

int batch_norm_rank(const ShapeContext& c) {
  return c.attrs().get_or<std::string>("data_format", "NHWC").size() == 5 ? 5 : 4;
}

absl::Status fused_batch_norm(ShapeContext& c) {
  const int rank = batch_norm_rank(c);
  TROUPE_ASSIGN_OR_RETURN(PartialShape x, with_rank(c.input(0), rank));
  TROUPE_ASSIGN_OR_RETURN(bool training, c.attr<bool>("is_training"));
  const bool whole = c.attrs().get_or<float>("exponential_avg_factor", 1.0f) == 1.0f;
  const int channel = channels_first(c) ? 1 : rank - 1;
  int64_t dim = dim_of(x, channel);
  for (int i = 1; i < (training && whole ? 3 : 5); ++i) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape v, with_rank(c.input(i), 1));
    TROUPE_ASSIGN_OR_RETURN(dim, merge_dims(dim, dim_of(v, 0)));
  }
  c.set_output(0, replace_dim(x, channel, dim));
  for (int i = 1; i < 5; ++i) c.set_output(i, PartialShape({dim}));
  return absl::OkStatus();
}

absl::Status fused_batch_norm_gradient(ShapeContext& c) {
  const int rank = batch_norm_rank(c);
  const int channel = channels_first(c) ? 1 : rank - 1;
  TROUPE_ASSIGN_OR_RETURN(PartialShape dy, with_rank(c.input(0), rank));
  TROUPE_ASSIGN_OR_RETURN(PartialShape x, with_rank(c.input(1), rank));
  TROUPE_ASSIGN_OR_RETURN(int64_t dim, merge_dims(dim_of(dy, channel), dim_of(x, channel)));
  for (int i = 2; i < 5; ++i) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape v, with_rank(c.input(i), 1));
    TROUPE_ASSIGN_OR_RETURN(dim, merge_dims(dim, dim_of(v, 0)));
  }
  c.set_output(0, replace_dim(dy, channel, dim));
  c.set_output(1, PartialShape({dim}));
  c.set_output(2, PartialShape({dim}));
  c.set_output(3, PartialShape({0}));
  c.set_output(4, PartialShape({0}));
  return absl::OkStatus();
}

absl::Status batch_norm_global(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 4));
  int64_t dim = dim_of(in, 3);
  for (int i = 1; i < 5; ++i) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape v, with_rank(c.input(i), 1));
    TROUPE_ASSIGN_OR_RETURN(dim, merge_dims(dim, dim_of(v, 0)));
  }
  c.set_output(0, replace_dim(in, 3, dim));
  return absl::OkStatus();
}

absl::Status softmax_loss(ShapeContext& c) {
  PartialShape shape;
  auto a = with_rank(c.input(0), 2);
  auto merged = a.ok() ? merge(*a, c.input(1)) : a.status();
  if (merged.ok()) {
    shape = *std::move(merged);
  } else {
    TROUPE_ASSIGN_OR_RETURN(shape, broadcast(c.input(0), c.input(1)));
    if (!shape.known_rank()) return invalid("Shape must be broadcasted with rank 2, but is rank is unknown.");
    if (shape.rank() != 2) {
      return invalid(absl::StrCat("Shape must be broadcasted with rank 2, but is rank ", shape.rank()));
    }
  }
  c.set_output(0, PartialShape({dim_of(shape, 0)}));
  c.set_output(1, std::move(shape));
  return absl::OkStatus();
}

absl::Status lrn_gradient(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape all, with_rank(c.input(0), 4));
  TROUPE_ASSIGN_OR_RETURN(all, merge(all, c.input(1)));
  TROUPE_ASSIGN_OR_RETURN(all, merge(all, c.input(2)));
  c.set_output(0, std::move(all));
  return absl::OkStatus();
}

absl::Status top_k(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  int64_t k;
  if (c.num_inputs() > 1) {
    TROUPE_ASSIGN_OR_RETURN(k, dim_from_input(c, 1));
  } else {
    TROUPE_ASSIGN_OR_RETURN(k, c.attr<int64_t>("k"));
    if (k < 0) return invalid(absl::StrCat("Need k >= 0, got ", k));
  }
  const int64_t last = dim_of(in, -1);
  if (last >= 0 && k >= 0 && last < k) {
    return invalid(absl::StrCat("input must have last dimension >= k = ", k, " but is ", last));
  }
  for (int i = 0; i < 2; ++i) c.set_output(i, in.known_rank() ? replace_dim(in, -1, k) : PartialShape());
  return absl::OkStatus();
}

/// The sizes of partial results, which are not put together, depend on the device.
absl::Status approx_top_k(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  TROUPE_ASSIGN_OR_RETURN(const int64_t k, c.attr<int64_t>("k"));
  const float recall = c.attrs().get_or<float>("recall_target", 0.95f);
  if (!(recall > 0 && recall <= 1))
    return invalid(absl::StrCat("Invalid recall target: ", recall, ". Valid value range in : [0, 1.0]."));
  if (!in.known_rank()) return unknown(c);
  const int64_t axis = c.attrs().get_or<int64_t>("reduction_dimension", -1);
  const auto at = canonical_axis(axis, in.rank());
  if (!at) {
    return invalid(absl::StrCat("Invalid reduction dimension: ", axis, ". Must be within the range of [",
                                -in.rank(), ", ", in.rank() - 1, "]"));
  }
  if (in.dim(*at) >= 0 && in.dim(*at) < k) {
    return invalid(absl::StrCat("input must have last dimension >= k = ", k, " but was ", in.dim(*at)));
  }
  const bool whole = c.attrs().get_or<bool>("aggregate_to_topk", true);
  for (int i = 0; i < 2; ++i) c.set_output(i, replace_dim(in, *at, whole ? k : kUnknownDim));
  return absl::OkStatus();
}

absl::Status nth_element(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  TROUPE_ASSIGN_OR_RETURN(int64_t n, dim_from_input(c, 1));
  const int64_t last = dim_of(in, -1);
  if (last >= 0 && n >= 0 && last <= n) {
    return invalid(absl::StrCat("Input must have last dimension > n = ", n, " but is ", last));
  }
  c.set_output(0, subshape(in, 0, -1));
  return absl::OkStatus();
}

absl::Status lstm_cell(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape x, with_rank(c.input(0), 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape cs, with_rank(c.input(1), 2));
  const PartialShape out({dim_of(x, 0), dim_of(cs, 1)});
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return absl::OkStatus();
}

absl::Status gru_cell(ShapeContext& c) { return lstm_cell(c); }

absl::Status block_lstm(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape x, with_rank(c.input(1), 3));
  TROUPE_ASSIGN_OR_RETURN(PartialShape b, with_rank(c.input(8), 1));
  TROUPE_ASSIGN_OR_RETURN(int64_t cell, divide_dim(dim_of(b, 0), 4, true));
  const PartialShape out({dim_of(x, 0), dim_of(x, 1), cell});
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return absl::OkStatus();
}

absl::Status cudnn_rnn(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 3));
  TROUPE_ASSIGN_OR_RETURN(PartialShape h, with_rank(c.input(1), 3));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(3), 1).status());
  TROUPE_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("rnn_mode"));
  TROUPE_ASSIGN_OR_RETURN(std::string direction, c.attr<std::string>("direction"));
  TROUPE_ASSIGN_OR_RETURN(
      int64_t units, multiply_dims(dim_of(h, 2), direction == "bidirectional" ? int64_t{2} : int64_t{1}));
  c.set_output(0, PartialShape({dim_of(in, 0), dim_of(in, 1), units}));
  c.set_output(1, h);
  c.set_output(2, mode == "lstm" ? h : PartialShape(Dims()));
  return absl::OkStatus();
}

absl::Status ctc_greedy(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 3));
  TROUPE_ASSIGN_OR_RETURN(PartialShape lengths, with_rank(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(int64_t batch, merge_dims(dim_of(in, 1), dim_of(lengths, 0)));
  c.set_output(0, PartialShape({kUnknownDim, 2}));
  c.set_output(1, PartialShape({kUnknownDim}));
  c.set_output(2, PartialShape({2}));
  c.set_output(3, PartialShape({batch, 1}));
  return absl::OkStatus();
}

absl::Status ctc_beam_search(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 3));
  TROUPE_ASSIGN_OR_RETURN(PartialShape lengths, with_rank(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(int64_t batch, merge_dims(dim_of(in, 1), dim_of(lengths, 0)));
  TROUPE_ASSIGN_OR_RETURN(int64_t paths, c.attr<int64_t>("top_paths"));
  int next = 0;
  for (int64_t i = 0; i < paths; ++i) c.set_output(next++, PartialShape({kUnknownDim, 2}));
  for (int64_t i = 0; i < paths; ++i) c.set_output(next++, PartialShape({kUnknownDim}));
  for (int64_t i = 0; i < paths; ++i) c.set_output(next++, PartialShape({2}));
  c.set_output(next, PartialShape({batch, paths}));
  return absl::OkStatus();
}

absl::Status ctc_loss(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape in, with_rank(c.input(0), 3));
  TROUPE_ASSIGN_OR_RETURN(PartialShape indices, with_rank(c.input(1), 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape values, with_rank(c.input(2), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape lengths, with_rank(c.input(3), 1));
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(indices, 0), dim_of(values, 0)).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t batch, merge_dims(dim_of(in, 1), dim_of(lengths, 0)));
  c.set_output(0, PartialShape({batch}));
  c.set_output(1, replace_dim(in, 1, batch));
  return absl::OkStatus();
}

absl::Status candidates(ShapeContext& c) {
  return apply_rule("[b,$num_true] -> [$num_sampled] [b,$num_true] [$num_sampled]", c);
}

constexpr ShapeRow kRows[] = {
    {"BiasAdd", bias_add},
    {"BiasAddV1", bias_add},
    {"BiasAddGrad", bias_add_gradient},
    {"FusedBatchNorm", fused_batch_norm},
    {"FusedBatchNormV2", fused_batch_norm},
    {"FusedBatchNormV3", fused_batch_norm},
    {"_FusedBatchNormEx", fused_batch_norm},
    {"FusedBatchNormGrad", fused_batch_norm_gradient},
    {"FusedBatchNormGradV2", fused_batch_norm_gradient},
    {"FusedBatchNormGradV3", fused_batch_norm_gradient},
    {"BatchNormWithGlobalNormalization", batch_norm_global},
    {"LRN", unchanged_rank<4>},
    {"LRNGrad", lrn_gradient},
    {"L2Loss", scalar},
    {"Elu", unchanged},
    {"EluGrad", merged_pair},
    {"LeakyRelu", unchanged},
    {"LeakyReluGrad", merged_pair},
    {"Relu", unchanged},
    {"ReluGrad", merged_pair},
    {"Relu6", unchanged},
    {"Relu6Grad", merged_pair},
    {"Selu", unchanged},
    {"SeluGrad", merged_pair},
    {"Softplus", unchanged},
    {"SoftplusGrad", merged_pair},
    {"Softsign", unchanged},
    {"SoftsignGrad", merged_pair},
    {"Softmax", unchanged_rank_at_least<1>},
    {"LogSoftmax", unchanged_rank_at_least<1>},
    {"SoftmaxCrossEntropyWithLogits", softmax_loss},
    {"SparseSoftmaxCrossEntropyWithLogits", rule<"[b,c] [b] -> [b] [b,c]">},
    {"ApproxTopK", approx_top_k},
    {"TopK", top_k},
    {"TopKV2", top_k},
    {"NthElement", nth_element},
    {"InTopK", rule<"[b,?] [b] -> [b]">},
    {"InTopKV2", rule<"[b,?] [b] -> [b]">},
    {"LSTMBlockCell", lstm_cell},
    {"GRUBlockCell", gru_cell},
    {"BlockLSTM", block_lstm},
    {"BlockLSTMV2", block_lstm},
    {"CudnnRNN", cudnn_rnn},
    {"CudnnRNNV2", cudnn_rnn},
    {"CudnnRNNParamsSize", rule<"[] [] [] -> [1]">},
    {"CTCGreedyDecoder", ctc_greedy},
    {"CTCBeamSearchDecoder", ctc_beam_search},
    {"CTCLoss", ctc_loss},
    {"AllCandidateSampler", candidates},
    {"FixedUnigramCandidateSampler", candidates},
    {"LearnedUnigramCandidateSampler", candidates},
    {"LogUniformCandidateSampler", candidates},
    {"ThreadUnsafeUnigramCandidateSampler", candidates},
    {"UniformCandidateSampler", candidates},
};

}  // namespace

absl::Status register_nn_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
