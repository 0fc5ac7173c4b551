"""tf.contrib.slim's and tf.contrib.training's loops of training and evaluation, their metrics and data."""

import numpy as np
import pytest

import troupe as tf

slim, training, metrics = tf.contrib.slim, tf.contrib.training, tf.contrib.metrics


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        yield graph


def model(training=True):
    """(loss, predictions, labels) of points that are told apart by their sum."""
    x = np.random.RandomState(0).randn(40, 3).astype("f")
    labels = (x.sum(1) > 0).astype(np.int64)
    net = slim.fully_connected(
        tf.constant(x), 6, scope="hidden", normalizer_fn=slim.batch_norm, normalizer_params={"decay": 0.5, "is_training": training}
    )
    logits = slim.fully_connected(net, 2, activation_fn=None, scope="logits")
    slim.losses.sparse_softmax_cross_entropy(logits, labels)
    return slim.losses.get_total_loss(), tf.argmax(logits, 1), labels


def test_a_model_is_trained_and_judged(tmp_path):
    loss, _, _ = model()
    tf.summary.scalar("loss", loss)
    operation = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.05), summarize_gradients=True)
    last = slim.learning.train(operation, str(tmp_path), number_of_steps=25, log_every_n_steps=10, save_summaries_secs=600)
    assert last < 0.35 and tf.train.latest_checkpoint(str(tmp_path)).endswith("-25")
    assert any("hidden/weights/gradient_norm" in t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES))
    with tf.Graph().as_default():
        _, predictions, labels = model(training=False)
        names_to_values, names_to_updates = slim.metrics.aggregate_metric_map(
            {"accuracy": slim.metrics.streaming_accuracy(predictions, labels), "mse": slim.metrics.streaming_mean_squared_error(predictions, labels)}
        )
        tf.summary.scalar("eval/accuracy", names_to_values["accuracy"])
        found = slim.evaluation.evaluate_once(
            "",
            tf.train.latest_checkpoint(str(tmp_path)),
            str(tmp_path / "eval"),
            num_evals=3,
            eval_op=list(names_to_updates.values()),
            final_op=list(names_to_values.values()),
        )
    assert found[0] > 0.85 and found[0] + found[1] == pytest.approx(1.0)
    (event_file,) = (tmp_path / "eval").iterdir()
    tags = {v.tag: v.simple_value for e in tf.train.summary_iterator(str(event_file)) for v in e.summary.value}
    assert tags["eval/accuracy"] == pytest.approx(found[0])


def test_training_goes_on_where_it_was(tmp_path):
    for wanted in (3, 5):
        with tf.Graph().as_default():
            w = tf.get_variable("w", initializer=0.0)
            step = slim.get_or_create_global_step()
            operation = slim.learning.create_train_op(tf.square(w - 1.0), tf.train.GradientDescentOptimizer(0.25), step)
            seen = []

            def one(session, train_op, global_step, kwargs):
                loss, stop = slim.learning.train_step(session, train_op, global_step, kwargs)
                seen.append(int(session.run(global_step)))
                return loss, stop

            slim.learning.train(operation, str(tmp_path), train_step_fn=one, number_of_steps=wanted, init_fn=lambda session: None)
            assert seen == list(range(1, 4) if wanted == 3 else range(4, 6))
    with pytest.raises(ValueError, match="train_op cannot be None"):
        slim.learning.train(None, None)
    with pytest.raises(ValueError, match="`number_of_steps` must be either None or a positive number"):
        slim.learning.train(operation, None, number_of_steps=0)


def test_training_without_a_folder_gives_the_loss():
    w = tf.get_variable("w", initializer=3.0)
    operation = slim.learning.create_train_op(tf.square(w), tf.train.GradientDescentOptimizer(0.5))
    assert slim.learning.train(operation, None, number_of_steps=2) == 0.0


def test_hooks_end_training_and_evaluation(tmp_path):
    w = tf.get_variable("w", initializer=0.0)
    operation = training.create_train_op(tf.square(w - 2.0), tf.train.GradientDescentOptimizer(0.25))
    assert training.train(operation, str(tmp_path), hooks=[tf.train.StopAtStepHook(num_steps=4)], save_summaries_steps=None) == pytest.approx(2.0**-4)
    with tf.Graph().as_default():
        w = tf.get_variable("w", initializer=0.0)
        tf.train.get_or_create_global_step()
        mean, update = tf.metrics.mean(w)
        path = training.wait_for_new_checkpoint(str(tmp_path))
        found = training.evaluate_once(
            path, eval_ops=update, final_ops={"mean": mean, "n": training.get_or_create_eval_step()}, hooks=[training.StopAfterNEvalsHook(3)]
        )
    assert found == {"mean": pytest.approx(2 - 2 * 0.5**4), "n": 3}
    assert training.wait_for_new_checkpoint(str(tmp_path), path, seconds_to_sleep=0.01, timeout=0.05) is None
    assert list(training.checkpoints_iterator(str(tmp_path), timeout=0)) == [path]


def test_evaluation_follows_checkpoints(tmp_path):
    w = tf.get_variable("w", initializer=4.0)
    tf.train.get_or_create_global_step()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "model"), 1)
    doubled = w * 2.0
    assert training.evaluate_repeatedly(str(tmp_path), final_ops=doubled, eval_interval_secs=0, max_number_of_evaluations=1) == 8.0


