"""Arguments of functions that few programs give: tensors for numbers, lists of paddings, unknown ranks, nests with sparse tensors in them."""

import collections

import numpy as np
from program import outcome, show, tf

Pair = collections.namedtuple("Pair", "a b")
session = tf.Session()
n = tf.placeholder(tf.int32, [], name="n")
f = tf.placeholder(tf.float32, [], name="f")
text = tf.placeholder(tf.string)

show("eye", [session.run(tf.eye(2, n), {n: 3}), session.run(tf.eye(n, 3), {n: 2}), session.run(tf.eye(n), {n: 2}), session.run(tf.eye(3, 2)),
             session.run(tf.eye(2, n, batch_shape=[2]), {n: 1}), session.run(tf.eye(2, 3, batch_shape=tf.constant([2])))])
show("shapes of eye", [tf.eye(2, n).shape.as_list(), tf.eye(tf.constant(2), tf.constant(3)).shape.as_list(), tf.eye(2, 2).op.name, tf.eye(2, 3).op.name])
show("eye's errors", [outcome(lambda: tf.eye(2.0, 3)), outcome(lambda: tf.eye("a")), outcome(lambda: tf.eye(2, -1))])

pair = [tf.constant([3.0, 4.0]), None]
clipped = tf.clip_by_global_norm(pair, f)
show("clip by a tensor", session.run([clipped[0][0], clipped[1]], {f: 1.0}))
clipped = tf.clip_by_global_norm(pair, 1.0, use_norm=f)
show("of a length that is given", session.run([clipped[0][0], clipped[1]], {f: 10.0}))
rows = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([2]), tf.constant([5, 2]))
clipped = tf.clip_by_global_norm([rows], tf.Variable(2.0, name="limit").initialized_value())
show("rows", session.run([clipped[0][0].values, clipped[0][0].indices]))
show("names", [clipped[1].op.name, clipped[0][0].values.op.name, tf.global_norm(pair).op.name])
show("not a list", [outcome(lambda: tf.clip_by_global_norm(3, 1.0)), outcome(lambda: tf.global_norm(tf.constant([1.0]))),
                    outcome(lambda: tf.clip_by_global_norm(pair, tf.constant(1.0, tf.float64)))])
show("infinite", np.isnan(session.run(tf.clip_by_global_norm([tf.constant([np.inf, 1.0])], 1.0)[0][0])))

show("ngrams", [session.run(tf.strings.ngrams(v, w)) for v, w in (
    (["a", "b", "c"], 2), ([["a", "b", "c"]], [1, 2]), ([[["a", "b", "c"], ["d", "e", "f"]]], 2))])
show("ngrams' errors", [outcome(lambda: tf.strings.ngrams(text, 2)), outcome(lambda: tf.strings.ngrams(tf.constant("a"), 2))])

verified = lambda *args, **kwargs: outcome(lambda: tf.make_tensor_proto(*args, **kwargs).tensor_shape.dim[0].size)
show("make_tensor_proto", [verified([1, 2], shape=[3]), verified([1, 2], shape=[3], verify_shape=True), verified([1, 2], shape=[2], verify_shape=True),
                           verified([[1, 2]], shape=[2], verify_shape=True), verified([1, 2, 3], shape=[2], verify_shape=True),
                           verified([1, 2, 3], shape=[2]), verified([1, 2], shape=[3], allow_broadcast=True),
                           verified(1, shape=[3], allow_broadcast=True), verified(1, shape=[3], allow_broadcast=True, verify_shape=True),
                           verified(tf.make_tensor_proto([1, 2, 3]))])
show("constants", [outcome(lambda: tf.constant([1, 2, 3], shape=[2], verify_shape=True)), outcome(lambda: tf.constant([1, 2], shape=[2], verify_shape=True))])

image, kernel, out = tf.ones([1, 4, 4, 2]), tf.reshape(tf.range(54.0), [3, 3, 2, 3]), tf.ones([1, 5, 4, 3])
paddings = [[0, 0], [2, 1], [1, 1], [0, 0]]
show("paddings", session.run([
    tf.nn.conv2d_backprop_input([1, 4, 4, 2], kernel, out, [1, 1, 1, 1], paddings),
    tf.nn.conv2d_backprop_filter(image, [3, 3, 2, 3], out, [1, 1, 1, 1], paddings),
    tf.nn.depthwise_conv2d_native_backprop_input([1, 4, 4, 2], kernel[..., :1], out[..., :2], [1, 1, 1, 1], paddings),
    tf.nn.depthwise_conv2d_native_backprop_filter(image, [3, 3, 2, 1], out[..., :2], [1, 1, 1, 1], paddings),
    tf.nn.max_pool(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, [[0, 0], [1, 1], [0, 1], [0, 0]])]))
