"""What is there of tf.contrib: the same numbers as tf.layers and NumPy give, under the names that TensorFlow 1.15 gave."""

import itertools

import numpy as np
import pytest

import troupe as tf

layers, slim, framework = tf.contrib.layers, tf.contrib.slim, tf.contrib.framework


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def values(fetches, feed=None):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feed)


def test_layers_compute_what_those_of_tf_layers_do():
    random = np.random.RandomState(0)
    pictures = tf.constant(random.rand(2, 8, 8, 3).astype("f"))
    first = tf.glorot_uniform_initializer(seed=4)
    same = [
        (layers.conv2d(pictures, 4, [3, 3], weights_initializer=layers.xavier_initializer(seed=4)),
         tf.layers.conv2d(pictures, 4, 3, padding="same", activation=tf.nn.relu, kernel_initializer=first)),
        (layers.conv2d_transpose(pictures, 4, 3, stride=2, activation_fn=None, weights_initializer=layers.xavier_initializer(seed=4)),
         tf.layers.conv2d_transpose(pictures, 4, 3, 2, padding="same", kernel_initializer=first)),
        (layers.separable_conv2d(pictures, 4, 3, 2, activation_fn=tf.nn.tanh, weights_initializer=layers.xavier_initializer(seed=4)),
         tf.layers.separable_conv2d(pictures, 4, 3, padding="same", depth_multiplier=2, activation=tf.nn.tanh, depthwise_initializer=first,
                                    pointwise_initializer=first)),
        (layers.fully_connected(pictures, 5, activation_fn=None, weights_initializer=layers.xavier_initializer(seed=4)),
         tf.layers.dense(pictures, 5, kernel_initializer=first)),
        (layers.max_pool2d(pictures, 2), tf.layers.max_pooling2d(pictures, 2, 2)),
        (layers.avg_pool2d(pictures, [3, 3], stride=1), tf.layers.average_pooling2d(pictures, 3, 1)),
        (layers.flatten(pictures), tf.layers.flatten(pictures)),
        (layers.batch_norm(pictures, scale=True), tf.layers.batch_normalization(pictures, training=True)),
        (layers.dropout(pictures, 0.75, seed=5), tf.layers.dropout(pictures, 0.25, seed=5, training=True)),
        (layers.dropout(pictures, 0.75, is_training=False), pictures),
    ]
    for ours, other in values(same):
        np.testing.assert_allclose(ours, other, rtol=1e-5, atol=1e-6)


def test_variables_have_the_names_of_checkpoints_and_are_those_of_the_model():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3])
    y = layers.repeat(x, 2, layers.conv2d, 4, [3, 3], scope="conv1", normalizer_fn=layers.batch_norm)
    y = layers.separable_conv2d(y, None, 3, scope="depthwise", biases_initializer=None)
    y = layers.stack(layers.flatten(y), layers.fully_connected, [6, 5], scope="fc")
    layers.layer_norm(layers.fully_connected(y, 2))
    names = ["conv1/conv1_1/weights", "conv1/conv1_1/BatchNorm/beta", "conv1/conv1_1/BatchNorm/moving_mean",
             "conv1/conv1_1/BatchNorm/moving_variance", "conv1/conv1_2/weights", "conv1/conv1_2/BatchNorm/beta",
             "conv1/conv1_2/BatchNorm/moving_mean", "conv1/conv1_2/BatchNorm/moving_variance", "depthwise/depthwise_weights",
             "fc/fc_1/weights", "fc/fc_1/biases", "fc/fc_2/weights", "fc/fc_2/biases", "fully_connected/weights", "fully_connected/biases",
             "LayerNorm/beta", "LayerNorm/gamma"]
    assert [v.op.name for v in tf.model_variables()] == names == [v.op.name for v in tf.global_variables()]
    assert len(tf.trainable_variables()) == len(names) - 4 and len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 4
    assert [v.op.name for v in framework.get_variables("conv1", suffix="weights")] == ["conv1/conv1_1/weights", "conv1/conv1_2/weights"]
    assert [v.op.name for v in framework.get_variables_to_restore(include=["fc"], exclude=["fc/fc_2"])] == names[9:11]


