"""Two towers on two devices with shared variables, whose gradients are averaged; where operations are placed, and what cannot be placed."""

import numpy as np
from program import show, tf

random = np.random.RandomState(80)
data = random.randn(12, 3).astype(np.float32)
goals = data.dot([[1.0], [-2.0], [0.5]]).astype(np.float32)

with tf.device("/cpu:0"):
    step = tf.get_variable("step", [], tf.int32, initializer=tf.constant_initializer(0), trainable=False)
    optimizer = tf.train.GradientDescentOptimizer(0.2)
x, y = tf.placeholder(tf.float32, [12, 3]), tf.placeholder(tf.float32, [12, 1])
parts = list(zip(tf.split(x, 2), tf.split(y, 2)))
towers, losses = [], []
with tf.variable_scope(tf.get_variable_scope()):
    for i, (inputs, targets) in enumerate(parts):
        with tf.device(f"/device:CPU:{i}"), tf.name_scope(f"tower_{i}") as scope:
            with tf.device("/cpu:0"):
                w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
            loss = tf.reduce_mean(tf.square(tf.matmul(inputs, w) - targets), name="loss")
            tf.add_to_collection("losses", loss)
            losses.append(tf.get_collection("losses", scope)[0])
            tf.get_variable_scope().reuse_variables()
            towers.append(optimizer.compute_gradients(loss, [w]))
averaged = []
for pairs in zip(*towers):
    together = tf.concat([tf.expand_dims(g, 0) for g, _ in pairs], axis=0)
    averaged.append((tf.reduce_mean(together, 0), pairs[0][1]))
train = optimizer.apply_gradients(averaged, global_step=step)


def last(device):
    return device.rsplit("/", 1)[-1].lower()


show("devices", [last(t.device) for t in (w, losses[0], losses[1], step, towers[1][0][0], x)])
config = tf.ConfigProto(device_count={"CPU": 2}, log_device_placement=True, allow_soft_placement=False, inter_op_parallelism_threads=2)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        show("losses", sess.run(losses + [train], {x: data, y: goals})[:2])
    metadata = tf.RunMetadata()
    show("w", sess.run(w, {x: data, y: goals}, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata))
    show("step", sess.run(step))
    show("listed", [last(d.name) for d in sess.list_devices() if d.device_type == "CPU"])
with tf.device("/device:GPU:7"):
    there = tf.constant(1.0) + 1.0
with tf.device("/job:worker/task:3"):
    far = tf.constant(2.0) * 2.0
with tf.device(lambda op: "/cpu:0" if op.type == "Const" else "/cpu:1"):
    by_function = tf.constant(1.0) + 3.0
with tf.device(None):
    nowhere = tf.constant(1.0)
show("by function", [last(by_function.device), last(by_function.op.inputs[0].device), nowhere.device])
for soft in (True, False):
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=soft, device_count={"CPU": 2})) as sess:
        for fetch in (there, far, by_function):
            try:
                show("soft" if soft else "hard", sess.run(fetch))
            except tf.errors.InvalidArgumentError as e:
                show("refused", ["Cannot assign a device for operation" in e.message or "was explicitly assigned to" in e.message])
try:
    with tf.device("/cpu:one"):
        tf.constant(1)
except ValueError as e:
    show("wrong", type(e).__name__)
