"""Modules that TensorFlow's own tests import by their paths."""

import functools
import unittest

import numpy as np
import pytest
import troupe as tf


def _run(*classes):
    result = unittest.TestResult()
    unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(c) for c in classes).run(result)
    return result


def test_definitions_of_ops():
    from troupe.python.framework import op_def_registry

    assert op_def_registry.get("NoSuchOp") is None
    assert [a.name for a in op_def_registry.get("Pack").attr] == ["N", "T", "axis"] and op_def_registry.get("Pack").attr[0].minimum == 1
    assert len(op_def_registry.get("ImageSummary").attr[-1].default_value.tensor.tensor_shape.dim) == 1
    conv = op_def_registry.get("MaxPool")
    attrs = {a.name: a for a in conv.attr}
    assert attrs["ksize"].minimum == 4 and list(attrs["padding"].allowed_values.list.s) == [b"SAME", b"VALID", b"EXPLICIT"]
    assert attrs["data_format"].default_value.s == b"NHWC" and attrs["T"].default_value.type == tf.float32.as_datatype_enum
    assert op_def_registry.get("Assign").input_arg[0].is_ref and op_def_registry.get("VariableV2").is_stateful
    assert op_def_registry.get("Placeholder").attr[1].default_value.shape.unknown_rank
    conv.name = "Other"
    assert op_def_registry.get("MaxPool").name == "MaxPool"


def test_functions_in_decorators():
    from troupe.python.util import tf_decorator, tf_inspect

    def target(a, b=2, *, c=3):
        """What it does."""
        return a + b + c

    def plain(a, b, c=1):
        return a, b, c

    def named(function):
        def wrapper(*args, **kwargs):
            return 2 * wrapper.__wrapped__(*args, **kwargs)

        return tf_decorator.make_decorator(function, wrapper)

    decorated = named(target)
    decorators, inside = tf_decorator.unwrap(decorated)
    assert inside is target and [d.decorator_name for d in decorators] == ["named"] and decorated(1) == 12
    assert decorated.__name__ == "target" and decorated.__doc__ == "What it does."
    assert tf_inspect.getfullargspec(decorated).args == ["a", "b"] and str(tf_inspect.signature(decorated)) == "(a, b=2, *, c=3)"
    assert tf_inspect.getcallargs(decorated, 5, c=1) == {"a": 5, "b": 2, "c": 1}
    assert tf_inspect.getsource(decorated).lstrip().startswith("def target") and tf_inspect.isfunction(decorated)
    assert tf_decorator.rewrap(decorated, target, lambda a: a) is decorated and decorated(4) == 8
    other = tf_inspect.FullArgSpec(["x", "y"], "args", None, (1,), [], None, {})
    respelled = tf_decorator.make_decorator(target, lambda *args: target(*args), "respelled", decorator_argspec=other)
    assert str(tf_inspect.signature(respelled)) == "(x, y=1, *args)" and tf_inspect.getfullargspec(respelled) == other
    assert tf_inspect.getargspec(functools.partial(plain, 1, b=2)) == (["b", "c"], None, None, (2, 1))
    with pytest.raises(ValueError, match="keyword-only"):
        tf_inspect.getargspec(functools.partial(plain, a=1))
    with pytest.raises(ValueError, match="unknown partial keyword d"):
        tf_inspect.getargspec(functools.partial(plain, d=2))