def test_layers_share_variables_by_their_scope():
    x = tf.ones([1, 3])
    layers.fully_connected(x, 2, scope="one")
    layers.fully_connected(x, 2, scope="one", reuse=True)
    with tf.variable_scope("outer", reuse=tf.AUTO_REUSE):
        layers.fully_connected(x, 2, scope="two")
        layers.fully_connected(x, 2, scope="two")
    assert [v.op.name for v in tf.global_variables()] == ["one/weights", "one/biases", "outer/two/weights", "outer/two/biases"]
    with pytest.raises(ValueError, match="already exists"):
        layers.fully_connected(x, 2, scope="one")


def test_scopes_give_arguments_to_functions_inside():
    @slim.add_arg_scope
    def told(first, second=2, third=3):
        return first, second, third

    with slim.arg_scope([told], second=20) as outer:
        with slim.arg_scope([told, layers.conv2d], third=30):
            assert told(1) == (1, 20, 30) and told(1, third=4) == (1, 20, 4)
        assert told(1) == (1, 20, 3) and slim.arg_scoped_arguments(told) == ("second",)
    with slim.arg_scope(outer):
        assert told(1) == (1, 20, 3)
    assert told(1) == (1, 2, 3) and slim.has_arg_scope(slim.conv2d) and not slim.has_arg_scope(len)
    with pytest.raises(ValueError, match="is not decorated with @add_arg_scope"), slim.arg_scope([len], x=1):
        pass
    with pytest.raises(TypeError, match="must either be a list/tuple or reused scope"), slim.arg_scope(told, second=1):
        pass
    with pytest.raises(ValueError, match="kwargs must be empty"), slim.arg_scope(outer, second=1):
        pass


def test_a_batch_norm_without_collections_updates_itself():
    x = tf.placeholder(tf.float32, [None, 2])
    training = tf.placeholder(tf.bool, [])
    y = layers.batch_norm(x, decay=0.5, is_training=training, updates_collections=None, center=False)
    mean = framework.get_variables_by_name("moving_mean")[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(y, {x: [[0, 2], [2, 6]], training: True})
        assert session.run(mean).tolist() == [0.5, 2.0] and not tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(y, {x: [[9, 9]], training: False})
        assert session.run(mean).tolist() == [0.5, 2.0]


def test_layer_norm_makes_rows_of_mean_zero_and_variance_one():
    x = np.random.RandomState(1).rand(3, 4, 5).astype("f")
    made = values(layers.layer_norm(tf.constant(x)))
    wanted = (x - x.mean((1, 2), keepdims=True)) / x.std((1, 2), keepdims=True)
    np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="has undefined rank"):
        layers.layer_norm(tf.placeholder(tf.float32))


def test_regularizers_and_their_losses():
    w = tf.constant([3.0, -4.0])
    told = [layers.l1_regularizer(0.5)(w), layers.l2_regularizer(0.5)(w), layers.l1_l2_regularizer(0.5, 0.5)(w)]
    assert values(told) == [3.5, 6.25, 9.75]
    assert layers.l2_regularizer(0.0)(w) is None and layers.sum_regularizer([None]) is None
    layers.fully_connected(tf.ones([1, 2]), 3, weights_regularizer=layers.l2_regularizer(0.1))
    loss, = tf.losses.get_regularization_losses()
    weights, penalty = values([tf.global_variables()[0], loss])
    assert penalty == pytest.approx(0.05 * (weights ** 2).sum(), rel=1e-5)
    assert values(layers.apply_regularization(layers.l1_regularizer(1.0), [w, w])) == 14.0
    for scale, message in ((1, "scale cannot be an integer: 1"), (-0.5, "Setting a scale less than 0 on a regularizer: -0.5")):
        with pytest.raises(ValueError, match=message):
            layers.l2_regularizer(scale)


