"""What one sees in a notebook or at a prompt: pictures, representations, completion, and how far a load is."""

import io
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import troupe as tf
from troupe import graph_layout, progress

PYTHON = pathlib.Path(__file__).resolve().parents[3] / "tools/python"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _boxes(picture):
    """{name: (what it is, left, top, right, bottom)} of a picture."""
    boxes = {}
    for group in xml.fromstring(picture.svg).iter(SVG + "g"):
        rectangle = {k: float(v) for k, v in group.find(SVG + "rect").attrib.items() if k in ("x", "y", "width", "height")}
        name, what = (t.text for t in group.iter(SVG + "text"))
        left, top = rectangle["x"], rectangle["y"]
        boxes[name] = (what, left, top, left + rectangle["width"], top + rectangle["height"])
    return boxes


def _routes(picture):
    return [p for p in xml.fromstring(picture.svg).iter(SVG + "path") if p.get("class")]


def _no_two_overlap(boxes):
    places = list(boxes.values())
    return not any(a[1] < b[3] and b[1] < a[3] and a[2] < b[4] and b[2] < a[4] for i, a in enumerate(places) for b in places[:i])


# Pictures.


def test_a_picture_has_a_box_for_each_operation_below_those_it_needs():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.matmul(x, tf.ones([2, 3], name="w"), name="y")
    tf.negative(x, name="other")
    picture = tf.show(y)
    boxes = _boxes(picture)
    assert {name: box[0] for name, box in boxes.items()} == {"x": "Placeholder", "w": "Const", "y": "MatMul"}
    assert boxes["y"][2] > boxes["x"][4] and boxes["y"][2] > boxes["w"][4] and _no_two_overlap(boxes)
    assert len(_routes(picture)) == 2 and {p.get("class") for p in _routes(picture)} == {"data"}
    assert "output 0: float32 (?, 3)" in picture.svg
    assert repr(picture) == "<picture of 3 operations in 3 boxes: save(path) writes it>"
    assert picture._repr_svg_() == picture.svg


def test_all_of_the_default_graph_is_drawn_or_a_graph_def(graph):
    with tf.control_dependencies([tf.no_op(name="first")]):
        tf.no_op(name="second")
    for picture in (tf.show(), tf.show(graph), tf.show(graph.as_graph_def())):
        assert set(_boxes(picture)) == {"first", "second"}
        assert [p.get("class") for p in _routes(picture)] == ["control"]
    assert _boxes(tf.show(tf.Graph())) == {}


def test_operations_of_one_scope_are_a_box_where_there_are_many():
    for layer in ("first", "second"):
        with tf.name_scope(layer):
            for i in range(40):
                tf.constant(i, name=f"c{i}")
    assert {n: b[0] for n, b in _boxes(tf.show()).items()} == {"first": "40 operations", "second": "40 operations"}
    assert len(_boxes(tf.show(boxes=80))) == len(_boxes(tf.show(depth=0))) == 80
    assert len(_boxes(tf.show(depth=2))) == 80


def test_a_loop_is_drawn_with_its_way_back():
    last = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [tf.constant(0)])
    picture = tf.show(last)
    boxes = _boxes(picture)
    assert boxes["while/NextIteration"][2] > boxes["while/Merge"][2] and _no_two_overlap(boxes)
    edges = sum(len(n.input) for n in tf.get_default_graph().as_graph_def().node)
    assert len(_routes(picture)) == edges


def test_names_are_written_so_that_they_cannot_be_taken_for_tags():
    tf.constant(1, name="c")
    def_ = tf.get_default_graph().as_graph_def()
    def_.node[0].op = "<script>"
    assert _boxes(tf.show(def_))["c"][0] == "<script>"


def test_only_graphs_and_what_is_in_them_are_drawn():
    with pytest.raises(TypeError, match="not 3"):
        tf.show(3)
    with pytest.raises(TypeError, match=r"not \[\]"):
        tf.show([])


def test_a_picture_is_saved(tmp_path):
    tf.constant(1, name="a" * 40)
    picture = tf.show()
    picture.save(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == picture.svg


@pytest.mark.parametrize("seed", range(20))
def test_boxes_of_any_graph_lie_apart_and_edges_go_down(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 40))
    edges = sorted({(int(a), int(b)) for a, b in random.integers(0, count, [count * 2, 2]) if a < b})
    sizes = [(float(w), 36.0) for w in random.integers(20, 200, count)]
    centres, routes, (width, height) = graph_layout.place(sizes, edges)
    boxes = {i: ("", x - w / 2, y - h / 2, x + w / 2, y + h / 2) for i, ((x, y), (w, h)) in enumerate(zip(centres, sizes))}
    assert _no_two_overlap(boxes)
    assert all(b[1] > -0.01 and b[2] > -0.01 and b[3] < width + 0.01 and b[4] < height + 0.01 for b in boxes.values())
    for (source, target), route in zip(edges, routes):
        assert route[0] == (centres[source][0], boxes[source][4]) and route[-1] == (centres[target][0], boxes[target][2])
        assert all(a[1] < b[1] for a, b in zip(route, route[1:]))


