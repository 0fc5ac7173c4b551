"""`tf.distribute.cluster_resolver`: what tells which tasks a cluster has, and which of them this process is: the program, $TF_CONFIG, or Slurm."""

from __future__ import annotations

import abc
import collections
import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

from troupe.server_lib import ClusterSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from troupe.typing import Message


def _url(address, rpc_layer=None):
    return f"{rpc_layer}://{address}" if rpc_layer else address


class ClusterResolver(abc.ABC):
    """What tells of a cluster. Classes that derive from it define `cluster_spec` and `master`, and set `task_type` and `task_id` where there
    are any."""

    _task_type: Any = None
    _task_id: Any = None

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The cluster as it is now."""
        raise NotImplementedError

    @abc.abstractmethod
    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """What sessions are told, of this task or of the one that the resolver knows."""
        raise NotImplementedError

    def num_accelerators(self, task_type: str | None = None, task_id: int | None = None, config_proto: Message | None = None) -> Mapping[str, int]:
        """How many devices of each type there are, those of one task where both its type and index are given: a session at the master tells."""
        from troupe.graph import Graph
        from troupe.session import Session

        with Graph().as_default(), Session(self.master(task_type, task_id), config=config_proto) as session:
            devices = session.list_devices()
        found: dict[str, int] = collections.defaultdict(int)
        for device in devices:
            if task_type is None or task_id is None or f"/job:{task_type}" in device.name and f"/task:{task_id}" in device.name:
                found[device.device_type] += 1
        return found

    @property
    def environment(self) -> str:
        """Nothing: it is no environment of its own."""
        return ""

    @property
    def task_type(self) -> str | None:
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        return self._task_id

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id


class SimpleClusterResolver(ClusterResolver):
    """Tells what it is told. TypeError for a cluster that is no ClusterSpec, or a master that is no text."""

    def __init__(self, cluster_spec: ClusterSpec, master: str = "", task_type: str | None = None, task_id: int | None = None, environment: str = "",
                 num_accelerators: Mapping[str, int] | None = None, rpc_layer: str | None = None) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec, self._master, self._task_type, self._task_id = cluster_spec, master, task_type, task_id
        self._environment, self._num_accelerators, self.rpc_layer = environment, num_accelerators, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return self._cluster_spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of the task, where both its type and index are given, else the master that it was told."""
        given = task_type is not None and task_id is not None
        address = self.cluster_spec().task_address(task_type, task_id) if given else self._master  # type: ignore[arg-type]
        return _url(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str:
        return self._environment

    def num_accelerators(self, task_type: str | None = None, task_id: int | None = None, config_proto: Message | None = None) -> Mapping[str, int]:
        return {} if self._num_accelerators is None else self._num_accelerators


class UnionResolver(ClusterResolver):
    """The tasks of several clusters in one; all else is what the first resolver tells, where `rpc_layer`, `task_type` and `task_id` do not say it."""

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        self._rpc_layer, self._task_type, self._task_id = (kwargs.pop(name, None) for name in ("rpc_layer", "task_type", "task_id"))
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(a, ClusterResolver) for a in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args

    def cluster_spec(self) -> ClusterSpec:
        """Lists of a job follow one another; where one of them has indices, all count by these. KeyError for an index that two have."""
        jobs: dict[str, list[Any]] = {}
        for resolver in self._resolvers:
            for job, tasks in resolver.cluster_spec().as_dict().items():
                jobs.setdefault(job, []).append(tasks)
        return ClusterSpec({job: self._merged(parts) for job, parts in jobs.items()})

    @staticmethod
    def _merged(parts):
        if all(isinstance(p, list) for p in parts):
            return [address for p in parts for address in p]
        merged: dict[int, str] = {}
        for part in parts:
            part = dict(enumerate(part)) if isinstance(part, list) else part
            both = part.keys() & merged.keys()
            if both:
                raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {both!r}")
            merged.update(part)
        return merged

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        if task_type is not None and task_id is not None:
            return _url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self._rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def task_type(self) -> str | None:
        return self._task_type or self._resolvers[0].task_type

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        return self._task_id or self._resolvers[0].task_id

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        return self._rpc_layer or self._resolvers[0].rpc_layer  # type: ignore[attr-defined]

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer

    @property
    def environment(self) -> str:
        return self._resolvers[0].environment

    def num_accelerators(self, task_type: str | None = None, task_id: int | None = None, config_proto: Message | None = None) -> Mapping[str, int]:
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


def _tf_config():
    return json.loads(os.environ.get("TF_CONFIG", "{}"))


class TFConfigClusterResolver(ClusterResolver):
    """Reads $TF_CONFIG, JSON of {"cluster": {job: [address]}, "task": {"type": job, "index": number}}, whenever it is asked. Arguments say
    otherwise."""

    def __init__(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None,
                 environment: str | None = None) -> None:
        self._task_type, self._task_id, self._rpc_layer, self._environment = task_type, task_id, rpc_layer, environment

    @staticmethod
    def _of_task(key, kind):
        task = _tf_config().get("task", {})
        return kind(task[key]) if key in task else None

    @property
    def task_type(self) -> str | None:
        return self._of_task("type", str) if self._task_type is None else str(self._task_type)

    @task_type.setter
    def task_type(self, task_type: str | None) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        return self._of_task("index", int) if self._task_id is None else int(self._task_id)

    @task_id.setter
    def task_id(self, task_id: int | None) -> None:
        self._task_id = task_id

    @property
    def environment(self) -> str:
        return self._environment  # type: ignore[return-value]

    @property
    def rpc_layer(self) -> str | None:
        return _tf_config().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str | None) -> None:
        self._rpc_layer = rpc_layer

    def num_accelerators(self, task_type: str | None = None, task_id: int | None = None, config_proto: Message | None = None) -> Mapping[str, int]:
        return super().num_accelerators(self.task_type if task_type is None else task_type, self.task_id if task_id is None else task_id,
                                        config_proto)

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(_tf_config().get("cluster", {}))

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """What "session_master" says; "" where there is one task at most; else the address of the task. ValueError for one that is not there."""
        said = _tf_config().get("session_master")
        if said is not None:
            return said
        cluster = self.cluster_spec()
        if not cluster.jobs or len(cluster.jobs) == 1 and len(cluster.job_tasks(cluster.jobs[0])) == 1:
            return ""
        address = cluster.task_address(self.task_type if task_type is None else task_type,  # type: ignore[arg-type]
                                       self.task_id if task_id is None else task_id)  # type: ignore[arg-type]
        return _url(address, self.rpc_layer if rpc_layer is None else rpc_layer)