@pytest.mark.parametrize("mode, n", [("FAN_IN", 18), ("FAN_OUT", 360), ("FAN_AVG", 189)])
def test_first_values_have_the_variance_that_was_asked_for(mode, n):
    for uniform in (False, True):
        made = values(layers.variance_scaling_initializer(2.0, mode, uniform, seed=1)([3, 3, 2, 40]))
        assert made.var() == pytest.approx(2.0 / n, rel=0.15) and abs(made.mean()) < 0.1 * made.std() + 0.02
    with pytest.raises(TypeError, match="Unknown mode"):
        layers.variance_scaling_initializer(mode="FAN")


def test_outputs_are_collected_by_the_names_of_their_layers():
    x = tf.ones([1, 4, 4, 1])
    with slim.arg_scope([slim.conv2d, slim.max_pool2d], outputs_collections="points"):
        y = slim.conv2d(x, 2, 3, scope="conv")
        pooled = slim.max_pool2d(y, 2, scope="pool")
    points = slim.utils.convert_collection_to_dict("points")
    assert list(points) == ["conv", "pool"] and points["conv"] is y and points["pool"] is pooled


def test_one_hot_embeddings_and_small_layers():
    ids = tf.constant([[0, 2], [1, 1]])
    embedded = layers.embed_sequence(ids, 3, 4, scope="words")
    again = layers.embed_sequence(ids, 3, 4, scope="words", reuse=True)
    table = framework.get_unique_variable("words/embeddings")
    made, same, rows, encoded, unit, biased = values([
        embedded, again, table, layers.one_hot_encoding([2, 0], 3), layers.unit_norm([[3.0, 4.0]], 1, epsilon=0.0),
        layers.bias_add(tf.ones([1, 2]), initializer=tf.constant_initializer(2.0))])
    np.testing.assert_array_equal(made, rows[[[0, 2], [1, 1]]])
    np.testing.assert_array_equal(made, same)
    assert encoded.tolist() == [[0, 0, 1], [1, 0, 0]] and unit == pytest.approx(np.array([[0.6, 0.8]])) and biased.tolist() == [[3, 3]]
    with pytest.raises(ValueError, match="Must specify vocab size and embedding dimension"):
        layers.embed_sequence(ids)
    with pytest.raises(ValueError, match="does not match any variable"):
        framework.get_unique_variable("words/none")


def test_variables_are_assigned_from_checkpoints(tmp_path):
    a, b = (tf.get_variable(n, initializer=v) for n, v in (("a", 1.0), ("b", 2.0)))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver([a]).save(session, str(tmp_path / "model"))
        session.run([a.assign(7.0), b.assign(8.0)])
        framework.assign_from_checkpoint_fn(path, [a, b], ignore_missing_vars=True)(session)
        assert session.run([a, b]) == [1.0, 8.0]
        framework.assign_from_checkpoint_fn(path, {"a": b})(session)
        assert session.run(b) == 1.0
    assert framework.assign_from_checkpoint_fn(path, [b], ignore_missing_vars=True) is None
    with pytest.raises(ValueError, match="var_list cannot be empty"):
        framework.assign_from_checkpoint_fn(path, [])


