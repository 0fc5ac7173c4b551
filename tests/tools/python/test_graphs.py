"""Graphs: names, scopes, what is in them, and what may be added."""

import sys
import threading
import time

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def names(graph):
    return [op.name for op in graph.get_operations()]


def test_names_are_unique_whatever_their_case(graph):
    for name in ("a", "a", "A", "a_1"):
        tf.constant(1, name=name)
    assert names(graph) == ["a", "a_1", "A_2", "a_1_1"]
    assert graph.unique_name("b", mark_as_used=False) == graph.unique_name("b") == "b"


def test_scopes_are_prefixes(graph):
    with tf.name_scope("s") as scope:
        assert scope == "s/"
        tf.constant(1, name="x")
        with tf.name_scope("t"):
            tf.constant(1, name="x")
        with tf.name_scope(None):
            tf.constant(1, name="x")
    with tf.name_scope("s"):
        tf.constant(1, name="x")
    with tf.name_scope(scope):
        tf.constant(1, name="y")
    with tf.name_scope(None, "Default", [tf.constant(2, name="z")]) as scope:
        assert scope == "Default/"
    assert names(graph) == ["s/x", "s/t/x", "x", "s_1/x", "s/y", "z"]
    with pytest.raises(ValueError, match="is not a valid root scope name"):
        tf.name_scope("-bad").__enter__()
    with pytest.raises(ValueError, match="is not a valid node name"):
        tf.constant(1, name="bad name")


@pytest.mark.parametrize("make,expected", [
    (lambda a, b: a + b, [("add", "AddV2")]),
    (lambda a, b: 2 + a, [("add/x", "Const"), ("add", "AddV2")]),
    (lambda a, b: a / 2, [("truediv/y", "Const"), ("truediv", "RealDiv")]),
    (lambda a, b: a[0], [("strided_slice/stack", "Const"), ("strided_slice/stack_1", "Const"), ("strided_slice/stack_2", "Const"),
                         ("strided_slice", "StridedSlice")]),
    (lambda a, b: tf.add(a, b), [("Add", "AddV2")]),
    (lambda a, b: tf.reduce_sum(a), [("Const", "Const"), ("Sum", "Sum")]),
    (lambda a, b: tf.concat([a, b], 0), [("concat/axis", "Const"), ("concat", "ConcatV2")]),
    (lambda a, b: tf.Variable(1.0), [("Variable/initial_value", "Const"), ("Variable", "VariableV2"), ("Variable/Assign", "Assign"),
                                     ("Variable/read", "Identity")]),
    (lambda a, b: tf.Variable(1.0, name="v", use_resource=True),
     [("v/Initializer/initial_value", "Const"), ("v", "VarHandleOp"), ("v/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp"),
      ("v/Assign", "AssignVariableOp"), ("v/Read/ReadVariableOp", "ReadVariableOp")]),
    (lambda a, b: tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)]),
     [("Const", "Const"), ("while/Enter", "Enter"), ("while/Merge", "Merge"), ("while/Less/y", "Const"), ("while/Less", "Less"),
      ("while/LoopCond", "LoopCond"), ("while/Switch", "Switch"), ("while/Identity", "Identity"), ("while/add/y", "Const"),
      ("while/add", "AddV2"), ("while/NextIteration", "NextIteration"), ("while/Exit", "Exit")]),
])
def test_operations_have_tensorflows_names(graph, make, expected):
    a, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
    make(a, b)
    assert [(op.name, op.type) for op in graph.get_operations()][2:] == expected


def test_elements_are_found_by_name(graph):
    a = tf.constant([1, 2], name="a")
    assert graph.get_operation_by_name("a") is a.op and graph.get_tensor_by_name("a:0") is a
    assert graph.as_graph_element("a") is a.op and graph.as_graph_element(tf.Variable(1.0)).name == "Variable/read:0"
    with pytest.raises(KeyError, match="The name 'b' refers to an Operation not in the graph"):
        graph.get_operation_by_name("b")
    with pytest.raises(KeyError, match="exists but only has 1 outputs"):
        graph.get_tensor_by_name("a:1")
    with pytest.raises(ValueError, match="Tensor names must be of the form"):
        graph.get_tensor_by_name("a")
    with pytest.raises(ValueError, match="appears to refer to a Tensor, not a Operation"):
        graph.get_operation_by_name("a:0")
    with pytest.raises(TypeError, match="Can not convert a int into a Tensor or Operation"):
        graph.as_graph_element(3)