def test_gradients_are_multiplied_and_clipped():
    w, b = tf.get_variable("w", initializer=[3.0, 4.0]), tf.get_variable("b", initializer=1.0)
    pairs = tf.train.GradientDescentOptimizer(1.0).compute_gradients(tf.reduce_sum(w * w) / 2 + b)
    times = slim.learning.multiply_gradients(pairs, {"w": 2.0, b: 3.0})
    clipped = slim.learning.clip_gradient_norms(times, 1.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, second = session.run([[g for g, _ in times], [g for g, _ in clipped]])
    assert first[0].tolist() == [6, 8] and first[1] == 3 and second[0] == pytest.approx([0.6, 0.8]) and second[1] == 1
    with pytest.raises(ValueError, match="`gradient_multipliers` is empty"):
        slim.learning.multiply_gradients(pairs, {})


def streamed(metric, batches):
    """The value after some batches of (predictions, labels)."""
    predictions, labels = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    value, update = metric(predictions, labels)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        for p, l in batches:
            last = session.run(update, {predictions: p, labels: l})
        assert session.run(value) == pytest.approx(last, rel=1e-5)
    return last


def test_streams_are_over_all_batches():
    random = np.random.RandomState(1)
    p = random.rand(12).astype("f")
    l = (p + 0.3 * random.randn(12)).astype("f")
    batches = [(p[i : i + 4], l[i : i + 4]) for i in (0, 4, 8)]
    assert streamed(metrics.streaming_covariance, batches) == pytest.approx(np.cov(p, l)[0, 1], rel=1e-4)
    assert streamed(metrics.streaming_pearson_correlation, batches) == pytest.approx(np.corrcoef(p, l)[0, 1], rel=1e-4)
    assert streamed(metrics.streaming_mean_absolute_error, batches) == pytest.approx(np.abs(p - l).mean(), rel=1e-5)
    truth = (l > 0.5).astype("f")
    both = [(np.round(a), t) for (a, _), t in zip(batches, np.split(truth, 3))]
    right = np.round(p)
    assert streamed(metrics.streaming_precision, both) == pytest.approx(truth[right == 1].mean(), rel=1e-5)
    assert streamed(metrics.streaming_recall, both) == pytest.approx(right[truth == 1].mean(), rel=1e-5)


def test_recall_at_k_and_accuracy_of_one_batch():
    scores = tf.constant([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.2, 0.3, 0.5]])
    value, update = metrics.streaming_recall_at_k(scores, tf.constant([2, 1, 2]), 2)
    exact = metrics.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 0, 3]), weights=[1.0, 2.0, 1.0])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(update) == pytest.approx(2 / 3) and session.run(exact) == 0.5
    with pytest.raises(ValueError, match="at least one value_tensor"):
        metrics.aggregate_metrics()


def test_data_sets_of_records_are_provided(tmp_path):
    path, decoder = str(tmp_path / "data.tfrecord"), slim.tfexample_decoder
    picture = tf.image.encode_png(tf.placeholder_with_default(np.full([4, 5, 3], 7, np.uint8), [4, 5, 3]))
    with tf.Session() as session, tf.python_io.TFRecordWriter(path) as writer:
        encoded = session.run(picture)
        feature = lambda **kind: tf.train.Feature(**kind)
        for i in range(6):
            writer.write(
                tf.train.Example(
                    features=tf.train.Features(
                        feature={
                            "image/encoded": feature(bytes_list=tf.train.BytesList(value=[encoded])),
                            "image/format": feature(bytes_list=tf.train.BytesList(value=[b"png"])),
                            "image/class/label": feature(int64_list=tf.train.Int64List(value=[i])),
                            **{
                                f"box/{k}": feature(float_list=tf.train.FloatList(value=[0.1 * j, 0.2]))
                                for j, k in enumerate(("ymin", "xmin", "ymax", "xmax"))
                            },
                        }
                    )
                ).SerializeToString()
            )
    features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, ""),
        "image/format": tf.FixedLenFeature((), tf.string, "png"),
        "image/class/label": tf.FixedLenFeature([], tf.int64),
        **{f"box/{k}": tf.VarLenFeature(tf.float32) for k in ("ymin", "xmin", "ymax", "xmax")},
    }
    handlers = {"image": decoder.Image(), "label": decoder.Tensor("image/class/label"), "boxes": decoder.BoundingBox(prefix="box/")}
    dataset = slim.dataset.Dataset(path, tf.TFRecordReader, decoder.TFExampleDecoder(features, handlers), 6, {"image": "A picture."}, num_classes=6)
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, shuffle=False, num_epochs=1)
    assert provider.list_items() == ["image", "label", "boxes", "record_key"] and provider.num_samples() == 6 and dataset.num_classes == 6
    image, label, boxes = provider.get(["image", "label", "boxes"])
    image.set_shape([4, 5, 3])
    images, labels = tf.train.batch([image, label], 3)
    queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2)
    fetched = queue.dequeue()
    with tf.Session() as session:
        session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
        with slim.queues.QueueRunners(session):
            found = [session.run(fetched) for _ in range(2)]
    assert [f[1].tolist() for f in found] == [[0, 1, 2], [3, 4, 5]] and (found[0][0] == 7).all() and found[0][0].shape == (3, 4, 5, 3)
    with pytest.raises(ValueError, match="Unknown item: none"):
        provider.get(["none"])
    reader, one = tf.python_io.tf_record_iterator(path), None
    one = dataset.decoder.decode(tf.constant(next(reader)), ["boxes", "label"])
    with tf.Session() as session:
        found = session.run(one)
    np.testing.assert_allclose(found[0], [[0, 0.1, 0.2, 0.3], [0.2] * 4], atol=1e-6)
    assert found[1] == 0
