"""Monitored sessions, their hooks, and threads that fill queues."""

import logging
import os
import threading

import pytest

import troupe as tf

train = tf.train


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _model():
    """(variable, train operation): each step adds one."""
    step = train.get_or_create_global_step()
    v = tf.get_variable("v", initializer=0.0)
    train_op = train.GradientDescentOptimizer(1.0).minimize(-v, global_step=step)
    return v, train_op


def test_training_goes_on_where_it_ended(tmp_path):
    folder = str(tmp_path)
    for last in (3, 5):
        with tf.Graph().as_default():
            v, train_op = _model()
            tf.summary.scalar("value", v)
            with train.MonitoredTrainingSession(checkpoint_dir=folder, save_summaries_steps=1, hooks=[train.StopAtStepHook(last_step=last)],
                                                save_checkpoint_steps=2, log_step_count_steps=1) as session:
                while not session.should_stop():
                    session.run(train_op)
        tf.summary.FileWriterCache.clear()
        assert train.latest_checkpoint(folder) == os.path.join(folder, f"model.ckpt-{last}")
        assert train.load_variable(folder, "v") == float(last)
    assert os.path.exists(os.path.join(folder, "graph.pbtxt"))
    tags = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("events"):
            for event in train.summary_iterator(os.path.join(folder, name)):
                for value in event.summary.value if event.WhichOneof("what") == "summary" else ():
                    tags.setdefault(value.tag, []).append(event.step)
    assert tags["value"] == [1, 2, 3, 4, 5]
    assert "global_step/sec" in tags


def test_hooks_are_called_in_their_order():
    _, train_op = _model()
    calls = []

    class Hook(train.SessionRunHook):
        def begin(self):
            calls.append("begin")
            self.extra = tf.constant(7)

        def after_create_session(self, session, coord):
            calls.append(("created", session.graph.finalized))

        def before_run(self, run_context):
            return train.SessionRunArgs({"extra": self.extra})

        def after_run(self, run_context, run_values):
            calls.append(("ran", int(run_values.results["extra"])))
            run_context.request_stop()

        def end(self, session):
            calls.append("end")

    with train.MonitoredSession(hooks=[Hook()]) as session:
        session.run(train_op)
        assert session.should_stop()
    assert calls == ["begin", ("created", True), ("ran", 7), "end"]
    with pytest.raises(RuntimeError, match="Run called even after should_stop"):
        session.run(train_op)


def test_an_exception_is_raised_and_ends_nothing():
    _, train_op = _model()
    ended = []
    hook = train.FinalOpsHook(train_op)
    hook.end = lambda session: ended.append(1)
    with pytest.raises(KeyError), train.MonitoredSession(hooks=[hook]):
        raise KeyError("program's own")
    assert ended == []
    with train.MonitoredSession() as session:
        raise tf.errors.OutOfRangeError(None, None, "the end of the input")


def test_a_lost_session_is_made_anew():
    v, train_op = _model()
    lost = []

    class Losing(train.SessionRunHook):
        def after_run(self, run_context, run_values):
            if not lost:
                lost.append(1)
                raise tf.errors.AbortedError(None, None, "a worker was lost")

    with train.MonitoredSession(hooks=[Losing()]) as session:
        session.run(train_op)
        # Without a checkpoint it began again.
        assert session.run(v) == 1.0


def test_a_step_function_runs_with_and_without_hooks():
    v, train_op = _model()
    seen = []

    class Counting(train.SessionRunHook):
        def after_run(self, run_context, run_values):
            seen.append(1)

    def step_fn(step_context):
        step_context.session.run(train_op)
        return step_context.run_with_hooks(v)

    with train.MonitoredSession(hooks=[Counting()]) as session:
        assert session.run_step_fn(step_fn) == 1.0
        assert len(seen) == 1
        session.run_step_fn(lambda step_context: step_context.request_stop())
        assert session.should_stop()


