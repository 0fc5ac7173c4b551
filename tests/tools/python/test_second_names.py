"""Functions by the names that TensorFlow's modules have for them, which its own tests and packages call."""

import importlib
import inspect
import re

import numpy as np
import pytest
import troupe as tf
from troupe import import_paths, second_names_later, second_order
from troupe.import_paths_modules import MODULES
from troupe.python.framework import tensor_conversion
from troupe.python.ops import array_ops, check_ops, list_ops, math_ops, nn_impl, nn_ops, resource_variable_ops, resources, variable_v1, while_loop


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.mark.parametrize("name", sorted(second_order.NAMED))
def test_each_is_made(name):
    path, parameters, target, _ = second_order.NAMED[name]
    made = getattr(second_names_later, name)
    assert made.__name__ == path.rpartition(".")[2] and f"`tf.{target}`" in made.__doc__
    names = list(inspect.signature(made).parameters)
    assert len(names) == len(re.findall(r"(?:^|, )[a-zA-Z]", parameters))
    # All that the other function is told are parameters of it.
    other = inspect.signature(import_paths.attribute(target))
    taken = [p.partition("=")[0].partition(":") for p in re.split(r", (?=[a-zA-Z])", parameters)]
    other.bind(**dict.fromkeys(theirs or ours for ours, _, theirs in taken))
    with pytest.raises(TypeError, match="positional arguments but|positional argument but"):
        made(*range(len(names) + 1))


@pytest.mark.parametrize("path, name", [
    ("array_ops", "expand_dims_v2"), ("check_ops", "assert_equal_v2"), ("functional_ops", "scan_v2"), ("image_ops_impl", "crop_and_resize_v1"),
    ("math_ops", "argmax_v2"), ("nn_impl", "nce_loss_v2"), ("nn_ops", "softmax_v2"), ("sparse_ops", "sparse_concat_v2"),
    ("string_ops", "string_length_v2"), ("numerics", "verify_tensor_all_finite_v2"), ("while_loop", "while_loop_v2")])
def test_modules_have_them(path, name):
    assert getattr(importlib.import_module(f"troupe.python.ops.{path}"), name) is getattr(second_names_later, name)


def test_ops_of_a_second_version_are_not_taken_for_them():
    assert not {"add_v2", "concat_v2", "split_v2", "segment_sum_v2", "segment_mean_v2", "length_v2"} & second_order.NAMED.keys()


@pytest.mark.parametrize("path", sorted(MODULES))
def test_each_path_is_there(path):
    assert importlib.import_module(f"troupe.{path}").__name__


def test_arguments_in_the_second_order(session):
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    kernel = np.ones([2, 2, 1, 1], np.float32)
    first = tf.nn.conv2d(x, kernel, strides=[1, 2, 2, 1], padding="VALID")
    assert np.array_equal(*session.run([first, nn_ops.conv2d_v2(x, kernel, [1, 2, 2, 1], "VALID", "NHWC")]))
    assert session.run(nn_ops.convolution_v2(x, kernel)).shape == (1, 3, 3, 1)
    mean, variance = session.run(nn_impl.moments_v2(x, [1, 2], None, True))
    assert mean.shape == variance.shape == (1, 1, 1, 1) and mean.ravel()[0] == 7.5
    assert session.run(math_ops.count_nonzero_v2([[1, 0], [2, 3]], 1, True)).tolist() == [[1], [2]]
    assert session.run(array_ops.space_to_batch_v2(x, [2, 2], [[0, 0], [0, 0]])).shape == (4, 2, 2, 1)
    assert session.run(tensor_conversion.convert_to_tensor_v2(3, tf.int64, None, "three")).dtype == np.int64
    assert session.run(check_ops.assert_positive_v2([1, 2], "message")) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="not so"):
        session.run(check_ops.assert_positive_v2(tf.placeholder_with_default([0], [1]), "not so"))
    with pytest.raises(TypeError, match="multiple values for argument 'axis'"):
        math_ops.count_nonzero_v2([1], 0, axis=0)
    assert session.run(while_loop.while_loop_v2(lambda i: i < 5, lambda i: [i + 1], [0])) == [5]


