"""Supervisors, replicas in step, clusters, and where their variables are."""

import os
import tempfile
import time

import numpy as np
from program import show, tf

train = tf.train


def failure(function):
    try:
        function()
    except (ValueError, TypeError, RuntimeError, tf.errors.OpError) as e:
        return type(e).__name__
    return None


# Clusters.
cluster = train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": {0: "c:1", 2: "d:1"}})
again = train.ClusterSpec(cluster.as_cluster_def())
show("cluster", [sorted(cluster.jobs), cluster.as_dict()["worker"], sorted(map(list, cluster.as_dict()["ps"].items())), cluster.num_tasks("ps"),
                 cluster.task_indices("ps"), cluster.job_tasks("ps"), cluster.task_address("ps", 2), repr(cluster), again == cluster, bool(cluster),
                 bool(train.ClusterSpec({})), str(cluster.as_cluster_def()).split()])
show("cluster failures", [failure(f) for f in (
    lambda: train.ClusterSpec(3), lambda: train.ClusterSpec({"a": "b:1"}), lambda: train.ClusterSpec({"a": [3]}), lambda: cluster.num_tasks("x"),
    lambda: cluster.task_address("ps", 1), lambda: train.Server(cluster), lambda: train.Server(cluster, job_name="worker"), lambda: train.Server(3))])

# Devices.
with tf.Graph().as_default() as graph:
    with tf.device(train.replica_device_setter(cluster={"ps": ["a:1", "b:1"], "worker": ["c:1"]})):
        made = [tf.Variable([1.0], name=f"v{i}") for i in range(3)] + [tf.Variable(1.0, name="r", use_resource=True)]
        with tf.device("/device:GPU:1"):
            total = tf.add(made[0], 1.0)
        with tf.device("/job:ps/task:5"):
            fixed = tf.Variable(2.0, name="fixed")
    with tf.device(train.replica_device_setter(2, worker_device="/job:worker/task:7/cpu:0", ps_strategy=lambda op: len(op.name) % 2, ps_ops=["VariableV2", "Const"])):
        chosen = [tf.Variable(1.0, name=n) for n in ("ab", "abc")]
    show("devices", [t.op.device for t in [*made, total, fixed, *chosen, chosen[0].initial_value, chosen[1].read_value()]])
show("no servers", [train.replica_device_setter() is None, train.replica_device_setter(cluster={"worker": ["a:1"]}) is None,
                    failure(lambda: train.replica_device_setter(1, ps_strategy=3))])

# A supervised model.
folder = tempfile.mkdtemp()


def build():
    step = train.get_or_create_global_step()
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    tf.summary.scalar("loss", tf.reduce_sum(tf.square(w - [1.0, 2.0])))
    return w, train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(tf.square(w - [1.0, 2.0])), global_step=step), step


with tf.Graph().as_default() as graph:
    w, minimize, step = build()
    supervisor = train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0, init_fn=lambda session: session.run(init_assign))
    show("finalized", graph.finalized)
with tf.Graph().as_default() as graph:
    w, minimize, step = build()
    init_assign = w.assign([3.0, 3.0])
    supervisor = train.Supervisor(logdir=folder, save_model_secs=1000, save_summaries_secs=1000, init_fn=lambda session: session.run(init_assign))
    show("parts", [supervisor.global_step is not None, supervisor.saver is not None, supervisor.summary_op is not None, supervisor.is_chief,
                   os.path.basename(supervisor.save_path), supervisor.save_model_secs])
    with supervisor.managed_session() as session:
        show("initialized", session.run(w))
        # A thread of the supervisor's saves at once: what it saves must not come after what we save.
        while train.latest_checkpoint(folder) is None:
            time.sleep(0.01)
        for _ in range(3):
            session.run(minimize)
        supervisor.saver.save(session, supervisor.save_path, global_step=step)
        supervisor.summary_computed(session, session.run(supervisor.summary_op))
        show("trained", [session.run(w), supervisor.should_stop()])
    show("stopped", supervisor.should_stop())
