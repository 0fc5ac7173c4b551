"""Metrics of the k best predictions over batches: of dense and sparse labels, of one class, with weights."""

import numpy as np
from program import outcome, show, tf

random = np.random.RandomState(0)
label = tf.placeholder(tf.int64, [None], "label")
several = tf.placeholder(tf.int64, [None, 2], "several")
sparse = tf.sparse_placeholder(tf.int64, [4, 4], "sparse")
logits = tf.placeholder(tf.float32, [None, 4], "logits")
weights = tf.placeholder(tf.float32, [None], "weights")
made = {
    "recall": tf.metrics.recall_at_k(label, logits, 2),
    "recall of several": tf.metrics.recall_at_k(several, logits, 2, name="several"),
    "recall of sparse": tf.metrics.recall_at_k(sparse, logits, 3),
    "recall of a class": tf.metrics.recall_at_k(several, logits, 2, class_id=1),
    "recall with weights": tf.metrics.recall_at_k(label, logits, 1, weights=weights),
    "precision": tf.metrics.precision_at_k(label, logits, 2, updates_collections="updates", metrics_collections="metrics"),
    "precision of several": tf.metrics.precision_at_k(several, logits, 3),
    "precision of sparse": tf.metrics.precision_at_k(sparse, logits, 3),
    "precision of a class": tf.metrics.precision_at_k(sparse, logits, 2, class_id=2),
    "precision of the chosen": tf.metrics.precision_at_top_k(several, tf.argsort(logits)[:, :2], k=2),
    "recall of the chosen": tf.metrics.recall_at_top_k(several, tf.argsort(logits)[:, :2]),
    "average": tf.metrics.average_precision_at_k(label, logits, 3),
    "average of several": tf.metrics.average_precision_at_k(several, logits, 4, weights=weights),
    "average of sparse": tf.metrics.sparse_average_precision_at_k(sparse, logits, 2),
}
show("names", [[t.op.name for t in pair] for pair in made.values()])
show("variables", [[v.op.name, v.dtype.base_dtype.name] for v in tf.local_variables() if not v.name.startswith("average")])
show("collections", [[t.name for t in tf.get_collection(c)] for c in ("updates", "metrics")])
show("k", outcome(lambda: tf.metrics.average_precision_at_k(label, logits, 0)))

with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    for _ in range(3):
        ids = random.randint(4, size=(4, 2))
        ids[1, 1] = -1
        feed = {label: random.randint(4, size=4), several: ids, logits: random.rand(4, 4), weights: random.rand(4),
                sparse: tf.SparseTensorValue([[0, 0], [0, 1], [1, 0], [3, 0], [3, 2]], random.permutation(5), [4, 4])}
        show("updates", session.run({name: update for name, (_, update) in made.items()}, feed))
        show("values", session.run({name: value for name, (value, _) in made.items()}))
