"""Checkpoints of objects and their manager, variables that begin with another program's, scaled losses, profiles of graphs, a strategy of one device, hooks that
profile."""

import glob
import json
import os
import tempfile

import numpy as np
from program import outcome, show, tf

folder = tempfile.mkdtemp()


def path(*parts):
    return os.path.join(folder, *parts)


v, w = tf.get_variable("v", [2], initializer=tf.ones_initializer()), tf.get_variable("w", [3], initializer=tf.zeros_initializer())
optimizer, step = tf.train.AdamOptimizer(0.1), tf.train.get_or_create_global_step()
train = optimizer.minimize(tf.reduce_sum(v * v), global_step=step)
checkpoint = tf.train.Checkpoint(v=v, opt=optimizer, step=step, extra=[w], d={"a.b": w, "q": v}, inner=tf.train.Checkpoint(z=v, s=step))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(checkpoint.save_counter.initializer)
    session.run(train)
    saved = checkpoint.save(path("x"), session=session)
    show("saved", [os.path.basename(saved), [[n, list(s)] for n, s in tf.train.list_variables(saved)]])
    before = session.run([v, w, step])
    session.run([train, w.assign([1.0, 2.0, 3.0])])
    status = checkpoint.restore(saved)
    status.assert_consumed().run_restore_ops()
    show("restored", [before, session.run([v, w, step])])
    manager = tf.train.CheckpointManager(checkpoint, path("managed"), max_to_keep=2, checkpoint_name="some")
    show("managed", [os.path.basename(manager.save()) for _ in range(3)])
    show("kept", [[os.path.basename(p) for p in manager.checkpoints], os.path.basename(manager.latest_checkpoint), sorted(os.listdir(path("managed")))])
    again = tf.train.CheckpointManager(checkpoint, path("managed"), max_to_keep=2, checkpoint_name="some")
    show("found again", [os.path.basename(p) for p in again.checkpoints])
    show("last", os.path.basename(again.latest_checkpoint))
    written = checkpoint.write(path("plain"), session=session)
    show("written", os.path.basename(written))
    show("failures", [outcome(f) for f in (
        lambda: tf.train.Checkpoint(a=3), lambda: tf.train.CheckpointManager(checkpoint, path("managed"), max_to_keep=0),
        lambda: tf.train.Checkpoint(other=w).restore(saved).assert_consumed(), lambda: tf.train.Checkpoint(v=v).restore(saved).expect_partial().assert_existing_objects_matched().run_restore_ops(),
        lambda: checkpoint.restore(path("nowhere")), lambda: tf.train.CheckpointManager(checkpoint, path("managed"), 3, checkpoint_interval=2))])
show("watched", [os.path.basename(p) for p in tf.train.checkpoints_iterator(path("managed"), timeout=0)])

with open(path("old.txt"), "w") as file:
    file.write("red\ngreen\nblue\n")
with open(path("new.txt"), "w") as file:
    file.write("blue\npink\nred\ngreen\n")
with tf.Graph().as_default(), tf.Session() as session:
    tf.get_variable("words", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    tf.get_variable("layer/kernel", initializer=[[1.0, 2.0, 3.0]])
    tf.get_variable("layer/bias", initializer=[0.5])
    session.run(tf.global_variables_initializer())
    older = tf.train.Saver().save(session, path("older"))


def warmed(*args, **kwargs):
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.get_variable("words", [5, 2], initializer=tf.zeros_initializer()), tf.get_variable("layer/kernel", [1, 3], initializer=tf.zeros_initializer()),
                     tf.get_variable("head/bias", [1], initializer=tf.zeros_initializer()), tf.get_variable("columns", [1, 5], initializer=tf.zeros_initializer())]
        tf.train.warm_start(older, *args, **kwargs)
        session.run(tf.global_variables_initializer())
        return session.run(variables)


vocabulary = tf.train.VocabInfo(path("new.txt"), 4, 1, path("old.txt"), 3, lambda shape, dtype=None, partition_info=None: tf.fill(shape, 9.0))
show("warm", warmed("layer"))
show("words", warmed("words|layer|head", {"words": vocabulary}, {"head/bias": "layer/bias"}))
show("listed", warmed(["layer/kernel", "head"], var_name_to_prev_var_name={"head/bias": "layer/bias"}))
show("columns", warmed(None, {"columns": tf.train.VocabInfo(path("new.txt"), 4, 1, path("old.txt"), -1, None, 1)}, {"columns": "layer/kernel"}))
show("cold", [outcome(lambda: warmed("layer", None, {"nothing": "b"})), outcome(lambda: warmed("layer", {"nothing": vocabulary})), outcome(lambda: tf.train.VocabInfo("a", 1, 0, "b", axis=2))])

