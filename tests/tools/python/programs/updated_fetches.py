"""What is fetched beside what updates it: reference variables, and what lies in their memory, are shown as the step leaves them."""

from program import show, tf

w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
step = tf.Variable(0, trainable=False, name="global_step")
loss = tf.reduce_sum(w * w)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
adam = tf.train.AdamOptimizer(0.1).minimize(loss)
count, halve = tf.assign_add(step, 1), w.assign(w - 0.5)
same, twice, flat = tf.identity(w), w * 2.0, tf.reshape(w, [1, 2])
rows = tf.scatter_update(tf.get_variable("rows", initializer=[[1.0], [2.0]]), [1], [[5.0]])
rows_read = tf.identity(tf.global_variables("rows")[0])
more = step.assign_add(10)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("trainable", [v.name for v in tf.trainable_variables()])
    for _ in range(3):
        show("train", sess.run([train, w, step, loss])[1:])
        show("same", sess.run({"train": train, "same": same, "flat": flat, "w": [w, w.value()]}))
        show("adam", sess.run([adam, w, loss, w.value()])[1:])
    show("count", [sess.run([count, step]), sess.run([step, count]), sess.run(step), sess.run(count)])
    show("halve", [sess.run([halve, w]), sess.run([halve.op, w])[1], sess.run([w, twice])])
    show("rows", [sess.run([rows, rows_read]), sess.run(rows_read)])
    show("both", sess.run([count, more, step]))
    call = sess.make_callable([train, step, w])
    show("callable", [call()[1:], call()[1:]])
    show("fed", sess.run([train, w], {w: [3.0, 3.0]})[1] if False else sess.run([loss, w], {w: [3.0, 3.0]}))
    show("options", sess.run([train, step], options=tf.RunOptions(trace_level=tf.RunOptions.NO_TRACE))[1])
    at = 0
    while at < sess.run(step) + 3:
        _, at = sess.run([train, step])
        if at > 60:
            break
    show("loop", at)
