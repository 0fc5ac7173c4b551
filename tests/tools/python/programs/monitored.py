"""A monitored session with hooks that count, look and stop; and a session's failures on the way."""

import tempfile

from program import show, tf

step = tf.train.get_or_create_global_step()
w = tf.get_variable("w", [], initializer=tf.constant_initializer(4.0), use_resource=True)
loss = tf.square(w, name="loss")
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


class Watch(tf.train.SessionRunHook):
    def begin(self):
        show("begin", tf.get_default_graph() is step.graph)

    def after_create_session(self, session, coord):
        show("created", session.run(step))

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(w)

    def after_run(self, run_context, run_values):
        show("before", run_values.results)

    def end(self, session):
        show("end", session.run(step))


with tempfile.TemporaryDirectory() as folder:
    for last in (3, 5):
        hooks = [Watch(), tf.train.StopAtStepHook(last_step=last)]
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_summaries_steps=None, save_summaries_secs=None,
                                               log_step_count_steps=None) as sess:
            while not sess.should_stop():
                sess.run(train)
        show("checkpoint", tf.train.latest_checkpoint(folder).rsplit("/", 1)[-1])
    try:
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(tf.log(w - 100.0))]) as sess:
            sess.run(train)
    except tf.train.NanLossDuringTrainingError as e:
        show("nan", type(e).__name__)
