"""More of tf.contrib.layers and tf.contrib.framework, beside what NumPy computes."""

import numpy as np
import pytest

import troupe as tf

layers, framework, slim = tf.contrib.layers, tf.contrib.framework, tf.contrib.slim


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def values(fetches, feed=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feed)


def standard(x, axes, epsilon):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_instances_are_normalized_by_channels(data_format):
    x = np.random.RandomState(0).rand(2, 3, 4, 5).astype("f")
    given = {"gamma": tf.constant_initializer([2.0, 1.0, 3.0] if data_format == "NCHW" else [2.0, 1.0, 3.0, 0.5, 4.0])}
    made = values(layers.instance_norm(tf.constant(x), data_format=data_format, param_initializers=given, activation_fn=tf.nn.relu))
    gamma = np.array([2, 1, 3], "f")[:, None, None] if data_format == "NCHW" else np.array([2, 1, 3, 0.5, 4], "f")
    wanted = np.maximum(standard(x, (2, 3) if data_format == "NCHW" else (1, 2), 1e-6) * gamma, 0)
    np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)
    assert [v.op.name for v in tf.model_variables()] == ["InstanceNorm/beta", "InstanceNorm/gamma"]
    with pytest.raises(ValueError, match="undefined rank"):
        layers.instance_norm(tf.placeholder(tf.float32))


