"""Columns of sequences: `tf.contrib.feature_column`. The numbers are those that TensorFlow 2.21's columns gave, each by itself."""

import numpy as np
import pytest
import troupe as tf

columns = tf.feature_column


def _features():
    def sparse(indices, values, shape, dtype):
        return tf.SparseTensor(indices, tf.constant(values, dtype), shape)

    return {"n": sparse([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, 5.0], [3, 2], tf.float32),
            "c": sparse([[0, 0], [0, 1], [2, 0]], [2, 0, 1], [3, 2], tf.int64),
            "w": sparse([[0, 0, 0], [0, 0, 1], [0, 1, 0], [2, 0, 0]], ["a", "b", "c", "z"], [3, 2, 2], tf.string),
            "short": sparse([[0, 0], [1, 0], [2, 0]], [1.0, 1.0, 1.0], [3, 2], tf.float32)}


def _columns():
    numbers = columns.sequence_numeric_column("n", normalizer_fn=lambda x: x * 2, default_value=-1.0)
    kinds = columns.indicator_column(columns.sequence_categorical_column_with_identity("c", 3))
    words = columns.embedding_column(columns.sequence_categorical_column_with_vocabulary_list("w", ["a", "b", "c"]), 2, combiner="sum",
                                     initializer=tf.constant_initializer(np.arange(6.0).reshape(3, 2)))
    return numbers, kinds, words


def test_steps_have_the_numbers_of_their_columns():
    with tf.Graph().as_default(), tf.Session() as session:
        made, lengths = tf.contrib.feature_column.sequence_input_layer(_features(), _columns())
        assert made.shape.as_list() == [3, 2, 6]
        assert [v.name for v in tf.global_variables()] == ["sequence_input_layer/w_embedding/embedding_weights:0"]
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        shown, counted = session.run([made, lengths])
    kinds = [[[0, 0, 1], [1, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]]]
    numbers = [[[2], [4]], [[-1], [-1]], [[10], [-1]]]
    words = [[[2, 4], [4, 5]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]]
    np.testing.assert_array_equal(shown, np.concatenate([kinds, numbers, words], axis=-1))
    assert counted.dtype == np.int64
    assert counted.tolist() == [2, 0, 1]


def test_what_a_row_has_once_goes_to_each_step():
    with tf.Graph().as_default(), tf.Session() as session:
        sequence = tf.constant(np.arange(12.0).reshape(2, 3, 2), tf.float32)
        joined = tf.contrib.feature_column.concatenate_context_input(tf.constant([[7.0], [8.0]]), sequence)
        shown = session.run(joined)
    assert shown[..., :2].tolist() == np.arange(12.0).reshape(2, 3, 2).tolist()
    assert shown[..., 2].tolist() == [[7.0] * 3, [8.0] * 3]


def test_columns_of_other_lengths_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        fed, own = tf.sparse_placeholder(tf.float32, [3, 2]), _features()
        made = tf.contrib.feature_column.sequence_input_layer({**own, "fed": fed}, [columns.sequence_numeric_column(key) for key in ("n", "fed")])
        indices, values, shape = session.run(own["n"])
        assert session.run(made[1], {fed: (indices, values + 1, shape)}).tolist() == [2, 0, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="assert_all_equal"):
            session.run(made[1], {fed: session.run(own["short"])})


def test_columns_of_words_are_shared():
    with tf.Graph().as_default(), tf.Session() as session:
        features = {**_features(), "d": _features()["c"]}
        pair = columns.shared_embedding_columns([columns.sequence_categorical_column_with_identity(key, 3) for key in ("c", "d")], 2,
                                                initializer=tf.constant_initializer(np.arange(6.0).reshape(3, 2)))
        made, _ = tf.contrib.feature_column.sequence_input_layer(features, pair)
        assert len(tf.global_variables()) == 1
        session.run(tf.global_variables_initializer())
        assert session.run(made)[0].tolist() == [[4.0, 5.0, 4.0, 5.0], [0.0, 1.0, 0.0, 1.0]]


def test_columns_belong_to_their_layers():
    features, (numbers, kinds, words) = _features(), _columns()
    with pytest.raises(ValueError, match="must not be of type"):
        columns.input_layer(features, [kinds])
    with pytest.raises(ValueError, match="must be of type _SequenceDenseColumn"):
        tf.contrib.feature_column.sequence_input_layer(features, [columns.numeric_column("n")])
    assert columns.make_parse_example_spec([numbers, kinds, words]) == {
        "n": tf.VarLenFeature(tf.float32), "c": tf.VarLenFeature(tf.int64), "w": tf.VarLenFeature(tf.string)}
