"""Sums of products over chosen dimensions: einsum and tensordot, with shapes that only a step knows."""

import numpy as np
import pytest

import troupe as tf

A, B, C = (np.random.RandomState(i).randn(3, 3) for i in range(3))


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.mark.parametrize("equation", ["ij,jk,kl->il", "ij,jk,kl", "ij,kj,kl->lik", "ab,cd,ba->cd", "ii,ij,jk->k", "...j,jk,k...->..."])
def test_three_tensors_are_multiplied_in_pairs(equation):
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(tf.einsum(equation, A, B, C)), np.einsum(equation, A, B, C), rtol=1e-10)


def test_small_products_come_first(graph):
    tf.einsum("ij,jk,k->i", tf.ones([50, 60]), tf.ones([60, 70]), tf.ones([70]))
    assert [op.get_attr("equation") for op in graph.get_operations() if op.type == "Einsum"] == [b"jk,k->j", b"ij,j->i"]


def test_the_shape_of_a_product_is_known_as_far_as_its_letters_are():
    x = tf.placeholder(tf.float64, [None, 3])
    assert tf.einsum("ij,jk->ik", x, B).shape.as_list() == [None, 3]
    assert tf.einsum("ij,ij->", x, x).shape.as_list() == []


@pytest.mark.parametrize("equation, count, phrase", [
    ("ij,jk->iz", 2, "contain the label z not present"), ("ij->i", 2, "Got 2 inputs"), ("i$->i", 1, "Subscripts have incorrect format"),
    ("ij,jk->ii", 2, "more than once"), ("ijk->i", 1, "Number of named labels in input #0"), ("0...->0", 1, "Invalid character")])
def test_equations_that_do_not_fit_are_refused(equation, count, phrase):
    with pytest.raises(ValueError, match=phrase):
        tf.einsum(equation, *[A] * count)


@pytest.mark.parametrize("shape", [[3, 3], [None, 3], None])
@pytest.mark.parametrize("axes", [0, 1, 2, [[0], [0]], [[-1, 0], [0, 1]], [1, 0]])
def test_tensors_are_contracted_whatever_is_known_of_them(shape, axes):
    x = tf.placeholder(tf.float64, shape)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(tf.tensordot(x, B, axes), {x: A}), np.tensordot(A, B, axes), rtol=1e-10)
        np.testing.assert_allclose(session.run(tf.tensordot(B, x, axes), {x: A}), np.tensordot(B, A, axes), rtol=1e-10)


def test_dimensions_to_contract_may_be_a_tensor():
    axes = tf.placeholder(tf.int32, [2, 1])
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(tf.tensordot(A, B, axes), {axes: [[-1], [1]]}), A @ B.T, rtol=1e-10)


@pytest.mark.parametrize("axes, kind", [(-1, ValueError), (3, ValueError), ([[0, 1], [0]], ValueError), ([[0]], ValueError), ([[0], [5]], IndexError)])
def test_dimensions_that_are_not_there_are_refused(axes, kind):
    with pytest.raises(kind):
        tf.tensordot(A, B, axes)
