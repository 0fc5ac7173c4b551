"""The modules of names, as exports.Namespace reads them."""

from troupe import namespaces_contrib, namespaces_later

_FLAGS = " ".join(f"{name}=app_flags:{name}" for name in (
    "DEFINE_bool", "DEFINE_boolean", "DEFINE_enum", "DEFINE_float", "DEFINE_integer", "DEFINE_list", "DEFINE_multi_float",
    "DEFINE_multi_integer", "DEFINE_multi_string", "DEFINE_string", "DuplicateFlagError", "Error", "FLAGS", "FlagValues",
    "IllegalFlagValueError", "UnrecognizedFlagError", "mark_flag_as_required", "mark_flags_as_required", "register_validator"))


def _all_of(module, names):
    """Entries for names of one module."""
    return " ".join(f"{name}={module}:{name}" for name in names.split())


NAMESPACES = {
    "app": "run=app_flags:run",
    "app.flags": _FLAGS,
    "bitwise": """bitwise_and=special_math_ops:bitwise_and bitwise_or=special_math_ops:bitwise_or
        bitwise_xor=special_math_ops:bitwise_xor invert=special_math_ops:invert left_shift=special_math_ops:left_shift
        right_shift=special_math_ops:right_shift""",
    "debugging": """Assert assert_all_finite=verify_tensor_all_finite assert_equal assert_greater assert_greater_equal assert_integer
        assert_less assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal
        assert_positive assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype
        assert_scalar assert_type check_numerics is_finite is_inf is_nan is_non_decreasing is_numeric_tensor
        is_strictly_increasing""",
    "dtypes": """DType QUANTIZED_DTYPES as_dtype as_string bfloat16 bool cast complex complex128 complex64 double float16 float32
        float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource saturate_cast string uint16 uint32
        uint64 uint8 variant""",
    "flags": _FLAGS,
    "gfile": " ".join(f"{name}=file_io:{name}" for name in (
        "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs", "MkDir", "Open",
        "Remove", "Rename", "Stat", "Walk")),
    "graph_util": " ".join(f"{name}=graph_util:{name}" for name in (
        "convert_variables_to_constants", "extract_sub_graph", "import_graph_def", "must_run_on_cpu", "remove_training_nodes",
        "tensor_shape_from_node_def_name")),
    "image": """ResizeMethod=image_ops:ResizeMethod adjust_brightness=image_ops:adjust_brightness
        adjust_contrast=image_ops:adjust_contrast adjust_gamma=image_ops:adjust_gamma adjust_hue=image_ops:adjust_hue
        adjust_saturation=image_ops:adjust_saturation central_crop=image_ops:central_crop
        convert_image_dtype=image_ops:convert_image_dtype crop_and_resize=image_ops:crop_and_resize
        crop_to_bounding_box=image_ops:crop_to_bounding_box decode_bmp=image_ops:decode_bmp decode_gif=image_ops:decode_gif
        decode_jpeg=image_ops:decode_jpeg decode_png=image_ops:decode_png draw_bounding_boxes=image_ops:draw_bounding_boxes
        encode_jpeg=image_ops:encode_jpeg encode_png=image_ops:encode_png
        extract_image_patches=image_ops:extract_image_patches extract_patches=image_ops:extract_patches
        flip_left_right=image_ops:flip_left_right flip_up_down=image_ops:flip_up_down
        grayscale_to_rgb=image_ops:grayscale_to_rgb hsv_to_rgb=image_ops:hsv_to_rgb
        non_max_suppression=image_ops:non_max_suppression pad_to_bounding_box=image_ops:pad_to_bounding_box
        per_image_standardization=image_ops:per_image_standardization psnr=image_ops:psnr
        random_brightness=image_ops:random_brightness random_contrast=image_ops:random_contrast random_crop
        random_flip_left_right=image_ops:random_flip_left_right random_flip_up_down=image_ops:random_flip_up_down
        random_hue=image_ops:random_hue random_saturation=image_ops:random_saturation resize=image_ops:resize
        resize_area=image_ops:resize_area resize_bicubic=image_ops:resize_bicubic resize_bilinear=image_ops:resize_bilinear
        resize_image_with_crop_or_pad=image_ops:resize_image_with_crop_or_pad
        resize_image_with_pad=image_ops:resize_image_with_pad resize_images=image_ops:resize_images
        resize_nearest_neighbor=image_ops:resize_nearest_neighbor resize_with_crop_or_pad=image_ops:resize_with_crop_or_pad
        rgb_to_grayscale=image_ops:rgb_to_grayscale rgb_to_hsv=image_ops:rgb_to_hsv rot90=image_ops:rot90
        total_variation=image_ops:total_variation transpose=image_ops:transpose transpose_image=image_ops:transpose_image
        adjust_jpeg_quality=image_filters:adjust_jpeg_quality decode_and_crop_jpeg=image_filters:decode_and_crop_jpeg
        decode_image=image_filters:decode_image extract_glimpse=image_filters:extract_glimpse
        extract_jpeg_shape=image_filters:extract_jpeg_shape image_gradients=image_filters:image_gradients
        is_jpeg=image_filters:is_jpeg non_max_suppression_overlaps=image_filters:non_max_suppression_overlaps
        non_max_suppression_with_scores=image_filters:non_max_suppression_with_scores
        random_jpeg_quality=image_filters:random_jpeg_quality rgb_to_yiq=image_filters:rgb_to_yiq
        rgb_to_yuv=image_filters:rgb_to_yuv sample_distorted_bounding_box=image_filters:sample_distorted_bounding_box
        sobel_edges=image_filters:sobel_edges ssim=image_filters:ssim ssim_multiscale=image_filters:ssim_multiscale
        yiq_to_rgb=image_filters:yiq_to_rgb yuv_to_rgb=image_filters:yuv_to_rgb""",
    "io": """FixedLenFeature FixedLenSequenceFeature PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue SparseFeature
        TFRecordCompressionType=python_io:TFRecordCompressionType TFRecordOptions=python_io:TFRecordOptions
        TFRecordWriter=python_io:TFRecordWriter VarLenFeature match_filenames_once=train:match_filenames_once
        decode_and_crop_jpeg=image_filters:decode_and_crop_jpeg decode_image=image_filters:decode_image
        extract_jpeg_shape=image_filters:extract_jpeg_shape is_jpeg=image_filters:is_jpeg
        parse_example parse_sequence_example=parsing_ops:parse_sequence_example parse_single_example
        parse_single_sequence_example deserialize_many_sparse serialize_many_sparse serialize_sparse
        tf_record_iterator=python_io:tf_record_iterator write_graph=train:write_graph decode_base64 decode_bmp=image_ops:decode_bmp decode_compressed decode_csv decode_gif=image_ops:decode_gif
        decode_jpeg=image_ops:decode_jpeg decode_json_example decode_png=image_ops:decode_png decode_raw encode_base64
        encode_jpeg=image_ops:encode_jpeg encode_png=image_ops:encode_png matching_files parse_tensor read_file
        serialize_tensor write_file""",
    "io.gfile": " ".join(f"{name}=file_io:{name}" for name in (
        "GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir", "makedirs", "mkdir", "remove", "rename",
        "rmtree", "stat", "walk")),
    "linalg": """lu_matrix_inverse=linalg_factors:lu_matrix_inverse lu_reconstruct=linalg_factors:lu_reconstruct
        lu_solve=linalg_factors:lu_solve matrix_rank=linalg_factors:matrix_rank pinv=linalg_factors:pinv adjoint=linalg_ops:adjoint band_part=matrix_band_part cholesky cholesky_solve cross det=matrix_determinant
        diag=linalg_ops:diag diag_part=linalg_ops:diag_part eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals einsum eye
        global_norm inv=matrix_inverse l2_normalize=nn:l2_normalize logdet=linalg_ops:logdet logm=linalg_ops:logm
        lstsq=matrix_solve_ls lu=linalg_ops:lu matmul matrix_transpose matvec=linalg_ops:matvec norm
        normalize=linalg_ops:normalize qr set_diag=matrix_set_diag slogdet=linalg_ops:slogdet solve=matrix_solve
        sqrtm=matrix_square_root svd tensor_diag=diag tensor_diag_part=diag_part tensordot trace=linalg_ops:trace
        transpose=matrix_transpose triangular_solve=matrix_triangular_solve tridiagonal_matmul=linalg_ops:tridiagonal_matmul""",
    "logging": " ".join(f"{name}=tf_logging:{name}" for name in (
        "DEBUG", "ERROR", "FATAL", "INFO", "TaskLevelStatusMessage", "WARN", "debug", "error", "fatal", "flush", "get_verbosity", "info", "log",
        "log_every_n", "log_first_n", "log_if", "set_verbosity", "vlog", "warn", "warning")),
    "lookup.experimental": "DenseHashTable=lookup:DenseHashTable MutableHashTable=lookup:MutableHashTable",
    "manip": "batch_to_space_nd gather_nd reshape reverse roll scatter_nd space_to_batch_nd tile",
    "math": """abs=math_ops:abs accumulate_n acos=math_ops:acos acosh=math_ops:acosh add=math_ops:add add_n angle=math_ops:angle
        argmax argmin asin=math_ops:asin asinh=math_ops:asinh atan2 atan=math_ops:atan atanh=math_ops:atanh
        bessel_i0=special_math_ops:bessel_i0 bessel_i0e=special_math_ops:bessel_i0e bessel_i1=special_math_ops:bessel_i1
        bessel_i1e=special_math_ops:bessel_i1e betainc bincount ceil=math_ops:ceil confusion_matrix conj=math_ops:conj
        cos=math_ops:cos cosh=math_ops:cosh count_nonzero cumprod cumsum
        cumulative_logsumexp=special_math_ops:cumulative_logsumexp digamma=math_ops:digamma divide=math_ops:divide
        divide_no_nan=div_no_nan equal erf=math_ops:erf erfc=math_ops:erfc erfinv=special_math_ops:erfinv exp=math_ops:exp
        expm1=math_ops:expm1 floor=math_ops:floor floordiv floormod=math_ops:floormod greater greater_equal igamma igammac
        imag=math_ops:imag in_top_k=nn:in_top_k invert_permutation is_finite is_inf is_nan is_non_decreasing
        is_strictly_increasing l2_normalize=nn:l2_normalize lbeta less less_equal lgamma=math_ops:lgamma
        log1p=math_ops:log1p log=math_ops:log log_sigmoid=special_math_ops:log_sigmoid log_softmax=nn:log_softmax
        logical_and logical_not logical_or logical_xor maximum=math_ops:maximum minimum=math_ops:minimum mod=math_ops:mod
        multiply=math_ops:multiply multiply_no_nan=special_math_ops:multiply_no_nan ndtri=special_math_ops:ndtri
        negative=math_ops:negative nextafter=special_math_ops:nextafter not_equal polygamma polyval=special_math_ops:polyval
        pow real=math_ops:real reciprocal=math_ops:reciprocal reciprocal_no_nan=special_math_ops:reciprocal_no_nan
        reduce_all reduce_any reduce_euclidean_norm=math_ops:reduce_euclidean_norm reduce_logsumexp
        reduce_max=math_ops:reduce_max reduce_mean=math_ops:reduce_mean reduce_min=math_ops:reduce_min
        reduce_prod=math_ops:reduce_prod reduce_std=math_ops:reduce_std reduce_sum=math_ops:reduce_sum
        reduce_variance=math_ops:reduce_variance rint=math_ops:rint round=math_ops:round rsqrt=math_ops:rsqrt
        scalar_mul=special_math_ops:scalar_mul segment_max segment_mean segment_min segment_prod segment_sum
        sigmoid=math_ops:sigmoid sign=math_ops:sign sin=math_ops:sin sinh=math_ops:sinh softmax=nn:softmax
        softplus=nn:softplus softsign=nn:softsign sqrt=math_ops:sqrt square=math_ops:square squared_difference subtract
        tan=math_ops:tan tanh=math_ops:tanh top_k=nn:top_k truediv unsorted_segment_max unsorted_segment_mean
        unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum xdivy=special_math_ops:xdivy
        xlog1py=special_math_ops:xlog1py xlogy=special_math_ops:xlogy zero_fraction=nn:zero_fraction zeta""",
    "math.special": """bessel_i0=special_math_ops:bessel_i0 bessel_i0e=special_math_ops:bessel_i0e bessel_i1=special_math_ops:bessel_i1
        bessel_i1e=special_math_ops:bessel_i1e bessel_j0=special_math_ops:bessel_j0 bessel_j1=special_math_ops:bessel_j1
        bessel_k0=special_math_ops:bessel_k0 bessel_k0e=special_math_ops:bessel_k0e bessel_k1=special_math_ops:bessel_k1
        bessel_k1e=special_math_ops:bessel_k1e bessel_y0=special_math_ops:bessel_y0 bessel_y1=special_math_ops:bessel_y1
        dawsn=special_math_ops:dawsn expint=special_math_ops:expint fresnel_cos=special_math_ops:fresnel_cos
        fresnel_sin=special_math_ops:fresnel_sin spence=special_math_ops:spence""",
    "random": """categorical=stateless_random_ops:categorical gamma=random_gamma get_seed multinomial normal=random_normal
        poisson=random_poisson set_random_seed shuffle=random_shuffle
        stateless_categorical=stateless_random_ops:stateless_categorical
        stateless_multinomial=stateless_random_ops:stateless_multinomial
        stateless_normal=stateless_random_ops:stateless_random_normal
        stateless_truncated_normal=stateless_random_ops:stateless_truncated_normal
        stateless_uniform=stateless_random_ops:stateless_random_uniform truncated_normal uniform=random_uniform
        all_candidate_sampler=nn:all_candidate_sampler fixed_unigram_candidate_sampler=nn:fixed_unigram_candidate_sampler
        learned_unigram_candidate_sampler=nn:learned_unigram_candidate_sampler
        log_uniform_candidate_sampler=nn:log_uniform_candidate_sampler uniform_candidate_sampler=nn:uniform_candidate_sampler""",
    "sets": """difference=sets:difference intersection=sets:intersection set_difference=sets:difference
        set_intersection=sets:intersection set_size=sets:size set_union=sets:union size=sets:size union=sets:union""",
    "quantization": """dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
        fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
        fake_quant_with_min_max_vars_per_channel_gradient quantize quantize_and_dequantize=quantize_ops:quantize_and_dequantize
        quantize_and_dequantize_v2=quantize_ops:quantize_and_dequantize_v2 quantized_concat""",
    "version": " ".join(f"{name}=versions:{name}" for name in (
        "GIT_VERSION", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER", "GRAPH_DEF_VERSION_MIN_PRODUCER", "VERSION")),
    "signal": """dct=dct_ops:dct idct=dct_ops:idct inverse_stft=dct_ops:inverse_stft
        inverse_stft_window_fn=dct_ops:inverse_stft_window_fn linear_to_mel_weight_matrix=dct_ops:linear_to_mel_weight_matrix
        mfccs_from_log_mel_spectrograms=dct_ops:mfccs_from_log_mel_spectrograms overlap_and_add=dct_ops:overlap_and_add fft fft2d fft3d fftshift=spectral_ops:fftshift frame=spectral_ops:frame hamming_window=spectral_ops:hamming_window
        hann_window=spectral_ops:hann_window ifft ifft2d ifft3d ifftshift=spectral_ops:ifftshift
        irfft2d=spectral_ops:irfft2d irfft3d=spectral_ops:irfft3d irfft=spectral_ops:irfft rfft2d=spectral_ops:rfft2d
        rfft3d=spectral_ops:rfft3d rfft=spectral_ops:rfft stft=spectral_ops:stft""",
    "sparse": """SparseTensor add=sparse_add concat=sparse_concat expand_dims=sparse_ops:sparse_expand_dims eye=sparse_ops:sparse_eye
        fill_empty_rows=sparse_fill_empty_rows from_dense=sparse_ops:from_dense mask=sparse_mask
        matmul=sparse_tensor_dense_matmul maximum=sparse_maximum merge=sparse_merge reset_shape=sparse_reset_shape minimum=sparse_minimum placeholder=sparse_placeholder
        reduce_max=sparse_reduce_max reduce_max_sparse=sparse_reduce_max_sparse reduce_sum=sparse_reduce_sum
        reduce_sum_sparse=sparse_reduce_sum_sparse reorder=sparse_reorder reshape=sparse_reshape retain=sparse_retain
        segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n segment_sum=sparse_segment_sum
        slice=sparse_slice softmax=sparse_softmax sparse_dense_matmul=sparse_tensor_dense_matmul split=sparse_split
        to_dense=sparse_tensor_to_dense to_indicator=sparse_to_indicator transpose=sparse_transpose""",
    "spectral": """dct=dct_ops:dct idct=dct_ops:idct fft fft2d fft3d ifft ifft2d ifft3d irfft2d=spectral_ops:irfft2d irfft3d=spectral_ops:irfft3d
        irfft=spectral_ops:irfft rfft2d=spectral_ops:rfft2d rfft3d=spectral_ops:rfft3d rfft=spectral_ops:rfft""",
    "strings": """as_string format=string_ops:string_format join=string_join length=string_ops:length lower=string_ops:lower
        reduce_join regex_full_match=string_ops:regex_full_match regex_replace split=string_ops:split strip=string_strip
        substr=string_ops:substr to_hash_bucket=string_to_hash_bucket to_hash_bucket_fast=string_to_hash_bucket_fast
        to_hash_bucket_strong=string_to_hash_bucket_strong to_number=string_to_number
        bytes_split=unicode_ops:bytes_split ngrams=unicode_ops:ngrams unicode_decode=unicode_ops:unicode_decode
        unicode_decode_with_offsets=unicode_ops:unicode_decode_with_offsets unicode_encode=unicode_ops:unicode_encode
        unicode_split=unicode_ops:unicode_split unicode_split_with_offsets=unicode_ops:unicode_split_with_offsets
        unsorted_segment_join=unicode_ops:unsorted_segment_join unicode_script=string_ops:unicode_script unicode_transcode=string_ops:unicode_transcode upper=string_ops:upper""",
}

# What tf.contrib of TensorFlow 1.15 had, and programs used most.
_LAYERS = _all_of("contrib_layers", """avg_pool2d batch_norm bias_add conv1d conv2d conv2d_transpose conv3d convolution convolution1d convolution2d
    convolution2d_transpose convolution3d dropout embed_sequence flatten fully_connected layer_norm linear max_pool2d one_hot_encoding relu relu6
    repeat separable_conv2d separable_convolution2d softmax stack unit_norm""") + " " + _all_of("contrib_initializers", """
    apply_regularization l1_l2_regularizer l1_regularizer l2_regularizer sum_regularizer variance_scaling_initializer xavier_initializer""")
_SCOPES = _all_of("contrib_scopes", """add_arg_scope arg_scope arg_scoped_arguments assign_from_checkpoint_fn current_arg_scope filter_variables
    get_local_variables get_model_variables get_trainable_variables get_unique_variable get_variables get_variables_by_name get_variables_by_suffix
    get_variables_to_restore has_arg_scope model_variable variable""")
_STEPS = _all_of("train", "assert_global_step create_global_step get_global_step get_or_create_global_step")
_CELLS = _all_of("rnn_cell", """BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell LSTMStateTuple MultiRNNCell RNNCell
    ResidualWrapper""")
_MORE_CELLS = " ".join((
    _all_of("rnn_base", "LayerRNNCell"),
    _all_of("contrib_rnn", """best_effort_input_batch_size stack_bidirectional_dynamic_rnn stack_bidirectional_rnn static_state_saving_rnn
        transpose_batch_time"""),
    _all_of("contrib_rnn_blocks", """FusedRNNCell FusedRNNCellAdaptor GRUBlockCell GRUBlockCellV2 LSTMBlockCell LSTMBlockFusedCell
        TimeReversedFusedRNN"""),
    _all_of("contrib_rnn_cells", "IndRNNCell NASCell SRUCell UGRNNCell"),
    _all_of("contrib_rnn_lstm", """Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell ConvLSTMCell CoupledInputForgetGateLSTMCell
        LayerNormBasicLSTMCell PhasedLSTMCell"""),
    _all_of("contrib_rnn_wrappers", """AttentionCellWrapper CompiledWrapper EmbeddingWrapper HighwayWrapper InputProjectionWrapper
        OutputProjectionWrapper""")))
_ATTENTION = " ".join((
    _all_of("seq2seq_attention", """AttentionMechanism BahdanauAttention BahdanauMonotonicAttention LuongAttention LuongMonotonicAttention
        monotonic_attention safe_cumprod"""),
    _all_of("seq2seq_wrapper", "AttentionWrapper AttentionWrapperState"), _all_of("seq2seq_attention", "hardmax")))
_HELPERS = _all_of("seq2seq_helpers", """CustomHelper GreedyEmbeddingHelper Helper InferenceHelper SampleEmbeddingHelper
    ScheduledEmbeddingTrainingHelper ScheduledOutputTrainingHelper TrainingHelper""")
_BASIC = _all_of("seq2seq_decoder", "BasicDecoder BasicDecoderOutput Decoder dynamic_decode")
_BEAMS = _all_of("seq2seq_beam", """BeamSearchDecoder BeamSearchDecoderOutput BeamSearchDecoderState FinalBeamSearchDecoderOutput gather_tree
    gather_tree_from_array tile_batch""")
_DECODERS = f"{_ATTENTION} {_HELPERS} {_BASIC} {_BEAMS}"
_LEARN = _all_of("contrib_learn", "ByteProcessor CategoricalVocabulary VocabularyProcessor")
_EXPERIMENTAL = _all_of("data_experimental", """Counter choose_from_datasets enumerate_dataset get_single_element group_by_window ignore_errors
    map_and_batch parallel_interleave sample_from_datasets scan shuffle_and_repeat unbatch unique bucket_by_sequence_length""")

NAMESPACES.update({
    "contrib.crf": _all_of("crf", """CrfDecodeBackwardRnnCell CrfDecodeForwardRnnCell CrfForwardRnnCell crf_binary_score crf_decode crf_forward
        crf_log_likelihood crf_log_norm crf_multitag_sequence_score crf_sequence_score crf_unary_score viterbi_decode"""),
    "contrib.data": _EXPERIMENTAL,
    "contrib.distributions": _all_of("distributions", """Bernoulli Beta Categorical Dirichlet DirichletMultinomial Distribution Exponential
        FULLY_REPARAMETERIZED Gamma Laplace Multinomial NOT_REPARAMETERIZED Normal RegisterKL ReparameterizationType StudentT Uniform
        kl_divergence"""),
    "contrib.framework": f"""{_SCOPES} {_STEPS} nest is_tensor init_from_checkpoint=train:init_from_checkpoint
        list_variables=train:list_variables load_checkpoint=train:load_checkpoint load_variable=train:load_variable sort argsort""",
    "contrib.framework.nest": _all_of("contrib_nest", """assert_same_structure assert_shallow_structure flatten flatten_dict_items flatten_up_to
        flatten_with_joined_string_paths flatten_with_tuple_paths get_traverse_shallow_structure is_nested is_sequence map_structure
        map_structure_up_to map_structure_with_paths pack_sequence_as yield_flattened_paths"""),
    "contrib.layers": f"""{_LAYERS} xavier_initializer_conv2d=contrib_initializers:xavier_initializer
        optimize_loss=contrib_training:optimize_loss""",
    "contrib.layers.utils": "convert_collection_to_dict=contrib_layers:convert_collection_to_dict",
    "contrib.learn.preprocessing": _LEARN,
    "contrib.learn.preprocessing.text": "tokenizer=contrib_learn:tokenizer ByteProcessor=contrib_learn:ByteProcessor "
        "VocabularyProcessor=contrib_learn:VocabularyProcessor",
    "contrib.legacy_seq2seq": _all_of("legacy_seq2seq", """attention_decoder basic_rnn_seq2seq embedding_attention_decoder
        embedding_attention_seq2seq embedding_rnn_decoder embedding_rnn_seq2seq embedding_tied_rnn_seq2seq model_with_buckets one2many_rnn_seq2seq
        rnn_decoder sequence_loss sequence_loss_by_example tied_rnn_seq2seq"""),
    "contrib.lookup": _all_of("contrib_lookup", """FastHashSpec HashTable HasherSpec IdTableWithHashBuckets KeyValueTensorInitializer
        MutableDenseHashTable MutableHashTable StrongHashSpec TextFileIndex TextFileInitializer index_table_from_file index_table_from_tensor index_to_string_table_from_file index_to_string_table_from_tensor"""),
    "contrib.rnn": f"""{_CELLS} {_MORE_CELLS} static_rnn=rnn:static_rnn static_bidirectional_rnn=rnn:static_bidirectional_rnn""",
    "contrib.seq2seq": f"sequence_loss=seq2seq:sequence_loss {_DECODERS}",
    "contrib.tensorboard.plugins.projector": _all_of("projector", "EmbeddingInfo ProjectorConfig SpriteMetadata visualize_embeddings"),
    "contrib.slim": f"{_LAYERS} {_SCOPES} {_STEPS}",
    "contrib.slim.learning": "create_train_op=contrib_training:create_train_op",
    "contrib.slim.utils": "convert_collection_to_dict=contrib_layers:convert_collection_to_dict",
    "contrib.training": "HParams=contrib_training:HParams create_train_op=contrib_training:create_train_op "
        "bucket=contrib_buckets:bucket bucket_by_sequence_length=contrib_buckets:bucket_by_sequence_length",
    "contrib.util": "constant_value=tensor_util:constant_value make_ndarray make_tensor_proto",
})
# The files that such programs took parts of these from.
NAMESPACES.update({
    "contrib.crf.python.ops.crf": NAMESPACES["contrib.crf"],
    "contrib.layers.python.layers.embedding_ops": "safe_embedding_lookup_sparse=nn_sparse:safe_embedding_lookup_sparse",
    "contrib.learn.python.learn.preprocessing": _LEARN,
    "contrib.legacy_seq2seq.python.ops.seq2seq": NAMESPACES["contrib.legacy_seq2seq"],
    "contrib.rnn.python.ops.core_rnn_cell": f"""{_CELLS} {_MORE_CELLS} _Linear=contrib_rnn_wrappers:Linear _linear=contrib_rnn_wrappers:linear""",
    "contrib.rnn.python.ops.lstm_ops": _all_of("contrib_rnn_blocks", "LSTMBlockCell LSTMBlockFusedCell"),
    "contrib.rnn.python.ops.rnn": _MORE_CELLS + " _transpose_batch_time=seq2seq_helpers:batch_and_time_swapped",
    "contrib.rnn.python.ops.rnn_cell": _MORE_CELLS,
    "contrib.seq2seq.python.ops.attention_wrapper": f"""{_ATTENTION} _compute_attention=seq2seq_wrapper:compute_attention
        {_all_of("seq2seq_attention", "_BaseAttentionMechanism _bahdanau_score _luong_score _maybe_mask_score _prepare_memory")}""",
    "contrib.seq2seq.python.ops.basic_decoder": _BASIC,
    "contrib.seq2seq.python.ops.beam_search_decoder": _BEAMS,
    "contrib.seq2seq.python.ops.beam_search_ops": "gather_tree=seq2seq_beam:gather_tree",
    "contrib.seq2seq.python.ops.decoder": f"{_BASIC} _transpose_batch_time=seq2seq_helpers:batch_and_time_swapped",
    "contrib.seq2seq.python.ops.helper": f"{_HELPERS} _unstack_ta=seq2seq_helpers:_array_of",
    "contrib.seq2seq.python.ops.loss": "sequence_loss=seq2seq:sequence_loss",
})

namespaces_contrib.add_to(NAMESPACES)

namespaces_later.add_to(NAMESPACES, _all_of)