conv = lambda p, op=tf.nn.conv2d: outcome(lambda: op(image, kernel, [1, 1, 1, 1], p))
show("paddings' errors", [conv(p) for p in ([[0, 0], [1, 1]], [[0, 0], [1, 1], [1], [0, 0]], "FULL", "EXPLICIT", 7, None, [], [[1, 1]] * 4)])
volume = lambda p: outcome(lambda: tf.nn.conv3d(tf.ones([1, 3, 3, 3, 1]), tf.ones([1, 1, 1, 1, 1]), [1] * 5, p))
show("of volumes", [volume("SAME"), volume([[0, 0]] * 5), outcome(lambda: tf.nn.conv3d_backprop_filter_v2(
    tf.ones([1, 3, 3, 3, 1]), [1] * 5, tf.ones([1, 3, 3, 3, 1]), [1] * 5, [[0, 0]] * 5))])

axes = tf.placeholder(tf.int32, [1])
moments = tf.nn.moments(tf.constant([[1.0, 2.0, 6.0], [3.0, 4.0, 5.0]]), axes, keep_dims=True)
show("moments", session.run(moments, {axes: [1]}))
v = tf.Variable([1.0, 2.0], name="v")
for name, optimizer in (("descent", tf.train.GradientDescentOptimizer(lambda: 0.5)), ("momentum", tf.train.MomentumOptimizer(lambda: 0.5, lambda: 0.9)),
                        ("Adam", tf.train.AdamOptimizer(lambda: 0.5, lambda: 0.9)), ("RMSProp", tf.train.RMSPropOptimizer(lambda: 0.5)),
                        ("Adagrad", tf.train.AdagradOptimizer(lambda: 0.5)), ("Adadelta", tf.train.AdadeltaOptimizer(lambda: 0.5))):
    step = optimizer.minimize(tf.reduce_sum(v * v))
    session.run(tf.global_variables_initializer())
    session.run(step)
    show(f"{name} by functions", session.run(v))

show("linspace", session.run([tf.linspace(0.0, 1.0, 5), tf.linspace([0.0, 1.0], [2.0, 4.0], 5), tf.linspace([0.0, 1.0], [2.0, 4.0], 3, axis=-1),
                              tf.linspace(0, 10, 3)]))
show("top_k", [session.run(tf.nn.top_k([1.0, 3.0, 2.0], 2, index_type=tf.int64)), tf.nn.top_k([1.0, 3.0], index_type=tf.int64).indices.dtype.name])
blocks = tf.reshape(tf.range(16.0), [1, 2, 2, 4])
show("blocks", [session.run(tf.nn.depth_to_space(blocks, 2, "d")), tf.nn.space_to_depth(blocks, 2, "s").op.name])
show("ragged", [session.run(tf.RaggedTensor.from_tensor([[[1, 2], [3, 0]], [[4, 0], [0, 0]]], padding=0, ragged_rank=2)).to_list(),
                session.run(tf.RaggedTensor.from_tensor([[[1, 2], [3, 0]]], ragged_rank=2)).to_list(),
                outcome(lambda: tf.RaggedTensor.from_tensor([[1]], ragged_rank=0)), outcome(lambda: tf.RaggedTensor.from_tensor([[1]], ragged_rank=2)),
                tf.ragged.constant_value(3, dtype=tf.int64).tolist(), tf.ragged.constant_value("a", dtype=tf.string).tolist(),
                outcome(lambda: tf.ragged.constant_value(3, ragged_rank=1)), outcome(lambda: tf.ragged.constant_value(3, inner_shape=[1])),
                tf.ragged.constant(3, name="of_one").op.name])