def _hosts(text):
    """Names of a list of hosts as Slurm writes it: "n[1-2],m5" is n1, n2, m5. ValueError for another."""
    hosts = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\]?)+|,,|^,", text):
        found = re.fullmatch(r"([^,\[\]]*)(?:\[([\d,-]+)\])?", part)
        if found is None:
            raise ValueError(f'Invalid hostlist format "{text}": Invalid part: {part}')
        prefix, ranges = found.groups()
        hosts.extend([prefix] if ranges is None else [prefix + number for r in ranges.split(",") for number in _range(r, text)])
    return hosts


def _range(text, whole):
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if found is None:
        raise ValueError(f'Invalid hostlist format "{whole}": Invalid part: {text}')
    first, last = found[1], found[2] or found[1]
    return [str(i).zfill(len(first)) for i in range(int(first), int(last) + 1)]


def _counts(text):
    """Numbers as Slurm writes them: "3(x2),1" is 3, 3, 1. ValueError for others."""
    counts = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if found is None:
            raise ValueError(f'Invalid tasks-per-node list format "{text}": {part}')
        counts.extend([int(found[1])] * int(found[2] or 1))
    return counts


def _of_slurm(name):
    try:
        return os.environ["SLURM_" + name]
    except KeyError:
        raise RuntimeError(f"SLURM_{name} not found in environment. Not running inside a SLURM step?") from None


