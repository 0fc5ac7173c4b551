"""Modules that programs of TensorFlow 1 import by their paths."""

import gzip
import importlib
import struct

import numpy as np
import pytest

import troupe as tf


def test_namespaces_are_imported_by_their_paths():
    import troupe.contrib.slim as slim
    from troupe.contrib import layers
    from troupe.contrib.framework import arg_scope
    from troupe.contrib.slim.nets import resnet_v1
    from troupe.image import resize_images

    assert slim is tf.contrib.slim and layers is tf.contrib.layers and arg_scope is tf.contrib.framework.arg_scope
    assert resnet_v1.resnet_v1_50 is tf.contrib.slim.nets.resnet_v1.resnet_v1_50 and resize_images is tf.image.resize_images
    with pytest.raises(ImportError):
        importlib.import_module("troupe.contrib.none")
    with pytest.raises(ImportError):
        from troupe.contrib.slim import none  # noqa: F401


@pytest.mark.parametrize(
    "path, names",
    [
        ("python.framework.ops", "RegisterGradient GraphKeys get_default_graph convert_to_tensor reset_default_graph Tensor name_scope"),
        ("python.framework.dtypes", "float32 as_dtype"),
        ("python.framework", "ops graph_util dtypes"),
        ("python.ops", "array_ops rnn_cell variable_scope"),
        ("python.ops.math_ops", "matmul reduce_mean sigmoid"),
        ("python.ops.array_ops", "concat where gather_nd placeholder"),
        ("python.ops.rnn_cell_impl", "RNNCell BasicLSTMCell DropoutWrapper"),
        ("python.ops.init_ops", "zeros_initializer constant_initializer"),
        ("python.ops.nn_ops", "conv2d softmax"),
        ("python.training.moving_averages", "assign_moving_average ExponentialMovingAverage"),
        ("python.training.optimizer", "Optimizer"),
        ("python.training.adam", "AdamOptimizer"),
        ("python.platform.gfile", "GFile FastGFile Exists"),
        ("python.platform", "gfile flags app"),
        ("python.util.nest", "flatten pack_sequence_as"),
        ("python.layers.base", "Layer"),
        ("python.saved_model", "builder loader tag_constants"),
        ("python.saved_model.signature_constants", "PREDICT_METHOD_NAME"),
        ("core.framework.graph_pb2", "GraphDef NodeDef"),
        ("core.framework.summary_pb2", "Summary"),
        ("core.protobuf", "config_pb2 meta_graph_pb2"),
        ("contrib.layers.python.layers", "utils layers initializers conv2d"),
        ("contrib.slim.python.slim.learning", "train train_step"),
        ("contrib.layers.python.layers.layers", "batch_norm conv2d"),
        ("contrib.framework.python.ops", "add_arg_scope variables"),
    ],
)
def test_older_paths_have_their_names(path, names):
    module = importlib.import_module(f"troupe.{path}")
    for name in names.split():
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match=f"module 'troupe.{path}' has no attribute 'no_such_name'"):
        module.no_such_name


def test_older_names_are_those_of_the_package():
    from troupe.contrib.slim.python.slim.data.tfexample_decoder import Tensor
    from troupe.core.framework import types_pb2
    from troupe.python.framework import ops
    from troupe.python.ops import control_flow_ops

    assert ops.GraphKeys is tf.GraphKeys and control_flow_ops.cond is tf.cond and Tensor is tf.contrib.slim.tfexample_decoder.Tensor
    assert (types_pb2.DT_FLOAT, types_pb2.DT_INT64, types_pb2.DT_STRING) == (1, 9, 7)