def test_operations_tell_what_they_are(graph):
    a, b = tf.placeholder(tf.float32, [None, 2], name="a"), tf.constant([[1.0], [2.0]], name="b")
    with tf.control_dependencies([a]):
        c = tf.matmul(a, b, name="c")
    op = c.op
    assert (op.type, op.name, list(op.inputs), op.control_inputs) == ("MatMul", "c", [a, b], [])
    assert op.get_attr("T") is tf.float32 and op.get_attr("transpose_a") is False
    assert a.op.get_attr("shape").dim[1].size == 2 and b.op.get_attr("value").dtype == 1
    assert c.shape.as_list() == [None, 1] and c.consumers() == [] and a.consumers() == [op]
    with pytest.raises(ValueError, match="Operation 'c' has no attr named 'nothing'"):
        op.get_attr("nothing")
    assert str(c) == 'Tensor("c:0", shape=(?, 1), dtype=float32)'
    assert repr(c) == "<tf.Tensor 'c:0' shape=(?, 1) dtype=float32>"


def test_control_inputs_are_those_that_inputs_do_not_wait_for_already(graph):
    a, b, c = (tf.constant(1.0, name=n) for n in "abc")
    with tf.control_dependencies([a]):
        d = tf.identity(b)
        with tf.control_dependencies([c]):
            e = tf.identity(d)
            f = tf.constant(2.0)
        with tf.control_dependencies(None):
            g = tf.constant(3.0)
    assert d.op.control_inputs == [a.op]
    assert e.op.control_inputs == [c.op]
    assert set(f.op.control_inputs) == {a.op, c.op} and g.op.control_inputs == []


def test_operations_share_the_device_of_another(graph):
    with tf.device("/cpu:1"):
        a = tf.constant(1.0, name="a")
    with graph.colocate_with(a.op):
        b = tf.constant(1.0)
    assert b.op.get_attr("_class") == [b"loc:@a"] and b.device == "/device:CPU:1"


def test_shapes_are_completed_and_not_contradicted():
    x = tf.placeholder(tf.float32, [None, None])
    x.set_shape([2, None])
    assert x.shape.as_list() == [2, None] and (x + 1).shape.as_list() == [2, None]
    with pytest.raises(ValueError, match="must be equal"):
        x.set_shape([3, None])


def test_a_finalized_graph_takes_nothing(graph):
    a = tf.constant(1.0)
    graph.finalize()
    for change in (lambda: tf.constant(1.0), lambda: a + 1, lambda: tf.gradients(a, a), lambda: tf.import_graph_def(tf.GraphDef()),
                   lambda: graph.add_to_collection("c", 1)):
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
            change()
    with tf.Session() as session:
        assert session.run(a) == 1.0


def test_a_call_that_fails_leaves_the_graph_as_it_was(graph):
    a, b = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
    before = len(graph.get_operations())
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
        tf.matmul(a, b)
    assert len(graph.get_operations()) == before
    assert tf.matmul(a, b, transpose_b=True).shape == [2, 2]


@pytest.mark.parametrize("make,error,text", [
    (lambda x: tf.raw_ops.AddV2(x=x), TypeError, "missing a required argument: 'y'"),
    (lambda x: tf.raw_ops.AddV2(x=x, y=x, z=x), TypeError, "unexpected keyword arguments: z"),
    (lambda x: tf.raw_ops.AddV2(x=x, y="text"), TypeError, "Expected float32 passed to parameter 'y' of op 'AddV2', got 'text' of type 'str'"),
    (lambda x: tf.raw_ops.AddV2(x=x, y=tf.constant(1)), TypeError, "has type int32 that does not match type float32 of argument 'x'"),
    (lambda x: tf.raw_ops.LogicalNot(x=x), TypeError, "has type float32 that does not match expected type of bool"),
    (lambda x: tf.raw_ops.AddN(inputs=x), TypeError, "Expected list for 'inputs' argument to 'AddN' Op"),
    (lambda x: tf.raw_ops.AddN(inputs=[]), ValueError, "with length 0 shorter than minimum length 1"),
    (lambda x: tf.raw_ops.Pack(values=[x, tf.constant(1)]), TypeError, "have types \\[float32, int32\\]"),
    (lambda x: tf.raw_ops.Softmax(logits=tf.constant(1)), TypeError, "has DataType int32 not in list of allowed values: "),
    (lambda x: tf.raw_ops.BiasAdd(value=x, bias=[1.0], data_format="XYZ"), ValueError, "not in the list of allowed values"),
    (lambda x: tf.raw_ops.Sum(input=x, reduction_indices=0, keep_dims="yes"), TypeError, "Expected bool for argument 'keep_dims' not 'yes'"),
    (lambda x: tf.raw_ops.Assign(ref=x, value=x), TypeError, "be a mutable tensor"),
])
def test_wrong_arguments_are_named(make, error, text):
    with pytest.raises(error, match=text):
        make(tf.placeholder(tf.float32, [2, 2]))


