"""tf.distribute.cluster_resolver."""

import json
import os

import pytest
import troupe as tf
from troupe.distribute.cluster_resolver import (
    ClusterResolver, SimpleClusterResolver, SlurmClusterResolver, TFConfigClusterResolver, UnionResolver)

SPEC = tf.train.ClusterSpec({"worker": ["w0:1", "w1:1"], "ps": {3: "p:1"}})


def _simple():
    return SimpleClusterResolver(SPEC, "m", "worker", 1, "e", {"GPU": 2}, "grpc")


def test_a_simple_one_tells_what_it_was_told():
    s = _simple()
    assert (s.cluster_spec(), s.task_type, s.task_id, s.rpc_layer) == (SPEC, "worker", 1, "grpc")
    assert (s.environment, s.num_accelerators()) == ("e", {"GPU": 2})
    assert (s.master(), s.master("worker", 1), s.master("ps", 3, "x"), s.master("ps")) == ("grpc://m", "grpc://w1:1", "x://p:1", "grpc://m")
    with pytest.raises(ValueError, match="No task with index 0 in job 'ps'"):
        s.master("ps", 0)
    s.task_type, s.task_id, s.rpc_layer = "ps", 0, None
    assert (s.task_type, s.task_id, s.master()) == ("ps", 0, "m")
    assert SimpleClusterResolver(SPEC).num_accelerators() == {}


def test_a_simple_one_refuses_other_things():
    with pytest.raises(TypeError, match="cluster_spec must be a `tf.train.ClusterSpec`"):
        SimpleClusterResolver({})
    with pytest.raises(TypeError, match="master must be a string"):
        SimpleClusterResolver(SPEC, master=1)
    with pytest.raises(TypeError, match="abstract"):
        ClusterResolver()


def test_a_union_has_the_tasks_of_all():
    s, t = _simple(), SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["w2:1"], "ps": ["q:1"]}), master="n")
    union = UnionResolver(s, t)
    assert union.cluster_spec().as_dict() == {"ps": {0: "q:1", 3: "p:1"}, "worker": ["w0:1", "w1:1", "w2:1"]}
    assert (union.master(), union.master("worker", 2), union.task_type, union.task_id) == ("grpc://m", "w2:1", "worker", 1)
    assert (union.rpc_layer, union.environment, union.num_accelerators()) == ("grpc", "e", {"GPU": 2})
    union = UnionResolver(t, s, rpc_layer="r", task_type="z", task_id=4)
    assert (union.master(), union.master("worker", 2), union.task_type, union.task_id, union.rpc_layer) == ("n", "r://w1:1", "z", 4, "r")


def test_a_union_of_what_does_not_fit():
    with pytest.raises(KeyError, match="Duplicate keys detected when merging two ClusterSpecs"):
        UnionResolver(_simple(), _simple()).cluster_spec()
    with pytest.raises(ValueError, match="At least one ClusterResolver is required"):
        UnionResolver()
    with pytest.raises(TypeError, match="All arguments must be a sub-class"):
        UnionResolver(1)
    with pytest.raises(ValueError, match="Unexpected kwargs provided {'q': 1}"):
        UnionResolver(_simple(), q=1)


WORKERS = {"cluster": {"worker": ["a:1", "b:1"]}}