def test_generated_functions_are_ops():
    from troupe.python.ops import gen_array_ops, gen_nn_ops

    x = np.array([[-1.0, 2.0]], "f")
    with tf.Graph().as_default(), tf.Session() as session:
        relu, back = gen_nn_ops.relu(x), gen_nn_ops._relu_grad(np.ones_like(x), x, name="Back")
        pool = gen_nn_ops.max_pool_v2(np.arange(16.0).reshape(1, 4, 4, 1).astype("f"), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        found = session.run([relu, back, gen_array_ops.expand_dims(x, 0), pool])
        assert back.op.name == "Back" and back.op.type == "ReluGrad"
    assert [f.tolist() for f in found[:3]] == [[[0, 2]], [[0, 1]], [[[-1, 2]]]] and found[3].ravel().tolist() == [5, 7, 13, 15]
    with pytest.raises(AttributeError):
        gen_nn_ops.no_such_op


def _write(path, magic, array):
    with gzip.open(path, "wb") as f:
        f.write(struct.pack(f">I{array.ndim}I", magic, *array.shape) + array.astype(np.uint8).tobytes())


def test_pictures_of_digits_are_read_from_a_folder(tmp_path):
    from troupe.examples.tutorials.mnist import input_data

    random = np.random.RandomState(0)
    pictures, labels = random.randint(0, 256, (12, 28, 28)), np.arange(12) % 10
    for kind, n in (("train", 12), ("t10k", 4)):
        _write(tmp_path / f"{kind}-images-idx3-ubyte.gz", 2051, pictures[:n])
        _write(tmp_path / f"{kind}-labels-idx1-ubyte.gz", 2049, labels[:n])
    mnist = input_data.read_data_sets(str(tmp_path), one_hot=True, validation_size=2, seed=1)
    assert [d.num_examples for d in mnist] == [10, 2, 4] and mnist.train.images.shape == (10, 784)
    np.testing.assert_allclose(mnist.test.images[1], pictures[1].ravel() / 255.0, rtol=1e-6)
    first, second, third = (mnist.train.next_batch(4) for _ in range(3))
    seen = np.concatenate([b[1].argmax(1) for b in (first, second, third)])[:10]
    assert sorted(seen) == sorted(labels[2:]) and mnist.train.epochs_completed == 1 and third[0].shape == (4, 784)
    in_order = input_data.read_data_sets(str(tmp_path), reshape=False, dtype=tf.uint8, validation_size=0).train.next_batch(3, shuffle=False)
    np.testing.assert_array_equal(in_order[0][..., 0], pictures[:3])
    assert in_order[1].tolist() == [0, 1, 2]
    with pytest.raises(FileNotFoundError, match="nothing is downloaded"):
        input_data.read_data_sets(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="Validation size should be between 0 and 12"):
        input_data.read_data_sets(str(tmp_path), validation_size=13)
    _write(tmp_path / "t10k-labels-idx1-ubyte.gz", 2051, labels[:4])
    with pytest.raises(ValueError, match="Invalid magic number 2051"):
        input_data.read_data_sets(str(tmp_path))


def test_graphs_are_frozen_and_checkpoints_printed(tmp_path, capsys):
    from troupe.python.tools import freeze_graph, inspect_checkpoint, optimize_for_inference_lib

    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], "x")
        y = tf.identity(tf.matmul(x, tf.get_variable("w", initializer=[[1.0], [2.0]])) + tf.get_variable("b", initializer=0.5), name="y")
        tf.identity(tf.nn.relu(y), name="z")
        session.run(tf.global_variables_initializer())
        checkpoint = tf.train.Saver().save(session, str(tmp_path / "model"))
        tf.train.write_graph(graph, str(tmp_path), "graph.pbtxt")
    common = dict(
        input_saver="",
        input_checkpoint=checkpoint,
        output_node_names="z",
        restore_op_name="save/restore_all",
        filename_tensor_name="save/Const:0",
        clear_devices=True,
        initializer_nodes="",
    )
    frozen = freeze_graph.freeze_graph(str(tmp_path / "graph.pbtxt"), input_binary=False, output_graph=str(tmp_path / "a.pb"), **common)
    again = freeze_graph.freeze_graph("", input_binary=True, output_graph="", input_meta_graph=checkpoint + ".meta", **common)
    assert (tmp_path / "a.pb").read_bytes() == frozen.SerializeToString() and {n.op for n in again.node} == {n.op for n in frozen.node}
    small = optimize_for_inference_lib.optimize_for_inference(frozen, ["y"], ["z"], tf.float32.as_datatype_enum)
    for definition, fed, wanted in ((frozen, {"x:0": [[1, 1], [-9, 0]]}, [[3.5], [0]]), (small, {"y:0": [-1.0, 2.0]}, [0, 2])):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(definition, name="")
            assert session.run("z:0", fed).tolist() == wanted
    assert [n.op for n in small.node][0] == "Placeholder"
    inspect_checkpoint.print_tensors_in_checkpoint_file(checkpoint, "w", all_tensors=False)
    inspect_checkpoint.print_tensors_in_checkpoint_file(checkpoint, None, all_tensors=False, all_tensor_names=True)
    shown = capsys.readouterr().out
    assert "tensor: w (float32) [2, 1]\n[[1.]\n [2.]]" in shown and "tensor: b (float32) []" in shown and "# Total number of params: 3" in shown
    with pytest.raises(ValueError, match="doesn't exist"):
        freeze_graph.freeze_graph(None, input_binary=True, output_graph="", **{**common, "input_checkpoint": "none"})
    with pytest.raises(KeyError, match="none"):
        optimize_for_inference_lib.optimize_for_inference(frozen, ["none"], ["z"], 1)


def test_devices_are_listed():
    from troupe.python.client import device_lib

    names = [d.name for d in device_lib.list_local_devices() if d.device_type == "CPU"]
    assert names == ["/device:CPU:0"]
