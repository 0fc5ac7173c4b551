"""tf.print, into a file; kinds of variables that nobody says."""

import os
import sys
import tempfile

import numpy as np
from program import show, tf

path = os.path.join(tempfile.mkdtemp(), "printed")
stream = "file://" + path
a = tf.constant([[1.0, 2.5], [3.0, 4.0]])
long = tf.range(10)
sparse = tf.SparseTensor([[0, 1], [2, 0]], [1, 2], [3, 2])
v = tf.Variable(3, name="v")
printed = {
    "a tensor": lambda: tf.print(a, output_stream=stream), "several": lambda: tf.print("a:", a, 3, None, 2.5, output_stream=stream),
    "short": lambda: tf.print(long, summarize=2, output_stream=stream), "all": lambda: tf.print(long, summarize=-1, output_stream=stream),
    "separated": lambda: tf.print("x", long[:2], "{}", sep=", ", end="!", output_stream=stream), "a text": lambda: tf.print(tf.constant("words"), output_stream=stream),
    "texts": lambda: tf.print(tf.constant(["a", "b"]), output_stream=stream), "nests": lambda: tf.print({"b": long[:3], "a": [1, a[0]]}, (long[0], "t"), output_stream=stream),
    "sparse": lambda: tf.print("s", sparse, output_stream=stream), "nothing": lambda: tf.print(output_stream=stream), "an array": lambda: tf.print(np.array([1, 2]), output_stream=stream),
    "a variable": lambda: tf.print(v, output_stream=stream), "truth": lambda: tf.print(tf.constant([True, False]), tf.constant(7), output_stream=stream),
}


def failure(function):
    try:
        function()
    except (ValueError, TypeError) as e:
        return type(e).__name__
    return None


with tf.Session() as session:
    session.run(v.initializer)
    for name, make in printed.items():
        open(path, "w").close()
        session.run(make())
        with open(path) as file:
            show(name, file.read())
    with tf.control_dependencies([tf.print("first", output_stream=stream)]):
        session.run(tf.identity(a))
    with open(path) as file:
        show("waited for", file.read())
show("streams", [tf.print("x", output_stream=s).get_attr("output_stream") for s in (sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error)])
show("failures", [failure(lambda: tf.print("x", output_stream="nowhere")), failure(lambda: tf.print("x", output_stream=3))])
kinds = [tf.resource_variables_enabled(), tf.Variable(1.0).op.type]
tf.enable_resource_variables()
kinds += [tf.resource_variables_enabled(), tf.Variable(1.0).op.type, tf.get_variable("x", []).op.type, tf.get_variable("y", [], use_resource=False).op.type]
definition = tf.train.export_meta_graph()
with tf.Graph().as_default():
    tf.train.import_meta_graph(definition)
    kinds += [u.op.type for u in tf.global_variables()]
tf.disable_resource_variables()
kinds += [tf.resource_variables_enabled(), tf.Variable(1.0).op.type]
show("kinds", kinds)