def _num_gpus():
    """Of this machine: $CUDA_VISIBLE_DEVICES, else what nvidia-smi lists. RuntimeError where that fails."""
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        return len(os.environ["CUDA_VISIBLE_DEVICES"].split(","))
    try:
        listed = subprocess.check_output(["nvidia-smi", "--list-gpus"], encoding="utf-8")
    except (subprocess.CalledProcessError, OSError) as e:
        raise RuntimeError(f"Could not get number of GPUs from nvidia-smi. Maybe it is missing?\nOutput: {getattr(e, 'output', e)}") from None
    return sum(line.startswith("GPU ") for line in listed.splitlines())


class SlurmClusterResolver(ClusterResolver):
    """Reads what Slurm says of the job step: its nodes, and how many tasks each has. `jobs` are numbers of tasks by name, `tasks_per_node` a number
    or {host: number}; tasks of a node have ports from `port_base` on, and GPUs in turn, which `cluster_spec` puts into $CUDA_VISIBLE_DEVICES with
    `auto_set_gpu`. RuntimeError outside of a step, and for more tasks or GPUs than there are."""

    rpc_layer: str | None

    def __init__(self, jobs: dict[str, int] | None = None, port_base: int = 8888, gpus_per_node: int | None = None, gpus_per_task: int | None = None,
                 tasks_per_node: int | dict[str, int] | None = None, auto_set_gpu: bool = True, rpc_layer: str | None = "grpc") -> None:
        self._rank = int(_of_slurm("PROCID"))
        self._jobs = {"worker": int(_of_slurm("STEP_NUM_TASKS"))} if jobs is None else jobs
        self._port_base, self._auto_set_gpu, self.rpc_layer = port_base, auto_set_gpu, rpc_layer
        if tasks_per_node is None:
            hosts = _hosts(_of_slurm("STEP_NODELIST"))
            self._tasks = dict(zip(hosts, _counts(_of_slurm("STEP_TASKS_PER_NODE"))))
        elif isinstance(tasks_per_node, dict):
            self._tasks = tasks_per_node
        else:
            self._tasks = {host: int(tasks_per_node) for host in _hosts(_of_slurm("STEP_NODELIST"))}
        most = max(self._tasks.values())
        self._gpus_per_node = _num_gpus() if gpus_per_node is None else gpus_per_node
        self._gpus_per_task = self._gpus_per_node // most if gpus_per_task is None else gpus_per_task
        if most * self._gpus_per_task > self._gpus_per_node:
            raise RuntimeError("Requested more GPUs per node than available.")
        requested, assigned = sum(self._jobs.values()), sum(self._tasks.values())
        if requested != assigned:
            raise RuntimeError(f"Requested {requested} tasks but only {assigned} were assigned.")

    def cluster_spec(self) -> ClusterSpec:
        """Hosts and jobs in the order of their names. It sets the task of this process, too."""
        addresses, gpus = [], []
        for host, count in sorted(self._tasks.items()):
            for task in range(count):
                addresses.append(f"{host}:{self._port_base + task}")
                gpus.append(",".join(str(task * self._gpus_per_task + i) for i in range(self._gpus_per_task)))
        start, jobs = 0, {}
        for job, count in sorted(self._jobs.items()):
            jobs[job] = addresses[start:start + count]
            if start <= self._rank < start + count:
                self.task_type, self.task_id = job, self._rank - start
            start += count
        if self._auto_set_gpu:
            os.environ["CUDA_VISIBLE_DEVICES"] = gpus[self._rank]
        return ClusterSpec(jobs)

    def get_task_info(self) -> tuple[str | None, int | None]:
        """(job, index) of this process, once `cluster_spec` was asked."""
        return self.task_type, self.task_id

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of the task, or of this process's; "" where neither is known."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        return _url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type: str | None = None, task_id: int | None = None, config_proto: Message | None = None) -> Mapping[str, int]:
        return {"GPU": self._gpus_per_task}