with tf.Graph().as_default(), tf.Session() as session:
    scale = tf.train.experimental.DynamicLossScale(8.0, 2)
    momentum = tf.train.MomentumOptimizer(0.5, 0.5)
    scaled = tf.train.experimental.enable_mixed_precision_graph_rewrite(momentum, scale)
    weight, factor = tf.get_variable("weight", initializer=1.0), tf.placeholder(tf.float32, [])
    applied = scaled.minimize(weight * factor)
    fixed = tf.train.experimental.MixedPrecisionLossScaleOptimizer(tf.train.GradientDescentOptimizer(0.5), 4.0)
    gradient = fixed.compute_gradients(weight * 3.0)[0][0]
    session.run(tf.global_variables_initializer())
    shown = []
    for value in (1.0, 2.0, float("inf"), 1.0, 1.0):
        session.run(applied, {factor: value})
        shown.append(session.run([weight, scale(), momentum.get_slot(weight, "momentum")]))
    show("scaled", shown)
    show("fixed", [session.run(gradient), repr(tf.train.experimental.FixedLossScale(3)), repr(scale)])
    show("scales", [outcome(f) for f in (lambda: tf.train.experimental.FixedLossScale(0.5), lambda: tf.train.experimental.MixedPrecisionLossScaleOptimizer(3, 2),
                                          lambda: tf.train.experimental.enable_mixed_precision_graph_rewrite(scaled))])

with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [5, 8, 8, 3])
    with tf.variable_scope("conv"):
        kernel = tf.get_variable("kernel", [3, 3, 3, 4], initializer=tf.zeros_initializer())
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"), tf.get_variable("bias", [4], initializer=tf.zeros_initializer())))
    y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    with tf.variable_scope("dense"):
        z = tf.matmul(tf.reshape(y, [5, 16]), tf.get_variable("kernel", [16, 7], initializer=tf.ones_initializer()))
    tf.get_variable("frozen", [11], trainable=False, initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(z)) + tf.nn.l2_loss(kernel)
    Builder = tf.profiler.ProfileOptionBuilder
    quiet = lambda options: Builder(options).with_empty_output().build()
    of = lambda node: {child.name: [child.total_parameters, child.total_float_ops] for child in node.children}
    parameters = tf.profiler.profile(graph, options=quiet(Builder.trainable_variables_parameter()))
    show("parameters", [parameters.name, parameters.total_parameters, sorted(of(parameters).items())])
    operations = tf.profiler.profile(graph, options=quiet(Builder.float_operation()))
    show("operations", [operations.total_float_ops, sorted(of(operations).items())])
    kinds = tf.profiler.profile(graph, cmd="op", options=quiet(Builder.float_operation()))
    show("all", kinds.total_float_ops)

strategy = tf.distribute.get_strategy()
show("no strategy", [tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), strategy.num_replicas_in_sync])
with tf.Graph().as_default(), tf.Session() as session:
    one = tf.distribute.OneDeviceStrategy("/cpu:0")
    with one.scope():
        inside = [tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_replica_context() is None]
        u = tf.get_variable("u", initializer=2.0)
        made = one.run(lambda a: (tf.distribute.get_replica_context().replica_id_in_sync_group, a * 3.0), (tf.constant(2.0),))
        reduced = [one.reduce(tf.distribute.ReduceOp.SUM, made[1], axis=None), one.reduce("MEAN", tf.constant([1.0, 3.0]), axis=0)]
    show("strategy", [inside, one.num_replicas_in_sync, session.run([made[1], *reduced]), tf.distribute.has_strategy()])

with tf.Graph().as_default():
    counted = tf.train.get_or_create_global_step()
    more = tf.assign_add(counted, 1)
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=folder)
    with tf.train.SingularMonitoredSession([hook]) as session:
        for _ in range(5):
            session.run(more)
    timelines = sorted(os.path.basename(f) for f in glob.glob(path("timeline-*.json")))
    show("timelines", timelines)
    show("events", all("traceEvents" in json.load(open(path(f))) for f in timelines))