def test_names_of_their_own_code(session):
    assert session.run(math_ops.reduced_shape([2, 3, 4], [-1, 0])).tolist() == [1, 3, 1]
    assert array_ops.get_positive_axis(-1, 3) == 2
    for axis, rank, error in ((1.5, 3, TypeError), (3, 3, ValueError), (-1, None, ValueError)):
        with pytest.raises(error):
            array_ops.get_positive_axis(axis, rank)
    assert session.run(array_ops.size_internal([[1, 2]], out_type=tf.int64)) == 2 and session.run(array_ops.rank_internal([[1]])) == 2
    assert session.run(array_ops.repeat_with_axis([1, 2], [2, 1], 0)).tolist() == [1, 1, 2]
    assert session.run(array_ops.convert_to_int_tensor(3, "n", tf.int64)) == 3
    with pytest.raises(TypeError, match="integer tensor"):
        array_ops.convert_to_int_tensor(3.0, "n")
    assert variable_v1.VariableV1 is tf.Variable
    assert resource_variable_ops.is_resource_variable(tf.Variable(1, use_resource=True))
    assert not resource_variable_ops.is_resource_variable(tf.Variable(1, use_resource=False))


def test_lists_of_tensors(session):
    made = list_ops.tensor_list_from_tensor([[1.0, 2.0], [3.0, 4.0]], [2])
    made = list_ops.tensor_list_push_back(made, [5.0, 6.0])
    less, last = list_ops.tensor_list_pop_back(made, tf.float32)
    assert session.run([list_ops.tensor_list_length(less), last[0]]) == [2, 5.0]
    changed = list_ops.tensor_list_set_item(less, 0, [0.0, 0.0])
    assert session.run(list_ops.tensor_list_stack(changed, tf.float32)).tolist() == [[0.0, 0.0], [3.0, 4.0]]
    assert session.run(list_ops.tensor_list_get_item(less, 1, tf.float32)).tolist() == [3.0, 4.0]
    assert session.run(list_ops.tensor_list_gather(made, [2, 0], tf.float32)).tolist() == [[5.0, 6.0], [1.0, 2.0]]
    scattered = list_ops.tensor_list_scatter([1, 2], [2, 0], element_shape=[])
    assert session.run(list_ops.tensor_list_stack(scattered, tf.int32, element_shape=[])).tolist() == [2, 0, 1]
    into = list_ops.tensor_list_scatter([7], [1], input_handle=scattered)
    assert session.run(list_ops.tensor_list_stack(into, tf.int32, element_shape=[])).tolist() == [2, 7, 1]
    parts = list_ops.tensor_list_split([1, 2, 3], [None], [1, 2])
    assert session.run(list_ops.tensor_list_concat(parts, tf.int32)).tolist() == [1, 2, 3]
    reserved = list_ops.tensor_list_reserve([None], 2, tf.float32)
    assert session.run(list_ops.tensor_list_length(reserved)) == 2
    empty = list_ops.empty_tensor_list([], tf.int32, max_num_elements=1)
    one = list_ops.tensor_list_push_back(empty, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="max"):
        session.run(list_ops.tensor_list_length(list_ops.tensor_list_push_back(one, 2)))


def test_resources_that_are_made_like_variables(session):
    made = tf.Variable(False)
    handle = tf.constant("a", name="a")
    resources.register_resource(handle, made.assign(True).op, made.read_value())
    session.run(made.initializer)
    assert resources.local_resources() == [] and resources.shared_resources()[0].handle is handle
    report = resources.report_uninitialized_resources()
    assert session.run(report).tolist() == [b"a:0"]
    session.run(resources.initialize_resources(resources.shared_resources()))
    assert session.run(report).size == 0 and session.run(resources.report_uninitialized_resources([])).size == 0
    assert resources.initialize_resources([]).type == "NoOp"
