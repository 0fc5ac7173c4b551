"""What a step did, drawn."""

import json

import numpy as np
import pytest

import troupe as tf
from troupe import timeline


def statistics(*fetches, **feeds):
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(fetches, feeds, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    return metadata.step_stats


@pytest.fixture
def stats():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [64, 64], name="x")
        y = tf.matmul(x, x, name="product")
        z = tf.reduce_sum(tf.tanh(y, name="curve"), name="sum")
        return statistics(z, **{"x:0": np.zeros([64, 64], np.float32)})


def events(stats, **kwargs):
    return json.loads(timeline.Timeline(stats).generate_chrome_trace_format(**kwargs))["traceEvents"]


def test_nodes_are_slices_of_their_devices(stats):
    drawn = events(stats, show_dataflow=False)
    processes = [e for e in drawn if e["ph"] == "M"]
    assert [p["args"]["name"] for p in processes] == ["/job:localhost/replica:0/task:0/device:CPU:0 Compute"]
    slices = {e["args"]["name"]: e for e in drawn if e["ph"] == "X"}
    assert {"product", "curve", "sum"} <= slices.keys()
    product, curve = slices["product"], slices["curve"]
    assert product["name"] == "MatMul" and product["args"]["input0"] == product["args"]["input1"]
    assert curve["args"]["input0"] == "product"
    assert 0 <= product["ts"] < product["ts"] + product["dur"] <= curve["ts"] + 1
    assert min(e["ts"] for e in slices.values()) == 0
    assert all(e["dur"] >= 1 and e["pid"] == processes[0]["pid"] for e in slices.values())
    assert not any(e["ph"] in "stC" for e in drawn)


def test_arrows_go_from_a_node_to_those_that_read_it(stats):
    drawn = events(stats)
    begins = {e["id"]: e for e in drawn if e["ph"] == "s"}
    ends = {e["id"]: e for e in drawn if e["ph"] == "t"}
    assert begins.keys() == ends.keys()
    slices = {e["args"]["name"]: e for e in drawn if e["ph"] == "X"}
    [arrow] = [i for i, e in begins.items() if e["name"] == "product"]
    assert ends[arrow]["ts"] == slices["curve"]["ts"]
    product = slices["product"]
    assert product["ts"] <= begins[arrow]["ts"] < product["ts"] + product["dur"]


def test_memory_is_counted_where_it_is_asked_for(stats):
    counted = [e for e in events(stats, show_memory=True) if e["ph"] == "C"]
    assert counted
    assert all(e["args"]["bytes"] > 0 for e in counted)


class Node:
    """As a NodeExecStats."""

    memory = ()

    def __init__(self, name, begin, length):
        self.node_name, self.timeline_label = name, f"{name} = Op()"
        self.all_start_micros, self.all_end_rel_micros = begin, length


class Device:
    device = "here"

    def __init__(self, *nodes):
        self.node_stats = nodes


class Stats:
    def __init__(self, *devices):
        self.dev_stats = devices


def test_nodes_at_the_same_time_have_rows_of_their_own():
    drawn = events(Stats(Device(Node("long", 100, 50), Node("beside", 110, 10), Node("later", 125, 5), Node("last", 150, 1))))
    rows = {e["args"]["name"]: (e["ts"], e["tid"]) for e in drawn if e["ph"] == "X"}
    assert rows == {"long": (0, 0), "beside": (10, 1), "later": (25, 1), "last": (50, 0)}


def test_nothing_is_drawn_of_nothing():
    assert events(Stats()) == []
    with pytest.raises(TypeError, match="must be a StepStats, not dict"):
        timeline.Timeline({})