def test_a_scaffold_initialises_as_told():
    v, _ = _model()
    x = tf.placeholder(tf.float32, [])
    local = tf.get_local_variable("local", initializer=5.0)
    scaffold = train.Scaffold(init_op=tf.group(tf.global_variables_initializer(), name="my_init"), init_feed_dict={x: 1.0},
                              init_fn=lambda scaffold, session: v.load(9.0, session))
    with train.MonitoredSession(train.ChiefSessionCreator(scaffold)) as session:
        assert session.run(v) == 9.0 and session.run(local) == 5.0
    with tf.Graph().as_default():
        w = tf.get_variable("w", initializer=1.0)
        with pytest.raises(RuntimeError, match="Variables not initialized: w"):
            train.MonitoredSession(train.ChiefSessionCreator(train.Scaffold(init_op=tf.no_op())))
        assert w.op.name == "w"


def test_values_are_logged(caplog):
    v, train_op = _model()
    with caplog.at_level(logging.INFO, "troupe"):
        with train.MonitoredSession(hooks=[train.LoggingTensorHook({"value": "v:0"}, every_n_iter=2)]) as session:
            for _ in range(3):
                session.run(train_op)
    assert sum("value = " in r.getMessage() for r in caplog.records) == 2


def test_a_loss_that_is_no_number_ends_the_training():
    _, train_op = _model()
    loss = tf.log(tf.constant(-1.0))
    with pytest.raises(train.NanLossDuringTrainingError):
        with train.MonitoredSession(hooks=[train.NanTensorHook(loss)]) as session:
            session.run(train_op)
    with train.MonitoredSession(hooks=[train.NanTensorHook(loss, fail_on_nan_loss=False)]) as session:
        session.run(train_op)
        assert session.should_stop()


def test_listeners_hear_of_checkpoints(tmp_path):
    _, train_op = _model()
    heard = []

    class Listener(train.CheckpointSaverListener):
        def before_save(self, session, global_step_value):
            heard.append(("before", int(global_step_value)))

        def after_save(self, session, global_step_value):
            heard.append(("after", int(global_step_value)))

        def end(self, session, global_step_value):
            heard.append(("end", int(global_step_value)))

    saver = train.CheckpointSaverHook(str(tmp_path), save_steps=2, saver=train.Saver(), listeners=[Listener()])
    with train.MonitoredSession(hooks=[saver]) as session:
        for _ in range(3):
            session.run(train_op)
    assert heard == [(w, n) for n in (0, 2, 3) for w in ("before", "after")] + [("end", 3)]


def test_threads_stop_together():
    coord = train.Coordinator()

    def work():
        with coord.stop_on_exception():
            raise ValueError("a thread's")

    threads = [threading.Thread(target=work), threading.Thread(target=coord.wait_for_stop)]
    for t in threads:
        t.start()
    with pytest.raises(ValueError, match="a thread's"):
        coord.join(threads)
    assert coord.should_stop() and coord.joined
    coord.clear_stop()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "the end"))
    coord.join()
    calls = []
    coord = train.Coordinator()
    train.LooperThread.loop(coord, 0.001, lambda: calls.append(1) or (len(calls) > 2 and coord.request_stop()))
    coord.join()
    assert len(calls) >= 3


def test_queue_runners_fill_a_queue_to_the_end():
    source = tf.data.Dataset.range(4).make_one_shot_iterator().get_next()
    queue = tf.FIFOQueue(10, tf.int64, shapes=[])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(source)] * 2))
    taken = queue.dequeue()
    with tf.Session() as session:
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        assert len(threads) == 3
        assert sorted(session.run(taken) for _ in range(4)) == [0, 1, 2, 3]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(taken)
        coord.request_stop()
        coord.join(threads)


def test_what_a_runner_raises_is_raised_by_join():
    queue = tf.FIFOQueue(10, tf.float32, shapes=[])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue(tf.check_numerics(tf.log(tf.constant(-1.0)), "not a number"))]))
    with tf.Session() as session:
        coord = train.Coordinator()
        threads = train.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
            coord.join(threads)


def test_summaries_are_saved_every_so_many_steps(tmp_path):
    step = tf.train.get_or_create_global_step()
    tf.summary.scalar("step", step)
    train = step.assign_add(1)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_summaries_steps=5, log_step_count_steps=None,
                                           hooks=[tf.train.StopAtStepHook(last_step=12)]) as session:
        while not session.should_stop():
            session.run(train)
    events = [e for file in tmp_path.glob("events*") for e in tf.train.summary_iterator(str(file))]
    assert [e.step for e in events if e.HasField("summary")] == [1, 6, 11]