def test_operations_that_train_update_clip_and_count():
    x = tf.placeholder(tf.float32, [None, 2])
    y = layers.fully_connected(layers.batch_norm(x, decay=0.5), 1, activation_fn=None, biases_initializer=None)
    train = slim.learning.create_train_op(tf.reduce_sum(y), tf.train.GradientDescentOptimizer(1.0), clip_gradient_norm=0.5,
                                          variables_to_train=framework.get_variables_by_name("weights"))
    weights, mean = framework.get_variables_by_name("weights")[0], framework.get_variables_by_name("moving_mean")[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(weights)
        session.run(train, {x: [[0, 4], [2, 8]]})
        after, moved, step = session.run([weights, mean, tf.train.get_global_step()])
        assert np.linalg.norm(after - before) <= 0.5001 and moved.tolist() == [0.5, 3.0] and step == 1


@pytest.mark.parametrize("optimizer", ["SGD", tf.train.GradientDescentOptimizer, tf.train.GradientDescentOptimizer(0.25),
                                       lambda rate: tf.train.GradientDescentOptimizer(rate)])
def test_losses_are_optimized(optimizer):
    w = tf.get_variable("w", initializer=[3.0, 4.0])
    step = tf.train.get_or_create_global_step()
    train = layers.optimize_loss(tf.reduce_sum(w * w), step, 0.25, optimizer, clip_gradients=1.0, gradient_multipliers={w: 2.0})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(train) == 25.0
        np.testing.assert_allclose(session.run(w), [3.0 - 0.25 * 0.6, 4.0 - 0.25 * 0.8], rtol=1e-6)
        assert session.run(step) == 1
    with pytest.raises(ValueError, match="Optimizer name should be one of"):
        layers.optimize_loss(tf.reduce_sum(w), step, 0.1, "None", name="other")


def all_sequences(scores, transitions, length):
    """{labels: score}."""
    return {labels: sum(scores[i, l] for i, l in enumerate(labels)) + sum(transitions[a, b] for a, b in zip(labels, labels[1:]))
            for labels in itertools.product(range(len(transitions)), repeat=length)}


def test_likelihoods_of_labels_are_those_of_all_sequences():
    random = np.random.RandomState(2)
    scores, transitions = random.randn(3, 4, 3).astype("f"), random.randn(3, 3).astype("f")
    tags, lengths = random.randint(3, size=(3, 4)), np.array([4, 2, 1])
    likelihood, params = tf.contrib.crf.crf_log_likelihood(tf.constant(scores), tf.constant(tags), tf.constant(lengths))
    assert params.op.name == "transitions"
    with tf.Session() as session:
        params.load(transitions, session)
        told = session.run(likelihood)
    for i, length in enumerate(lengths):
        every = all_sequences(scores[i], transitions, length)
        assert told[i] == pytest.approx(every[tuple(tags[i, :length])] - np.log(np.sum(np.exp(list(every.values())))), abs=1e-4)
        best, score = tf.contrib.crf.viterbi_decode(scores[i, :length], transitions)
        assert tuple(best) == max(every, key=every.get) and score == pytest.approx(max(every.values()), abs=1e-5)


def test_a_decoder_goes_on_with_its_own_outputs():
    steps = [tf.ones([2, 3])] * 4
    cell = tf.contrib.rnn.BasicRNNCell(3)
    legacy = tf.contrib.legacy_seq2seq
    outputs, state = legacy.rnn_decoder(steps, cell.zero_state(2, tf.float32), cell, scope="decoder")
    with tf.variable_scope("", reuse=True):
        own, _ = legacy.rnn_decoder(steps, cell.zero_state(2, tf.float32), cell, loop_function=lambda output, i: 2.0 * output, scope="decoder")
        first, _ = cell(steps[0], cell.zero_state(2, tf.float32), "decoder/basic_rnn_cell")
        second, _ = cell(2.0 * first, first, "decoder/basic_rnn_cell")
    got = values([outputs[-1], state, own[1], second])
    np.testing.assert_array_equal(got[0], got[1])
    np.testing.assert_allclose(got[2], got[3], rtol=1e-6)
    assert [v.op.name for v in tf.global_variables()] == ["decoder/basic_rnn_cell/kernel", "decoder/basic_rnn_cell/bias"]


def test_losses_of_steps_are_those_of_whole_sequences():
    random = np.random.RandomState(3)
    logits, targets = random.randn(2, 3, 4).astype("f"), random.randint(4, size=(2, 3))
    weights = np.array([[1, 1, 0], [1, 0, 1]], "f")
    steps = lambda array: [tf.constant(array[:, i]) for i in range(3)]
    legacy = tf.contrib.legacy_seq2seq
    each, total, whole = values([
        legacy.sequence_loss_by_example(steps(logits), steps(targets), steps(weights)), legacy.sequence_loss(steps(logits), steps(targets), steps(weights)),
        tf.contrib.seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights), average_across_batch=True)])
    assert each.mean() == pytest.approx(total, rel=1e-5) and total == pytest.approx(whole, rel=1e-5)
    with pytest.raises(ValueError, match="must be the same"):
        legacy.sequence_loss_by_example(steps(logits), [], [])


