"""Fetches and feeds: nests, names, sparse tensors, callables, placeholders with defaults, feeds of what is computed."""

import collections

import numpy as np
from program import show, tf

Point = collections.namedtuple("Point", ["x", "y"])
a = tf.placeholder(tf.float32, [2], name="a")
b = tf.placeholder_with_default(tf.constant([10.0, 20.0]), [None], name="b")
total = tf.add(a, b, name="total")
twice = total * 2.0
sparse = tf.sparse_placeholder(tf.float32, [3, 4])
v = tf.Variable(3.0)

with tf.Session() as sess:
    sess.run(v.initializer)
    show("nest", sess.run({"t": (total, [a, "b:0"]), "p": Point(twice, v), "o": collections.OrderedDict([("z", v), ("y", v)])["z"]}, {a: [1, 2]}))
    point = sess.run(Point(a, {"v": v}), {"a:0": (5, 6)})
    show("point", [type(point).__name__, point.x, point.y["v"]])
    show("defaults", [sess.run(twice, {a: [1, 1]}), sess.run(twice, {a: [1, 1], b: [0.0, 1.0]}), sess.run(twice, {total: [7.0, 8.0]})])
    value = sess.run(sparse, {sparse: tf.SparseTensorValue([[0, 1], [2, 3]], [1.5, 2.5], [3, 4])})
    show("sparse", [value.indices, value.values, value.dense_shape])
    show("same", sess.run([v, v, v.initializer, [], (), {}]))
    call = sess.make_callable([total, twice], [a, b])
    show("callable", [call([1.0, 2.0], [0.5, 0.5]), call(np.zeros(2), [1.0, 1.0])])
    show("strings", sess.run([tf.constant(["one", b"two"]), tf.string_join([["a", "b"], "c"], separator="-")]))
    for fetch, feed, kind in ((total, {}, tf.errors.InvalidArgumentError), (total, {a: [1, 2, 3]}, ValueError), (total, {"q:0": 1}, TypeError),
                              (3.5, {}, TypeError), (total, {a: "text"}, ValueError), (None, {}, TypeError), (total, {a: v}, TypeError),
                              ([total, ["nothing"]], {a: [1, 2]}, ValueError)):
        try:
            sess.run(fetch, feed)
            show("ran", None)
        except Exception as e:
            show("refused", isinstance(e, kind))
