"""Checkpoints and graphs in files."""

import os
import threading
import time

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _two_variables():
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    return v, tf.get_variable("w", initializer=3, use_resource=True)


def test_values_come_back(tmp_path):
    v, w = _two_variables()
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "model"), global_step=7)
    assert path == str(tmp_path / "model-7")
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "model-7.data-00000-of-00001", "model-7.index", "model-7.meta"]
    with tf.Session() as session:
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(v), [1, 2])
        assert session.run(w) == 3


def test_operations_have_the_names_that_saved_graphs_know(graph):
    _two_variables()
    saver_def = tf.train.Saver().as_saver_def()
    assert (saver_def.filename_tensor_name, saver_def.save_tensor_name, saver_def.restore_op_name) == (
        "save/Const:0", "save/control_dependency:0", "save/restore_all")
    assert [op.name for op in graph.get_operations() if op.name.startswith("save/")] == [
        "save/filename/input", "save/filename", "save/Const", "save/SaveV2/tensor_names", "save/SaveV2/shape_and_slices", "save/SaveV2",
        "save/control_dependency", "save/RestoreV2/tensor_names", "save/RestoreV2/shape_and_slices", "save/RestoreV2", "save/Assign",
        "save/Identity", "save/AssignVariableOp", "save/restore_all"]
    assert [t.name for t in graph.get_operation_by_name("save/SaveV2").inputs[3:]] == ["v:0", "w/Read/ReadVariableOp:0"]


def test_threads_that_save_take_turns(tmp_path):
    _two_variables()
    saver = tf.train.Saver()
    inside, met = [], []

    class Watched:
        def __init__(self, session):
            self.graph, self._run = session.graph, session.run

        def run(self, *args):
            inside.append(args)
            met.append(len(inside))
            time.sleep(0.02)
            inside.pop()
            return self._run(*args)

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        threads = [threading.Thread(target=saver.save, args=(Watched(session), str(tmp_path / "model"), step)) for step in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert met == [1, 1, 1, 1]
    assert tf.train.get_checkpoint_state(str(tmp_path)).model_checkpoint_path == saver.last_checkpoints[-1]


def test_names_in_a_checkpoint_may_be_others(tmp_path):
    v, w = _two_variables()
    saver = tf.train.Saver({"other": v})
    with tf.Session() as session:
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "model"), write_meta_graph=False)
    assert tf.train.list_variables(path) == [("other", [2])]
    np.testing.assert_array_equal(tf.train.load_variable(str(tmp_path), "other"), [1, 2])
    with pytest.raises(ValueError, match="same name"):
        tf.train.Saver([w, w])


def test_only_the_last_are_kept(tmp_path):
    _two_variables()
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        paths = [saver.save(session, str(tmp_path / "model"), global_step=i) for i in range(4)]
    assert saver.last_checkpoints == paths[2:]
    assert [tf.train.checkpoint_exists(p) for p in paths] == [False, False, True, True]
    assert not os.path.exists(paths[0] + ".meta")
    assert tf.train.latest_checkpoint(str(tmp_path)) == paths[3]
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert state.model_checkpoint_path == paths[3]
    assert list(state.all_model_checkpoint_paths) == paths[2:]
    assert (tmp_path / "checkpoint").read_text() == (
        f'model_checkpoint_path: "{paths[3]}"\nall_model_checkpoint_paths: "{paths[2]}"\nall_model_checkpoint_paths: "{paths[3]}"\n')
    after_a_restart = tf.train.Saver(max_to_keep=2)
    after_a_restart.recover_last_checkpoints(state.all_model_checkpoint_paths)
    assert after_a_restart.last_checkpoints == paths[2:]


def test_shards_are_merged(tmp_path):
    v, w = _two_variables()
    saver = tf.train.Saver(sharded=True)
    assert saver.as_saver_def().save_tensor_name == "save/Identity:0"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "model"))
        session.run([v.assign([0, 0]), w.assign(0)])
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(v), [1, 2])
        assert session.run(w) == 3


def test_a_reader_tells_names_types_and_values(tmp_path):
    _two_variables()
    tf.get_variable("scope/text", initializer="abc")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    reader = tf.train.NewCheckpointReader(path)
    assert reader.get_variable_to_shape_map() == {"v": [2], "w": [], "scope/text": []}
    assert reader.get_variable_to_dtype_map() == {"v": tf.float32, "w": tf.int32, "scope/text": tf.string}
    assert reader.has_tensor("w") and not reader.has_tensor("u")
    assert reader.get_tensor("scope/text") == b"abc"
    with pytest.raises(tf.errors.NotFoundError, match="Key u not found in checkpoint"):
        reader.get_tensor("u")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.NewCheckpointReader(str(tmp_path / "nothing"))