@pytest.mark.parametrize("config,task,masters", [
    ({}, (None, None, None), ("", "")),
    ({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": "0"}}, ("worker", 0, None), ("", "")),
    ({**WORKERS, "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc"}, ("worker", 1, "grpc"), ("grpc://b:1", "q://a:1")),
    ({**WORKERS, "session_master": "s"}, (None, None, None), ("s", "s"))])
def test_tf_config_is_read(monkeypatch, config, task, masters):
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    resolver = TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == task
    assert resolver.cluster_spec().as_dict() == config.get("cluster", {})
    assert (resolver.master(), resolver.master("worker", 0, "q")) == masters


def test_arguments_come_before_tf_config(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({**WORKERS, "task": {"type": "worker", "index": 1}}))
    resolver = TFConfigClusterResolver(task_id=0, rpc_layer="r", environment="e")
    assert (resolver.master(), resolver.task_type, resolver.task_id, resolver.environment) == ("r://a:1", "worker", 0, "e")
    monkeypatch.setenv("TF_CONFIG", json.dumps(WORKERS))
    with pytest.raises(ValueError, match="No such job in cluster"):
        resolver.master()


def test_a_session_tells_of_devices(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert TFConfigClusterResolver().num_accelerators()["CPU"] == 1
    assert not TFConfigClusterResolver("worker", 5).num_accelerators()


@pytest.fixture
def slurm(monkeypatch):
    for name, value in dict(PROCID="2", STEP_NUM_TASKS="4", STEP_NODELIST="n[09-10],m5", STEP_TASKS_PER_NODE="1(x2),2").items():
        monkeypatch.setenv("SLURM_" + name, value)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")
    return monkeypatch


ALL = ["m5:8888", "m5:8889", "n09:8888", "n10:8888"]


@pytest.mark.parametrize("given,jobs,task,gpus", [
    ({}, {"worker": ALL}, ("worker", 2), "0,1"),
    ({"gpus_per_node": 2}, {"worker": ALL}, ("worker", 2), "0"),
    ({"gpus_per_node": 0}, {"worker": ALL}, ("worker", 2), ""),
    ({"auto_set_gpu": False, "port_base": 1}, {"worker": ["m5:1", "m5:2", "n09:1", "n10:1"]}, ("worker", 2), "0,1,2,3"),
    ({"jobs": {"worker": 3, "ps": 1}}, {"ps": ALL[:1], "worker": ALL[1:]}, ("worker", 1), "0,1"),
    ({"tasks_per_node": {"a": 2, "b": 2}}, {"worker": ["a:8888", "a:8889", "b:8888", "b:8889"]}, ("worker", 2), "0,1"),
    ({"tasks_per_node": 1, "jobs": {"worker": 3}}, {"worker": ["m5:8888", "n09:8888", "n10:8888"]}, ("worker", 2), "0,1,2,3")])
def test_slurms_tasks(slurm, given, jobs, task, gpus):
    resolver = SlurmClusterResolver(**given)
    assert resolver.get_task_info() == (None, None) and resolver.master() == ""
    assert resolver.cluster_spec().as_dict() == jobs
    assert resolver.get_task_info() == task and resolver.master() == f"grpc://{jobs[task[0]][task[1]]}"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == gpus
    assert list(resolver.num_accelerators()) == ["GPU"]


@pytest.mark.parametrize("given,message", [({"jobs": {"ps": 1}}, "Requested 1 tasks but only 4 were assigned"),
                                           ({"gpus_per_task": 3}, "Requested more GPUs per node than available")])
def test_more_than_slurm_gave(slurm, given, message):
    with pytest.raises(RuntimeError, match=message):
        SlurmClusterResolver(**given)


def test_outside_of_slurm(slurm):
    slurm.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="SLURM_PROCID not found in environment. Not running inside a SLURM step?"):
        SlurmClusterResolver()


@pytest.mark.parametrize("hosts", ["n[1-2", "a,,b", "n[a-b]", "n[1-2]x", "x]", "a[1-2-3]", ",a", "a[]"])
def test_hosts_that_slurm_does_not_write(slurm, hosts):
    slurm.setenv("SLURM_STEP_NODELIST", hosts)
    with pytest.raises(ValueError, match="Invalid hostlist format"):
        SlurmClusterResolver()


def test_hosts_that_slurm_writes(slurm):
    slurm.setenv("SLURM_STEP_NODELIST", "a,b[1,3-4,07-08],c")
    jobs = SlurmClusterResolver(jobs={"worker": 7}, tasks_per_node=1).cluster_spec().as_dict()
    assert [address.partition(":")[0] for address in jobs["worker"]] == ["a", "b07", "b08", "b1", "b3", "b4", "c"]


@pytest.mark.parametrize("counts", ["1(x", "", "1,x"])
def test_numbers_that_slurm_does_not_write(slurm, counts):
    slurm.setenv("SLURM_STEP_TASKS_PER_NODE", counts)
    with pytest.raises(ValueError, match="Invalid tasks-per-node list format"):
        SlurmClusterResolver()
