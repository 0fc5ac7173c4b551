"""Datasets of sparse and ragged tensors: batched, taken apart, mapped, filtered, and in all kinds of iterators."""

import numpy as np
from program import outcome, show, tf

sparse = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1.0, 2.0, 3.0], [3, 4])
ragged = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
deep = tf.ragged.constant([[[1], [2, 3]], [], [[4, 5, 6]]])


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "dense_shape"):
        return ["sparse", np.asarray(value.indices).tolist(), plain(value.values), np.asarray(value.dense_shape).tolist()]
    if hasattr(value, "to_list"):
        return ["ragged", value.to_list()]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return np.asarray(value).tolist() if not isinstance(value, bytes) else value.decode()


def all_of(dataset, most=20):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(iterator.initializer)
        try:
            for _ in range(most):
                found.append(plain(session.run(element)))
        except tf.errors.OutOfRangeError:
            pass
        except tf.errors.OpError as e:
            found.append(type(e).__name__)
    return found


whole = tf.data.Dataset.from_tensors((sparse, {"a": tf.constant([1, 2])}))
show("whole", all_of(whole))
show("whole is", [str(whole.output_types), str(whole.output_shapes)])
show("spec", str(whole.element_spec))
rows = tf.data.Dataset.from_tensor_slices({"s": sparse, "d": tf.constant([10, 20, 30])})
show("rows", all_of(rows))
show("rows is", [str(rows.output_types), str(rows.output_shapes), sorted(c.__name__ for c in rows.output_classes.values())])
show("batches", all_of(rows.batch(2)))
show("batches is", [str(rows.batch(2).output_shapes), str(rows.batch(3, drop_remainder=True).output_shapes)])
show("batches of batches", all_of(rows.batch(2).batch(2)))
show("unbatched", all_of(rows.batch(2).unbatch()))
show("mapped", all_of(rows.map(lambda e: (tf.sparse_tensor_to_dense(e["s"]), e["d"]))))
show("to sparse", all_of(tf.data.Dataset.range(4).map(lambda i: tf.SparseTensor([[i % 3]], [tf.to_float(i)], [3])).batch(3)))
show("filtered", all_of(rows.filter(lambda e: tf.greater(tf.size(e["s"].values), 0))))
show("doubled", all_of(rows.map(lambda e: tf.SparseTensor(e["s"].indices, e["s"].values * 2, e["s"].dense_shape)).repeat(2).skip(1).take(3)))
show("zipped", all_of(tf.data.Dataset.zip((rows, tf.data.Dataset.from_tensor_slices(ragged)))))
show("shuffled", sorted(map(str, all_of(rows.shuffle(3, seed=1)))))
show("cached", all_of(rows.cache().repeat(2).take(5).prefetch(2)))
show("concatenated", all_of(rows.concatenate(rows)))
show("interleaved", all_of(tf.data.Dataset.range(2).interleave(lambda i: rows.map(lambda e: e["s"]), cycle_length=2)))
show("reduced", plain(tf.Session().run(rows.reduce(0.0, lambda state, e: state + tf.reduce_sum(e["s"].values)))))
show("scanned", all_of(rows.apply(tf.data.experimental.scan(sparse, lambda state, e: (state, tf.sparse_add(tf.sparse_reshape(e["s"], [1, 4]), tf.sparse_slice(state, [0, 0], [1, 4])))))))
show("ragged rows", all_of(tf.data.Dataset.from_tensor_slices(ragged)))
show("deep rows", all_of(tf.data.Dataset.from_tensor_slices(deep)))
show("deep batches", all_of(tf.data.Dataset.from_tensor_slices(deep).batch(2)))
show("ragged whole", all_of(tf.data.Dataset.from_tensors((ragged, deep))))
show("ragged spec", str(tf.data.Dataset.from_tensors(deep).element_spec))
show("ragged batches", all_of(tf.data.Dataset.from_tensors(ragged).repeat(3).batch(2)))
show("ragged sums", all_of(tf.data.Dataset.from_tensor_slices(deep).map(lambda r: tf.reduce_sum(r.values))))
show("ranges", all_of(tf.data.Dataset.range(1, 5).map(lambda i: tf.range(i)).apply(tf.data.experimental.dense_to_ragged_batch(2))))
show("sparse batch", all_of(tf.data.Dataset.range(1, 6).map(lambda i: tf.fill([i], i)).apply(tf.data.experimental.dense_to_sparse_batch(3, [6]))))
show("slices", all_of(tf.data.Dataset.from_sparse_tensor_slices(sparse)))
show("windows", all_of(rows.window(2).flat_map(lambda e: e["s"].batch(2))))
show("keys", all_of(rows.apply(tf.data.experimental.group_by_window(lambda e: tf.to_int64(e["d"]) % 20, lambda k, d: d.batch(2), 2))))
one_shot = rows.make_one_shot_iterator().get_next()
reused = tf.data.Iterator.from_structure(rows.output_types, rows.output_shapes, output_classes=rows.output_classes)
begin = [reused.make_initializer(d) for d in (rows, rows.skip(1))]
element = reused.get_next()
handle = tf.placeholder(tf.string, [])
by_handle = tf.data.Iterator.from_string_handle(handle, rows.output_types, rows.output_shapes, rows.output_classes).get_next()
with tf.Session() as session:
    show("one shot", [plain(session.run(one_shot)) for _ in range(2)])
    for b in begin:
        session.run(b)
        show("structure", plain(session.run(element)))
    show("by handle", plain(session.run(by_handle, {handle: session.run(reused.string_handle())})))
    show("single", plain(session.run(tf.data.experimental.get_single_element(rows.take(1)))))
fed = tf.sparse_placeholder(tf.int64, [None, 3])
from_fed = tf.data.Dataset.from_tensor_slices(fed).make_initializable_iterator()
next_fed = from_fed.get_next()
with tf.Session() as session:
    session.run(from_fed.initializer, {fed: tf.SparseTensorValue([[0, 1], [1, 2]], [7, 8], [2, 3])})
    show("fed", [plain(session.run(next_fed)) for _ in range(2)])
show("failures", [outcome(f) for f in (
    lambda: rows.padded_batch(2, {"s": [None], "d": []}), lambda: tf.data.Dataset.from_sparse_tensor_slices(tf.constant([1])))])
