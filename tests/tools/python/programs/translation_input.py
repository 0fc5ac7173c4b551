"""Pairs of sentences from files to batches, as programs of translation read them: tables of words from files, lengths, buckets, padding by words of
the table, an iterator that is begun again, and a model whose lengths differ from batch to batch."""

import os
import tempfile

import numpy as np
from program import show, tf

folder = tempfile.mkdtemp()
words = {"src": "<unk> <s> </s> ich du er sehe siehst sieht haus baum katze das den die".split(),
         "tgt": "<unk> <s> </s> i you he see sees house tree cat the".split()}
pairs = [("ich sehe das haus", "i see the house"), ("du siehst den baum", "you see the tree"), ("er sieht die katze", "he sees the cat"),
         ("ich sehe", "i see"), ("er sieht", "he sees"), ("ich sehe den hund", "i see the dog"), ("du siehst die katze das haus", "you see the cat the house"),
         ("", "nothing"), ("er sieht den baum", "he sees the tree")]
for side, name in ((0, "src"), (1, "tgt")):
    with tf.gfile.GFile(os.path.join(folder, "train." + name), "w") as f:
        f.write("\n".join(p[side] for p in pairs) + "\n")
    with tf.gfile.GFile(os.path.join(folder, "vocab." + name), "w") as f:
        f.write("\n".join(words[name]) + "\n")


def table_of(name):
    initializer = tf.lookup.TextFileInitializer(os.path.join(folder, "vocab." + name), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                                                tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    return tf.lookup.StaticHashTable(initializer, 0)


tf.set_random_seed(2)
src_vocab_table, tgt_vocab_table = table_of("src"), table_of("tgt")
batch_size, num_buckets, src_max_len = 2, 3, 5
src_eos_id = tf.cast(src_vocab_table.lookup(tf.constant("</s>")), tf.int32)
tgt_sos_id, tgt_eos_id = (tf.cast(tgt_vocab_table.lookup(tf.constant(w)), tf.int32) for w in ("<s>", "</s>"))
dataset = tf.data.Dataset.zip(tuple(tf.data.TextLineDataset(os.path.join(folder, "train." + n)) for n in ("src", "tgt")))
dataset = dataset.map(lambda src, tgt: (tf.string_split([src]).values, tf.string_split([tgt]).values), num_parallel_calls=2).prefetch(4)
dataset = dataset.filter(lambda src, tgt: tf.logical_and(tf.size(src) > 0, tf.size(tgt) > 0))
dataset = dataset.map(lambda src, tgt: (src[:src_max_len], tgt[:src_max_len]))
dataset = dataset.map(lambda src, tgt: (tf.cast(src_vocab_table.lookup(src), tf.int32), tf.cast(tgt_vocab_table.lookup(tgt), tf.int32)))
dataset = dataset.map(lambda src, tgt: (src, tf.concat(([tgt_sos_id], tgt), 0), tf.concat((tgt, [tgt_eos_id]), 0)))
dataset = dataset.map(lambda src, tgt_in, tgt_out: (src, tgt_in, tgt_out, tf.size(src), tf.size(tgt_in)))


def batching_func(x):
    return x.padded_batch(batch_size, padded_shapes=(tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([None]), tf.TensorShape([]),
                                                     tf.TensorShape([])), padding_values=(src_eos_id, tgt_eos_id, tgt_eos_id, 0, 0))


def key_func(unused_1, unused_2, unused_3, src_len, tgt_len):
    bucket_width = (src_max_len + num_buckets - 1) // num_buckets
    bucket_id = tf.maximum(src_len // bucket_width, tgt_len // bucket_width)
    return tf.cast(tf.minimum(num_buckets, bucket_id), tf.int64)


batched = dataset.apply(tf.data.experimental.group_by_window(key_func=key_func, reduce_func=lambda unused_key, data: batching_func(data),
                                                             window_size=batch_size))
iterator = tf.data.make_initializable_iterator(batched)
source, target_input, target_output, source_lengths, target_lengths = iterator.get_next()

with tf.variable_scope("dynamic_seq2seq", initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=5)):
    with tf.variable_scope("embeddings"):
        encoder_table = tf.get_variable("embedding_encoder", [len(words["src"]), 6])
        decoder_table = tf.get_variable("embedding_decoder", [len(words["tgt"]), 6])
    with tf.variable_scope("encoder"):
        _, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(7), tf.nn.embedding_lookup(encoder_table, tf.transpose(source)), source_lengths,
                                     dtype=tf.float32, time_major=True)
    with tf.variable_scope("decoder") as scope:
        outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(7), tf.nn.embedding_lookup(decoder_table, target_input), target_lengths, state)
        logits = tf.layers.dense(outputs, len(words["tgt"]), use_bias=False, name="output_projection")
crossent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target_output, logits=logits)
weights = tf.sequence_mask(target_lengths, tf.shape(target_output)[1], dtype=tf.float32)
loss = tf.reduce_sum(crossent * weights) / tf.cast(tf.size(source_lengths), tf.float32)
params = tf.trainable_variables()
clipped, norm = tf.clip_by_global_norm(tf.gradients(loss, params), 5.0)
train = tf.train.GradientDescentOptimizer(0.3).apply_gradients(zip(clipped, params))
back = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
    os.path.join(folder, "vocab.tgt"), tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE), "<unk>")
told = back.lookup(tf.cast(tf.argmax(logits, 2), tf.int64))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.tables_initializer())
    losses, batches = [], []
    for epoch in range(20):
        sess.run(iterator.initializer)
        while True:
            try:
                if epoch == 0:
                    fetched = sess.run([loss, train, source, target_output, source_lengths])
                    batches.append(fetched[2:])
                else:
                    fetched = sess.run([loss, train])
                losses.append(float(fetched[0]))
            except tf.errors.OutOfRangeError:
                break
    show("losses", losses)
    show("batches", batches)
    sess.run(iterator.initializer)
    show("told", sess.run([told, norm]))