def test_groups_of_channels_are_normalized():
    x = np.random.RandomState(1).rand(2, 3, 4, 6).astype("f")
    made, close, unknown = values(
        [
            layers.group_norm(tf.constant(x), groups=3),
            layers.group_norm(tf.constant(x), 3, mean_close_to_zero=True),
            layers.group_norm(tf.placeholder_with_default(x, [None, None, None, 6]), groups=2),
        ]
    )
    for got, groups in ((made, 3), (close, 3), (unknown, 2)):
        wanted = standard(x.reshape(2, 3, 4, groups, 6 // groups), (1, 2, 4), 1e-6).reshape(x.shape)
        np.testing.assert_allclose(got, wanted, rtol=2e-3, atol=2e-3)
    with pytest.raises(ValueError, match="Invalid groups 4 for 6 channels"):
        layers.group_norm(tf.constant(x), groups=4)
    with pytest.raises(ValueError, match="is the channels axis"):
        layers.group_norm(tf.constant(x), 3, reduction_axes=[1, 3])


def test_small_layers_compute_what_numpy_does():
    x = np.random.RandomState(2).rand(2, 4, 6, 6).astype("f")
    t = tf.constant(x)
    most, flat, softly, pooled, deep, embedded, scaled = values(
        [
            layers.maxout(t, 2),
            layers.inner_flatten(t, 2),
            layers.spatial_softmax(t),
            layers.pool(t, [2, 3], "MAX", stride=[2, 3]),
            layers.avg_pool3d(t[..., None], 2),
            layers.embedding_lookup_unique(tf.constant(x[0, 0]), [[1, 1], [3, 1]]),
            tf.gradients(layers.scale_gradient(t, 0.25) * 3.0, t)[0],
        ]
    )
    np.testing.assert_array_equal(most, x.reshape(2, 4, 6, 2, 3).max(-1))
    np.testing.assert_array_equal(flat, x.reshape(2, -1))
    weights = np.exp(x.transpose(0, 3, 1, 2).reshape(2, 6, -1))
    weights /= weights.sum(-1, keepdims=True)
    columns, rows = np.meshgrid(np.linspace(-1, 1, 6), np.linspace(-1, 1, 4))
    wanted = np.stack([(weights * columns.ravel()).sum(-1), (weights * rows.ravel()).sum(-1)], -1).reshape(2, 12)
    np.testing.assert_allclose(softly, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(pooled, x.reshape(2, 2, 2, 2, 3, 6).max((2, 4)))
    np.testing.assert_allclose(deep[..., 0], x.reshape(2, 2, 2, 3, 2, 3, 2).mean((2, 4, 6)), rtol=1e-5)
    np.testing.assert_array_equal(embedded, x[0, 0][[[1, 1], [3, 1]]])
    assert (scaled == 0.75).all()
    with pytest.raises(ValueError, match="not a multiple of num_units"):
        layers.maxout(t, 4)


def test_convolutions_in_planes_and_in_three_dimensions():
    x = np.random.RandomState(3).rand(1, 4, 4, 2).astype("f")
    plane = layers.conv2d_in_plane(
        tf.constant(x), 2, padding="VALID", weights_initializer=tf.constant_initializer([[1.0, 2], [3, 4]]), activation_fn=None
    )
    grown = layers.conv3d_transpose(tf.constant(x[..., None]), 3, 2, stride=2, activation_fn=None, scope="grown")
    made, _ = values([plane, grown])
    wanted = sum(w * x[:, i : i + 3, j : j + 3] for w, i, j in ((1, 0, 0), (2, 0, 1), (3, 1, 0), (4, 1, 1)))
    np.testing.assert_allclose(made, wanted, rtol=1e-5)
    assert grown.shape.as_list() == [1, 8, 8, 4, 3]
    assert [v.op.name for v in tf.trainable_variables()] == ["ConvInPlane/weights", "ConvInPlane/biases", "grown/weights", "grown/biases"]


def test_bags_of_words_leave_padding_out():
    ids = [[1, 2, 0], [3, 0, 0]]
    made = layers.bow_encoder(tf.constant(ids), 4, 3, scope="words")
    dense = layers.bow_encoder(tf.constant(ids), 4, 3, sparse_lookup=False, scope="words", reuse=True)
    got, whole, table = values([made, dense, framework.get_unique_variable("words/embeddings")])
    np.testing.assert_allclose(got, [table[[1, 2]].mean(0), table[3]], rtol=1e-5)
    np.testing.assert_allclose(whole, table[ids].mean(1), rtol=1e-5)


def test_tensors_and_collections_are_summarized():
    x = layers.relu(tf.ones([2, 3]), 4)
    tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, x)
    layers.summarize_activations(), layers.summarize_tensor(tf.constant(1.0, name="one")), layers.summarize_variables("fully_connected/w")
    tags = [v.tag for s in values(tf.get_collection(tf.GraphKeys.SUMMARIES)) for v in tf.Summary.FromString(s).value]
    assert tags == [f"{x.op.name}/zeros", f"{x.op.name}/activation", "one_summary", "fully_connected/weights_summary"]


def test_values_are_assigned_by_names(tmp_path):
    a, b = (tf.get_variable(n, initializer=v) for n, v in (("a", [1.0, 2.0]), ("b", 3.0)))
    by_hand = framework.assign_from_values_fn({"a": np.array([5.0, 6.0])})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver([a]).save(session, str(tmp_path / "model"))
        by_hand(session)
        assert session.run(a).tolist() == [5, 6]
        assign, feeds = framework.assign_from_checkpoint(path, [a, b], ignore_missing_vars=True)
        session.run([assign, b.assign(9.0)], feeds)
        assert [session.run(a).tolist(), session.run(b)] == [[1, 2], 9]
    with pytest.raises(ValueError, match=r"Checkpoint is missing variable \[b\]"):
        framework.assign_from_checkpoint(path, [b])
    with pytest.raises(ValueError, match="Variable none wasn't found"):
        framework.assign_from_values({"none": np.zeros(1)})


def test_shapes_that_must_hold():
    x = tf.placeholder(tf.float32)
    assert framework.with_shape([2, None], tf.ones([2, 3])).shape.as_list() == [2, 3]
    with pytest.raises(ValueError):
        framework.with_shape([3], tf.ones([2]))
    checked = framework.with_shape([2], x)
    assert values(checked, {x: [1, 2]}).tolist() == [1, 2] and checked.shape.as_list() == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape"):
        values(checked, {x: [1, 2, 3]})
    assert values(framework.reduce_sum_n([tf.ones([2]), tf.ones([3, 2])])) == 8
    with tf.name_scope("outer"), tf.name_scope("inner"):
        assert framework.get_name_scope() == "outer/inner"


def test_variables_of_several_kinds_have_their_collections():
    made = framework.local_variable(1.0, name="l"), framework.global_variable(2.0, name="g")
    framework.add_model_variable(made[1])
    assert [v.op.name for v in tf.local_variables()] == ["l"] and [v.op.name for v in tf.global_variables()] == ["g"]
    assert [v.op.name for v in slim.get_model_variables()] == ["g"] and not tf.trainable_variables()


def test_old_functions_say_so_once(caplog):
    @framework.deprecated("2017-01-01", "Use another.")
    def old(x):
        return x + 1

    with caplog.at_level("WARNING", "troupe"):
        assert (old(1), old(2)) == (2, 3)
    assert sum("Use another." in r.getMessage() for r in caplog.records) == 1


def test_losses_take_predictions_first_and_weights_by_example():
    random = np.random.RandomState(4)
    logits, labels = random.randn(3, 4).astype("f"), np.eye(4, dtype="f")[[0, 2, 1]]
    losses = slim.losses
    entropy = -(labels * (logits - np.log(np.exp(logits).sum(1, keepdims=True)))).sum(1)
    sigmoid = np.log1p(np.exp(-logits)) * labels + np.log1p(np.exp(logits)) * (1 - labels)
    told = values(
        [
            losses.softmax_cross_entropy(logits, labels, weights=[1.0, 0.0, 2.0]),
            losses.sparse_softmax_cross_entropy(logits, [[0], [2], [1]]),
            losses.sigmoid_cross_entropy(logits, labels, weights=[1.0, 0.0, 0.0]),
            losses.mean_squared_error(logits, labels),
            losses.absolute_difference(logits, labels),
            losses.cosine_distance(logits, labels, 1),
            losses.hinge_loss(logits, labels),
            losses.softmax_cross_entropy(logits, labels, label_smoothing=0.2),
            losses.get_total_loss(),
            losses.log_loss(labels * 0.5 + 0.2, labels),
        ]
    )
    smooth = labels * 0.8 + 0.05
    smoothed = -(smooth * (logits - np.log(np.exp(logits).sum(1, keepdims=True)))).sum(1).mean()
    wanted = [
        (entropy * [1, 0, 2]).sum() / 2,
        entropy.mean(),
        sigmoid[0].mean(),
        np.square(logits - labels).mean(),
        np.abs(logits - labels).mean(),
        (1 - (logits * labels).sum(1)).mean(),
    ]
    np.testing.assert_allclose(told[:6], wanted, rtol=1e-5)
    np.testing.assert_allclose(told[6], np.maximum(0, 1 - (2 * labels - 1) * logits), rtol=1e-5)
    np.testing.assert_allclose([told[7], told[8]], [smoothed, sum(wanted) + smoothed], rtol=1e-5)
    p = labels * 0.5 + 0.2
    assert told[9] == pytest.approx(np.mean(-labels * np.log(p) - (1 - labels) * np.log(1 - p)), rel=1e-5)
    assert len(losses.get_losses()) == 8


def test_outputs_have_names_and_sizes_are_tuples(capsys):
    utils = layers.utils
    x = tf.ones([2, 3], name="x")
    assert utils.collect_named_outputs("points", "scope/", x) is x and list(utils.convert_collection_to_dict("points")) == ["scope"]
    assert utils.gather_tensors_aliases([x, tf.zeros([1], name="y")]) == ["scope", "y"]
    assert utils.two_element_tuple(3) == (3, 3) and utils.two_element_tuple([1, 2]) == (1, 2) and utils.n_positive_integers(3, 2) == (2, 2, 2)
    assert (utils.last_dimension(x.shape), utils.channel_dimension(tf.TensorShape([1, 4, 5, 6]), "NCHW", 4)) == (3, 4)
    assert utils.smart_cond(True, lambda: 1, lambda: 2) == 1 and utils.static_cond(False, lambda: 1, lambda: 2) == 2 and utils.constant_value(tf.constant(3)) == 3
    assert values(utils.smart_cond(tf.constant([1.0])[0] > 2.0, lambda: tf.constant(1), lambda: tf.constant(2))) == 2
    for call, message in ((lambda: utils.two_element_tuple([1, 2, 3]), "2 positive integers"), (lambda: utils.last_dimension([None]), "must be known"),
                          (lambda: utils.last_dimension([3], 2), "at least 2")):
        with pytest.raises(ValueError, match=message):
            call()
    w = tf.get_variable("w", [2, 3], tf.float64)
    assert slim.model_analyzer.analyze_vars([w], print_info=True) == (6, 48) and "w:0 (float64 2x3) [6, bytes: 48]" in capsys.readouterr().out
    assert slim.model_analyzer.analyze_ops(x.graph) > 12
    slim.summaries.add_scalar_summary(tf.constant(2.0), "two", "losses"), slim.summaries.add_zero_fraction_summary(x)
    tags = [v.tag for s in values(tf.get_collection(tf.GraphKeys.SUMMARIES)) for v in tf.Summary.FromString(s).value]
    assert tags == ["losses/two", "Fraction_of_Zero_Values/x"]