def test_layers_that_go_both_ways_are_stacked():
    x = tf.ones([2, 3, 4])
    cells = lambda: [tf.contrib.rnn.GRUCell(5), tf.contrib.rnn.GRUCell(6)]
    outputs, forward, backward = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(cells(), cells(), x, dtype=tf.float32)
    got, last, first = values([outputs, forward, backward])
    assert got.shape == (2, 3, 12)
    np.testing.assert_array_equal(got[:, -1, :6], last[1])
    np.testing.assert_array_equal(got[:, 0, 6:], first[1])
    assert tf.global_variables()[0].op.name == "stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/gru_cell/gates/kernel"
    with pytest.raises(ValueError, match="same depth"):
        tf.contrib.rnn.stack_bidirectional_dynamic_rnn(cells(), cells()[:1], x, dtype=tf.float32)


def test_words_have_places_and_places_words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("a\nb\nc\n")
    lookup = tf.contrib.lookup
    places = [lookup.index_table_from_tensor(["a", "b", "c"]), lookup.index_table_from_tensor(["a", "b", "c"], num_oov_buckets=2),
              lookup.index_table_from_file(str(path), default_value=9)]
    words = [lookup.index_to_string_table_from_tensor(["a", "b", "c"]), lookup.index_to_string_table_from_file(str(path), default_value="?")]
    found = values([t.lookup(tf.constant(["c", "zz"])) for t in places] + [t.lookup(tf.constant([1, 7], tf.int64)) for t in words])
    assert found[0].tolist() == [2, -1] and found[2].tolist() == [2, 9] and found[1][0] == 2 and found[1][1] in (3, 4)
    assert [f.tolist() for f in found[3:]] == [[b"b", b"UNK"], [b"b", b"?"]]
    with pytest.raises(ValueError, match="mapping must be specified"):
        lookup.index_table_from_tensor(None)
    with pytest.raises(ValueError, match="vocabulary_file must be specified"):
        lookup.index_table_from_file("")


def test_hyperparameters_are_attributes_of_a_type():
    params = tf.contrib.training.HParams(rate=0.1, units=[1, 2], name="a", deep=True, steps=5)
    params.parse("rate=1,units=[3, 4, 5],name=b c,deep=false,steps=7")
    assert params.values() == {"rate": 1.0, "units": [3, 4, 5], "name": "b c", "deep": False, "steps": 7} and isinstance(params.rate, float)
    params.rate = 0.5
    params.set_hparam("steps", "8")
    params.add_hparam("more", None)
    assert (params.rate, params.steps, params.get("none", 3), "more" in params) == (0.5, 8, 3, True)
    params.parse_json('{"deep": true}')
    assert params.deep is True and '"rate": 0.5' in params.to_json()
    for text, message in (("zz=1", "Unknown hyperparameter type for zz"), ("steps=x", "Could not cast hparam 'steps'"), ("rate", "Malformed"),
                          ("rate=[1]", "Must not pass a list for single-valued parameter: rate"), ("units=1", "Must pass a list for multi-valued")):
        with pytest.raises(ValueError, match=message):
            params.parse(text)
    with pytest.raises(ValueError, match="Hyperparameter name is reserved: rate"):
        params.add_hparam("rate", 1.0)
    with pytest.raises(AttributeError):
        params.none


def test_all_names_of_contrib_are_there():
    from troupe.namespaces import NAMESPACES

    for path in (p for p in NAMESPACES if p.startswith("contrib.")):
        module = tf
        for part in path.split("."):
            module = getattr(module, part)
        for entry in NAMESPACES[path].split():
            assert getattr(module, entry.partition("=")[0]) is not None
