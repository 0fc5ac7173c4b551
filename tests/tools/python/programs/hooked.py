"""MonitoredTrainingSession with hooks of all kinds, custom SessionRunHook, Scaffold, resumed training, StopAtStep, LoggingTensorHook with formatter, FinalOpsHook."""

import os, tempfile, glob, logging
import numpy as np
from program import show, tf

tf.logging.set_verbosity(tf.logging.ERROR)
d = tempfile.mkdtemp()


class LossLogger(tf.train.SessionRunHook):
    def __init__(self, t, log):
        self.t, self.log = t, log

    def begin(self):
        self.log.append("begin")
        self.step_t = tf.train.get_or_create_global_step()

    def after_create_session(self, session, coord):
        self.log.append("created %s" % type(coord).__name__)

    def before_run(self, ctx):
        self.log.append("before %s" % (ctx.original_args.fetches is not None))
        return tf.train.SessionRunArgs({"loss": self.t, "step": self.step_t}, feed_dict=None)

    def after_run(self, ctx, values):
        self.log.append([sorted(values.results), int(values.results["step"]), bool(ctx.stop_requested)])

    def end(self, session):
        self.log.append("end %d" % session.run(self.step_t))


def model():
    g = tf.Graph()
    with g.as_default():
        tf.set_random_seed(1)
        gs = tf.train.get_or_create_global_step()
        ds = tf.data.Dataset.range(100).repeat().map(lambda i: (tf.cast(i % 7, tf.float32), tf.cast(i % 7, tf.float32) * 2 + 1)).batch(4)
        x, y = ds.make_one_shot_iterator().get_next()
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
        loss = tf.losses.mean_squared_error(y, w * x + b)
        tf.summary.scalar("loss", loss)
        lr = tf.train.exponential_decay(0.05, gs, 3, 0.5, staircase=True)
        train = tf.train.GradientDescentOptimizer(lr).minimize(loss, global_step=gs)
    return g, loss, train, gs, w, lr


for run, last in enumerate((5, 9)):
    g, loss, train, gs, w, lr = model()
    log = []
    with g.as_default():
        final = tf.train.FinalOpsHook({"w2": w * 2})
        hooks = [
            tf.train.StopAtStepHook(last_step=last),
            LossLogger(loss, log),
            final,
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=2),
            tf.train.StepCounterHook(every_n_steps=2, output_dir=d),
            tf.train.LoggingTensorHook([loss], at_end=True, formatter=lambda v: "x"),
            tf.train.FeedFnHook(lambda: {lr: 0.01} if False else {}),
        ]
        scaffold = tf.train.Scaffold(
            saver=tf.train.Saver(max_to_keep=2), init_fn=lambda sc, s: log.append("init_fn"), local_init_op=tf.group(tf.local_variables_initializer())
        )
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=d,
            hooks=hooks,
            scaffold=scaffold,
            save_checkpoint_steps=2,
            save_checkpoint_secs=None,
            save_summaries_steps=2,
            log_step_count_steps=10,
            chief_only_hooks=[tf.train.CheckpointSaverHook(d + "/other", save_steps=100, saver=tf.train.Saver())],
            config=tf.ConfigProto(),
        ) as sess:
            losses = []
            while not sess.should_stop():
                _, l, s = sess.run([train, loss, gs])
                losses.append([float(l), int(s)])
            show("should", sess.should_stop())
        show("losses", losses)
        show("log", log)
        show("final", final.final_ops_values)
        show("ckpt", sorted(os.path.basename(f) for f in glob.glob(d + "/model.ckpt-*.index")))
        show("other", len(glob.glob(d + "/other/*.index")))
        show("events", sum(1 for f in glob.glob(d + "/events*") for e in tf.train.summary_iterator(f) if e.HasField("summary")))
g, loss, train, gs, w, lr = model()
with g.as_default():
    try:
        with tf.train.MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(loss)]) as sess:
            sess.run(train, {loss: np.float32("nan")} if False else {w: np.float32("nan")} if False else None)
            raise ValueError("mine")
    except ValueError as e:
        show("raised", str(e))
    with tf.train.SingularMonitoredSession() as sess:
        show("raw", [type(sess.raw_session()).__name__, sess.run(gs)])

        def step_fn(step_context):
            return step_context.session.run(gs), step_context.run_with_hooks(train)

        show("step_fn", sess.run_step_fn(step_fn)[0])
    with tf.train.MonitoredSession(session_creator=tf.train.ChiefSessionCreator(checkpoint_dir=d)) as sess:
        show("restored", sess.run([gs, w]))
    try:
        sess.run(gs)
    except Exception:
        pass
    wk = tf.train.SessionManager()
    s = wk.prepare_session("", init_op=tf.global_variables_initializer())
    show("manager", s.run(gs))
    s.close()
g, loss, train, gs, w, lr = model()
with g.as_default():
    nan = loss + tf.cond(gs > 2, lambda: np.float32("nan"), lambda: np.float32(0.0))
    try:
        with tf.train.MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(nan, fail_on_nan_loss=True)]) as sess:
            for _ in range(10):
                sess.run(train)
    except Exception as e:
        show("nan", [type(e).__name__, str(e)])
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(nan, fail_on_nan_loss=False)]) as sess:
        n = 0
        while not sess.should_stop():
            sess.run(train)
            n += 1
    show("nan stop", n)
