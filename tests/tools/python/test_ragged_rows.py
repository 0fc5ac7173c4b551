"""Ragged tensors whose rows are of one length, of nested numbers of rows, with dimensions as one. Values and shapes are TensorFlow 2.21's."""

import numpy as np
import pytest
import troupe as tf

Ragged = tf.RaggedTensor


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as made:
        yield made


def _shown(session, value):
    fetched = session.run(value)
    return fetched.to_list() if hasattr(fetched, "to_list") else fetched.tolist(), value.shape.as_list()


def test_rows_of_one_length(session):
    six = [1, 2, 3, 4, 5, 6]
    threes = Ragged.from_uniform_row_length(six, 3)
    assert _shown(session, threes) == ([[1, 2, 3], [4, 5, 6]], [2, 3])
    assert threes.uniform_row_length.dtype == tf.int64
    assert _shown(session, Ragged.from_uniform_row_length(six, tf.constant(2))) == ([[1, 2], [3, 4], [5, 6]], [3, 2])
    assert _shown(session, Ragged.from_uniform_row_length([], 0, nrows=3)) == ([[], [], []], [3, 0])
    inner = tf.ragged.constant([[1], [2, 3], [], [4]])
    assert _shown(session, Ragged.from_uniform_row_length(inner, 2)) == ([[[1], [2, 3]], [[], [4]]], [2, 2, None])
    assert _shown(session, threes.to_tensor()) == ([[1, 2, 3], [4, 5, 6]], [2, 3])
    assert _shown(session, threes + 1)[0] == [[2, 3, 4], [5, 6, 7]]
    assert (threes + 1).shape.as_list() == [2, 3]
    assert session.run(threes[1:]).to_list() == [[4, 5, 6]]
    assert threes[1:].shape.as_list()[1] == 3
    whole = Ragged.from_uniform_row_length(threes, 2)
    assert _shown(session, whole.to_tensor()) == ([[[1, 2, 3], [4, 5, 6]]], [1, 2, 3])
    assert whole.ragged_rank == 2


def test_rows_that_do_not_fill_up_are_refused(session):
    fed = tf.placeholder(tf.int32, [None])
    pairs = Ragged.from_uniform_row_length(fed, 2)
    assert pairs.shape.as_list() == [None, 2]
    assert session.run(pairs, {fed: [1, 2, 3, 4]}).to_list() == [[1, 2], [3, 4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="valid RaggedTensor"):
        session.run(pairs, {fed: [1, 2, 3]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="valid RaggedTensor"):
        session.run(Ragged.from_uniform_row_length([1, 2, 3, 4, 5, 6], 4))
    with pytest.raises(ValueError, match="negative"):
        Ragged.from_uniform_row_length([1, 2], -1)


def test_nested_numbers_of_rows(session):
    numbers = [[0, 0, 2], [0, 0, 1, 2]]
    assert session.run(Ragged.from_nested_value_rowids([1, 2, 3, 4], numbers)).to_list() == [[[1, 2], [3]], [], [[4]]]
    assert session.run(Ragged.from_nested_value_rowids([1, 2, 3, 4], numbers, [4, 3])).to_list() == [[[1, 2], [3]], [], [[4]], []]
    assert session.run(Ragged.from_nested_value_rowids(tf.constant([1, 2]), [])).tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"len\(nested_nrows\) = 1 vs. len\(nested_values_rowids\) = 2"):
        Ragged.from_nested_value_rowids([1, 2, 3, 4], numbers, [4])


@pytest.mark.parametrize(("axes", "wanted"), [
    ((0, 1), [[1, 2], [3], [4]]), ((1, 2), [[1, 2, 3], [4], []]), ((0, 2), [1, 2, 3, 4]), ((-2, -1), [[1, 2, 3], [4], []]),
    ((0, 0), [[[1, 2], [3]], [[4]], []])])
def test_dimensions_become_one(session, axes, wanted):
    rows = tf.ragged.constant([[[1, 2], [3]], [[4]], []])
    assert _shown(session, rows.merge_dims(*axes))[0] == wanted


@pytest.mark.parametrize(("axes", "wanted", "shape"), [
    ((0, 1), [[[1, 2], [3, 4]]], [None, 2, 2]), ((1, 2), [[[1, 2], [3, 4]], []], [2, None, 2]), ((2, 3), [[[1, 2, 3, 4]], []], [2, None, 4]),
    ((0, 3), [1, 2, 3, 4], [None]), ((1, 3), [[1, 2, 3, 4], []], [2, None])])
def test_dimensions_of_whole_rows_become_one(session, axes, wanted, shape):
    rows = Ragged.from_row_splits(tf.constant([[[1, 2], [3, 4]]]), [0, 1, 1])
    found, known = _shown(session, rows.merge_dims(*axes))
    assert found == wanted
    assert tf.TensorShape(known).is_compatible_with(shape)
    assert len(known) == len(shape)


def test_axes_that_are_not_there_are_refused():
    rows = tf.ragged.constant([[[1, 2], [3]], [[4]], []])
    with pytest.raises(ValueError, match=r"Expected outer_axis \(1\) to be less than or equal to inner_axis \(0\)"):
        rows.merge_dims(1, 0)
    with pytest.raises(ValueError, match="inner_axis=3 out of bounds: expected -3<=inner_axis<3"):
        rows.merge_dims(0, 3)


def test_types_of_splits(session):
    rows = tf.ragged.constant([[[1, 2], [3]], [[4]], []])
    short = rows.with_row_splits_dtype(tf.int32)
    assert [s.dtype for s in short.nested_row_splits] == [tf.int32, tf.int32]
    assert session.run(short).to_list() == [[[1, 2], [3]], [[4]], []]
    assert rows.with_row_splits_dtype(tf.int64) is rows
    with pytest.raises(ValueError, match="must be int32 or int64"):
        rows.with_row_splits_dtype(tf.float32)


def test_sparse_values_are_replaced(session):
    sparse = tf.SparseTensor([[0, 1]], [1], [2, 2]).with_values([2.5])
    np.testing.assert_array_equal(session.run(tf.sparse.to_dense(sparse)), [[0, 2.5], [0, 0]])
    with pytest.raises(ValueError, match="ompatible"):
        sparse.with_values([1.0, 2.0])
