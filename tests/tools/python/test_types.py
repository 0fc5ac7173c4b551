"""The types of the package as a type checker sees them: every public function has hints, and programs are accepted or refused by them."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest
import troupe

ROOT = pathlib.Path(__file__).resolve().parents[3]

# A line that a checker must refuse ends with the code of its error.
PROGRAM = """
import troupe as tf
from troupe.typing import TensorLike

x = tf.placeholder(tf.float32, [None, 3], name="x")
w: tf.Variable = tf.get_variable("w", shape=[3, 2])
y: tf.Tensor = x @ w + 1
z = -y[0] / 2
close: tf.Tensor = z < 3
loss: tf.Tensor = tf.losses.mean_squared_error(tf.constant([[1.0, 2.0]]), y)
step: tf.Operation = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
step2: tf.Operation = tf.train.AdamOptimizer(learning_rate=0.1).minimize(loss, var_list=[w])
nothing: tf.Operation = tf.no_op(name=3)  # arg-type
none: tf.Operation = tf.constant(1)  # assignment
tf.placeholder()  # call-arg
tf.constant(1, shape=2, nme="n")  # call-arg
size: int = tf.TensorShape([1, 2]).ndims  # assignment
parts: list[tf.Tensor] = tf.split(y, 2, axis=1)
queue = tf.FIFOQueue(10, [tf.float32])
begun: tf.Operation = queue.enqueue([1.0])
data = tf.data.Dataset.range(10).batch(2).map(lambda v: v + 1)
element = data.make_one_shot_iterator().get_next()
unit: tf.Tensor = tf.eye(2, tf.constant(3))
tf.eye([2])  # arg-type
tf.add_n(3)  # arg-type
tf.argmax(y, axis=[0])  # arg-type
total: tf.Tensor = tf.reduce_sum(y, axis=1, keepdims=True)
clipped, length = tf.clip_by_global_norm([y, None], tf.constant(1.0))
tf.clip_by_global_norm(y, 1.0)  # arg-type
w.scatter_nd_update([[0, 0]], [1.0])
w.scatter_max(y)  # arg-type
graph: tf.Graph = w.graph
graph.seed = 3
graph.seed = "a"  # assignment
graph.get_collection([])  # arg-type


def twice(value: TensorLike) -> tf.Tensor:
    return tf.convert_to_tensor(value) * 2


def wrong(value: TensorLike) -> str:
    return tf.convert_to_tensor(value)  # return-value


twice([1, 2.0])
twice({"a": 1})  # arg-type
with tf.Session(config=tf.ConfigProto()) as session:
    session.run([step, loss], feed_dict={x: [[1, 2, 3]]})
    session.run(loss, feed_dict=[x])  # arg-type
    session.run(loss, options=3)  # arg-type
with tf.variable_scope("scope"), tf.name_scope("name"), tf.device("/cpu:0"), tf.control_dependencies([step]):
    twice(w)
"""


@pytest.fixture(scope="module")
def hints():
    spec = importlib.util.spec_from_file_location("hints", ROOT / "tools/python/dev/hints.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_function_has_hints(hints):
    files = sorted((ROOT / "tools/python/troupe").glob("*.py"))
    assert len(files) > 100
    assert [(file.name, *found) for file in files for found in hints.unhinted(file)] == []


def test_a_function_without_hints_is_found(hints, tmp_path):
    file = tmp_path / "some.py"
    file.write_text("def f(a: int, b) -> None: pass\ndef _g(a): pass\nclass C:\n    def h(self): pass\n")
    assert hints.unhinted(file) == [(1, "f", "b"), (4, "C.h", "what it returns")]


def test_a_private_class_counts_where_a_public_one_is_made_of_it(hints, tmp_path):
    file = tmp_path / "some.py"
    file.write_text("class _A:\n    def __init__(self, a): pass\nclass _B:\n    def f(self, a): pass\nclass C(_A): pass\n")
    assert hints.unhinted(file) == [(2, "_A.__init__", "a, what it returns")]


def test_hints_name_what_is_there(hints, tmp_path):
    assert [(file.name, *found) for file in sorted((ROOT / "tools/python/troupe").glob("*.py")) for found in hints.unknown(file)] == []
    file = tmp_path / "some.py"
    file.write_text("from os import PathLike as P\ndef f(a: P | Nothing, *b: int) -> list[Other]: ...\nc: Missing = 3\n")
    assert hints.unknown(file) == [(2, "Nothing"), (2, "Other"), (3, "Missing")]


def test_the_package_says_that_it_has_types():
    assert pathlib.Path(troupe.__file__).with_name("py.typed").exists()


def test_a_checker_takes_what_is_right_and_refuses_what_is_wrong(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    run = subprocess.run([sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"),
                          str(program)], capture_output=True, text=True, cwd=tmp_path, check=False,
                         env={"PATH": "/usr/bin:/bin", "MYPYPATH": str(pathlib.Path(troupe.__file__).parent.parent)})
    found = sorted((int(line), code) for line, code in re.findall(r"^program\.py:(\d+): error: .*\[([a-z-]+)\]$", run.stdout, re.M))
    wanted = sorted((number, m[1]) for number, line in enumerate(PROGRAM.split("\n"), 1) if (m := re.search(r"  # ([a-z-]+)$", line)))
    assert found == wanted, run.stdout + run.stderr
