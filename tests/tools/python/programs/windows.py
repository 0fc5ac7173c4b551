"""Datasets of windows, groups and buckets, of states, of Python generators, and chosen from others."""

import numpy as np
from program import show, tf

Dataset = tf.data.Dataset
experimental = tf.data.experimental


def elements(dataset, most=30):
    """What steps get, and how it ended: "end", "more" or the class of an error."""
    with tf.Session() as session:
        iterator = tf.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        session.run([tf.global_variables_initializer(), iterator.initializer])
        found = []
        try:
            for _ in range(most):
                found.append(session.run(following))
        except tf.errors.OutOfRangeError:
            return [*found, "end"]
        except tf.errors.OpError as e:
            return [*found, type(e).__name__]
        return [*found, "more"]


def numbers():
    yield 1, [0.5]
    yield 2, []
    yield 3, [1.5, 2.5, 3.5]


def up_to(n, step):
    return range(0, int(n), int(step))


def wrong():
    yield 1
    yield "two"


def named():
    for i in range(2):
        yield {"number": i, "text": f"n{i}"}


def one_or_two():
    return Dataset.range(10).map(lambda x: x % 3)


show("windows", elements(Dataset.range(7).window(3, shift=2).flat_map(lambda w: w.batch(3))))
show("full windows", elements(Dataset.range(7).window(3, 1, 2, drop_remainder=True).flat_map(lambda w: w.batch(3))))
pairs = Dataset.from_tensor_slices(([1, 2, 3, 4], ["a", "b", "c", "d"]))
show("windows of pairs", elements(pairs.window(2).flat_map(lambda n, t: Dataset.zip((n.batch(2), t.batch(2))))))
show("sums of windows", elements(Dataset.range(6).window(2).map(lambda w: w.reduce(np.int64(0), lambda a, b: a + b))))
show("mapped to datasets", elements(Dataset.range(3).map(lambda n: Dataset.range(n).map(lambda i: i * n)).flat_map(lambda d: d)))
show("groups", elements(one_or_two().group_by_window(lambda x: x, lambda key, w: w.map(lambda x: x * 10 + key).batch(5), 2)))
show("groups of other sizes", elements(Dataset.range(9).apply(experimental.group_by_window(
    lambda x: x % 2, lambda key, w: w.batch(9), window_size_func=lambda key: key + 2))))
show("buckets", elements(Dataset.from_tensor_slices([1, 5, 2, 7, 3, 1]).map(lambda n: tf.fill([n], n)).apply(
    experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 6], [2, 2, 1]))))
show("states", elements(Dataset.range(5).apply(experimental.scan(np.int64(1), lambda state, x: (state * 2, state + x)))))
show("growing states", elements(Dataset.range(3).scan(np.zeros([1], np.int64), lambda state, x: (tf.concat([state, [x]], 0), tf.size(state)))))
show("generated", elements(Dataset.from_generator(numbers, (tf.int64, tf.float32), ([], [None]))))
show("generated twice", elements(Dataset.from_generator(numbers, (tf.int64, tf.float32)).map(lambda n, x: n + tf.cast(tf.size(x), tf.int64)).repeat(2)))
show("generated with arguments", elements(Dataset.from_generator(up_to, tf.int32, [], args=(7, 3))))
show("generated dictionaries", elements(Dataset.from_generator(named, {"number": tf.int32, "text": tf.string}).batch(2)))
show("generated wrongly", elements(Dataset.from_generator(wrong, tf.int32)))
show("generated in other shapes", elements(Dataset.from_generator(lambda: iter([[1, 2], [3]]), tf.int32, [2])))
show("generators next to each other", elements(Dataset.range(2).flat_map(lambda n: Dataset.from_generator(up_to, tf.int64, [], args=(n + 2, 1)))))
show("without failures", elements(Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.check_numerics(1.0 / x, "bad")).apply(
    experimental.ignore_errors())))
show("unique", elements(one_or_two().apply(experimental.unique())))
show("while", elements(Dataset.range(9).apply(experimental.take_while(lambda x: x < 3))))
show("chosen", elements(experimental.choose_from_datasets([Dataset.range(3), Dataset.range(10, 20)], Dataset.from_tensor_slices(
    np.array([0, 1, 1, 0, 1], np.int64)))))
show("sampled", len(elements(experimental.sample_from_datasets([Dataset.range(3), Dataset.range(4)], [0.5, 0.5], seed=1))))
show("sampled from one", elements(experimental.sample_from_datasets([Dataset.range(3), Dataset.range(4)], [0.0, 1.0], seed=1), 3))
show("counted", elements(experimental.Counter(3, 2), 4))
show("mapped and batched", elements(Dataset.range(5).apply(experimental.map_and_batch(lambda x: x * x, 2))))
show("shuffled and repeated", sorted(elements(Dataset.range(3).apply(experimental.shuffle_and_repeat(3, 2)))[:-1]))
options = tf.data.Options()
options.experimental_deterministic = True
show("with options", elements(Dataset.range(2).with_options(options)))
with tf.Session() as session:
    sizes = [Dataset.range(4), Dataset.range(4).repeat(), Dataset.range(4).filter(lambda x: x > 1), Dataset.range(4).window(3)]
    show("how many", [session.run(experimental.cardinality(d)) for d in sizes])
    show("single", session.run(experimental.get_single_element(Dataset.range(4).batch(4))))