def test_messages_are_compared():
    from troupe.python.util.protobuf import compare

    class Case(compare.ProtoAssertions, unittest.TestCase):
        def runTest(self):  # noqa: N802
            pass

    case = Case()
    first = tf.GraphDef()
    node = first.node.add(name="a", op="Const")
    node.attr["f"].f = 1.0
    second = tf.GraphDef.FromString(first.SerializeToString())
    assert compare.ProtoEq(first, second) and compare.ProtoEq(first.node, second.node)
    case.assertProtoEqual(first, second)
    case.assertProtoEqual('node { name: "a" op: "Const" attr { key: "f" value { f: 1.0 } } }', first)
    second.node[0].attr["f"].f = 1.0001
    assert not compare.ProtoEq(first, second)
    case.assertProtoEqual(first, second, relative_tolerance=1e-3)
    assert first.node[0].attr["f"].f == 1.0
    with pytest.raises(AssertionError):
        case.assertProtoEqual(first, second)
    with pytest.raises(AssertionError):
        case.assertProtoEqual(first, second, relative_tolerance=1e-6)
    second.node[0].attr["f"].f = 1.0 + 2e-7
    case.assertProtoEqual(first, second, normalize_numbers=True)
    second.node.add(name="b")
    assert not compare.ProtoEq(first, second)
    assert compare.isClose(float("inf"), float("inf"), 0.1) and not compare.isClose(1, float("nan"), 0.1)


def test_operations_of_branches_and_loops():
    from troupe.python.ops import control_flow_util as util

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        made = []

        def inside(name):
            made.append(tf.identity(x, name=name) * 2)
            return made[-1]

        tf.cond(x > 0, lambda: inside("in_cond"), lambda: x)
        tf.while_loop(lambda i: i < 3, lambda i: i + tf.cast(inside("in_loop"), tf.int32), [0])
        in_cond, in_loop = made
        assert util.IsInCond(in_cond.op) and not util.IsInWhileLoop(in_cond.op) and util.IsInWhileLoop(in_loop.op)
        kinds = {k: [o.name for o in graph.get_operations() if getattr(util, k)(o)] for k in (
            "IsCondSwitch", "IsCondMerge", "IsLoopSwitch", "IsLoopMerge", "IsLoopExit", "IsLoopConstantEnter")}
        assert kinds["IsCondMerge"] == ["cond/Merge"] and kinds["IsLoopSwitch"] == ["while/Switch"]
        assert kinds["IsLoopMerge"] == ["while/Merge"] and kinds["IsLoopExit"] == ["while/Exit"] and len(kinds["IsLoopConstantEnter"]) == 1
        assert all("cond" in name for name in kinds["IsCondSwitch"])
        context = in_loop.op._get_control_flow_context()
        assert util.GetWhileContext(in_loop.op) is context and util.OpInContext(in_loop.op, context)
        assert not util.TensorInContext(x, context) and util.IsContainingContext(context, None)


def test_test_cases_of_datasets():
    parameterized = pytest.importorskip("absl.testing.parameterized")
    from troupe.python.data.kernel_tests import test_base
    from troupe.python.framework import combinations, errors

    class Case(test_base.DatasetTestBase, parameterized.TestCase):
        @combinations.generate(combinations.times(test_base.default_test_combinations(), combinations.combine(count=[1, 3])))
        def test_produces(self, count):
            dataset = tf.data.Dataset.range(count).map(lambda i: {"a": i, "b": i * 2})
            self.assertDatasetProduces(dataset, [{"a": i, "b": 2 * i} for i in range(count)], num_test_iterations=2)
            self.assertDatasetsEqual(dataset, dataset.map(lambda d: d))
            self.assertEqual([int(e) for e in self.getDatasetOutput(tf.data.Dataset.range(count), True)], list(range(count)))

        @combinations.generate(test_base.eager_only_combinations())
        def test_eager(self):
            self.fail()

        @combinations.generate(test_base.default_test_combinations())
        def test_errors(self):
            dataset = tf.data.Dataset.from_tensors(np.nan).map(lambda x: tf.check_numerics(x, "not a number"))
            self.assertDatasetProduces(dataset, expected_error=(errors.InvalidArgumentError, "not a number"))
            self.assertDatasetsRaiseSameError(dataset, dataset, errors.InvalidArgumentError)
            with self.assertRaisesRegex(AssertionError, "Dataset ended early, producing 2"):
                self.assertDatasetProduces(tf.data.Dataset.range(2), [0, 1, 2])
            with self.assertRaises(AssertionError):
                self.assertDatasetProduces(tf.data.Dataset.range(2), [0])
            self.assertDatasetProduces(self.structuredDataset((None, (None,)), [2]), [([0, 0], ([0, 0],))])

    result = _run(Case)
    assert (result.testsRun, len(result.skipped)) == (5, 2) and result.wasSuccessful(), (result.errors, result.failures)


