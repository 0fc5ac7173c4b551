"""What packages of probabilities, modules and optimizers take of TensorFlow 1 by its paths."""

import inspect

import numpy as np
import pytest
import troupe as tf


@pytest.fixture(autouse=True)
def _graph():
    tf.reset_default_graph()


def _value(*tensors):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run(tensors)
    return got[0] if len(got) == 1 else got


def test_interface_of_tensorflow_2_has_its_order_of_arguments():
    import troupe.compat.v1
    import troupe.compat.v2 as later
    from troupe.compat.v2.nn import dropout

    assert troupe.compat.v1 is tf and tf.compat.v2 is later
    assert list(inspect.signature(later.ones_like).parameters) == ["input", "dtype", "name"]
    assert list(inspect.signature(later.reduce_sum).parameters) == ["input_tensor", "axis", "keepdims", "name"]
    assert list(inspect.signature(dropout).parameters)[:2] == ["x", "rate"]
    assert later.math.reduce_max(tf.ones([2, 3]), 1, True).shape == [2, 1]
    assert later.where is tf.where_v2 and later.Graph is tf.Graph and later.linalg.cholesky is tf.linalg.cholesky
    with pytest.raises(AttributeError):
        later.no_such_name


def test_each_row_of_that_interface_can_be_called():
    from troupe import compat_v2, import_paths, second_order

    for path, *row in second_order.PUBLIC.values():
        assert compat_v2._found(path) is second_order.made(path, *row)
    for target in compat_v2._OTHERS.values():
        assert callable(import_paths.attribute(target))


def test_values_before_the_run():
    assert tf.get_static_value(None) is None and tf.get_static_value([1, 2]) == [1, 2]
    assert tf.get_static_value(tf.constant([3])) == [3] and tf.get_static_value(tf.get_variable("v", [2])) is None
    partly = tf.get_static_value(tf.stack([1, tf.placeholder(tf.int32, [])]), partial=True)
    assert list(partly) == [1, None]
    from troupe.python.framework import tensor_util

    # A vector that is made of a scalar says nothing of its number.
    assert tensor_util.constant_value_as_shape(tf.placeholder(tf.int32, [])[tf.newaxis]).as_list() == [None]


def test_old_helpers():
    from troupe.python import pywrap_tensorflow
    from troupe.python.ops import control_flow_ops, control_flow_util
    from troupe.python.util import tf_inspect
    from troupe.python.util.all_util import remove_undocumented  # noqa: F401

    x = tf.constant(3)
    assert pywrap_tensorflow.TF_TryEvaluateConstant_wrapper(x.graph._c_graph, x._as_tf_output()) == 3
    assert tf_inspect.getfullargspec(tf.zeros).annotations == {}
    assert not control_flow_util.GraphOrParentsInXlaContext(tf.get_default_graph())

    def cond(pred, true_fn, false_fn):
        return true_fn() if pred else false_fn()

    chosen = control_flow_ops._case_helper(cond, [(False, lambda: 1), (True, lambda: 2)], lambda: 3, False, "case", allow_python_preds=True)
    assert chosen == 2


def test_marks_of_what_is_old(caplog):
    from troupe.python.util import deprecation

    @deprecation.deprecated_args("2020-01-01", "Leave it out.", "b", ("c", 3))
    def f(a, b=None, c=3):
        return a

    @deprecation.deprecated(None, "Use f.")
    class Old:
        pass

    with deprecation.silence():
        f(1, c=4)
    assert not caplog.messages
    f(1, c=3)
    assert not caplog.messages
    f(1, c=4), f(1, c=5), Old(), deprecation.deprecated_alias("old.f", "f", f)(1)
    assert [m.split("\n")[0] for m in caplog.messages] == [
        f"calling {f.__qualname__} (from {f.__module__}) with c is deprecated and will be removed after 2020-01-01.",
        f"{Old.__qualname__}.__init__ is deprecated and will be removed in a future version.", "The name old.f is deprecated. Please use f instead."]
    assert deprecation.deprecated_argument_lookup("new", None, "old", 3) == 3
    with pytest.raises(ValueError, match="Cannot specify both 'old' and 'new'."):
        deprecation.deprecated_argument_lookup("new", 1, "old", 3)
    with pytest.raises(ValueError, match="Date must be in format YYYY-MM-DD"):
        deprecation.deprecated("soon", "Do.")


