"""Rows of CSV files, of a database, of Examples in files; elements that may not be there; reductions by key; what is saved and loaded again."""

import os
import sqlite3
import tempfile

import numpy as np
from program import outcome, show, tf

experimental = tf.data.experimental
folder = tempfile.mkdtemp()


def path(name):
    return os.path.join(folder, name)


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "dense_shape"):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if hasattr(value, "to_list"):
        return plain(value.to_list())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if isinstance(value, bytes) else np.asarray(value).tolist()


def all_of(dataset, most=20):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        session.run(iterator.initializer)
        try:
            for _ in range(most):
                found.append(plain(session.run(element)))
        except tf.errors.OutOfRangeError:
            pass
        except tf.errors.OpError as e:
            found.append(type(e).__name__)
    return found


def is_(dataset):
    return [str(dataset.output_types), str(dataset.output_shapes)]


with open(path("a.csv"), "w") as file:
    file.write("name,size,price,count\nx,1,0.5,10\ny,2,,20000000000\n\"z, z\",3,1.5,30\n")
with open(path("b.csv"), "w") as file:
    file.write("name,size,price,count\nv,4,2.5,40\n")
with open(path("none.csv"), "w") as file:
    file.write("1;NA\n2;3\n")
show("csv", all_of(experimental.CsvDataset([path("a.csv"), path("b.csv")], [tf.string, tf.int32, tf.constant([-1.0]), tf.int64], header=True)))
show("csv columns", all_of(experimental.CsvDataset(path("a.csv"), [tf.int32, tf.string], header=True, select_cols=[1, 3])))
show("csv other", all_of(experimental.CsvDataset(path("none.csv"), [tf.int32, [7]], field_delim=";", na_value="NA")))
show("csv wrong", all_of(experimental.CsvDataset(path("a.csv"), [tf.int32], header=True, select_cols=[0])))
rows = experimental.make_csv_dataset([path("a.csv"), path("b.csv")], 2, num_epochs=1, shuffle=False)
show("rows", all_of(rows))
show("rows is", [sorted(rows.output_types), [str(rows.output_types[k]) for k in sorted(rows.output_types)], {k: str(v) for k, v in rows.output_shapes.items()}])
show("labelled", all_of(experimental.make_csv_dataset(path("?.csv"), 3, label_name="size", select_columns=["size", "name"], num_epochs=2, shuffle=False)))
show("named", all_of(experimental.make_csv_dataset(path("none.csv"), 1, column_names=["a", "b"], column_defaults=[tf.int64, tf.constant([9])], header=False,
                                                   field_delim=";", na_value="NA", num_epochs=1, shuffle=False)))

with sqlite3.connect(path("people.db")) as database:
    database.execute("create table people (name text, age integer, height real)")
    database.executemany("insert into people values (?, ?, ?)", [("ann", 30, 1.75), ("bob", 41, 1.5), ("cem", 19, 2.0)])
database.close()
show("sql", all_of(experimental.SqlDataset("sqlite", path("people.db"), "select name, age, height from people where age > 20 order by age desc",
                                           (tf.string, tf.int32, tf.float64))))

bytes_of = lambda *v: tf.train.Feature(bytes_list=tf.train.BytesList(value=v))
ints_of = lambda *v: tf.train.Feature(int64_list=tf.train.Int64List(value=v))
floats_of = lambda *v: tf.train.Feature(float_list=tf.train.FloatList(value=v))
examples = [tf.train.Example(features=tf.train.Features(feature=f)).SerializeToString() for f in (
    {"id": ints_of(1), "words": bytes_of(b"a", b"b"), "numbers": floats_of(1, 2, 3, 4), "ends": ints_of(1, 4), "lengths": ints_of(2, 2), "rows": ints_of(0, 1, 1, 3),
     "at": ints_of(1, 0), "of": floats_of(0.5, 0.25)},
    {"id": ints_of(2), "words": bytes_of(b"c")},
    {"id": ints_of(3), "numbers": floats_of(5, 6), "ends": ints_of(0, 1, 2), "lengths": ints_of(0, 2), "rows": ints_of(1, 1)})]
writer = tf.python_io.TFRecordWriter(path("examples.tfrecord"))
for e in examples:
    writer.write(e)
