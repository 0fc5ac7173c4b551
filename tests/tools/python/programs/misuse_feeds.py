"""Values that are fed and should not be, and strange ones that may: of other types, shapes, orders of bytes and memory, and no arrays at all."""

import array
import collections
import decimal
import fractions

import numpy as np
from program import outcome, show, tf

x = tf.placeholder(tf.float32, [None, 2], name="x")
s = tf.placeholder(tf.float32, [], name="s")
i = tf.placeholder(tf.int32, [None], name="i")
t = tf.placeholder(tf.string, [None], name="t")
b = tf.placeholder(tf.bool, [None], name="b")
c = tf.placeholder(tf.complex64, [], name="c")
u = tf.placeholder(tf.uint8, None, name="u")
h = tf.placeholder(tf.float16, [None], name="h")
sparse = tf.sparse_placeholder(tf.float32, name="sparse")
xs, ss, is_, ts, bs, cs, us, hs = (tf.identity(v) for v in (x, s, i, t, b, c, u, h))
dense = tf.sparse_tensor_to_dense(sparse)
matrix = np.arange(12.0, dtype=np.float32).reshape(6, 2)


class Arrayed:
    def __array__(self, dtype=None, copy=None):
        return np.array([[5.0, 6.0]], dtype)


class Numbered:
    def __float__(self):
        return 7.0


