"""Sentences to classes by convolutions of several widths: flags, summaries of gradients, checkpoints that are restored, scores of all batches."""

import os
import tempfile
import time

import numpy as np
from program import show, tf

tf.flags.DEFINE_integer("embedding_dim", 8, "Dimensionality of character embedding (default: 128)")
tf.flags.DEFINE_string("filter_sizes", "2,3", "Comma-separated filter sizes")
tf.flags.DEFINE_integer("num_filters", 5, "Number of filters per filter size")
tf.flags.DEFINE_float("dropout_keep_prob", 1.0, "Dropout keep probability")
tf.flags.DEFINE_float("l2_reg_lambda", 0.1, "L2 regularization lambda")
tf.flags.DEFINE_boolean("allow_soft_placement", True, "Allow device soft device placement")
FLAGS = tf.flags.FLAGS
FLAGS(["text_cnn", "--filter_sizes=2,3,4"])


class TextCNN(object):
    def __init__(self, sequence_length, num_classes, vocab_size, embedding_size, filter_sizes, num_filters, l2_reg_lambda=0.0):
        self.input_x = tf.placeholder(tf.int32, [None, sequence_length], name="input_x")
        self.input_y = tf.placeholder(tf.float32, [None, num_classes], name="input_y")
        self.dropout_keep_prob = tf.placeholder(tf.float32, name="dropout_keep_prob")
        l2_loss = tf.constant(0.0)
        with tf.device("/cpu:0"), tf.name_scope("embedding"):
            self.W = tf.Variable(tf.random_uniform([vocab_size, embedding_size], -1.0, 1.0, seed=1), name="W")
            self.embedded_chars = tf.nn.embedding_lookup(self.W, self.input_x)
            self.embedded_chars_expanded = tf.expand_dims(self.embedded_chars, -1)
        pooled_outputs = []
        for i, filter_size in enumerate(filter_sizes):
            with tf.name_scope("conv-maxpool-%s" % filter_size):
                filter_shape = [filter_size, embedding_size, 1, num_filters]
                W = tf.Variable(tf.truncated_normal(filter_shape, stddev=0.1, seed=2 + i), name="W")
                b = tf.Variable(tf.constant(0.1, shape=[num_filters]), name="b")
                conv = tf.nn.conv2d(self.embedded_chars_expanded, W, strides=[1, 1, 1, 1], padding="VALID", name="conv")
                h = tf.nn.relu(tf.nn.bias_add(conv, b), name="relu")
                pooled = tf.nn.max_pool(h, ksize=[1, sequence_length - filter_size + 1, 1, 1], strides=[1, 1, 1, 1], padding="VALID", name="pool")
                pooled_outputs.append(pooled)
        num_filters_total = num_filters * len(filter_sizes)
        self.h_pool = tf.concat(pooled_outputs, 3)
        self.h_pool_flat = tf.reshape(self.h_pool, [-1, num_filters_total])
        with tf.name_scope("dropout"):
            self.h_drop = tf.nn.dropout(self.h_pool_flat, self.dropout_keep_prob)
        with tf.name_scope("output"):
            W = tf.get_variable("W", shape=[num_filters_total, num_classes], initializer=tf.glorot_uniform_initializer(seed=9))
            b = tf.Variable(tf.constant(0.1, shape=[num_classes]), name="b")
            l2_loss += tf.nn.l2_loss(W)
            l2_loss += tf.nn.l2_loss(b)
            self.scores = tf.nn.xw_plus_b(self.h_drop, W, b, name="scores")
            self.predictions = tf.argmax(self.scores, 1, name="predictions")
        with tf.name_scope("loss"):
            losses = tf.nn.softmax_cross_entropy_with_logits_v2(logits=self.scores, labels=self.input_y)
            self.loss = tf.reduce_mean(losses) + l2_reg_lambda * l2_loss
        with tf.name_scope("accuracy"):
            correct_predictions = tf.equal(self.predictions, tf.argmax(self.input_y, 1))
            self.accuracy = tf.reduce_mean(tf.cast(correct_predictions, "float"), name="accuracy")


random = np.random.RandomState(10)
x = random.randint(1, 20, (48, 9))
y = np.eye(2)[(x[:, :5].sum(1) > 50).astype(int)]
out_dir = os.path.join(tempfile.mkdtemp(), "runs", str(int(time.time())))
with tf.Graph().as_default():
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=FLAGS.allow_soft_placement, log_device_placement=False))
    with sess.as_default():
        cnn = TextCNN(x.shape[1], 2, 20, FLAGS.embedding_dim, list(map(int, FLAGS.filter_sizes.split(","))), FLAGS.num_filters, FLAGS.l2_reg_lambda)
        global_step = tf.Variable(0, name="global_step", trainable=False)
        optimizer = tf.train.AdamOptimizer(1e-2)
        grads_and_vars = optimizer.compute_gradients(cnn.loss)
        train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
        grad_summaries = []
        for g, v in grads_and_vars:
            if g is not None:
                grad_summaries.append(tf.summary.histogram("{}/grad/hist".format(v.name), g))
                grad_summaries.append(tf.summary.scalar("{}/grad/sparsity".format(v.name), tf.nn.zero_fraction(g)))
        summaries = [tf.summary.scalar("loss", cnn.loss), tf.summary.scalar("accuracy", cnn.accuracy), tf.summary.merge(grad_summaries)]
        train_summary_op = tf.summary.merge(summaries)
        writer = tf.summary.FileWriter(os.path.join(out_dir, "summaries", "train"), sess.graph)
        prefix = os.path.abspath(os.path.join(out_dir, "checkpoints", "model"))
        os.makedirs(os.path.dirname(prefix))
        saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
        sess.run(tf.global_variables_initializer())
        losses = []
        for i in range(100):
            batch = np.arange(16) + 16 * (i % 3)
            feed_dict = {cnn.input_x: x[batch], cnn.input_y: y[batch], cnn.dropout_keep_prob: FLAGS.dropout_keep_prob}
            _, step, s, loss, accuracy = sess.run([train_op, global_step, train_summary_op, cnn.loss, cnn.accuracy], feed_dict)
            writer.add_summary(s, step)
            losses.append(float(loss))
            if tf.train.global_step(sess, global_step) % 25 == 0:
                saver.save(sess, prefix, global_step=i + 1)
        writer.close()
        show("losses", losses)
        show("accuracy", accuracy)
    tags = [(v.tag, v.simple_value) for e in tf.train.summary_iterator(tf.gfile.Glob(os.path.join(out_dir, "summaries", "train", "*"))[0])
            for v in e.summary.value if v.HasField("simple_value")]
    show("summaries", [len(tags), sorted({t for t, _ in tags})])

checkpoint_file = tf.train.latest_checkpoint(os.path.join(out_dir, "checkpoints"))
graph = tf.Graph()
with graph.as_default():
    session = tf.Session()
    with session.as_default():
        saver = tf.train.import_meta_graph("{}.meta".format(checkpoint_file))
        saver.restore(session, checkpoint_file)
        input_x = graph.get_operation_by_name("input_x").outputs[0]
        dropout = graph.get_operation_by_name("dropout_keep_prob").outputs[0]
        predictions = graph.get_operation_by_name("output/predictions").outputs[0]
        scores = graph.get_tensor_by_name("output/scores:0")
        show("restored", [os.path.basename(checkpoint_file), session.run([predictions, scores], {input_x: x[:6], dropout: 1.0})])
