"""From calls to operations: attrs that are given or told, defaults, conversions, and what blocks add."""

import numpy as np
import pytest

import troupe as tf
from troupe import protos


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_attrs_that_inputs_tell_may_be_given():
    x = tf.raw_ops.AddV2(x=1, y=2, T=tf.float64)
    assert x.dtype is tf.float64 and [i.dtype for i in x.op.inputs] == [tf.float64] * 2
    assert tf.raw_ops.Pack(values=[1, 2], N=2, T=tf.int64).dtype is tf.int64
    with pytest.raises(ValueError, match="List argument 'values' to 'Pack' Op with length 2 must match length 3 of argument 'N'"):
        tf.raw_ops.Pack(values=[1, 2], N=3)
    with pytest.raises(TypeError, match="Expected DataType for argument 'DstT' not 'nothing'"):
        tf.raw_ops.Cast(x=1, DstT="nothing")


def test_an_argument_may_end_in_an_underscore_and_none_is_a_default():
    assert tf.raw_ops.Slice(input_=[1, 2, 3], begin=[1], size=[2]).shape == [2]
    assert tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], transpose_a_=True).op.get_attr("transpose_a") is True
    assert tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], transpose_a=None).op.get_attr("transpose_a") is False


def test_values_take_the_type_that_an_op_would_rather_have():
    # Tidx of Sum is int32 unless it is told otherwise.
    assert tf.raw_ops.Sum(input=[1.0], reduction_indices=[]).op.get_attr("Tidx") is tf.int32
    assert tf.raw_ops.Sum(input=[1.0], reduction_indices=np.array([0])).op.get_attr("Tidx") is tf.int64
    assert tf.convert_to_tensor(1, preferred_dtype=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor("a", preferred_dtype=tf.float32).dtype is tf.string
    assert tf.convert_to_tensor(1, tf.int8, preferred_dtype=tf.float32).dtype is tf.int8


def test_lists_of_several_types_are_converted_each():
    made = tf.raw_ops.IdentityN(input=[1, 2.0, "a"])
    assert [t.dtype for t in made] == [tf.int32, tf.float32, tf.string]
    typed = tf.raw_ops.IdentityN(input=[1, 2], T=[tf.int64, tf.float32])
    assert [t.dtype for t in typed] == [tf.int64, tf.float32]


def test_operations_are_made_of_attr_values(graph):
    x = tf.constant([1.0, 2.0])
    op = graph.create_op("AddV2", [x, x], name="sum", attrs={"T": protos.AttrValue(type=1)})
    assert op.name == "sum" and op.type == "AddV2"
    pack = graph.create_op("Pack", [x, x], attrs={"T": protos.AttrValue(type=1), "N": protos.AttrValue(i=2), "_mark": protos.AttrValue(s=b"m")})
    assert pack.name == "Pack" and pack.outputs[0].shape == [2, 2] and pack.get_attr("_mark") == b"m"
    pack._set_attr("_mark", protos.AttrValue(i=3))
    assert pack.get_attr("_mark") == 3
    pack._clear_attr("_mark")
    with pytest.raises(ValueError, match="has no attr named '_mark'"):
        pack.get_attr("_mark")


def test_gradient_overrides_mark_operations_of_their_types(graph):
    with graph.gradient_override_map({"Square": "Mine"}):
        marked, other = tf.square(tf.constant(1.0)), tf.sqrt(tf.constant(1.0))
    after = tf.square(tf.constant(1.0))
    assert marked.op.get_attr("_gradient_op_type") == b"Mine"
    for t in (other, after):
        with pytest.raises(ValueError, match="has no attr"):
            t.op.get_attr("_gradient_op_type")
    with pytest.raises(TypeError, match="must be a dictionary mapping strings to strings"):
        graph.gradient_override_map({"Square": 3}).__enter__()


def test_rules_of_functions_end_with_their_graph():
    import gc
    import weakref

    class Derivative:
        def __call__(self, d):
            return 3.0 * d

    derivative = Derivative()
    alive = weakref.ref(derivative)
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.custom_gradient(lambda x, d=derivative: (tf.square(x), d))(tf.constant(2.0))
        assert session.run(tf.gradients(made, made.op.inputs[1])) == [3]
    del derivative, made, session
    gc.collect()
    assert alive() is None


def test_rules_of_the_program_are_refused_inside_loops(graph):
    x = tf.constant(1.0)
    with graph.gradient_override_map({"Square": "Identity"}):
        inside = tf.while_loop(lambda y: y < 9.0, lambda y: tf.square(y) + 1.0, [x])
        outside = tf.square(tf.while_loop(lambda y: y < 9.0, lambda y: y * 2.0, [x]))
    with pytest.raises(ValueError, match="'while/Square' .op type: Square. is inside a loop"):
        tf.gradients(inside, x)
    with tf.Session() as session:
        assert session.run(tf.gradients(outside, x)) == [16]


def test_colocation_is_handed_on(graph):
    a, b = tf.constant(1.0, name="a"), tf.constant(1.0, name="b")
    with graph.colocate_with(a.op):
        c = tf.constant(1.0, name="c")
        with graph.colocate_with(b):
            both = tf.constant(1.0)
        with graph.colocate_with(b, ignore_existing=True):
            one = tf.constant(1.0)
        with graph.colocate_with(None, ignore_existing=True):
            none = tf.constant(1.0)
    with graph.colocate_with(c.op):
        d = tf.constant(1.0)
    assert a.op.colocation_groups() == [b"loc:@a"] and d.op.colocation_groups() == [b"loc:@a"]
    assert both.op.colocation_groups() == [b"loc:@a", b"loc:@b"] and one.op.colocation_groups() == [b"loc:@b"]
    assert none.op.colocation_groups() == [b"loc:@" + none.op.name.encode()]
    with pytest.raises(ValueError, match="Trying to reset colocation"):
        graph.colocate_with(None).__enter__()


def test_what_is_waited_for_may_be_named_or_stand_for_something(graph):
    a = tf.constant(1.0, name="a")
    v, r = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="r", use_resource=True)
    slices = tf.IndexedSlices(tf.constant([1.0], name="values"), tf.constant([0]))
    with tf.control_dependencies(["a", v, r, slices, a.op]):
        b = tf.constant(2.0)
    assert {op.name for op in b.op.control_inputs} == {"a", "v", "r", "values"}


