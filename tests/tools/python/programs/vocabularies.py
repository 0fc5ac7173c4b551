"""Texts to numbers and back: tables that are filled once and tables that steps change, and buckets for other words; sparse bags of words."""

import os
import tempfile

import numpy as np
from program import outcome, show, tf

folder = tempfile.mkdtemp()
path = os.path.join(folder, "words.txt")
with tf.gfile.Open(path, "w") as file:
    file.write("the\nquick\nbrown\nfox\n")
lines = lambda: tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
pairs = lambda keys, values: tf.lookup.KeyValueTensorInitializer(tf.constant(keys), tf.constant(values))

with_buckets = tf.lookup.StaticVocabularyTable(lines(), num_oov_buckets=3)
only_buckets = tf.lookup.StaticVocabularyTable(None, 5)
of_numbers = tf.lookup.StaticVocabularyTable(pairs(np.int64([7, 9]), np.int64([0, 1])), 2, lookup_key_dtype=tf.int32)
words_of = tf.lookup.StaticHashTable(pairs(np.int64([0, 1, 2, 3]), ["the", "quick", "brown", "fox"]), "?")
counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, [-1.0, -1.0], empty_key=-1, deleted_key=-2, initial_num_buckets=4)

sentence = tf.placeholder(tf.string, [None], "sentence")
words = tf.string_split(sentence)
ids = with_buckets.lookup(words)
bag = tf.SparseTensor(ids.indices, tf.ones_like(ids.values, tf.float32), ids.dense_shape)
ranks = tf.constant([[1.0, 2.0, 3.0, 4.0, 5.0]])
weighted = [bag * ranks, bag / 2.0, tf.constant(3.0) * bag, tf.SparseTensor([[0]], [4], [2]) / [8, 1]]
seen = counts.insert(words.values, counts.lookup(words.values) + 1)
show("names", [with_buckets.name.startswith("hash_table"), only_buckets.name, dense.name, dense.resource_handle.op.type])

with tf.Session() as session:
    session.run(tf.tables_initializer())
    show("ids", session.run([ids, only_buckets.lookup(words), of_numbers.lookup(tf.constant([9, 8, 7])), words_of.lookup(ids.values % 4)],
                            {sentence: ["the quick red fox", "fox jumps high on words"]}))
    show("sizes", session.run([with_buckets.size(), only_buckets.size(), of_numbers.size()]))
    show("weighted", session.run(weighted, {sentence: ["the red fox", "quick quick foxes in boxes"]}))
    for text in ("a b c", "b c d", "c"):
        session.run(seen, {sentence: [text]})
    show("counts", session.run([counts.lookup(tf.constant(["a", "b", "c", "x"])), counts.size()]))
    session.run(dense.insert(tf.constant([3, 4, 5], tf.int64), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    session.run(dense.erase(tf.constant([4], tf.int64)))
    show("dense", session.run([dense.lookup([3, 4, 5]), dense.size()]))
    saved = tf.train.Saver().save(session, os.path.join(folder, "tables"))
    session.run([dense.insert([3], [[0.0, 0.0]]), counts.remove(tf.constant(["a", "b"]))])
    tf.train.Saver().restore(session, saved)
    show("restored", session.run([dense.lookup([3]), counts.lookup(tf.constant(["b"]))]))

show("no buckets", outcome(lambda: tf.lookup.StaticVocabularyTable(lines(), 0)))
show("other keys", outcome(lambda: tf.lookup.StaticVocabularyTable(pairs([1.0], np.int64([1])), 1)))
show("other values", outcome(lambda: tf.lookup.StaticVocabularyTable(pairs(["a"], [1]), 1)))
show("unlike keys", outcome(lambda: tf.lookup.StaticVocabularyTable(lines(), 1, lookup_key_dtype=tf.int64)))
show("lookup", outcome(lambda: with_buckets.lookup(tf.constant([1]))))
