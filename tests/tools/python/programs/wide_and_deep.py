"""Words of a vocabulary that a table numbers, hashed words, embeddings of bags of words, crossed features: a wide part and a deep one."""

import os
import tempfile

import numpy as np
from program import show, tf

jobs = ["cook", "smith", "cook", "unknown", "judge", "smith", "cook", "baker"]
skills = [["a", "b"], ["c"], ["a"], [], ["d", "a", "a"], ["b", "c"], ["b"], ["d"]]
ages = np.array([20.0, 35.0, 50.0, 41.0, 66.0, 29.0, 33.0, 18.0], np.float32)
paid = np.array([0, 1, 0, 0, 1, 1, 0, 0], np.float32)

with tempfile.TemporaryDirectory() as folder:
    vocabulary = os.path.join(folder, "skills.txt")
    with open(vocabulary, "w") as file:
        file.write("a\nb\nc\nd\n")
    job, age, label = tf.placeholder(tf.string, [None]), tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    skill = tf.sparse_placeholder(tf.string)
    by_name = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["cook", "smith", "judge"], tf.constant([0, 1, 2], tf.int64)), -1)
    by_line = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                                                      tf.lookup.TextFileIndex.LINE_NUMBER), 9)
    known = by_name.lookup(job)
    number = tf.where(known < 0, 3 + tf.string_to_hash_bucket_fast(job, 2), known)
    skill_ids = tf.SparseTensor(skill.indices, by_line.lookup(skill.values), skill.dense_shape)
    filled, empty = tf.sparse_fill_empty_rows(skill_ids, tf.constant(4, tf.int64))
    bucket = tf.reduce_sum(tf.to_int32(age[:, None] > tf.constant([25.0, 40.0, 60.0])), 1)
    crossed = tf.string_to_hash_bucket_fast(tf.string_join([job, tf.as_string(bucket)], "_X_"), 7)

    with tf.variable_scope("deep", initializer=tf.truncated_normal_initializer(stddev=0.3, seed=4)):
        job_table, skill_table = tf.get_variable("jobs", [5, 3]), tf.get_variable("skills", [5, 2])
        bags = [tf.nn.embedding_lookup_sparse(skill_table, filled, None, combiner=how) for how in ("mean", "sqrtn", "sum")]
        inputs = tf.concat([tf.nn.embedding_lookup(job_table, number), bags[0], tf.log1p(age)[:, None] / 4.0], 1)
        deep = tf.matmul(tf.nn.relu(tf.matmul(inputs, tf.get_variable("w1", [6, 4])) + 0.1), tf.get_variable("w2", [4, 1]))
    with tf.variable_scope("wide", initializer=tf.zeros_initializer()):
        wide = tf.gather(tf.get_variable("crossed", [7, 1]), crossed) + tf.gather(tf.get_variable("buckets", [4, 1]), bucket)
    logits = tf.squeeze(wide + deep + tf.get_variable("bias", [], initializer=tf.zeros_initializer()), -1)
    loss = tf.losses.sigmoid_cross_entropy(label, logits)
    train = tf.group(tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.01).minimize(loss, var_list=tf.trainable_variables("wide")),
                     tf.train.GradientDescentOptimizer(0.5).minimize(loss, var_list=tf.trainable_variables("deep")))
    rows = [(i, j, s) for i, row in enumerate(skills) for j, s in enumerate(row)]
    feed = {job: jobs, age: ages, label: paid,
            skill: tf.SparseTensorValue([[i, j] for i, j, _ in rows], [s for _, _, s in rows], [len(skills), 3])}
    with tf.Session() as sess:
        try:
            sess.run(number, feed)
        except tf.errors.FailedPreconditionError as e:
            show("not filled", type(e).__name__)
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        show("numbers", sess.run([number, crossed, bucket, empty, by_name.size(), by_line.size()], feed))
        show("bags", sess.run(bags, feed))
        for _ in range(6):
            sess.run(train, feed)
            show("loss", sess.run(loss, feed))
        show("scores", sess.run(tf.sigmoid(logits), feed))
        top = tf.nn.top_k(logits, 3)
        show("top", sess.run([tf.gather(job, top.indices), top.values], feed))
        counts = tf.unique_with_counts(job)
        show("counts", sess.run(counts, feed))