def test_every_op_is_a_function_with_a_signature():
    import inspect

    from troupe import raw_ops

    ops = dir(raw_ops)
    assert len(ops) > 1000
    for name in ops:
        function = getattr(raw_ops, name)
        assert function.__name__ == name and function.__doc__
    assert list(inspect.signature(raw_ops.MatMul).parameters) == ["a", "b", "transpose_a", "transpose_b", "T", "grad_a", "grad_b", "name"]
    with pytest.raises(AttributeError, match="There is no op NoSuchOp"):
        raw_ops.NoSuchOp


def test_several_outputs_have_names():
    parts = tf.raw_ops.Unique(x=[1, 1, 2])
    assert parts._fields == ("y", "idx")
    assert isinstance(tf.split(tf.ones([4]), 2), list)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(parts.idx), [0, 0, 1])


def test_tensors_are_no_truth_values_and_are_compared_by_identity():
    a, b = tf.constant([1, 2]), tf.constant([1, 2])
    assert (a == b) is False and a == a and len({a, b}) == 2
    with pytest.raises(TypeError, match="Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"):
        bool(a)
    with pytest.raises(TypeError, match="Iterating over a symbolic `tf.Tensor` is not allowed"):
        list(a)
    with pytest.raises(NotImplementedError, match="Cannot convert a symbolic tf.Tensor"):
        np.array(a)


@pytest.mark.parametrize("key", [0, -1, slice(1, None), slice(None, None, -1), (slice(None), 1), (Ellipsis, 0), (None, 1), (1, slice(0, 2), None),
                                 (slice(None, -1), Ellipsis, slice(None, None, 2))])
def test_parts_are_numpys(key):
    value = np.arange(24).reshape(2, 3, 4)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tf.constant(value)[key]), value[key])


def test_indices_may_be_tensors_and_nothing_else():
    value = tf.constant([10, 20, 30])
    i = tf.placeholder(tf.int32, [])
    with tf.Session() as session:
        assert session.run([value[i], value[tf.constant(2)]], {i: 1}) == [20, 30]
        np.testing.assert_array_equal(session.run(value[i:], {i: 1}), [20, 30])
        np.testing.assert_array_equal(session.run(value[tf.constant([True, False, True])]), [10, 30])
    with pytest.raises(TypeError, match="Only integers, slices"):
        value["a"]
    with pytest.raises(TypeError, match="Only integers, slices"):
        value[1.5]


@pytest.mark.parametrize("value,dtype,shape", [
    (1, "int32", ()), (2**40, "int64", ()), (1.5, "float32", ()), (True, "bool", ()), ("a", "string", ()), ([1, 2.5], "float32", (2,)),
    (np.float64(1.5), "float64", ()), (np.arange(3), "int64", (3,)), ([[1], [2]], "int32", (2, 1)), (1j, "complex128", ()), ([], "float32", (0,)),
])
def test_constants_have_tensorflows_types(value, dtype, shape):
    c = tf.constant(value)
    assert c.dtype.name == dtype and c.shape == tf.TensorShape(shape)


def test_constants_refuse_what_does_not_fit():
    with pytest.raises(TypeError, match="Expected int32, but got 1.5 of type 'float'"):
        tf.constant(1.5, tf.int32)
    with pytest.raises(ValueError, match="None values not supported"):
        tf.constant(None)
    with pytest.raises(ValueError, match="inhomogeneous shape.*not rectangular"):
        tf.constant([[1], [2, 3]])
    with pytest.raises(ValueError, match="Too many elements provided. Takes at most 2, but got 3"):
        tf.constant([1, 2, 3], shape=[2])
    np.testing.assert_array_equal(tf.constant_value(tf.constant([1, 2], shape=[2, 2])), [[1, 2], [2, 2]])