def test_derivatives_of_each_element():
    from troupe.python.ops.parallel_for import gradients

    x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant(2.0)
    out = x * x * y
    by_x, by_y, by_none = gradients.jacobian(out, [x, y, tf.constant(1.0)])
    assert by_x.shape == [2, 2, 2, 2] and by_none is None
    a, b, c = _value(by_x, by_y, gradients.batch_jacobian(out, x))
    np.testing.assert_allclose(a.reshape(4, 4), np.diag([4.0, 8.0, 12.0, 16.0]))
    np.testing.assert_allclose(b, [[1, 4], [9, 16]])
    np.testing.assert_allclose(c, [np.diag([4.0, 8.0]), np.diag([12.0, 16.0])])


def test_sums_of_linear_operators():
    from troupe.python.ops.linalg import linear_operator_addition, linear_operator_util

    one, diagonal = tf.linalg.LinearOperatorIdentity(2), tf.linalg.LinearOperatorDiag([1.0, 2.0])
    lower = tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [3.0, 1.0]])
    (two,), (added,), (most,) = (linear_operator_addition.add_operators(ops) for ops in ([one, one], [diagonal, one], [lower, diagonal, one]))
    assert isinstance(two, tf.linalg.LinearOperatorScaledIdentity) and isinstance(added, tf.linalg.LinearOperatorDiag)
    assert isinstance(most, tf.linalg.LinearOperatorLowerTriangular)
    a, b, c = _value(two.to_dense(), added.to_dense(), most.to_dense())
    assert a.tolist() == [[2, 0], [0, 2]] and b.tolist() == [[2, 0], [0, 3]] and c.tolist() == [[3, 0], [3, 4]]
    solved = linear_operator_util.matrix_triangular_solve_with_broadcast(np.float32([[2, 0], [0, 4]]), tf.ones([3, 2, 1]))
    assert _value(solved)[2].tolist() == [[0.5], [0.25]]


def test_operators_that_classes_hand_on():
    assert {"__add__", "__rdiv__", "__getitem__", "__neg__"} <= tf.Tensor.OVERLOADABLE_OPERATORS
    assert all(hasattr(tf.Tensor, name) for name in tf.Tensor.OVERLOADABLE_OPERATORS)
    assert _value(tf.Tensor.__div__(tf.constant(7), 2)) == 3 and _value(tf.Tensor.__rdiv__(tf.constant(2.0), 7)) == 3.5


def test_collections_that_are_messages():
    from troupe.python.framework import ops

    class Item:
        def __init__(self, number):
            self.number = number

    ops.register_proto_function("items_of_this_test", tf.NodeDef, lambda item, export_scope=None: tf.NodeDef(name=str(item.number)),
                                lambda message, import_scope=None: Item(int(message.name)))
    tf.add_to_collection("items_of_this_test", Item(7))
    exported = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(exported)
        assert [i.number for i in tf.get_collection("items_of_this_test")] == [7]
    with pytest.raises(KeyError):
        ops.register_proto_function("items_of_this_test")
    with pytest.raises(TypeError, match="to_proto must be callable"):
        ops.register_proto_function("others", to_proto=1)


def test_scopes_of_variables_alone():
    from troupe.python.ops import variable_scope

    with variable_scope._pure_variable_scope("s"):
        v, x = tf.get_variable("v", [], regularizer={}), tf.identity(1.0, name="x")
    assert v.name == "s/v:0" and x.name == "x:0"


def test_eager_names_in_graphs():
    from troupe.contrib.eager.python import tfe

    assert not tfe.executing_eagerly() and _value(tfe.defun(lambda x: x + 1)(tf.constant(1))) == 2


def test_normal_numbers_between_limits():
    from troupe.python.ops import random_ops

    drawn = _value(random_ops.parameterized_truncated_normal([1000], 0.0, 10.0, -1.0, 2.0, seed=1))
    assert drawn.min() >= -1 and drawn.max() <= 2


@pytest.mark.parametrize("adjoint", [False, True])
def test_updates_of_few_rows_need_no_definite_matrix(adjoint):
    # It says that it is positive definite, and is not: it is solved by the small matrices.
    operator = tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag([-1.0, 2.0, 3.0]), [[1.0], [2.0], [0.5]], [-0.7], is_non_singular=True,
                                                     is_self_adjoint=True, is_positive_definite=True)
    other = tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.ones([3, 2]), v=[[1.0, 2], [3, 4], [5, 7]])
    for op in (operator, other):
        rhs = tf.ones([3, 2])
        dense, solved, log, det = _value(op.to_dense(), op.solve(rhs, adjoint=adjoint), op.log_abs_determinant(), op.determinant())
        matrix = np.swapaxes(dense, -1, -2) if adjoint else dense
        np.testing.assert_allclose(matrix @ solved, np.ones_like(solved), atol=1e-5)
        np.testing.assert_allclose(np.linalg.det(dense), det, rtol=1e-4)
        np.testing.assert_allclose(np.log(np.abs(det)), log, rtol=1e-4)