writer.close()
features = {"id": tf.FixedLenFeature([], tf.int64), "words": tf.VarLenFeature(tf.string), "placed": tf.SparseFeature("at", "of", tf.float32, 3),
            "words_ragged": tf.io.RaggedFeature(tf.string, "tags"), "numbers": tf.io.RaggedFeature(tf.float32)}
batches = experimental.make_batched_features_dataset(path("examples.tfrecord"), 2, {k: features[k] for k in ("id", "words", "numbers", "placed")}, num_epochs=1, shuffle=False)
show("examples", all_of(batches))
show("examples is", [{k: str(v) for k, v in sorted(batches.output_types.items())}, {k: str(v) for k, v in sorted(batches.output_shapes.items())}])
show("examples labelled", all_of(experimental.make_batched_features_dataset([path("examples.tfrecord")], 3, {"id": features["id"]}, label_key="id", num_epochs=1, shuffle=False)))
Ragged = tf.io.RaggedFeature
divided = {
    "plain": Ragged(tf.float32, "numbers"), "limits": Ragged(tf.float32, "numbers", [Ragged.RowLimits("ends")]), "lengths": Ragged(tf.float32, "numbers", [Ragged.RowLengths("lengths")]),
    "rows": Ragged(tf.float32, "numbers", [Ragged.ValueRowIds("rows")]), "pairs": Ragged(tf.float32, "numbers", [Ragged.UniformRowLength(2)], row_splits_dtype=tf.int32)}
for name, feature in sorted(divided.items()):
    show("ragged " + name, plain(tf.Session().run(tf.parse_example(tf.constant(examples), {name: feature}))))
show("ragged one", plain(tf.Session().run(tf.parse_single_example(tf.constant(examples[0]), {n: divided[n] for n in ("plain", "lengths", "rows")}))))
show("ragged failures", [outcome(f) for f in (
    lambda: Ragged(tf.int32), lambda: Ragged(tf.float32, 3), lambda: Ragged(tf.float32, partitions=[3]), lambda: Ragged(tf.float32, row_splits_dtype=tf.float32),
    lambda: tf.parse_example(examples, {"a": Ragged(tf.float32, "x"), "b": Ragged(tf.int64, "x")}))])

counted = tf.data.Dataset.range(3).make_initializable_iterator()
optional = counted.get_next_as_optional()
parts = [optional.has_value(), tf.cond(optional.has_value(), optional.get_value, lambda: tf.constant(-1, tf.int64))]
made = experimental.Optional.from_value({"a": tf.constant([1, 2]), "b": tf.constant("t")})
none = experimental.Optional.empty(tf.TensorSpec([], tf.float32))
with tf.Session() as session:
    session.run(counted.initializer)
    show("optional", [session.run(parts) for _ in range(4)])
    show("optional value", [session.run([made.has_value(), none.has_value()]), plain(session.run(made.get_value())), str(made.element_spec)])
    show("no value", outcome(lambda: session.run(none.get_value())))

reducer = experimental.Reducer(lambda key: (0, tf.constant(0, tf.int64)), lambda state, x: (state[0] + 1, state[1] + x), lambda n, total: total / tf.to_int64(n))
show("by key", all_of(tf.data.Dataset.range(10).apply(experimental.group_by_reducer(lambda x: x % 3, reducer))))
show("cardinality", [all_of(tf.data.Dataset.range(3).apply(experimental.assert_cardinality(n))) for n in (3, 2, 4)])
show("rebatched", [all_of(tf.data.Dataset.range(7).batch(3).rebatch(2)), all_of(tf.data.Dataset.range(7).batch(3).rebatch([1, 2], drop_remainder=True)),
                   str(tf.data.get_output_shapes(tf.data.Dataset.range(8).batch(4, drop_remainder=True).rebatch(2)))])
show("parallel", [all_of(tf.data.TextLineDataset([path("a.csv"), path("none.csv"), path("b.csv")], num_parallel_reads=2)),
                  all_of(tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices([path("none.csv"), path("b.csv")])))])