def test_nests_with_tensors_are_packed():
    x = tf.constant(2.0)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor([[x, 1.0], [3.0, x * x]])), [[2, 1], [3, 4]])


class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees


def test_a_conversion_of_a_type_of_the_programs_own():
    tf.register_tensor_conversion_function(Celsius, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees, dtype, name=name))
    with tf.Session() as session:
        assert session.run(tf.constant(1.0) + Celsius(20.0)) == 21.0
    with pytest.raises(TypeError, match="Cannot register conversions for Python numeric types"):
        tf.register_tensor_conversion_function(int, lambda *unused, **also: None)


def test_collections_hold_anything(graph):
    v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="s/w", trainable=False)
    graph.add_to_collections(["c", "d"], "x")
    assert tf.global_variables() == [v, w] and tf.trainable_variables() == [v]
    assert tf.get_collection("c") == ["x"] and tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, "s/") == [w]
    tf.get_collection("c").append("y")
    assert tf.get_collection("c") == ["x"]


def test_tensors_of_two_graphs_do_not_meet():
    with tf.Graph().as_default():
        foreign = tf.constant(1.0)
    with pytest.raises(ValueError, match="must be from the same graph as"):
        tf.add(foreign, tf.constant(1.0))
    assert (foreign + 1.0).graph is foreign.graph


def test_graphs_are_written_and_read(graph):
    a = tf.placeholder(tf.float32, [], name="a")
    tf.add(a, tf.constant(2.0, name="two"), name="sum")
    graph_def = tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    with tf.Graph().as_default() as other:
        x = tf.constant(3.0, name="x")
        total, op = tf.import_graph_def(graph_def, {"a:0": x}, ["sum:0", "two"], name="in")
        assert total.name == "in/sum:0" and op.name == "in/two" and total.op.inputs[0] is x
        with tf.Session() as session:
            assert session.run(total) == 5.0
        assert tf.constant(1.0, name="in/sum").name == "in/sum_1:0"
        with pytest.raises(ValueError, match="Attempted to map inputs that were not found in graph_def: \\[nothing:0\\]"):
            tf.import_graph_def(graph_def, {"nothing:0": x}, name="again")
    assert names(other)[:4] == ["x", "in/a", "in/two", "in/sum"]


def test_what_is_new_in_a_graph_is_written(graph):
    tf.constant(1, name="a")
    version = graph.version
    tf.constant(2, name="b")
    assert [n.name for n in graph.as_graph_def(from_version=version).node] == ["b"]
    assert graph.graph_def_versions.producer > 1000


def test_seeds_make_random_numbers_again():
    def draw(seed):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(seed)
            return session.run([tf.random_uniform([3]), tf.random_normal([3]), tf.random_uniform([3], seed=5)])

    first, second, third = draw(1), draw(1), draw(2)
    for a, b, c in zip(first, second, third):
        np.testing.assert_array_equal(a, b)
        assert (a != c).any()


def test_scopes_are_each_threads_own(graph):
    seen = []

    def look():
        with graph.as_default():
            seen.append(tf.constant(1.0))

    with tf.name_scope("outer"), tf.device("/cpu:1"):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert tf.constant(1.0).name == "outer/Const:0"
    assert [(s.name, s.device) for s in seen] == [("Const:0", "")]


def test_other_threads_go_on_while_gradients_are_made(graph):
    x = y = tf.placeholder(tf.float32, [8])
    for _ in range(3000):
        y = tf.tanh(y)
    turns, over = [0], threading.Event()

    def take_turns():
        while not over.is_set():
            turns[0] += 1
            time.sleep(0)

    thread, interval = threading.Thread(target=take_turns), sys.getswitchinterval()
    # Nobody is made to give the interpreter's lock up.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        for i in range(20):
            before = turns[0]
            graph._native.add_gradients(f"gradients_{i}", [(y.op._id, 0)], [(x.op._id, 0)], [None])
            taken = turns[0] - before
            if taken > 0:
                break
    finally:
        over.set()
        sys.setswitchinterval(interval)
        thread.join()
    assert taken > 0
