"""Saved models."""

import numpy as np
import pytest

import troupe as tf

sm = tf.saved_model


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _save(folder, words):
    words.write_text("a\nb\n")
    x, k = tf.placeholder(tf.float32, [None], name="x"), tf.placeholder(tf.string, [None], name="k")
    y = tf.multiply(x, tf.get_variable("v", initializer=2.0), name="y")
    lines = tf.lookup.TextFileInitializer(str(words), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                          tf.lookup.TextFileIndex.LINE_NUMBER)
    found = tf.lookup.StaticHashTable(lines, -1).lookup(k)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        sm.simple_save(session, str(folder), {"x": x, "k": k}, {"y": y, "found": found}, legacy_init_op=tf.tables_initializer())


@pytest.mark.parametrize("scope", [None, "inside"])
def test_a_model_is_loaded_with_values_and_assets(tmp_path, scope):
    _save(tmp_path / "model", tmp_path / "words")
    (tmp_path / "words").unlink()
    assert sorted(str(p.relative_to(tmp_path / "model")) for p in (tmp_path / "model").rglob("*") if p.is_file()) == [
        "assets/words", "saved_model.pb", "variables/variables.data-00000-of-00001", "variables/variables.index"]
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = sm.loader.load(session, [sm.tag_constants.SERVING], str(tmp_path / "model"), import_scope=scope)
        signature = loaded.signature_def[sm.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
        assert signature.method_name == "tensorflow/serving/predict"
        tensor = lambda info: sm.utils.get_tensor_from_tensor_info(info, session.graph, scope)
        y, found = (tensor(signature.outputs[n]) for n in ("y", "found"))
        x, k = (tensor(signature.inputs[n]) for n in ("x", "k"))
        got = session.run([y, found], {x: [1, 2], k: ["b", "c"]})
        np.testing.assert_array_equal(got[0], [2, 4])
        np.testing.assert_array_equal(got[1], [1, -1])


def test_graphs_are_told_apart_by_their_tags(tmp_path):
    folder = str(tmp_path / "model")
    builder = sm.builder.SavedModelBuilder(folder)
    v = tf.get_variable("v", initializer=3.0)
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["train"])
    with tf.Session() as session:
        session.run(v.initializer)
        builder.add_meta_graph_and_variables(session, ["train"])
    with tf.Graph().as_default():
        tf.add(tf.get_variable("v", initializer=0.0), 1.0, name="more")
        builder.add_meta_graph(["serve", "gpu"])
    builder.save()
    with tf.Graph().as_default(), tf.Session() as session:
        sm.load(session, ["gpu", "serve"], folder)
        assert session.run("more:0") == 4.0
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(RuntimeError, match="could not be found in SavedModel"):
        sm.load(session, ["serve"], folder)
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        sm.Builder(folder)


def test_a_model_may_be_text(tmp_path):
    builder = sm.Builder(str(tmp_path))
    v = tf.get_variable("v", initializer=3.0)
    with tf.Session() as session:
        session.run(v.initializer)
        builder.add_meta_graph_and_variables(session, ["serve"])
    assert builder.save(as_text=True) == str(tmp_path / "saved_model.pbtxt").encode()
    assert sm.contains_saved_model(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        sm.load(session, ["serve"], str(tmp_path))
        assert session.run("v:0") == 3.0
    with pytest.raises(OSError, match="SavedModel file does not exist"):
        sm.load(session, ["serve"], str(tmp_path / "nothing"))


def test_signatures_describe_tensors():
    examples, scores = tf.placeholder(tf.string, [None]), tf.placeholder(tf.float32, [None, 3], name="scores")
    made = sm.signature_def_utils.classification_signature_def(examples, None, scores)
    assert made.method_name == "tensorflow/serving/classify"
    info = made.outputs["scores"]
    assert (info.name, info.dtype, [d.size for d in info.tensor_shape.dim]) == ("scores:0", 1, [-1, 3])
    with pytest.raises(ValueError, match="must be of type string"):
        sm.signature_def_utils.regression_signature_def(scores, scores)
    with pytest.raises(ValueError, match="cannot be None or empty"):
        sm.signature_def_utils.predict_signature_def({}, {"y": scores})