Pair = collections.namedtuple("Pair", "a b")
FEEDS = [
    ("other shape", xs, {x: [1.0, 2.0]}), ("other rank", ss, {s: [[1.0]]}), ("vector of one", ss, {s: [3.0]}),
    ("ragged", xs, {x: [[1.0], [2.0, 3.0]]}), ("text for a number", ss, {s: "one"}), ("digits for a number", ss, {s: "1.5"}),
    ("bytes for a number", ss, {s: b"1"}), ("None", ss, {s: None}), ("list of None", xs, {x: [[None, None]]}),
    ("object array", xs, {x: np.array([[1.0, 2.0]], object)}), ("array of objects", xs, {x: np.array([[object(), 1]], object)}),
    ("a tensor", ss, {s: tf.constant(1.0)}), ("a variable", ss, {s: tf.Variable(1.0)}), ("a generator", i, {i: (n for n in range(3))}),
    ("a range", is_, {i: range(3)}), ("a set", is_, {i: {1, 2}}), ("a dictionary", is_, {i: {1: 2}}), ("a map", is_, {i: map(int, "12")}),
    ("a tuple", is_, {i: (1, 2)}), ("a named tuple", is_, {i: Pair(1, 2)}), ("a deque", is_, {i: collections.deque([1, 2])}),
    ("an array", is_, {i: array.array("i", [4, 5])}), ("a memoryview", us, {u: memoryview(b"ab")}), ("bytes as bytes", us, {u: b"ab"}),
    ("a decimal", ss, {s: decimal.Decimal("1.5")}), ("a fraction", ss, {s: fractions.Fraction(3, 2)}), ("what is an array", xs, {x: Arrayed()}),
    ("what is a number", ss, {s: Numbered()}), ("bool for float", ss, {s: True}), ("float for int", is_, {i: [1.5]}),
    ("float array for int", is_, {i: np.array([1.5, -2.5])}), ("large for int32", is_, {i: [2**31]}),
    ("large array for int32", is_, {i: np.array([2**31 + 1])}), ("too large", is_, {i: [2**70]}),
    ("negative for uint8", us, {u: np.array([-1, 300])}), ("-1 for uint8", us, {u: -1}), ("NaN", tf.is_nan(ss), {s: float("nan")}),
    ("infinity", ss, {s: -np.inf}), ("large for float", ss, {s: 1e300}), ("complex array for float", ss, {s: np.array(1 + 2j)}),
    ("float for complex", cs, {c: 2.0}), ("int for bool", bs, {b: [0, 2]}), ("text for bool", bs, {b: ["", "a"]}),
    ("texts", ts, {t: ["ä", b"\x00a"]}), ("array of texts", ts, {t: np.array(["a", "bcd"])}),
    ("array of bytes", ts, {t: np.array([b"a", b"b\x00"])}), ("mixed texts", ts, {t: np.array(["a", b"b"], object)}),
    ("turned", xs, {x: matrix.T[:, :6].T}), ("strided", xs, {x: matrix[::-2]}), ("by columns", xs, {x: np.asfortranarray(matrix)[:2]}),
    ("swapped bytes", xs, {x: matrix.astype(">f4")[:2]}), ("swapped whole numbers", is_, {i: np.array([1, 2], ">i4")}),
    ("read only", xs, {x: np.broadcast_to(np.float32(3), (2, 2))}),
    ("not aligned", xs, { x: np.frombuffer(b"\0" + matrix[:1].tobytes(), np.uint8)[1:].view(np.float32).reshape(1, 2)}),
    ("empty", xs, {x: np.zeros((0, 2))}), ("empty list", xs, {x: []}), ("empty texts", ts, {t: []}), ("zero wide", xs, {x: np.zeros((3, 0))}),
    ("scalar array", ss, {s: np.array(2)}), ("half", hs, {h: [65504.0, 1e6, 1e-8]}), ("structured", ss, {s: np.zeros((), [("a", np.float32)])}),
    ("dates", is_, {i: np.array(["2020-01-01"], "M8[D]")}), ("record", us, {u: np.zeros(2, [("a", np.uint8)])}),
    ("matrix class", xs, {x: np.matrix([[1.0, 2.0]])}), ("masked", xs, {x: np.ma.array([[1.0, 2.0]], mask=[[True, False]])}),
    ("itself in itself", is_, None), ("deep", us, {u: [[[[[[1]]]]]]}), ("65 deep", us, None), ("unknown name", ss, {"nothing:0": 1.0}),
    ("operation name", ss, {"s": 1.0}), ("no name", ss, {"": 1.0}), ("number as name", ss, {3: 1.0}), ("None as name", ss, {None: 1.0}),
    ("list as feeds", ss, [(s, 1.0)]), ("text as feeds", ss, "s:0"), ("number as feeds", ss, 3), ("operation as key", ss, {s.op: 1.0}),
    ("pair as key", ss, {(s, i): (1.0, np.array([1]))}), ("short pair", ss, {(s, i): (1.0,)}), ("nothing", ss, {}), ("None as feeds", ss, None),
    ("a constant", tf.constant(1.0) + 0.0, {}), ("not a SparseTensorValue", dense, {sparse: [1.0]}),
    ("short SparseTensorValue", dense, {sparse: ([[0]], [1.0])}),
    ("SparseTensorValue", dense, {sparse: tf.SparseTensorValue([[0, 1]], [4.0], [1, 2])}),
    ("unordered", dense, {sparse: ([[1], [0]], [1.0, 2.0], [2])}), ("outside", dense, {sparse: ([[5]], [1.0], [2])}),
    ("negative size", dense, {sparse: (np.zeros((0, 1)), [], [-1])}), ("dense for sparse", dense, {sparse: np.eye(2)})]
itself = []
itself.append(itself)
deep = 1
for _ in range(65):
    deep = [deep]
LATE = {"itself in itself": {i: itself}, "65 deep": {u: deep}}
with tf.Session() as sess:
    for name, fetch, feed in FEEDS:
        show(name, outcome(lambda: str(np.asarray(sess.run(fetch, LATE.get(name, feed))).tolist())))
    show("still there", sess.run(ss, {s: 1.0}))
    with tf.Graph().as_default():
        other = tf.placeholder(tf.float32, [])
    show("another graph's", outcome(lambda: sess.run(ss, {other: 1.0})))
    many = {s: 1.0, "s:0": 2.0}
    show("twice", outcome(lambda: sess.run(ss, many)))
