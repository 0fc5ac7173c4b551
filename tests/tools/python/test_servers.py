"""Servers of this process, from the descriptions of clusters."""

import pytest

import troupe as tf


@pytest.fixture
def server():
    try:
        return tf.train.Server.create_local_server(config=tf.ConfigProto(device_count={"CPU": 2}))
    except tf.errors.UnimplementedError as e:
        pytest.skip(str(e))


def test_a_server_says_where_it_is(server):
    assert server.target.startswith("grpc://") and int(server.target.rpartition(":")[2]) > 0
    definition = server.server_def
    assert (definition.job_name, definition.task_index, definition.protocol) == ("localhost", 0, "grpc")
    assert definition.default_session_config.device_count["CPU"] == 2
    server.start()


def test_servers_have_ports_of_their_own(server):
    assert tf.train.Server(tf.train.ClusterSpec({"localhost": ["localhost:0"]})).target != server.target


def test_a_server_def_is_completed():
    definition = tf.train.ServerDef(cluster=tf.train.ClusterSpec({"worker": ["localhost:0"]}).as_cluster_def(), job_name="worker", protocol="none")
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.Server(definition)
    with pytest.raises((tf.errors.InternalError, tf.errors.InvalidArgumentError)):
        tf.train.Server(definition, job_name="other", protocol="grpc")