show("random", [all_of(experimental.RandomDataset(seed=4).take(3)), all_of(tf.data.Dataset.random(seed=4).take(2))])
show("counter", all_of(tf.data.Dataset.counter(3, 2).take(3)))
show("padded", all_of(tf.data.Dataset.from_tensor_slices({"x": [1, 2]}).apply(experimental.pad_to_cardinality(3))))
show("on device", all_of(tf.data.Dataset.range(2).apply(experimental.prefetch_to_device("/cpu:0"))))
show("listed", all_of(experimental.from_list([(1, "a"), (2, "b")])))
show("variant", all_of(experimental.from_variant(experimental.to_variant(tf.data.Dataset.range(2)), tf.TensorSpec([], tf.int64))))
show("signature", all_of(tf.data.Dataset.from_generator(lambda: iter([(1, [2.0]), (3, [4.0, 5.0])]), output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32)))))
show("resampled", len(set(map(str, all_of(tf.data.Dataset.from_tensor_slices([0, 0, 0, 1] * 10).apply(
    experimental.rejection_resample(lambda x: x, [0.0, 1.0], [0.75, 0.25], seed=3)))))))

saved = tf.data.Dataset.range(6).map(lambda x: {"x": x, "s": tf.SparseTensor([[x % 3]], [x * x], [3])})
with tf.Session() as session:
    session.run(saved.save(path("saved")))
    session.run(tf.data.Dataset.range(4).save(path("zipped"), compression="GZIP", shard_func=lambda x: x % 2))
show("loaded", sorted(map(str, all_of(tf.data.Dataset.load(path("saved"))))))
show("loaded is", str(tf.data.Dataset.load(path("saved")).element_spec))
show("loaded in order", all_of(tf.data.Dataset.load(path("zipped"), tf.TensorSpec([], tf.int64), "GZIP", lambda parts: parts.flat_map(lambda p: p))))
snapped = tf.data.Dataset.range(5).apply(experimental.snapshot(path("snapshot")))
show("snapshot", [sorted(all_of(snapped)), sorted(all_of(snapped))])
with tf.Session() as session:
    session.run(experimental.TFRecordWriter(path("written")).write(tf.data.Dataset.from_tensor_slices([b"p", b"q"])))
show("written", all_of(tf.data.TFRecordDataset(path("written"))))

keeping = tf.data.Dataset.range(10).map(lambda x: x * x).make_initializable_iterator()
following = keeping.get_next()
saver = tf.train.Saver([experimental.make_saveable_from_iterator(keeping)])
with tf.Session() as session:
    session.run(keeping.initializer)
    before = [session.run(following) for _ in range(3)]
    saver.save(session, path("iterator"))
    after = [session.run(following) for _ in range(3)]
    saver.restore(session, path("iterator"))
    show("iterator", [before, after, [session.run(following) for _ in range(2)]])
table = experimental.index_table_from_dataset(tf.data.Dataset.from_tensor_slices(["u", "v"]), num_oov_buckets=1)
pairs = experimental.table_from_dataset(tf.data.Dataset.from_tensor_slices(([3, 4], ["three", "four"])), default_value="many", key_dtype=tf.int32)
with tf.Session() as session:
    session.run(tf.tables_initializer())
    show("tables", session.run([table.lookup(tf.constant(["v", "u", "w"])), pairs.lookup(tf.constant([4, 5]))]))
show("failures", [outcome(f) for f in (
    lambda: experimental.make_csv_dataset(path("no*"), 1), lambda: experimental.make_csv_dataset(path("a.csv"), 1, label_name="q"),
    lambda: experimental.make_csv_dataset(path("a.csv"), 1, select_columns=["q"]), lambda: experimental.make_csv_dataset(path("a.csv"), 1, select_columns=[1, 1]),
    lambda: experimental.make_csv_dataset(path("a.csv"), 1, header=False), lambda: experimental.parse_example_dataset(None),
    lambda: tf.data.Dataset.range(3).apply(experimental.parse_example_dataset({"a": features["id"]})),
    lambda: tf.data.Dataset.range(3).apply(experimental.group_by_reducer(lambda x: tf.to_float(x), reducer)),
    lambda: tf.data.Dataset.range(3).apply(experimental.pad_to_cardinality(3)),
    lambda: tf.data.Dataset.from_generator(lambda: iter([1])), lambda: tf.data.Dataset.range(2).as_numpy_iterator())])
