"""Modules that packages of TensorFlow 1 import by their paths, beside functions: contexts, marks of what is old, sets of objects."""

import functools
import logging

import pytest
import troupe as tf


def _warnings(caplog, function, *args, **kwargs):
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="troupe"):
        function(*args, **kwargs)
    return len([r for r in caplog.records if "deprecated" in r.getMessage()])


@pytest.fixture(autouse=True)
def heard(monkeypatch):
    monkeypatch.setattr(logging.getLogger("troupe"), "propagate", True)


def test_what_is_old_is_told_once(caplog):
    from troupe.python.util import deprecation

    @deprecation.deprecated("2020-01-01", "Use another.")
    def old():
        return 1

    @deprecation.deprecated(None, "Use another.", warn_once=False)
    class Old:
        def __init__(self, a):
            self.a = a

    assert _warnings(caplog, old) == 1 and _warnings(caplog, old) == 0 and old() == 1
    assert _warnings(caplog, Old, 3) == 1 and _warnings(caplog, Old, 3) == 1 and Old(3).a == 3
    with deprecation.silence():
        assert _warnings(caplog, Old, 3) == 0
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        deprecation.deprecated_argument_lookup("axis", 1, "dim", 2)
    assert deprecation.deprecated_argument_lookup("axis", None, "dim", 2) == 2 == deprecation.deprecated_argument_lookup("axis", 2, "dim", None)


def test_old_arguments(caplog):
    from troupe.python.util import deprecation

    @deprecation.deprecated_args(None, "No more.", "a", ("b", None), warn_once=False)
    def function(x, a=None, b=None):
        return x, a, b

    @deprecation.deprecated_arg_values(None, "No more.", warn_once=False, a=True)
    def other(a=False):
        return a

    assert [_warnings(caplog, function, *c) for c in [(1,), (1, 2), (1, 2, 3)]] == [0, 1, 2]
    assert _warnings(caplog, function, 1, b=None) == 0 and _warnings(caplog, function, 1, b=2) == 1
    assert _warnings(caplog, other, True) == 1 and _warnings(caplog, other, a=False) == 0


def test_functions_and_objects():
    from troupe.python import tf2
    from troupe.python.util import all_util, function_utils, object_identity, tf_contextlib

    class Called:
        def __call__(self, a, b, **kwargs):
            return a

    assert function_utils.fn_args(lambda a, b=1: a) == ("a", "b") == function_utils.fn_args(Called())
    assert function_utils.fn_args(functools.partial(lambda a, b, c: a, 1, c=2)) == ("b",)
    assert function_utils.has_kwargs(Called()) and not function_utils.has_kwargs(lambda a: a)
    with pytest.raises(TypeError, match="should be a callable"):
        function_utils.has_kwargs(3)
    assert not tf2.enabled() and "test_functions_and_objects" in all_util.make_all(__name__)
    x, y = tf.constant(1), tf.constant(1)
    kept = object_identity.ObjectIdentitySet([x, y, x])
    kept.discard(y)
    assert list(kept) == [x] and x in kept and y not in kept
    names = object_identity.ObjectIdentityDictionary()
    names[x], names[y] = "x", "y"
    assert len(names) == 2 and names[y] == "y"

    @tf_contextlib.contextmanager
    def one():
        yield 1

    with one() as value:
        assert value == 1


def test_names_in_scopes():
    from troupe.python.framework import ops

    for name, stripped in (("s/a:0", "a:0"), ("^s/a", "^a"), ("loc:@s/a/b", "loc:@a/b"), ("other/s/a", "other/s/a")):
        assert ops.strip_name_scope(name, "s") == stripped == ops.strip_name_scope(name, "s/")
    assert [ops.prepend_name_scope(n, "s") for n in ("a:0", "^a", "loc:@a")] == ["s/a:0", "^s/a", "loc:@s/a"]
    assert ops.strip_name_scope("a", None) == "a" == ops.prepend_name_scope("a", "") and ops.uid() < ops.uid()
    assert not isinstance(tf.constant(1), ops.EagerTensor) and ops.is_dense_tensor_like(tf.constant(1))


def test_collections_of_a_programs_own_messages():
    from troupe.python.framework import ops

    class Named:
        def __init__(self, name):
            self.name = name

    def to_proto(item, export_scope=None):
        return tf.train.BytesList(value=[item.name.encode()])

    ops.register_proto_function("named_things", proto_type=tf.train.BytesList, to_proto=to_proto,
                                from_proto=lambda message, import_scope=None: Named(message.value[0].decode()))
    with pytest.raises(KeyError, match="Registering two"):
        ops.register_proto_function("named_things", proto_type=tf.train.BytesList)
    with tf.Graph().as_default() as graph:
        tf.add_to_collection("named_things", Named("first"))
        meta_graph = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta_graph)
        assert [n.name for n in tf.get_collection("named_things")] == ["first"] and graph is not tf.get_default_graph()


def test_modules_of_functions_have_the_generated_ones():
    from troupe.contrib.eager.python import tfe
    from troupe.python.ops import array_ops, io_ops
    from troupe.python.tpu import tpu_function
    from troupe.python.training import training_ops

    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(array_ops.prevent_gradient([1.0], message="no")).tolist() == [1.0]
        value = tf.Variable([1.0], use_resource=False)
        session.run(value.initializer)
        assert session.run(training_ops.apply_gradient_descent(value._ref(), 0.5, [1.0])).tolist() == [0.5]
        assert callable(io_ops.restore_v2) and callable(io_ops.save_v2)
    with pytest.raises(AttributeError):
        array_ops.no_such_function
    assert not tfe.in_eager_mode() and tpu_function.get_tpu_context().number_of_shards is None


def test_a_class_takes_over_operators_of_tensors():
    class Held:
        def __init__(self, value):
            self._value = value

    def taken(name):
        return lambda self, *args: getattr(tf.Tensor, name)(self._value, *args)

    names = set(tf.Tensor.OVERLOADABLE_OPERATORS) - {"__eq__", "__ne__"}
    assert {"__add__", "__radd__", "__lt__", "__getitem__", "__neg__"} <= names
    for name in names:
        setattr(Held, name, taken(name))
    with tf.Graph().as_default(), tf.Session() as session:
        held = Held(tf.constant([3.0, 4.0]))
        assert session.run([held + 1.0, 1.0 - held, -held, held[1]])[3] == 4.0 and session.run(1.0 - held).tolist() == [-2.0, -3.0]
