"""All iterators of datasets, and what becomes of data on the way: one-shot, initializable, of a structure, chosen by a string; ends and faults."""

import numpy as np
from program import show, tf

dataset = tf.data.Dataset
numbers = dataset.range(10)
with_shapes = dataset.zip((numbers, dataset.from_tensors({"a": tf.constant([1.0, 2.0]), "b": "text"}).repeat(3)))
pipeline = numbers.filter(lambda n: tf.equal(n % 2, 0)).map(lambda n: (n, tf.cast(n, tf.float32) / 2.0), num_parallel_calls=2).batch(2).prefetch(1)
texts = dataset.from_tensor_slices(["one two", "three", "four five six"]).flat_map(
    lambda line: dataset.from_tensor_slices(tf.string_split([line]).values)).map(lambda word: (word, tf.strings.length(word)))
padded = dataset.range(1, 6).map(lambda n: tf.fill([n], n)).padded_batch(2, padded_shapes=[None], padding_values=np.int64(-1), drop_remainder=True)
woven = dataset.range(3).interleave(lambda n: dataset.from_tensors(n).repeat(2), cycle_length=2, block_length=1)
shuffled = numbers.shuffle(4, seed=5, reshuffle_each_iteration=False).repeat(2).take(12).skip(1)
joined = numbers.take(2).concatenate(dataset.from_tensors(np.int64(99))).shard(2, 0)
summed = dataset.range(5).apply(lambda d: d.map(lambda n: n * n))
scanned = dataset.from_tensor_slices(np.arange(6).reshape(3, 2)).unbatch()


def drain(sess, fetch, most=30):
    values = []
    while len(values) < most:
        try:
            values.append(sess.run(fetch))
        except tf.errors.OutOfRangeError:
            values.append("end")
            break
    return values


with tf.Session() as sess:
    for name, made in (("pairs", with_shapes), ("pipeline", pipeline), ("texts", texts), ("padded", padded), ("woven", woven), ("shuffled", shuffled),
                       ("joined", joined), ("summed", summed), ("scanned", scanned)):
        show(name, drain(sess, tf.data.make_one_shot_iterator(made).get_next()))

    limit = tf.placeholder(tf.int64, [])
    until = tf.data.make_initializable_iterator(dataset.range(limit).map(lambda n: n * 10))
    element = until.get_next()
    for value in (2, 0, 3):
        sess.run(until.initializer, {limit: value})
        show("initializable", drain(sess, element))

    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    training, validation = iterator.make_initializer(numbers.take(3)), iterator.make_initializer(dataset.from_tensor_slices(np.array([100, 200])))
    following = iterator.get_next()
    for initializer in (training, validation, training):
        sess.run(initializer)
        show("reinitializable", drain(sess, following))

    handle = tf.placeholder(tf.string, [])
    chosen = tf.data.Iterator.from_string_handle(handle, tf.data.get_output_types(numbers), tf.data.get_output_shapes(numbers)).get_next()
    endless = tf.data.make_one_shot_iterator(numbers.repeat())
    again = tf.data.make_initializable_iterator(numbers.map(lambda n: -n))
    first, second = sess.run([endless.string_handle(), again.string_handle()])
    sess.run(again.initializer)
    show("chosen", [sess.run(chosen, {handle: h}) for h in (first, first, second, first, second)])

    faulty = tf.data.make_one_shot_iterator(dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda v: tf.check_numerics(1.0 / v, "one over"))).get_next()
    for _ in range(4):
        try:
            show("faulty", sess.run(faulty))
        except (tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError) as e:
            show("fault", [type(e).__name__, "one over" in e.message])
    unready = tf.data.make_initializable_iterator(numbers).get_next()
    try:
        sess.run(unready)
    except tf.errors.FailedPreconditionError as e:
        show("unready", "GetNext() failed because the iterator has not been initialized" in e.message)
    counter = tf.Variable(0, use_resource=True, dtype=tf.int64)
    sess.run(counter.initializer)
    both = tf.data.make_one_shot_iterator(numbers.batch(3)).get_next()
    with tf.control_dependencies([counter.assign_add(tf.reduce_sum(both))]):
        total = counter.read_value()
    show("totals", drain(sess, total))
show("types", [str(tf.data.get_output_types(pipeline)), str(tf.data.get_output_shapes(pipeline)), str(tf.data.get_output_shapes(padded))])
for make in (lambda: numbers.batch(2).map(lambda n: n + 1.5), lambda: dataset.zip((numbers, 3)), lambda: tf.data.make_one_shot_iterator(dataset.range(limit)),
             lambda: numbers.concatenate(dataset.from_tensors(1.0)), lambda: iterator.make_initializer(dataset.from_tensors("a"))):
    try:
        make()
        show("made", None)
    except (TypeError, ValueError) as e:
        show("refused", type(e).__name__)