def test_barriers():
    from troupe.python.ops import data_flow_ops

    with tf.Graph().as_default(), tf.Session() as session:
        barrier = data_flow_ops.Barrier((tf.string, tf.int32), shapes=((), ()), name="b")
        session.run(barrier.insert_many(0, keys=["k1", "k2"], values=["a", "b"]))
        session.run(barrier.insert_many(1, keys=["k1"], values=[1]))
        session.run(barrier.insert_many(0, keys=["k3"], values=["c"]))
        session.run(barrier.insert_many(1, keys=["k3"], values=[3]))
        assert session.run([barrier.ready_size(), barrier.incomplete_size()]) == [2, 1]
        session.run(barrier.insert_many(1, keys=["k2"], values=[2]))
        taken = barrier.take_many(2)
        assert taken[0].op.name == "b_BarrierTakeMany" and [t.shape.as_list() for t in taken.values] == [[2], [2]]
        indices, keys, first, second = session.run([*taken[:2], *taken[2]])
        assert indices.tolist() == [-2**63] * 2 and dict(zip(keys, zip(first, second))) == {b"k1": (b"a", 1), b"k2": (b"b", 2)}
        session.run(barrier.close())
        assert session.run(barrier.take_many(5, allow_small_batch=True)[1]).tolist() == [b"k3"]
        with pytest.raises(ValueError, match="Empty tensors are not supported"):
            data_flow_ops.Barrier((tf.string, tf.int32), shapes=((), (0,)))


def test_staging_areas():
    from troupe.python.ops import data_flow_ops

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        area = data_flow_ops.StagingArea([tf.float32], shapes=[[2]])
        put, got = area.put([x]), area.get()
        assert area.name == "StagingArea" and got[0].shape.as_list() == [2]
        for i in range(3):
            session.run(put, {x: [i, i]})
        assert session.run([area.size(), area.peek(1)[0]])[1].tolist() == [1, 1] and session.run(got)[0].tolist() == [0, 0]
        session.run(area.clear())
        assert session.run(area.size()) == 0
        with pytest.raises(ValueError, match="Datatypes do not match"):
            area.put([tf.cast(x, tf.int32)])
        named = data_flow_ops.MapStagingArea([tf.float32, tf.int32], names=["x", "n"], shared_name="m", ordered=True)
        key = tf.placeholder(tf.int64, [])
        both, part = named.put(key, {"x": x, "n": tf.constant(7)}), named.put(key, {"x": x})
        session.run(both, {key: 5, x: [1, 2]})
        session.run(both, {key: 3, x: [3, 4]})
        session.run(part, {key: 1, x: [0, 0]})
        assert session.run([named.size(), named.incomplete_size()]) == [2, 1]
        assert session.run(named.peek(key, ["n"]), {key: 5})["n"] == 7
        least, element = session.run(named.get())
        assert least == 3 and element["x"].tolist() == [3, 4] and element["n"] == 7
        assert session.run(named.get(key)[1], {key: 5})["x"].tolist() == [1, 2]
        with pytest.raises(ValueError, match="Named index not in Staging Area names"):
            named.get(indices=["y"])
        with pytest.raises(ValueError, match="enqueue a dictionary in a staging area"):
            named.put(1, [x], [0])


def test_records_are_read_ahead(tmp_path):
    from troupe.python.ops import data_flow_ops

    with tf.python_io.TFRecordWriter(str(tmp_path / "a")) as writer:
        for i in range(4):
            writer.write(b"%d" % i)
    with tf.Graph().as_default(), tf.Session() as session:
        records = data_flow_ops.RecordInput(str(tmp_path / "*"), batch_size=2, buffer_size=4, batches=2, seed=1).get_yield_op()
        assert [len(r) for r in records] == [2, 2]
        assert {r for batch in session.run(records) for r in batch} <= {b"0", b"1", b"2", b"3"}
        assert session.run(data_flow_ops.RecordInput(str(tmp_path / "*"), batch_size=3).get_yield_op()).shape == (3,)


