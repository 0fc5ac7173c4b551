"""Functions of neural networks and initializers, with TensorFlow's numbers."""

import numpy as np
import pytest
from recorded import check, ramp, weights

import troupe as tf

nn = tf.nn


def sparse(values):
    return tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant(values, tf.int64 if isinstance(values[0], int) else tf.float32), [3, 2])


def classes():
    return tf.constant([[1], [5]], tf.int64)


# Programs, and the marks of what they give and of the gradients.
FUNCTIONS = {
    "conv1d": (lambda: nn.conv1d(ramp(2, 5, 3), weights(3, 3, 4), stride=2, padding="SAME"), [-0.600458, 209.3]),
    "conv1d_by_channels_last": (lambda: nn.conv1d(ramp(2, 5, 3), weights(3, 3, 4), 1, "VALID", data_format="NWC"), [-7.34107, 241.7]),
    "conv2d": (lambda: nn.conv2d(ramp(1, 7, 7, 2), weights(3, 3, 2, 3), [1, 2, 2, 1], "VALID"), [7.83043, 567.6]),
    "conv2d_padded": (lambda: nn.conv2d(ramp(1, 7, 7, 2), weights(3, 3, 2, 3), 1, [[0, 0], [1, 0], [0, 2], [0, 0]]), [35.906, 2378.2]),
    "atrous_conv2d": (lambda: nn.atrous_conv2d(ramp(1, 7, 7, 2), weights(3, 3, 2, 3), 2, "SAME"), [46.0432, 2040.7]),
    "convolution": (lambda: nn.convolution(ramp(1, 7, 7, 2), weights(3, 3, 2, 3), "SAME", strides=[2, 2]), [10.2552, 707.5]),
    "conv3d": (lambda: nn.conv3d(ramp(1, 4, 4, 4, 2), weights(2, 2, 2, 2, 3), [1, 1, 1, 1, 1], "SAME"), [36.8766, 2418.5]),
    "conv1d_transpose": (lambda: nn.conv1d_transpose(ramp(1, 4, 2), weights(3, 5, 2), [1, 8, 5], 2), [-4.79674, 108.6]),
    "conv2d_transpose": (lambda: nn.conv2d_transpose(ramp(1, 4, 4, 2), weights(3, 3, 5, 2), [1, 8, 8, 5], 2), [2.85605, 1382.7]),
    "depthwise_conv2d": (
        lambda: nn.depthwise_conv2d(ramp(1, 7, 7, 2), weights(3, 3, 2, 2), [1, 1, 1, 1], "SAME", rate=[2, 2]),
        [-33.0318, 1360.9]),
    "separable_conv2d": (
        lambda: nn.separable_conv2d(ramp(1, 5, 5, 2), weights(3, 3, 2, 2), weights(1, 1, 4, 3), [1, 1, 1, 1], "SAME"),
        [29.4741, -257.281, -70.8812]),
    "erosion2d": (lambda: nn.erosion2d(ramp(1, 5, 5, 2), weights(2, 2, 2), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"), [-57.2862, -270.0]),
    "max_pool": (lambda: nn.max_pool(ramp(1, 5, 5, 2) * weights(2), 2, 2, "SAME"), [6.69796, 6.1]),
    "avg_pool": (lambda: nn.avg_pool(ramp(1, 5, 5, 2) * weights(2), [1, 3, 3, 1], [1, 2, 2, 1], "VALID"), [-0.644101, 3.46667]),
    "max_pool1d": (lambda: nn.max_pool1d(ramp(1, 5, 2) * weights(2), 2, 2, "VALID"), [1.03624, 1.0]),
    "max_pool3d": (lambda: nn.max_pool3d(ramp(1, 5, 5, 5, 2) * weights(2), 2, 2, "VALID"), [10.8142, 4.8]),
    "pool": (lambda: nn.pool(ramp(1, 5, 2) * weights(2), [2], "AVG", "SAME"), [-0.51986, 3.65]),
    "moments": (lambda: nn.moments(ramp(3, 4) * weights(4), [0]), [0.181721, 0.0810371, 2.73333]),
    "weighted_moments": (lambda: nn.weighted_moments(ramp(3, 4) * weights(4), [0], ramp(3, 1) + 0.5), [0.188585, 0.0812755, 2.78889]),
    "sufficient_statistics": (lambda: nn.normalize_moments(*nn.sufficient_statistics(ramp(3, 4), [0, 1])), [0.258333, 0.0340972]),
    "batch_normalization": (
        lambda: nn.batch_normalization(ramp(3, 4), ramp(4), ramp(4) + 1, weights(4), weights(4), 1e-3),
        [1.58856, 30.0, 2.12014]),
    "fused_batch_norm": (
        lambda: nn.fused_batch_norm(ramp(1, 3, 3, 2), weights(2), weights(2)),
        [26.4876, 0.811111, 0.124167, 1.36965e-06, 27.0]),
    "dropout": (lambda: nn.dropout(ramp(4, 5) + 1, rate=0.4), [103.333]),
    "dropout_of_rows": (lambda: nn.dropout(ramp(4, 5) + 1, keep_prob=0.5, noise_shape=[None, 1], seed=1), [54.0]),
    "dropout_by_tensor": (lambda: nn.dropout(ramp(4, 5) + 1, rate=tf.constant(0.5), seed=1), [96.0]),
    "lrn": (lambda: nn.lrn(ramp(1, 3, 3, 8) * weights(8)), [0.732469, 75.918]),
    "leaky_relu": (lambda: nn.leaky_relu(ramp(3, 4) * weights(4)), [2.30337, 4.28]),
    "crelu": (lambda: nn.crelu(ramp(3, 4) * weights(4)), [6.03731, -1.6]),
    "selu": (lambda: nn.selu(ramp(3, 4) * weights(4)), [-1.84034, 11.2422]),
    "swish": (lambda: nn.swish(ramp(3, 4) * weights(4)), [0.239764, 4.17593]),
    "softmax_by_columns": (lambda: nn.softmax(ramp(3, 4) * weights(4), axis=0)[0], [3.45012, -0.263202]),
    "softmax_cross_entropy": (
        lambda: nn.softmax_cross_entropy_with_logits(labels=ramp(3, 4), logits=ramp(3, 4) * weights(4)),
        [9.19939, -1.13657]),
    "softmax_cross_entropy_by_columns": (
        lambda: nn.softmax_cross_entropy_with_logits_v2(labels=ramp(3, 4), logits=weights(3, 4), axis=0),
        [8.66065, -0.229351]),
    "sparse_softmax_cross_entropy": (
        lambda: nn.sparse_softmax_cross_entropy_with_logits(labels=[[1, 2], [0, 1]], logits=weights(2, 2, 4)),
        [16.9916, -2.54789]),
    "weighted_cross_entropy": (
        lambda: nn.weighted_cross_entropy_with_logits(labels=ramp(3, 4), logits=weights(3, 4), pos_weight=2.0),
        [40.0269, -0.868039]),
    "log_poisson_loss": (lambda: nn.log_poisson_loss(ramp(3, 4) + 1, weights(3, 4), True), [53.9115, -8.09385]),
    "embedding_lookup": (lambda: nn.embedding_lookup(weights(5, 3), [[1, 0], [4, 4]]), [-0.741685, 49.0]),
    "embedding_lookup_mod": (lambda: nn.embedding_lookup([weights(3, 3), weights(2, 3)], [[1, 0], [4, 4]]), [1.06903, 26.0, 6.0]),
    "embedding_lookup_div": (
        lambda: nn.embedding_lookup([weights(3, 3), weights(2, 3)], [1, 0, 4, 2, 3], partition_strategy="div"),
        [-4.80369, 31.0, 21.0]),
    "embedding_lookup_clipped": (lambda: nn.embedding_lookup(weights(5, 3), [[1, 0], [4, 4]], max_norm=0.1), [-0.118163, 5.31775]),
    "embedding_lookup_sparse": (
        lambda: nn.embedding_lookup_sparse(weights(5, 3), sparse([1, 2, 1]), None, combiner="sqrtn"),
        [0.888568, 32.6777]),
    "embedding_lookup_sparse_weighted": (
        lambda: nn.embedding_lookup_sparse(weights(5, 3), sparse([1, 2, 1]), sparse([0.5, 0.25, 2.0])),
        [1.50876, 28.3333]),
    "nce_loss": (lambda: nn.nce_loss(weights(20, 3), weights(20), classes(), ramp(2, 3), 4, 20), [16.9482, 14.3866, 13.2301]),
    "sampled_softmax_loss": (
        lambda: nn.sampled_softmax_loss(weights(20, 3), weights(20), classes(), ramp(2, 3), 4, 20, seed=9),
        [5.67117, -0.242195, -0.861802]),
    "uniform_candidate_sampler": (lambda: list(nn.uniform_candidate_sampler(classes(), 1, 4, True, 20, seed=5)), [71.0, 0.678657, 2.26219]),
    "ctc_loss": (
        lambda: nn.ctc_loss(tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2]), ramp(4, 1, 4) * weights(4), [4]),
        [2.97795, -0.0272593]),
    "ctc_greedy_decoder": (
        lambda: [nn.ctc_greedy_decoder(ramp(4, 1, 4), [4])[0][0].values, nn.ctc_greedy_decoder(ramp(4, 1, 4), [4])[1]],
        [4.0, -1.9]),
    "top_k": (lambda: list(nn.top_k(ramp(3, 4), 2)), [8.3, 44.0]),
}

