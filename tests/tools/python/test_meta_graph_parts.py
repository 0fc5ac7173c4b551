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
