"""Graphs with their collections, by the paths of TensorFlow's modules."""

import numpy as np
import pytest
import troupe as tf
from troupe.python.framework import function, meta_graph, tensor_util


def _model():
    with tf.name_scope("in"):
        value = tf.Variable([1.0, 2.0], name="value")
        tf.multiply(value, 2.0, name="y")
    return value


def test_a_scope_is_exported_and_comes_back(tmp_path):
    with tf.Graph().as_default() as graph:
        value = _model()
        made, variables = meta_graph.export_scoped_meta_graph(str(tmp_path / "graph.pb"), graph=graph, export_scope="in")
    assert variables == {"value:0": value} and "value" in {n.name for n in made.graph_def.node}
    with tf.Graph().as_default(), tf.Session() as session:
        variables, (y,) = meta_graph.import_scoped_meta_graph_with_return_elements(str(tmp_path / "graph.pb"), import_scope="there",
                                                                                  return_elements=["y:0"])
        assert variables["value:0"].name == "there/value:0" and y.name == "there/y:0"
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [2.0, 4.0]


def test_copies():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        _model()
        variables = meta_graph.copy_scoped_meta_graph("in", "copy")
        assert list(variables) == ["value:0"] and len(tf.global_variables()) == 2
        session.run(tf.global_variables_initializer())
        assert session.run("copy/y:0").tolist() == [2.0, 4.0]
        with pytest.raises(ValueError, match="need to be different"):
            meta_graph.copy_scoped_meta_graph("in", "in")
        other = tf.Graph()
        assert meta_graph.copy_scoped_meta_graph("in", "in", graph, other)["value:0"].graph is other


def test_ops_of_a_graph():
    @function.Defun(tf.float32)
    def double(x):
        return tf.sqrt(x) * 2.0

    with tf.Graph().as_default() as graph:
        double(tf.constant(1.0))
        graph_def = graph.as_graph_def()
    used = meta_graph.ops_used_by_graph_def(graph_def)
    assert {"Const", "Sqrt", "Mul"} <= used and not any("double" in op for op in used)
    assert [op.name for op in meta_graph.stripped_op_list_for_graph(graph_def).op] == sorted(used)
    graph_def.node.add(name="n", op="NoSuchOp")
    with pytest.raises(RuntimeError, match="NoSuchOp"):
        meta_graph.stripped_op_list_for_graph(graph_def)


def test_a_collection_is_added():
    with tf.Graph().as_default() as graph:
        tf.add_to_collection("numbers", 3)
        made = tf.MetaGraphDef()
        meta_graph.add_collection_def(made, "numbers", graph)
        meta_graph.add_collection_def(made, "others", graph, override_contents=["a"])
    assert list(made.collection_def["numbers"].int64_list.value) == [3] and list(made.collection_def["others"].bytes_list.value) == [b"a"]
    with pytest.raises(TypeError, match="must be of type Graph"):
        meta_graph.add_collection_def(made, "numbers", "graph")


def test_messages_of_tensors():
    made = tensor_util.make_tensor_proto([[1, 2]])
    assert tensor_util.ShapeEquals(made, [1, 2]) and not tensor_util.ShapeEquals(made, tf.TensorShape([2, 1]).as_proto())
    assert tensor_util.TensorShapeProtoToList(made.tensor_shape) == [1, 2] and np.array_equal(tensor_util.MakeNdarray(made), [[1, 2]])
    with pytest.raises(TypeError, match="list or tuple"):
        tensor_util.ShapeEquals(made, 3)
    assert tensor_util.is_tf_type(tf.constant(1)) and not tensor_util.is_tf_type(1)


@pytest.mark.parametrize("stripped", [False, True])
def test_attrs_that_are_as_by_default_are_taken_out_where_asked(stripped):
    @function.Defun(tf.float32)
    def square(a):
        return tf.matmul(a, a)

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        square(tf.matmul(x, x, transpose_a=True, name="y"))
        v = tf.get_variable("v", initializer=1.0, use_resource=False)
        made = tf.train.Saver([v]).export_meta_graph(strip_default_attrs=stripped)
    # As TensorFlow 2.21 leaves them.
    attrs = {n.name: {a for a in n.attr if not a.startswith("_")} for n in made.graph_def.node}
    assert attrs["x"] == {"dtype", "shape"}
    assert attrs["y"] == {"T", "transpose_a"} | (set() if stripped else {"transpose_b", "grad_a", "grad_b"})
    assert attrs["v"] == {"dtype", "shape"} | (set() if stripped else {"container", "shared_name"})
    assert attrs["v/Assign"] == {"T"} | (set() if stripped else {"use_locking", "validate_shape"})
    inner = [n for f in made.graph_def.library.function for n in f.node_def if n.op == "BatchMatMulV2"]
    assert [{a for a in n.attr if not a.startswith("_")} for n in inner] == [
        {"T"} | (set() if stripped else {"adj_x", "adj_y", "grad_x", "grad_y"})]
    assert made.meta_info_def.stripped_default_attrs == stripped
    names = [op.name for op in made.meta_info_def.stripped_op_list.op]
    assert names == sorted(names) and {"MatMul", "BatchMatMulV2", "VariableV2", "SaveV2"} <= set(names)
    # The graph means the same.
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(made)
        assert session.run("y:0", {"x:0": [[1.0, 2.0], [3.0, 4.0]]}).tolist() == [[10.0, 14.0], [14.0, 20.0]]


def test_saved_models_can_leave_defaults_out(tmp_path):
    for name, stripped in (("whole", False), ("stripped", True)):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), name="y")
            builder = tf.saved_model.Builder(str(tmp_path / name))
            builder.add_meta_graph_and_variables(session, ["serve"], strip_default_attrs=stripped)
            builder.add_meta_graph(["train"], strip_default_attrs=stripped)
            builder.save()
        for tags in (["serve"], ["train"]):
            with tf.Graph().as_default(), tf.Session() as session:
                made = tf.saved_model.load(session, tags, str(tmp_path / name))
                y = next(n for n in made.graph_def.node if n.name == "y")
                assert ("transpose_a" in y.attr) != stripped and made.meta_info_def.stripped_default_attrs == stripped
                assert session.run("y:0").tolist() == [[2.0, 2.0], [2.0, 2.0]]
