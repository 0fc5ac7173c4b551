#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AllCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; seed:int = 0; seed2:int = 0", "stateful"},
    {"BlockLSTM", "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T",
     "i:T, cs:T, f:T, o:T, ci:T, co:T, h:T",
     "forget_bias:float = 1.0; cell_clip:float = 3.0; use_peephole:bool = False; T:type in "
     "[half,float]",
     ""},
    {"BlockLSTMGrad",
     "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T, i:T, cs:T, "
     "f:T, o:T, ci:T, co:T, h:T, cs_grad:T, h_grad:T",
     "x_grad:T, cs_prev_grad:T, h_prev_grad:T, w_grad:T, wci_grad:T, wcf_grad:T, wco_grad:T, "
     "b_grad:T",
     "use_peephole:bool; T:type in [half,float]", ""},
    {"BlockLSTMGradV2",
     "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T, i:T, cs:T, "
     "f:T, o:T, ci:T, co:T, h:T, cs_grad:T, h_grad:T",
     "x_grad:T, cs_prev_grad:T, h_prev_grad:T, w_grad:T, wci_grad:T, wcf_grad:T, wco_grad:T, "
     "b_grad:T",
     "use_peephole:bool; T:type in [half,float]", ""},
    {"BlockLSTMV2", "seq_len_max:int64, x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T",
     "i:T, cs:T, f:T, o:T, ci:T, co:T, h:T",
     "cell_clip:float = 0.0; use_peephole:bool = False; T:type in [half,float]", ""},
    {"CTCBeamSearchDecoder", "inputs:T, sequence_length:int32",
     "decoded_indices:top_paths * int64, decoded_values:top_paths * int64, decoded_shape:top_paths * int64, "
     "log_probability:T",
     "beam_width:int >= 1; top_paths:int >= 1; merge_repeated:bool = True; T:wide_floats = float", ""},
    {"CTCGreedyDecoder", "inputs:T, sequence_length:int32",
     "decoded_indices:int64, decoded_values:int64, decoded_shape:int64, log_probability:T",
     "merge_repeated:bool = False; blank_index:int = -1; T:wide_floats = float", ""},
    {"CTCLoss", "inputs:T, labels_indices:int64, labels_values:int32, sequence_length:int32",
     "loss:T, gradient:T",
     "preprocess_collapse_repeated:bool = False; ctc_merge_repeated:bool = True; "
     "ignore_longer_outputs_than_inputs:bool = False; T:wide_floats = float",
     ""},
    {"CTCLossV2", "inputs:float, labels_indices:int64, labels_values:int32, sequence_length:int32",
     "loss:float, gradient:float",
     "preprocess_collapse_repeated:bool = False; ctc_merge_repeated:bool = True; "
     "ignore_longer_outputs_than_inputs:bool = False",
     ""},
    {"ComputeAccidentalHits", "true_classes:int64, sampled_candidates:int64",
     "indices:int32, ids:int64, weights:float", "num_true:int; seed:int = 0; seed2:int = 0", ""},
    {"CudnnRNN", "input:T, input_h:T, input_c:T, params:T",
     "output:T, output_h:T, output_c:T, reserve_space:T",
     "T:floats; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0; is_training:bool = True",
     "stateful"},
    {"CudnnRNNBackprop",
     "input:T, input_h:T, input_c:T, params:T, output:T, output_h:T, output_c:T, output_backprop:T, "
     "output_h_backprop:T, output_c_backprop:T, reserve_space:T",
     "input_backprop:T, input_h_backprop:T, input_c_backprop:T, params_backprop:T",
     "T:floats; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0",
     "stateful"},
    {"CudnnRNNBackpropV2",
     "input:T, input_h:T, input_c:T, params:T, output:T, output_h:T, output_c:T, output_backprop:T, "
     "output_h_backprop:T, output_c_backprop:T, reserve_space:T, host_reserved:int8",
     "input_backprop:T, input_h_backprop:T, input_c_backprop:T, params_backprop:T",
     "T:floats; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0",
     "stateful"},
    {"CudnnRNNBackpropV3",
     "input:T, input_h:T, input_c:T, params:T, sequence_lengths:int32, output:T, output_h:T, output_c:T, "
     "output_backprop:T, output_h_backprop:T, output_c_backprop:T, reserve_space:T, host_reserved:int8",
     "input_backprop:T, input_h_backprop:T, input_c_backprop:T, params_backprop:T",
     "T:floats; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0; num_proj:int = 0; time_major:bool = True",
     "stateful"},
    {"CudnnRNNCanonicalToParams",
     "num_layers:int32, num_units:int32, input_size:int32, weights:num_params * T, biases:num_params * T",
     "params:T",
     "T:floats; num_params:int >= 1; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] ="
     " 'lstm'; input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0",
     ""},
    {"CudnnRNNCanonicalToParamsV2",
     "num_layers:int32, num_units:int32, input_size:int32, weights:num_params_weights * T, "
     "biases:num_params_biases * T",
     "params:T",
     "T:floats; num_params_weights:int >= 1; num_params_biases:int >= 1; "
     "rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0; num_proj:int = 0",
     ""},
    {"CudnnRNNParamsSize", "num_layers:int32, num_units:int32, input_size:int32", "params_size:S",
     "T:floats; S:index; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0; num_proj:int = 0",
     ""},
    {"CudnnRNNParamsToCanonical", "num_layers:int32, num_units:int32, input_size:int32, params:T",
     "weights:num_params * T, biases:num_params * T",
     "T:floats; num_params:int >= 1; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] ="
     " 'lstm'; input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0",
     ""},
    {"CudnnRNNParamsToCanonicalV2", "num_layers:int32, num_units:int32, input_size:int32, params:T",
     "weights:num_params_weights * T, biases:num_params_biases * T",
     "T:floats; num_params_weights:int >= 1; num_params_biases:int >= 1; "
     "rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0; num_proj:int = 0",
     ""},
    {"CudnnRNNV2", "input:T, input_h:T, input_c:T, params:T",
     "output:T, output_h:T, output_c:T, reserve_space:T, host_reserved:int8",
     "T:floats; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0; is_training:bool = True",
     "stateful"},
    {"CudnnRNNV3", "input:T, input_h:T, input_c:T, params:T, sequence_lengths:int32",
     "output:T, output_h:T, output_c:T, reserve_space:T, host_reserved:int8",
     "T:floats; rnn_mode:string in [b'rnn_relu',b'rnn_tanh',b'lstm',b'gru'] = 'lstm'; "
     "input_mode:string in [b'linear_input',b'skip_input',b'auto_select'] = 'linear_input'; "
     "direction:string in [b'unidirectional',b'bidirectional'] = 'unidirectional'; dropout:float = 0.0; "
     "seed:int = 0; seed2:int = 0; num_proj:int = 0; is_training:bool = True; time_major:bool = True",
     "stateful"},
    {"FixedUnigramCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; "
     "vocab_file:string = ''; distortion:float = 1.0; num_reserved_ids:int = 0; "
     "num_shards:int >= 1 = 1; shard:int >= 0 = 0; unigrams:list(float) = []; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
    {"GRUBlockCell", "x:T, h_prev:T, w_ru:T, w_c:T, b_ru:T, b_c:T", "r:T, u:T, c:T, h:T", "T:type in [float]",
     ""},
    {"GRUBlockCellGrad", "x:T, h_prev:T, w_ru:T, w_c:T, b_ru:T, b_c:T, r:T, u:T, c:T, d_h:T",
     "d_x:T, d_h_prev:T, d_c_bar:T, d_r_bar_u_bar:T", "T:type in [float]", ""},
    {"IsotonicRegression", "input:T", "output:output_dtype, segments:int32",
     "T:reals; output_dtype:floats_half_first = float", ""},
    {"KMC2ChainInitialization", "distances:float, seed:int64", "index:int64", "", ""},
    {"KmeansPlusPlusInitialization",
     "points:float, num_to_sample:int64, seed:int64, num_retries_per_sample:int64", "samples:float", "", ""},
    {"LSTMBlockCell", "x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T",
     "i:T, cs:T, f:T, o:T, ci:T, co:T, h:T",
     "forget_bias:float = 1.0; cell_clip:float = 3.0; use_peephole:bool = False; T:type in "
     "[half,float]",
     ""},
    {"LSTMBlockCellGrad",
     "x:T, cs_prev:T, h_prev:T, w:T, wci:T, wcf:T, wco:T, b:T, i:T, cs:T, f:T, o:T, ci:T, "
     "co:T, cs_grad:T, h_grad:T",
     "cs_prev_grad:T, dicfo:T, wci_grad:T, wcf_grad:T, wco_grad:T",
     "use_peephole:bool; T:type in [half,float]", ""},
    {"LearnedUnigramCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
    {"LogSoftmax", "logits:T", "logsoftmax:T", "T:floats_half_first", ""},
    {"LogUniformCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
    {"NearestNeighbors", "points:float, centers:float, k:int64",
     "nearest_center_indices:int64, nearest_center_distances:float", "", ""},
    {"NegTrain", "w_in:Ref(float), w_out:Ref(float), examples:int32, labels:int32, lr:float", "",
     "vocab_count:list(int); num_negative_samples:int", "stateful deprecated_since_19"},
    {"Skipgram", "",
     "vocab_word:string, vocab_freq:int32, words_per_epoch:int64, current_epoch:int32, "
     "total_words_processed:int64, examples:int32, labels:int32",
     "filename:string; batch_size:int; window_size:int = 5; min_count:int = 5; "
     "subsample:float = 0.0010000000474974513",
     "stateful deprecated_since_19"},
    {"Softmax", "logits:T", "softmax:T", "T:floats_half_first", ""},
    {"SoftmaxCrossEntropyWithLogits", "features:T, labels:T", "loss:T, backprop:T", "T:floats_half_first",
     ""},
    {"SparseSoftmaxCrossEntropyWithLogits", "features:T, labels:Tlabels", "loss:T, backprop:T",
     "T:floats_half_first; Tlabels:index = int64", ""},
    {"ThreadUnsafeUnigramCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
    {"UniformCandidateSampler", "true_classes:int64",
     "sampled_candidates:int64, true_expected_count:float, sampled_expected_count:float",
     "num_true:int >= 1; num_sampled:int >= 1; unique:bool; range_max:int >= 1; seed:int = 0; "
     "seed2:int = 0",
     "stateful"},
};

}  // namespace

absl::Status register_nn_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
