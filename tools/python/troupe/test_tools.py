"""What tests of programs take from `tf.test` beside its test cases: clusters in this process, attributes that are replaced for a while, decorators."""

from __future__ import annotations

import functools
import socket
from typing import TYPE_CHECKING, Any

from troupe.server_lib import ClusterSpec, Server

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.typing import Message


def _ports(count):
    """Ports that nobody has, which are free again when this returns."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("localhost", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


def create_local_cluster(num_workers: int, num_ps: int, protocol: str = "grpc", worker_config: Message | None = None,
                         ps_config: Message | None = None) -> tuple[list[Server], list[Server]]:
    """(workers, parameter servers) of a cluster in this process."""
    ports = _ports(num_workers + num_ps)
    jobs = {"worker": ports[:num_workers], "ps": ports[num_workers:]}
    cluster = ClusterSpec({job: [f"localhost:{port}" for port in found] for job, found in jobs.items() if found})

    def started(job, count, config):
        return [Server(cluster, job_name=job, task_index=i, protocol=protocol, config=config, start=True) for i in range(count)]

    return started("worker", num_workers, worker_config), started("ps", num_ps, ps_config)


def disable_with_predicate(pred: Callable[[], Any], skip_message: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the test is skipped where the predicate is true."""
    def decorate(function):
        @functools.wraps(function)
        def test(self, *args, **kwargs):
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return test

    return decorate


def is_cpu_target_available(target: str) -> bool:
    """Whether code for this processor ("x86", "arm", ...) runs here."""
    import platform

    families = {"x86": ("x86_64", "AMD64", "i686"), "arm": ("arm", "aarch64"), "aarch64": ("aarch64", "arm64")}
    return platform.machine() in families.get(target, (target,))


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """The class as it is: nothing is eager."""
    return (lambda c: c) if cls is None else cls


def benchmark_config() -> Any:
    """A ConfigProto for measurements: without rewriting of graphs for which dependencies are dropped."""
    from troupe import protos

    config = protos.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = protos.RewriterConfig.OFF
    return config


class StubOutForTesting:
    """Replaces attributes until the end of a `with` block, or `CleanUp`."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, bool, Any]] = []

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """parent.child_name is `new_child` from now on. AttributeError where there is none."""
        own = vars(parent)
        getattr(parent, child_name)
        self._replaced.append((parent, child_name, child_name in own, own.get(child_name)))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:
        """All are again what they were."""
        for parent, name, was_own, before in reversed(self._replaced):
            if was_own:
                setattr(parent, name, before)
            else:
                delattr(parent, name)
        self._replaced = []

    SmartUnsetAll = CleanUp = UnsetAll