# Representations and completion.


def test_objects_say_what_they_are(graph):
    assert repr(graph) == "<tf.Graph of 0 operations>"
    v = tf.get_variable("v", [2])
    graph_text = repr(graph)
    with tf.Session() as session:
        assert repr(session) == f"<tf.Session of {graph_text}>"
    assert repr(session) == f"<tf.Session of {graph_text}, closed>"
    rows = tf.IndexedSlices(v.value(), tf.constant([0, 1], name="rows"))
    assert repr(rows) == f"<tf.{rows}>" and 'Tensor("rows:0"' in repr(rows)
    assert repr(tf.FIFOQueue(3, tf.float32, name="q")) == "<FIFOQueue 'q' dtypes=[tf.float32]>"
    assert repr(tf.train.AdamOptimizer()) == "<AdamOptimizer 'Adam'>"
    assert repr(tf.layers.Dense(3, name="d")) == "<Dense 'd'>"
    assert repr(tf.random_normal_initializer(stddev=2.0)) == "<RandomNormal mean=0.0 stddev=2.0 seed=None dtype='float32'>"
    assert repr(tf.TensorArray(tf.int32, 3, name="array")) == "<tf.TensorArray 'array' dtype=int32>"
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE) as scope:
        assert re.fullmatch(r"<tf\.VariableScope 'a' reuse=.*AUTO_REUSE.*>", repr(scope))
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [2], value_dtype=tf.int64), 0, name="t")
    assert repr(table) == "<StaticHashTable 't' from string to int64>"
    graph.finalize()
    assert repr(graph).endswith(" operations, finalized>")


def test_a_cell_that_was_never_initialised_has_a_representation():
    class Cell(tf.nn.rnn_cell.RNNCell):
        def __init__(self):
            pass

    assert repr(Cell()) == "<Cell ''>"


@pytest.mark.parametrize("module, some", [
    (tf, ["show", "Session", "einsum", "train", "ConfigProto", "layers", "math", "raw_ops", "FIFOQueue"]), (tf.nn, ["conv2d", "relu", "rnn_cell", "dynamic_rnn"]),
    (tf.train, ["Saver", "Example", "queue_runner"]), (tf.math, ["reduce_sum", "special"]), (tf.summary, ["scalar", "Summary"]), (tf.compat, ["v1", "as_bytes"])])
def test_completion_knows_what_is_there_and_nothing_else(module, some):
    names = dir(module)
    assert set(some) <= set(names)
    assert all(hasattr(module, name) for name in names)
    assert not {"op_call", "np", "importlib", "array_ops", "exports"} & set(names)


# Loads.


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_long_load_says_how_far_it_is(monkeypatch, tmp_path):
    (tmp_path / "data").write_bytes(bytes(3_000_000))
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE", 0.001)
    monkeypatch.setattr(progress, "_PAUSE", 0.001)
    with progress.Reading("a file", 3_000_000) as reading:
        (tmp_path / "data").read_bytes()
        while "3 of 3 MB" not in terminal.getvalue():
            reading._over.wait(0.001)
    assert re.search(r"\r\x1b\[Ka file: 3 of 3 MB, \d+ s", terminal.getvalue())
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_short_load_and_one_that_nobody_watches_say_nothing(monkeypatch):
    for stream in (_Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress.Reading("a file", 1):
            pass
        assert stream.getvalue() == ""


def test_restoring_says_how_far_it_is(monkeypatch, tmp_path):
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    saver = tf.train.Saver()
    seen = []

    class Told(progress.Reading):
        def __init__(self, what, total):
            seen.append((what, total))
            super().__init__(what, total)

    monkeypatch.setattr(progress, "Reading", Told)
    with tf.Session() as session:
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "model[1]"))
        saver.restore(session, path)
    (data,) = tmp_path.glob("*.data-*")
    assert seen == [(path, data.stat().st_size)]


# Notebooks.


@pytest.mark.parametrize("path", sorted((PYTHON / "examples").glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_notebook_shows_what_is_in_its_file(path, monkeypatch):
    monkeypatch.syspath_prepend(PYTHON / "dev")
    import notebook

    written = json.loads(path.read_text())
    outputs = [cell["outputs"] for cell in written["cells"] if cell["cell_type"] == "code"]
    assert len(outputs) > 2 and any(outputs)
    assert notebook.run(written) == outputs