def test_statistics_and_scopes():
    from troupe.python.framework import ops

    with tf.Graph().as_default() as graph:
        with ops.name_scope_v1("outer"), ops.device_v2("/cpu:0"):
            assert ops.get_name_scope() == "outer"
            y = tf.matmul(tf.ones([2, 3]), tf.ones([3, 4]), name="y")
        node = graph.get_operation_by_name("outer/y").node_def
        assert y.device == "/device:CPU:0" and ops.get_stats_for_node_def(graph, node, "flops").value == 48
        assert ops.get_stats_for_node_def(graph, node, "weeping").value is None

        @ops.RegisterStatistics("MatMul", "weeping")
        def _(graph, node):
            return ops.OpStats("weeping", len(node.input))

        total = ops.OpStats("weeping")
        total += ops.get_stats_for_node_def(graph, node, "weeping")
        assert total.value == 2
        with pytest.raises(ValueError, match="Can't add an OpStat"):
            total += ops.OpStats("flops", 3)
        with pytest.raises(KeyError, match="MatMul,weeping"):
            ops.RegisterStatistics("MatMul", "weeping")(lambda *unused: None)
        with pytest.raises(RuntimeError, match="does not support functions"):
            ops.device_v2(lambda op: "")


def test_functions_of_the_second_interface():
    from troupe.python.framework import indexed_slices
    from troupe.python.ops import array_ops, check_ops, lookup_ops, math_ops, nn_ops

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, 2.0, 3.0], [6.0, 5.0, 4.0]])
        some = indexed_slices.internal_convert_n_to_tensor_or_indexed_slices([None, 1.0, tf.IndexedSlices(x, [0, 1])], name="some")
        assert some[0] is None and some[1].op.name == "some_1" and isinstance(some[2], tf.IndexedSlices)
        table = lookup_ops.StaticHashTableV1(lookup_ops.KeyValueTensorInitializer(["a"], [3]), -1)
        session.run(table.initializer)
        with tf.control_dependencies([check_ops.assert_less_v2(x, 7.0, "too much", 3)]):
            made = [array_ops.transpose_v2(x, None, False), array_ops.boolean_mask_v2(x, [True, False, True], 1), array_ops.shape_v2(x, tf.int64),
                    array_ops.pad_v2(x, [[0, 0], [1, 0]], "CONSTANT", 9.0), array_ops.gather_v2(x, [2, 0], axis=1),
                    array_ops.gather_nd_v2(x, [[2], [0]], 1), math_ops.argmax_v2(x), math_ops.argmin_v2(x, 1, tf.int32),
                    math_ops.reduce_sum_v1(x, 1), nn_ops.softmax_v2(x, 0), table.lookup(tf.constant(["a", "b"]))]
        values = [v.tolist() for v in session.run(made)]
    assert values[:9] == [[[1, 6], [2, 5], [3, 4]], [[1, 3], [6, 4]], [2, 3], [[9, 1, 2, 3], [9, 6, 5, 4]], [[3, 1], [4, 6]], [3, 6], [1, 1, 1],
                          [0, 2], [6, 15]]
    assert made[2].dtype == tf.int64 and made[7].dtype == tf.int32 and np.allclose(np.sum(values[9], 0), 1) and values[10] == [3, -1]


def test_ops_under_their_own_names():
    with tf.Graph().as_default(), tf.Session() as session:
        encoded = tf.io.encode_proto([[1, 2]], [tf.constant([[b"x"]]), tf.constant([[b"a", b"b"]])], ["name", "input"], "tensorflow.NodeDef")
        assert session.run(encoded).tolist() == [b"\n\x01x\x1a\x01a\x1a\x01b"] and session.run(tf.user_ops.my_fact()) == b"0! == 1"
        inside, default = session.run(tf.ragged_fill_empty_rows_grad(tf.constant([0, 2], tf.int64), tf.constant([1.0, 2, 3])))
    assert inside.tolist() == [1, 3] and default == 2
