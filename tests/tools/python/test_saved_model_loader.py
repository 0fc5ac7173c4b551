"""Saved models step by step."""

import pytest
import troupe as tf
from troupe.python.saved_model import loader_impl
from troupe.python.tools import saved_model_utils


@pytest.fixture
def folder(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("a b")
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        asset = tf.constant(str(words), name="words")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
        value = tf.Variable(2.0, name="value")
        read = tf.Variable("", name="read")
        tf.multiply(value, 3.0, name="y")
        start = tf.assign(read, tf.read_file(asset), name="start").op
        session.run(value.initializer)
        session.run(read.initializer)
        builder = tf.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(session, ["serve", "other"], assets_collection=[asset], main_op=start)
        builder.save()
    return folder


def test_what_it_has(folder, tmp_path):
    assert loader_impl.contains_saved_model(folder) and not loader_impl.contains_saved_model(tmp_path)
    assert [sorted(t) for t in saved_model_utils.get_saved_model_tag_sets(folder)] == [["other", "serve"]]
    assert saved_model_utils.get_meta_graph_def(folder, "serve,other").graph_def.node
    with pytest.raises(RuntimeError, match="'serve' could not be found in SavedModel"):
        saved_model_utils.get_meta_graph_def(folder, "serve")
    with pytest.raises(OSError, match="does not exist"):
        saved_model_utils.read_saved_model(tmp_path)
    meta_graph = loader_impl.parse_saved_model(folder).meta_graphs[0]
    (name, path), = loader_impl.get_asset_tensors(folder, meta_graph, "in").items()
    assert name == "in/words:0" and path.endswith(b"words.txt")


@pytest.mark.parametrize("scope", [None, "in"])
def test_one_by_one(folder, scope):
    loader, prefix = loader_impl.SavedModelLoader(folder), f"{scope}/" if scope else ""
    assert loader.export_dir == folder and loader.variables_path.endswith(b"variables")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        saver, _ = loader.load_graph(graph, ["serve", "other"], import_scope=scope)
        loader.restore_variables(session, saver)
        assert session.run(f"{prefix}y:0") == 6.0
        meta_graph = loader.get_meta_graph_def_from_tags(["serve", "other"])
        assert loader_impl.get_init_op(meta_graph, scope).name == f"{prefix}start" and loader_impl.get_train_op(meta_graph) is None
        loader.run_init_ops(session, ["serve", "other"], import_scope=scope)
        assert session.run(f"{prefix}read:0") == b"a b"
        with pytest.raises(ValueError, match="No saver to restore variables from"):
            loader.restore_variables(session, None)


def test_all_at_once(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        loader_impl.SavedModelLoader(folder).load(session, ["serve", "other"])
        assert session.run(["y:0", "read:0"]) == [6.0, b"a b"]