with tf.Graph().as_default():
    w, minimize, step = build()
    supervisor = train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
    session = supervisor.prepare_or_wait_for_session()
    show("restored", session.run([w, step]))
    supervisor.stop()
    session.close()
names = os.listdir(folder)
events = [e for name in sorted(names) if "tfevents" in name for e in train.summary_iterator(os.path.join(folder, name))]
show("written", ["graph.pbtxt" in names, "checkpoint" in names, any(e.HasField("graph_def") for e in events), any(e.meta_graph_def for e in events),
                 sorted({e.session_log.status for e in events if e.HasField("session_log")}), any(v.tag == "loss" for e in events for v in e.summary.value)])
with tf.Graph().as_default():
    tf.get_variable("x", [])
    show("worker", failure(lambda: train.Supervisor(is_chief=False)))
with tf.Graph().as_default():
    x = tf.get_variable("x", [], initializer=tf.ones_initializer())
    supervisor = train.Supervisor(logdir=None, summary_op=None)
    calls = []

    def fail():
        with supervisor.managed_session() as session:
            supervisor.loop(None, lambda: calls.append(session.run(x)) or supervisor.request_stop() if not calls else None).join()
            raise tf.errors.OutOfRangeError(None, None, "the end")

    def fail_otherwise():
        with supervisor.managed_session():
            raise ValueError("a failure")

    show("ends", [failure(fail), len(calls), failure(fail_otherwise), failure(lambda: supervisor.summary_computed(None, b""))])

# Replicas in step: three gradients wanted, from one worker that makes them in turn.
with tf.Graph().as_default():
    step = train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    table = tf.get_variable("table", [3, 2], initializer=tf.ones_initializer())
    unused = tf.get_variable("unused", [], initializer=tf.ones_initializer())
    base = train.GradientDescentOptimizer(1.0)
    optimizer = train.SyncReplicasOptimizer(base, replicas_to_aggregate=3, total_num_replicas=3)
    pairs = optimizer.compute_gradients(x * w + tf.reduce_sum(tf.gather(table, [0, 2])), [w, table, unused])
    show("early", [failure(lambda: optimizer.get_init_tokens_op()), failure(lambda: optimizer.get_chief_queue_runner()),
                   failure(lambda: optimizer.apply_gradients([])), failure(lambda: optimizer.apply_gradients(pairs))])
    worker = optimizer.apply_gradients(pairs, global_step=step)
    hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
    more = optimizer.get_init_tokens_op(3)
    with train.MonitoredSession(hooks=[hook], stop_grace_period_secs=1) as session:
        plain = session.run_step_fn(lambda step_context: step_context.session)
        plain.run(more)
        for value in (1.0, 2.0, 6.0):
            session.run(worker, {x: value})
        # The fourth waits for a token of the update. It is the mean of the others: that may be taken with it or without.
        session.run(worker, {x: 3.0})
        show("averaged", session.run([w, table, unused, step]))
    show("few", failure(lambda: train.SyncReplicasOptimizer(base, 5, 2).get_init_tokens_op()))
with tf.Graph().as_default(), tf.Session() as session:
    dense = tf.ConditionalAccumulator(tf.float32, [2], name="sums")
    added = [dense.apply_grad([1.0, 3.0]), dense.apply_grad([3.0, 5.0])]
    late = dense.apply_grad([100.0, 100.0], local_step=-1)
    rows = tf.SparseConditionalAccumulator(tf.float32, [3, 2], reduction_type="SUM")
    slices = rows.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]), tf.constant([3, 2])))
    again = rows.apply_grad([2, 0], [[1.0, 1.0], [5.0, 5.0]])
    session.run([added, late, slices, again])
    taken = dense.take_grad(2)
    show("accumulated", [dense.name, str(taken.shape), session.run(dense.num_accumulated()), session.run(taken), session.run(dense.num_accumulated()),
                         list(session.run(rows.take_grad(2))), session.run(rows.num_accumulated())])
    session.run(dense.set_global_step(5))
    session.run(added)
    show("stale", session.run(dense.num_accumulated()))