def test_rows_become_the_tensor_that_they_are_of():
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 0]), tf.constant([4, 1]))
    with tf.Session() as session:
        assert session.run(tf.convert_to_tensor(slices)).tolist() == [[2.0], [0.0], [1.0], [0.0]]
        assert session.run((-slices).values).tolist() == [[-1.0], [-2.0]]
    assert slices.shape == [4, 1]
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))


def test_shapes_and_dimensions_become_tensors_when_they_are_known():
    x = tf.placeholder(tf.float32, [None, 3])
    with tf.Session() as session:
        assert session.run(tf.convert_to_tensor(tf.TensorShape([2, 3]))).tolist() == [2, 3]
        assert session.run(tf.convert_to_tensor(x.shape[1])) == 3
        assert session.run(tf.reshape(x, [-1, x.shape[1], 1]), {x: np.ones([2, 3])}).shape == (2, 3, 1)
    assert tf.convert_to_tensor(tf.TensorShape([2**31])).dtype is tf.int64
    with pytest.raises(ValueError, match="Cannot convert a partially known TensorShape"):
        tf.convert_to_tensor(x.shape)
    with pytest.raises(ValueError, match="Cannot convert unknown Dimension"):
        tf.convert_to_tensor(x.shape[0])
    with pytest.raises(TypeError, match="Allowed dtypes are tf.int32 and tf.int64"):
        tf.convert_to_tensor(tf.TensorShape([2]), tf.float32)


def test_dimensions_are_compared_strictly():
    two, three = tf.Dimension(2), tf.Dimension(3)
    assert (two < three, two < 2, two <= 2, three > two, three > 3, three >= 3) == (True, False, True, True, False, True)
    assert (tf.Dimension(None) > 2) is None and (5 - two) == 3 and 7 // two == 3 and two % 2 == 0
    unknown = tf.TensorShape(None)
    assert unknown[1:3].rank == 2 and unknown[0:].rank is None and unknown[-2:-1].rank is None and unknown[0].value is None
    assert tf.TensorShape([2, 0]).as_proto().dim[1].size == 0 and tf.TensorShape(tf.TensorShape([2, 0]).as_proto()) == [2, 0]


def test_the_other_operand_may_know_better():
    class Wrapped:
        __array_priority__ = 200

        def __radd__(self, other):
            return "mine"

    class Plain:
        __array_priority__ = 100

    assert tf.constant(1.0) + Wrapped() == "mine"
    with pytest.raises(TypeError):
        tf.constant(1.0) + Plain()


def test_imports_go_under_a_name_of_their_own(graph):
    tf.constant(1.0, name="a")
    graph_def = graph.as_graph_def()
    with tf.Graph().as_default() as other:
        for _ in range(2):
            tf.import_graph_def(graph_def)
        tf.import_graph_def(graph_def, name="")
        with tf.name_scope("s"), tf.device("/cpu:0"):
            tf.import_graph_def(graph_def, name="t")
        op, same = tf.import_graph_def(graph_def, return_elements=["a", "a:0"], name="u/")
        with tf.control_dependencies([op]):
            waits, = tf.import_graph_def(graph_def, return_elements=["a"], name="w")
    assert [o.name for o in other.get_operations()] == ["import/a", "import_1/a", "a", "s/t/a", "u/a", "w/a"]
    assert other.get_operation_by_name("s/t/a").device == "/device:CPU:0" and same.op is op and waits.control_inputs == [op]
    with pytest.raises(TypeError, match="Argument `graph_def` must be a GraphDef proto"):
        tf.import_graph_def(tf.RunOptions())


def test_functions_are_in_the_graphs_that_call_them(graph):
    from troupe.function import Defun

    @Defun(tf.float32, tf.float32, func_name="Both")
    def both(a, b):
        return a + b, a * b

    total, product = both(tf.constant(2.0), 3.0)
    assert [f.signature.name for f in graph.as_graph_def().library.function] == ["Both"]
    both(1.0, 1.0)
    with tf.Session() as session:
        assert session.run([total, product]) == [5.0, 6.0]
    with pytest.raises(ValueError, match="Expected 2 arguments, got 1"):
        both(1.0)


def test_seeds_follow_from_the_graphs_and_the_operations(graph):
    assert tf.get_seed(None) == (None, None) and tf.get_seed(7) == (87654321, 7)
    tf.set_random_seed(3)
    assert tf.get_seed(7) == (3, 7) and tf.get_seed(None) == (3, 0)
    tf.constant(1)
    assert tf.get_seed(None) == (3, 1) and tf.get_seed(2**31) == (3, 1)
    tf.set_random_seed(0)
    assert tf.get_seed(0) == (0, 2**31 - 1)
