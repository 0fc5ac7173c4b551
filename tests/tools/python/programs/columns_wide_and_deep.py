"""A wide and deep model of Examples that are parsed by the columns' specs, trained, saved and restored by the columns' names."""

import os
import tempfile

import numpy as np
from program import show, tf

fc = tf.feature_column


def example(age, job, skills, scores, paid):
    bytes_of = lambda values: tf.train.Feature(bytes_list=tf.train.BytesList(value=[v.encode() for v in values]))
    return tf.train.Example(features=tf.train.Features(feature={
        "age": tf.train.Feature(float_list=tf.train.FloatList(value=[age])), "job": bytes_of([job]), "skills": bytes_of(skills),
        "scores": tf.train.Feature(float_list=tf.train.FloatList(value=scores)),
        "paid": tf.train.Feature(float_list=tf.train.FloatList(value=[paid]))})).SerializeToString()


rows = [(20.0, "cook", ["a", "b"], [1.0, 2.0], 0.0), (35.0, "smith", ["c"], [0.5], 1.0), (50.0, "cook", ["a"], [3.0], 0.0), (41.0, "none", [], [], 0.0),
        (66.0, "judge", ["d", "a"], [1.0, 1.0], 1.0), (29.0, "smith", ["b", "c"], [2.0, 0.1], 1.0)]
age = fc.numeric_column("age", normalizer_fn=lambda x: x / 50.0)
ages = fc.bucketized_column(fc.numeric_column("age"), [25.0, 40.0, 60.0])
job = fc.categorical_column_with_vocabulary_list("job", ["cook", "smith", "judge"])
skills = fc.weighted_categorical_column(fc.categorical_column_with_hash_bucket("skills", 8), "scores")
wide = [ages, job, fc.crossed_column([ages, "job"], 12), skills]
start = lambda scale: tf.random_normal_initializer(stddev=scale, seed=3)
deep = [fc.indicator_column(job), fc.embedding_column(skills, 3, initializer=start(0.3))]
spec = fc.make_parse_example_spec([*wide, *deep])
show("spec", sorted(spec))
dataset = tf.data.Dataset.from_tensor_slices([example(*r) for r in rows]).repeat().batch(6)
features = dataset.map(lambda batch: tf.parse_example(batch, {**spec, "paid": tf.FixedLenFeature([], tf.float32)})).make_one_shot_iterator().get_next()
label = features.pop("paid")
with tf.variable_scope("linear"):
    logits = fc.linear_model(features, wide)
with tf.variable_scope("dnn"):
    net = fc.input_layer(features, deep)
    kernel = tf.get_variable("kernel", [net.shape[1], 1], initializer=start(0.5))
logits = tf.squeeze(logits + tf.matmul(tf.nn.relu(net), kernel), -1)
loss = tf.losses.sigmoid_cross_entropy(label, logits)
step = tf.train.get_or_create_global_step()
train = tf.group(tf.train.FtrlOptimizer(0.2).minimize(loss, var_list=tf.trainable_variables("linear"), global_step=step),
                 tf.train.AdagradOptimizer(0.1).minimize(loss, var_list=tf.trainable_variables("dnn")))
show("variables", [[v.op.name, str(v.shape)] for v in tf.global_variables()])
saver = tf.train.Saver()
folder = tempfile.mkdtemp()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for _ in range(4):
        show("loss", session.run(loss))
        session.run(train)
    path = saver.save(session, os.path.join(folder, "model"), global_step=step)
    show("saved", [[n, s] for n, s in tf.train.list_variables(path)])
    weights = session.run(tf.trainable_variables())
    show("weights", weights)

# A column whose matrix comes from that checkpoint.
with tf.Graph().as_default():
    column = fc.embedding_column(skills, 3, ckpt_to_load_from=path, tensor_name_in_ckpt="dnn/input_layer/skills_weighted_by_scores_embedding/embedding_weights")
    made = fc.input_layer(tf.parse_example([example(*r) for r in rows], fc.make_parse_example_spec([column])), [column])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        show("loaded", session.run(made))
show("length", np.shape(weights[0])[0])