def test_errors_say_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match="No variables to save"):
        tf.train.Saver()
    v, _ = _two_variables()
    saver = tf.train.Saver([v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match="is not a valid checkpoint"):
            saver.restore(session, str(tmp_path / "nothing"))
        with pytest.raises(ValueError, match="Can't load save_path when it is None"):
            saver.restore(session, None)
        with pytest.raises(ValueError, match="doesn't exist, can't save"):
            saver.save(session, str(tmp_path / "no" / "folder" / "model"))
        path = saver.save(session, str(tmp_path / "model"))
        with pytest.raises(tf.errors.NotFoundError, match="a Variable name or other graph key that is missing"):
            tf.train.Saver().restore(session, path)
        other = tf.train.Saver({"v": tf.Variable([1.0, 2.0, 3.0])})
        with pytest.raises(tf.errors.InvalidArgumentError, match="a mismatch between the current graph and the graph"):
            other.restore(session, path)


def test_a_graph_comes_back_with_its_variables(tmp_path):
    v, w = _two_variables()
    tf.add_to_collection("result", tf.add(v, 1.0, name="result"))
    tf.add_to_collection("numbers", 5)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default():
        saver = tf.train.import_meta_graph(path + ".meta")
        assert [x.op.name for x in tf.global_variables()] == ["v", "w"]
        assert tf.trainable_variables() == tf.global_variables()
        assert tf.get_collection("numbers") == [5]
        with tf.Session() as session:
            saver.restore(session, path)
            np.testing.assert_array_equal(session.run(tf.get_collection("result")[0]), [2, 3])


def test_a_graph_comes_into_a_scope(tmp_path):
    v, w = _two_variables()
    tf.add(v, 1.0, name="result")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(path + ".meta", import_scope="inside")
        assert [x.op.name for x in tf.global_variables()] == ["inside/v", "inside/w"]
        with tf.Session() as session:
            saver.restore(session, path)
            np.testing.assert_array_equal(session.run("inside/result:0"), [2, 3])


def test_collections_are_exported_by_their_kinds():
    _two_variables()
    queue = tf.FIFOQueue(2, tf.int32, shapes=[])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
    tf.add_to_collection("texts", "abc")
    tf.add_to_collection("unknown", object())
    made = tf.train.export_meta_graph()
    kinds = {key: made.collection_def[key].WhichOneof("kind") for key in made.collection_def.keys()}
    assert kinds == {"variables": "bytes_list", "trainable_variables": "bytes_list", "queue_runners": "bytes_list", "texts": "bytes_list"}
    runner = tf.protos.QueueRunnerDef.FromString(made.collection_def["queue_runners"].bytes_list.value[0])
    assert (runner.queue_name, list(runner.enqueue_op_name), runner.close_op_name, runner.cancel_op_name) == (
        "fifo_queue", ["fifo_queue_enqueue"], "fifo_queue_Close", "fifo_queue_Close_1")
    text = tf.train.export_meta_graph(as_text=True)
    assert list(text.collection_def.keys()) == list(made.collection_def.keys())


def test_a_scope_is_exported_without_what_is_around():
    with tf.variable_scope("inside"):
        v = tf.get_variable("v", initializer=[1.0])
        tf.add(v, 1.0, name="result")
    outside = tf.add(v, 1.0, name="outside")
    made = tf.train.export_meta_graph(export_scope="inside")
    names = [n.name for n in made.graph_def.node]
    assert "v" in names and "result" in names and outside.op.name not in names
    with tf.Graph().as_default():
        tf.train.import_meta_graph(made)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run("result:0"), [2.0])


def test_old_checkpoints_are_kept_every_some_hours(tmp_path, monkeypatch):
    _two_variables()
    start = time.time()
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        paths = []
        for hours in (0.5, 1.5, 1.6, 1.7):
            monkeypatch.setattr(time, "time", lambda: start + hours * 3600)
            paths.append(saver.save(session, str(tmp_path / "model"), global_step=int(hours * 10)))
    assert [tf.train.checkpoint_exists(p) for p in paths] == [False, True, False, True]


@pytest.mark.parametrize("use_resource", [False, True])
def test_first_values_come_from_another_models_checkpoint(tmp_path, use_resource):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("old/a", initializer=[1.0, 2.0])
        tf.get_variable("old/b", initializer=5)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.variable_scope("new", use_resource=use_resource):
        a, b = tf.get_variable("a", initializer=[0.0, 0.0]), tf.get_variable("b", initializer=0)
    c = tf.get_variable("c", shape=[2], use_resource=use_resource)
    tf.train.init_from_checkpoint(str(tmp_path), {"old/": "new/", "old/a": c})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(a), [1, 2])
        np.testing.assert_array_equal(session.run(c), [1, 2])
        assert session.run(b) == 5
    with pytest.raises(ValueError, match="Tensor old/c is not found"):
        tf.train.init_from_checkpoint(str(tmp_path), {"old/c": c})
    with pytest.raises(ValueError, match="doesn't match with shape of tensor old/a"):
        tf.train.init_from_checkpoint(str(tmp_path), {"old/a": "new/b"})


def test_paths_may_be_bytes(tmp_path):
    folder = str(tmp_path).encode()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.get_variable("v", initializer=3.0)
        session.run(v.initializer)
        saver = tf.train.Saver()
        path = saver.save(session, folder + b"/model", 1)
        session.run(v.assign(4.0))
        saver.restore(session, path.encode())
        assert session.run(v) == 3.0 and path == str(tmp_path / "model-1")
        assert tf.train.latest_checkpoint(folder) == path and tf.train.checkpoint_exists(path.encode())
        assert tf.train.NewCheckpointReader(path.encode()).get_tensor("v") == 3.0
        tf.train.export_meta_graph(folder + b"/graph.meta"), tf.train.write_graph(graph, folder, "graph.pbtxt")
        tf.summary.FileWriter(folder + b"/logs").close()
        builder = tf.saved_model.builder.SavedModelBuilder(folder + b"/served")
        builder.add_meta_graph_and_variables(session, ["serve"])
        builder.save()
    assert {p.name for p in tmp_path.iterdir()} >= {"graph.meta", "graph.pbtxt", "logs", "served"}
    with tf.Graph().as_default(), tf.Session() as session:
        assert tf.saved_model.loader.maybe_saved_model_directory(folder + b"/served")
        tf.saved_model.loader.load(session, ["serve"], folder + b"/served")
        assert session.run("v:0") == 3.0