INITIALIZERS = {
    "random_uniform": (lambda: tf.random_uniform_initializer(-2.0, 3.0, seed=4)((4, 4)), [-18.4965]),
    "random_normal": (lambda: tf.random_normal_initializer(1.0, 2.0)((4, 4)), [88.2148]),
    "truncated_normal": (lambda: tf.initializers.truncated_normal(stddev=0.1, seed=4)((4, 4)), [-0.713316]),
    "variance_scaling": (lambda: tf.variance_scaling_initializer(2.0, "fan_avg", "untruncated_normal", seed=2)((3, 3, 3, 4)), [1.51267]),
    "uniform_unit_scaling": (lambda: tf.initializers.uniform_unit_scaling(2.0, seed=4)((4, 4)), [-33.2529]),
    "glorot_normal": (lambda: tf.initializers.glorot_normal(seed=4)((4, 5)), [-9.7815]),
    "he_normal": (lambda: tf.initializers.he_normal(seed=4)((4, 5)), [-14.6722]),
    "he_uniform": (lambda: tf.initializers.he_uniform(seed=4)((4, 5)), [-26.8243]),
    "lecun_normal": (lambda: tf.initializers.lecun_normal(seed=4)((4, 5)), [-10.3748]),
    "lecun_uniform": (lambda: tf.initializers.lecun_uniform(seed=4)((4, 5)), [-18.9676]),
    "orthogonal": (lambda: tf.initializers.orthogonal(seed=3)((2, 5)), [7.54642]),
    "identity": (lambda: tf.initializers.identity(gain=2.0)((2, 3)), [12.0]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_tensorflow_gives(name):
    check(*FUNCTIONS[name])


@pytest.mark.parametrize("name", INITIALIZERS)
def test_initializes_as_tensorflow_does(name):
    check(*INITIALIZERS[name])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_operations_have_the_names_of_tensorflow(graph):
    nn.conv2d(ramp(1, 3, 3, 1), ramp(2, 2, 1, 1), 1, "SAME")
    nn.conv1d(ramp(1, 3, 1), ramp(2, 1, 1), 1, "SAME", name="c")
    nn.dropout(ramp(3), rate=0.5)
    names = {o.name for o in graph.get_operations()}
    assert {"Conv2D", "c/ExpandDims", "c/ExpandDims_1", "c", "c/Squeeze", "dropout/Mul", "dropout/random_uniform/RandomUniform",
            "dropout/GreaterEqual", "dropout/SelectV2"} <= names


@pytest.mark.parametrize("call, text", [
    (lambda: nn.dropout(ramp(3), rate=1.0), "range"),
    (lambda: nn.dropout(ramp(3)), "must be provided"),
    (lambda: nn.dropout(tf.constant([1, 2]), rate=0.5), "floating point"),
    (lambda: nn.conv2d(ramp(1, 3, 3, 1), ramp(2, 2, 1, 1), [1, 1, 1], "SAME"), "strides should be of length 1, 2 or 4"),
    (lambda: nn.softmax_cross_entropy_with_logits(labels=ramp(2, 2)), "Both `labels` and `logits`"),
    (lambda: nn.sparse_softmax_cross_entropy_with_logits(labels=[[1]], logits=ramp(1, 2)), "rank"),
    (lambda: nn.sigmoid_cross_entropy_with_logits(labels=ramp(2, 2), logits=ramp(2, 3)), "same shape"),
    (lambda: nn.fused_batch_norm(ramp(1, 1, 1, 1), [1.0], [0.0], is_training=False), "must be a 1D tensor"),
    (lambda: nn.embedding_lookup([ramp(2, 2), ramp(2, 2)], [1], partition_strategy="none"), "partition strategy"),
    (lambda: nn.bias_add(ramp(2, 2), [1.0, 2.0], data_format="HW"), "data_format"),
])
def test_wrong_arguments_are_value_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_what_is_named_has_that_name():
    x = tf.placeholder(tf.float32, [2, 3, 3])
    assert tf.nn.softmax(x, axis=1, name="probabilities").name == "probabilities:0"
    assert tf.nn.log_softmax(x, dim=0, name="odds").name == "odds:0"
    assert tf.nn.softmax(x, axis=1).name == "transpose_3:0"
    assert tf.image.rgb_to_grayscale(x, name="grey").name == "grey:0"
    assert tf.image.grayscale_to_rgb(x[..., :1], name="colours").name == "colours:0"
    assert tf.histogram_fixed_width(x, [0.0, 1.0]).name == "histogram_fixed_width:0"


def test_pictures_are_cut_to_numbers_of_numpy_and_to_dimensions():
    image, other = tf.placeholder(tf.float32, [None, None, 3]), tf.zeros([4, 5, 3])
    assert tf.image.resize_image_with_crop_or_pad(image, np.int64(4), other.shape[1]).shape.as_list() == [4, 5, 3]
    assert tf.image.crop_to_bounding_box(image, np.int32(0), 1, other.shape[0], np.int64(2)).shape.as_list() == [4, 2, 3]
    with pytest.raises(ValueError, match="rank = 3 or rank = 4"):
        tf.image.central_crop(tf.placeholder(tf.float32), 0.5)
    part = tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        assert session.run(tf.image.central_crop(other, part), {part: 0.5}).shape == (2, 3, 3)
