"""Clusters: which tasks there are and where, servers, and which devices variables go to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import _native, protos
from troupe.device_spec import DeviceSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.tensor import Operation
    from troupe.typing import Message

# What replica_device_setter puts on parameter servers.
_PS_OPS = ("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors",
           "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2", "VarHandleOp", "ResourceConditionalAccumulator")


class ClusterSpec:
    """Jobs by name: lists of addresses, or {index: address}; also from a ClusterDef or a ClusterSpec. TypeError for anything else."""

    def __init__(self, cluster: ClusterSpec | dict[str, Any] | Message) -> None:
        if isinstance(cluster, ClusterSpec):
            self._jobs = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
        elif isinstance(cluster, dict):
            self._jobs = {job: _tasks_of(job, tasks) for job, tasks in cluster.items()}
        elif hasattr(cluster, "SerializeToString"):
            definition = protos.ClusterDef.FromString(cluster.SerializeToString())
            self._jobs = {job.name: {i: job.tasks[i] for i in job.tasks} for job in definition.job}
        else:
            raise TypeError("`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a `ClusterDef` "
                            "protocol buffer")

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    __hash__ = None

    def __repr__(self):
        jobs = self.as_dict()
        return "ClusterSpec({" + ", ".join(f"{job!r}: {jobs[job]!r}" for job in sorted(jobs)) + "})"

    def as_dict(self) -> dict[str, Any]:
        """As it is made from: dictionaries only where indices are missing."""
        return {job: {} if not tasks else self.job_tasks(job) if max(tasks) + 1 == len(tasks) else dict(sorted(tasks.items()))
                for job, tasks in self._jobs.items()}

    def as_cluster_def(self) -> Any:
        definition = protos.ClusterDef()
        for job, tasks in sorted(self._jobs.items()):
            made = definition.job.add()
            made.name = job
            for index, address in sorted(tasks.items()):
                made.tasks[index] = address
        return definition

    @property
    def jobs(self) -> list[str]:
        return list(self._jobs)

    def _job(self, name):
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]

    def num_tasks(self, job_name: str) -> int:
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """ValueError for a task that is not there."""
        job = self._job(job_name)
        if task_index not in job:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return job[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Addresses by index; None for those that are missing."""
        job = self._job(job_name)
        return [job.get(i) for i in range(max(job) + 1)]


def _tasks_of(job, tasks):
    if not isinstance(job, str):
        raise TypeError(f"Job name {job!r} must be bytes or unicode")
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    elif not isinstance(tasks, dict):
        raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
    for address in tasks.values():
        if not isinstance(address, (str, bytes)):
            raise TypeError(f"Task address {address!r} must be bytes or unicode")
    return {int(index): address if isinstance(address, str) else address.decode() for index, address in tasks.items()}


def _server_def(server_or_cluster_def, job_name, task_index, protocol, config):
    if hasattr(server_or_cluster_def, "default_session_config"):
        definition = protos.ServerDef.FromString(server_or_cluster_def.SerializeToString())
        for field, value in (("job_name", job_name), ("task_index", task_index), ("protocol", protocol)):
            if value is not None:
                setattr(definition, field, value)
    else:
        try:
            cluster = ClusterSpec(server_or_cluster_def)
        except TypeError:
            raise TypeError("Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`.") from None
        if job_name is None:
            job_name = _only(cluster.jobs, "job_name")
        if task_index is None:
            task_index = _only(cluster.task_indices(job_name), "task_index")
        definition = protos.ServerDef(cluster=cluster.as_cluster_def(), job_name=job_name, task_index=task_index, protocol=protocol or "grpc")
    if config is not None:
        definition.default_session_config.MergeFrom(protos.ConfigProto.FromString(config.SerializeToString()))
    return definition


def _only(choices, what):
    if len(choices) != 1:
        raise ValueError(f"Must specify an explicit `{what}`.")
    return choices[0]


class Server:
    """A server in this process, which sessions of others run their graphs at: `Session(server.target)`. ValueError for a job or task that is not
    said and not the only one; errors of the server as exceptions. It ends with this object."""

    def __init__(self, server_or_cluster_def: ClusterSpec | dict[str, Any] | Message, job_name: str | None = None, task_index: int | None = None,
                 protocol: str | None = None, config: Message | None = None, start: bool = True) -> None:
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        self._native = _native.Server(self._server_def.SerializeToString())
        if start:
            self.start()

    def start(self) -> None:
        """Nothing where it has been started. FailedPreconditionError once it has stopped."""
        self._native.start()

    def join(self) -> None:
        """Until the server stops."""
        self._native.join()

    @property
    def server_def(self) -> Any:
        return self._server_def

    @property
    def target(self) -> str:
        """What a session is told: "grpc://localhost:2222"."""
        return self._native.target()

    @staticmethod
    def create_local_server(config: Message | None = None, start: bool = True) -> Server:
        """A cluster of one, at a free port."""
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)


class _RoundRobin:
    def __init__(self, count):
        self._count, self._next = count, 0

    def __call__(self, unused_op):
        task, self._next = self._next, (self._next + 1) % self._count
        return task


def replica_device_setter(ps_tasks: int = 0, ps_device: str = "/job:ps", worker_device: str = "/job:worker", merge_devices: bool = True,
                          cluster: ClusterSpec | dict[str, Any] | Message | None = None, ps_ops: Sequence[str] | None = None,
                          ps_strategy: Callable[[Operation], int] | None = None) -> Callable[[Operation], str] | None:
    """A function for `tf.device`, which puts variables on parameter servers in turn (or where `ps_strategy(op)` says), all else on the worker. None
    where there are no parameter servers. TypeError for a strategy that is no function."""
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        job = DeviceSpec.from_string(ps_device).job
        if jobs.get(job) is None:
            return None
        ps_tasks = len(jobs[job])
    if ps_tasks == 0:
        return None
    strategy = _RoundRobin(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError("ps_strategy must be callable")
    ops = _PS_OPS if ps_ops is None else tuple(ps_ops)

    def choose(op):
        if not merge_devices and op.device:
            return op.device
        current = DeviceSpec.from_string(op.device or "")
        if ps_device and op.type in ops:
            place = DeviceSpec.from_string(ps_device)
            if place.job and current.job in (None, place.job):
                place = place.replace(task=strategy(op))
        else:
            place = DeviceSpec.from_string(worker_device or "")
        return place.make_merged_spec(current).to_string()

    return choose