sparse = tf.SparseTensor([[0, 1]], [5], [2, 2])
nested = {"b": [sparse, 1], "a": (2, Pair(3, 4))}
flat = tf.nest.flatten(nested, expand_composites=True)
show("nests", [len(flat), len(tf.nest.flatten(nested)), tf.nest.is_nested(nested),
               session.run(tf.nest.pack_sequence_as(nested, flat, expand_composites=True)["b"][0]).values,
               session.run(tf.nest.map_structure(lambda t: t * 2, [sparse], expand_composites=True)[0]).indices,
               tf.nest.map_structure(lambda x, y: x + y, {"a": [1, 2]}, {"a": [3, 4]})])
same = lambda *nests, **kwargs: outcome(lambda: tf.nest.assert_same_structure(*nests, **kwargs))
show("alike", [same([1], (1,)), same([1], (1,), check_types=False), same([1], [1, 2]), same([1], [[1]]), same({"a": 1}, {"b": 1}),
               same({"a": 1}, collections.OrderedDict(a=1)), same(Pair(1, 2), (1, 2)), same(Pair(1, 2), collections.namedtuple("Pair", "a b")(3, 4)),
               same(Pair(1, 2), collections.namedtuple("Other", "a b")(3, 4)), same({"a": [1]}, {"a": (1,)})])
show("maps' errors", [outcome(lambda: tf.nest.map_structure(lambda x: x)), outcome(lambda: tf.nest.map_structure(3, [1])),
                      outcome(lambda: tf.nest.map_structure(lambda *x: x, [1], (2,))), outcome(lambda: tf.nest.pack_sequence_as([1, 2], [1])),
                      outcome(lambda: tf.cond(f > 0, lambda: [f], lambda: (f,))), outcome(lambda: tf.cond(f > 0, lambda: [f], lambda: [f, f]))])

boundaries = tf.data.experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 2], pad_to_bucket_boundary=True)
lengths = tf.data.Dataset.from_generator(lambda: ([1] * k for k in (1, 4, 2, 3)), tf.int32, [None]).apply(boundaries)
element, batches = tf.data.make_one_shot_iterator(lengths).get_next(), []
try:
    while True:
        batches.append(session.run(element))
except tf.errors.OutOfRangeError:
    show("buckets", batches)
with tf.variable_scope("scope"):
    local = tf.get_local_variable("l", [2], tf.float32, tf.ones_initializer(), None, False, None, None, None, True, True)
show("local", [local.name, type(local).__name__, len(tf.local_variables())])
session.run(v.initializer)
rows = tf.IndexedSlices(tf.constant([4.0]), tf.constant([1]))
show("updates", [session.run(u) for u in (v.scatter_max(rows), v.scatter_min(rows), v.scatter_mul(rows), v.scatter_div(rows), v.scatter_nd_add([[0]], [2.0]),
                                          v.scatter_nd_sub([[0]], [1.0]), v.scatter_nd_update([[0]], [9.0]))])
show("updates' errors", [outcome(lambda: v.scatter_add(3)), outcome(lambda: v.scatter_max(tf.constant([1.0])))])

with tf.Graph().as_default() as source:
    a = tf.placeholder(tf.float32, [None], name="a")
    tf.identity(a + 1.0, name="b")


def imported(scope=None, **options):
    """The names of what comes into a new graph, and of what is asked for."""
    with tf.Graph().as_default() as graph:
        with tf.name_scope(scope):
            found = tf.import_graph_def(source.as_graph_def(), **options)
        return sorted(op.name for op in graph.get_operations()), [t.name for t in found or ()]


show("imports", [imported(return_elements=["b:0"]), imported(input_map={"a": [1.0]}), imported("s", name=""), imported("s", name="p"), imported(name="p/")])
show("imports' errors", [outcome(lambda: imported(name="", input_map={"a": [1.0]})), outcome(lambda: imported(return_elements=[3])),
                         outcome(lambda: imported(input_map={3: a})), outcome(lambda: imported(input_map={"nothing:0": tf.constant(1.0)}))])
show("names of operations", [tf.group().name, tf.strided_slice([1, 2], [0], [1]).op.name, tf.multinomial([[1.0]], 1).op.name,
                             tf.reduce_logsumexp([1.0]).op.name, tf.random_crop([1, 2], [1]).op.name, tf.to_bfloat16(1.0).op.name])
show("numbers for texts", [outcome(lambda: session.run(t, {t: 3})) for t in [tf.placeholder(tf.string)]])
