"""cifar10 of tensorflow/models: records of fixed length through queues, distorted pictures, weight decay by a collection, moving averages."""

import os
import re
import tempfile

import numpy as np
from program import show, tf

random = np.random.RandomState(101)
folder = tempfile.mkdtemp()
for n in (1, 2):
    with open(os.path.join(folder, f"data_batch_{n}.bin"), "wb") as f:
        for _ in range(20):
            label = random.randint(0, 3)
            f.write(bytes([label]) + (random.randint(0, 100, 3 * 12 * 12) + 70 * (np.arange(432) // 144 == label)).astype(np.uint8).tobytes())


def read_cifar10(queue):
    class Record:
        pass

    result = Record()
    result.height, result.width, result.depth = 12, 12, 3
    reader = tf.FixedLengthRecordReader(record_bytes=1 + 432)
    result.key, value = reader.read(queue)
    record = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
    major = tf.reshape(tf.strided_slice(record, [1], [433]), [3, 12, 12])
    result.uint8image = tf.transpose(major, [1, 2, 0])
    return result


with tf.name_scope("data_augmentation"):
    names = [os.path.join(folder, f"data_batch_{i}.bin") for i in range(1, 3)]
    for name in names:
        if not tf.gfile.Exists(name):
            raise ValueError("Failed to find file: " + name)
    read_input = read_cifar10(tf.train.string_input_producer(names, shuffle=False))
    distorted = tf.random_crop(tf.cast(read_input.uint8image, tf.float32), [8, 8, 3], seed=1)
    distorted = tf.image.random_flip_left_right(distorted, seed=2)
    distorted = tf.image.random_brightness(distorted, max_delta=63, seed=3)
    distorted = tf.image.random_contrast(distorted, lower=0.2, upper=1.8, seed=4)
    float_image = tf.image.per_image_standardization(distorted)
    float_image.set_shape([8, 8, 3])
    read_input.label.set_shape([1])
    images, labels = tf.train.batch([float_image, read_input.label], batch_size=6, num_threads=1, capacity=26)
    labels = tf.reshape(labels, [6])
tf.summary.image("images", images)


def _variable_on_cpu(name, shape, initializer):
    with tf.device("/cpu:0"):
        return tf.get_variable(name, shape, initializer=initializer, dtype=tf.float32)


def _variable_with_weight_decay(name, shape, stddev, wd, seed=7):
    var = _variable_on_cpu(name, shape, tf.truncated_normal_initializer(stddev=stddev, dtype=tf.float32, seed=seed))
    if wd is not None:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(var), wd, name="weight_loss"))
    return var


def _activation_summary(x):
    name = re.sub("tower_[0-9]*/", "", x.op.name)
    tf.summary.histogram(name + "/activations", x)
    tf.summary.scalar(name + "/sparsity", tf.nn.zero_fraction(x))


with tf.variable_scope("conv1") as scope:
    kernel = _variable_with_weight_decay("weights", [5, 5, 3, 8], 5e-2, None)
    conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME")
    conv1 = tf.nn.relu(tf.nn.bias_add(conv, _variable_on_cpu("biases", [8], tf.constant_initializer(0.0))), name=scope.name)
    _activation_summary(conv1)
pool1 = tf.nn.max_pool(conv1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1")
norm1 = tf.nn.lrn(pool1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1")
with tf.variable_scope("local3") as scope:
    reshape = tf.reshape(norm1, [6, -1])
    weights = _variable_with_weight_decay("weights", [reshape.get_shape()[1].value, 10], 0.04, 0.004)
    local3 = tf.nn.relu(tf.matmul(reshape, weights) + _variable_on_cpu("biases", [10], tf.constant_initializer(0.1)), name=scope.name)
    _activation_summary(local3)
with tf.variable_scope("softmax_linear") as scope:
    weights = _variable_with_weight_decay("weights", [10, 3], 1 / 10.0, 0.001)
    logits = tf.add(tf.matmul(local3, weights), _variable_on_cpu("biases", [3], tf.constant_initializer(0.0)), name=scope.name)

entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(labels, tf.int64), logits=logits, name="cross_entropy_per_example")
tf.add_to_collection("losses", tf.reduce_mean(entropy, name="cross_entropy"))
total_loss = tf.add_n(tf.get_collection("losses"), name="total_loss")
global_step = tf.train.get_or_create_global_step()
lr = tf.train.exponential_decay(0.1, global_step, 5, 0.5, staircase=True)
tf.summary.scalar("learning_rate", lr)
loss_averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
losses = tf.get_collection("losses")
loss_averages_op = loss_averages.apply(losses + [total_loss])
for l in losses + [total_loss]:
    tf.summary.scalar(l.op.name + " (raw)", l)
    tf.summary.scalar(l.op.name, loss_averages.average(l))
with tf.control_dependencies([loss_averages_op]):
    opt = tf.train.GradientDescentOptimizer(lr)
    grads = opt.compute_gradients(total_loss)
apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
for grad, var in grads:
    tf.summary.histogram(var.op.name, var)
    if grad is not None:
        tf.summary.histogram(var.op.name + "/gradients", grad)
variable_averages = tf.train.ExponentialMovingAverage(0.999, global_step)
with tf.control_dependencies([apply_gradient_op]):
    train_op = variable_averages.apply(tf.trainable_variables())

show("variables", sorted(v.name for v in tf.global_variables()))
show("summaries", sorted(s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)))
show("ops", sorted(op.name for op in tf.get_default_graph().get_operations() if "/" not in op.name))
show("restore", sorted(variable_averages.variables_to_restore()))
show("queues", sorted(r.name for r in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))


class _LoggerHook(tf.train.SessionRunHook):
    def begin(self):
        self._step = -1

    def before_run(self, run_context):
        self._step += 1
        return tf.train.SessionRunArgs(total_loss)

    def after_run(self, run_context, run_values):
        show("loss", [self._step, run_values.results])


hooks = [tf.train.StopAtStepHook(last_step=12), tf.train.NanTensorHook(total_loss), _LoggerHook()]
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=folder,
    hooks=hooks,
    save_checkpoint_secs=600,
    save_summaries_steps=5,
    log_step_count_steps=None,
    config=tf.ConfigProto(log_device_placement=False),
) as mon_sess:
    while not mon_sess.should_stop():
        mon_sess.run(train_op)
tf.reset_default_graph()
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(folder))
show("checkpoint", dict(sorted(reader.get_variable_to_shape_map().items())))
show(
    "averages",
    [
        float(reader.get_tensor("total_loss/avg")),
        int(reader.get_tensor("global_step")),
        float(reader.get_tensor("softmax_linear/biases/ExponentialMovingAverage")[1]),
    ],
)
events = [e for name in sorted(tf.gfile.Glob(os.path.join(folder, "events*"))) for e in tf.train.summary_iterator(name)]
show("events", [[e.step, sorted(v.tag for v in e.summary.value)] for e in events if e.HasField("summary")])
# But those that are read while they change.
scalars = [v for e in events for v in e.summary.value if v.HasField("simple_value") and "fraction" not in v.tag and not v.tag.endswith("_1")]
show("scalars", [[v.tag, v.simple_value] for v in scalars])
