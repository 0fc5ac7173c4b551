"""Things that are fetched, run, opened and closed as they should not be."""

import collections

import numpy as np
from program import outcome, show, tf

x = tf.placeholder(tf.float32, [None], name="x")
v = tf.Variable(1.0, name="v")
y = tf.identity(x, name="y")
op = tf.group(v.initializer, name="op")
Pair = collections.namedtuple("Pair", "a b")


class Strange:
    def __getattr__(self, name):
        raise AttributeError(name)


with tf.Graph().as_default():
    foreign = tf.constant(1.0, name="foreign")
    foreign_session = tf.Session()
one = {x: [1.0]}
with tf.Session() as sess:
    sess.run(v.initializer)
    for name, fetch in (
            ("None", None), ("number", 3), ("object", object()), ("strange", Strange()), ("list of None", [None]), ("nested None", {"a": [y, None]}),
            ("empty", []), ("empty dictionary", {}), ("empty tuple", ()), ("nested empty", [[], {"a": ()}]), ("text", "y:0"), ("operation", "op"),
            ("bytes", b"y:0"), ("unknown", "nothing:0"), ("no output", "y:7"), ("operation as tensor", "op:0"), ("bad name", "y:0:0"),
            ("empty name", ""), ("space", " "), ("colon", ":"), ("caret", "^y"), ("foreign", foreign), ("foreign operation", foreign.op),
            ("foreign among", [y, foreign]), ("type", tf.float32), ("shape", y.shape), ("graph", tf.get_default_graph()), ("session", sess),
            ("array", np.zeros(2)), ("array of texts", np.array(["y:0"])), ("set", {y}), ("generator", (z for z in [y])), ("range", range(2)),
            ("function", lambda: y), ("class", tf.Tensor), ("named tuple", Pair(y, [y])), ("ordered", collections.OrderedDict(b=y, a=op)),
            ("default", collections.defaultdict(list, a=y)), ("twice", [y, y]), ("variable", v), ("operations", [op, op]), ("placeholder", x),
            ("slices", tf.IndexedSlices(y, tf.constant([0]))), ("sparse", tf.SparseTensor([[0]], [1.0], [1])), ("bool", True),
            ("inside", {"a": {"b": {"c": [(y,)]}}})):
        show(name, outcome(lambda: str(type(sess.run(fetch, one)).__name__)))
    show("unfed", outcome(lambda: sess.run(y)))
    show("no argument", outcome(lambda: sess.run()))
    show("options", [outcome(lambda: sess.run(y, one, options=o)) is not None for o in (None, tf.RunOptions())])
    show("past", outcome(lambda: sess.run(tf.FIFOQueue(1, [tf.float32]).dequeue(), options=tf.RunOptions(timeout_in_ms=20))))
    show("callable", [outcome(call) for call in (
            lambda: sess.make_callable(None), lambda: sess.make_callable(y, {x: 1}), lambda: sess.make_callable(y, [3])(1.0),
            lambda: sess.make_callable(foreign), lambda: sess.make_callable(y, [x])("a"), lambda: sess.make_callable([])())])
    partial = sess.partial_run_setup([y], [x])
    show("partial", [outcome(call) for call in (
            lambda: sess.partial_run("nothing", y), lambda: sess.partial_run(None, y), lambda: sess.partial_run(partial, v),
            lambda: sess.partial_run(partial, y, {x: "a"}), lambda: sess.partial_run(partial, y, one), lambda: sess.partial_run(partial, y, one),
            lambda: sess.partial_run_setup([None]), lambda: type(sess.partial_run_setup(y)).__name__)])
for name, make in (
            ("target", lambda: tf.Session(3)), ("unknown target", lambda: tf.Session("nowhere")), ("graph", lambda: tf.Session(graph="graph")),
            ("config", lambda: tf.Session(config="config")), ("other message", lambda: tf.Session(config=tf.RunOptions())),
            ("device", lambda: tf.Session(config=tf.ConfigProto(device_count={"CPU": 0}))), ("extra", lambda: tf.Session("", None, None, None))):
    show("open " + name, outcome(lambda: type(make()).__name__))
sess = tf.Session()
sess.close()
sess.close()
for name, use in (
            ("run", lambda: sess.run(v)), ("empty", lambda: sess.run([])), ("eval", lambda: y.eval(one, sess)),
            ("make", lambda: sess.make_callable(y)), ("partial", lambda: sess.partial_run_setup([y], [x])),
            ("devices", lambda: len(sess.list_devices()) > 0),
            ("graph", lambda: sess.graph is tf.get_default_graph())):
    show("closed " + name, outcome(use))

show("no session", [outcome(call) for call in (
            lambda: y.eval(one), lambda: op.run(), lambda: v.eval(), lambda: y.eval(one, "session"), lambda: y.eval(one, foreign_session),
            lambda: foreign.eval(session=foreign_session))])
with tf.Session() as sess:
    show("mixed", [outcome(lambda: sess.run(v)), outcome(lambda: foreign.eval())])
show("types", [outcome(call) for call in (
            lambda: hash(y) is not None, lambda: bool(y), lambda: iter(y), lambda: len(y), lambda: float(y), lambda: int(v), lambda: np.array(y),
            lambda: y[None] is not None, lambda: y["a"], lambda: y[1.5], lambda: y[0, 0], lambda: setattr(y, "name", 1),
            lambda: setattr(y, "shape", [2]), lambda: y.set_shape("a"), lambda: y.set_shape([2, 2]), lambda: y.nothing, lambda: y(), lambda: ~y,
            lambda: y @ y, lambda: y + "a", lambda: y + None, lambda: "a" + y, lambda: y ** [1, 2], lambda: y // object(), lambda: abs(op),
            lambda: v[0], lambda: v.assign("a"), lambda: v.assign([1.0, 2.0]), lambda: v.load("a"), lambda: y in [y], lambda: [y].index(y))])
