"""Strategies of distribution over one device: `tf.distribute`. Programs that are written for replicas run with one; several devices are `tf.device`, several
processes tf.train.Server and tf.train.SyncReplicasOptimizer."""

from __future__ import annotations

import enum
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from troupe import math_ops, nest, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from troupe.data import Dataset
    from troupe.tensor import Operation


class ReduceOp(enum.Enum):
    """How values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: int) -> ReduceOp:
        """Of VariableAggregation's SUM and MEAN. ValueError for others."""
        found = {1: ReduceOp.SUM, 2: ReduceOp.MEAN}.get(aggregation)
        if found is None:
            raise ValueError(f"Could not convert from `tf.VariableAggregation` {aggregation} to `tf.distribute.ReduceOp` type")
        return found


class InputReplicationMode(enum.Enum):
    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """Which part of the input a pipeline is for."""

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._pipelines, self._id, self._replicas = num_input_pipelines, input_pipeline_id, num_replicas_in_sync

    @property
    def num_input_pipelines(self) -> int:
        return self._pipelines

    @property
    def input_pipeline_id(self) -> int:
        return self._id

    @property
    def num_replicas_in_sync(self) -> int:
        return self._replicas

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """ValueError for a batch that replicas cannot share."""
        if global_batch_size % self._replicas:
            raise ValueError(f"The `global_batch_size` {global_batch_size} is not divisible by `num_replicas_in_sync` {self._replicas} ")
        return global_batch_size // self._replicas

    def __repr__(self):
        return f"tf.distribute.InputContext(input pipeline id {self._id}, total: {self._pipelines})"


class _Strategies:
    """(strategy, replica context or None) of the blocks around, by graph and thread."""

    def __init__(self):
        self.stack = stacks.DefaultStack()


_around = _Strategies().stack


class Strategy:
    """One replica on one device."""

    def __init__(self, extended: Any = None) -> None:
        self._device = ""
        self.extended = StrategyExtended(self)

    @property
    def num_replicas_in_sync(self) -> int:
        return 1

    @contextmanager
    def _entered(self, replica):
        with ExitStack() as blocks:
            if self._device:
                blocks.enter_context(stacks.get_default_graph().device(self._device))
            blocks.enter_context(_around.push((self, replica)))
            yield self

    def scope(self) -> AbstractContextManager[Strategy]:
        """Inside, the strategy is the current one, and operations are on its device."""
        return self._entered(None)

    def run(self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None, options: Any = None) -> Any:
        """What a function gives in the replica."""
        with self._entered(ReplicaContext(self)):
            return fn(*args, **(kwargs or {}))

    experimental_run_v2 = run

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: int | None = None) -> Any:
        """The value of the one replica; over a dimension of it with `axis`."""
        if axis is None:
            return value
        mean = getattr(reduce_op, "value", reduce_op).upper() == "MEAN"
        function = math_ops.reduce_mean if mean else math_ops.reduce_sum
        return nest.map_structure(lambda v: function(convert_to_tensor(v), axis=axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of all replicas."""
        return (value,)

    unwrap = experimental_local_results

    def experimental_distribute_dataset(self, dataset: Dataset, options: Any = None) -> Dataset:
        """The dataset: there is one replica."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], Dataset], options: Any = None) -> Dataset:
        """The dataset that a function of the InputContext makes."""
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def make_dataset_iterator(self, dataset: Dataset) -> Any:
        """An iterator of a dataset, with an initializer."""
        return dataset.make_initializable_iterator()

    def make_input_fn_iterator(self, input_fn: Callable[[InputContext], Any], replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER) -> Any:
        """An iterator of the dataset that a function gives."""
        return input_fn(InputContext()).make_initializable_iterator()

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """What a function gives of the iterator's next element."""
        return self.run(fn, () if input_iterator is None else (input_iterator.get_next(),))

    def group(self, value: Any, name: str | None = None) -> Operation:
        """One operation of all."""
        from troupe.control_flow_ops import group

        return group(*nest.flatten([value]), name=name)

    def update_config_proto(self, config_proto: Any) -> Any:
        return config_proto


class StrategyExtended:
    """What libraries ask of a strategy."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        return (self._strategy._device or "/device:CPU:0",)

    parameter_devices = worker_devices

    def call_for_each_replica(self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None) -> Any:
        return self._strategy.run(fn, args, kwargs)

    def update(self, var: Any, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None, group: bool = True) -> Any:
        """What a function gives of a variable, beside it."""
        with stacks.get_default_graph().colocate_with(var.op):
            return fn(var, *args, **(kwargs or {}))

    def reduce_to(self, reduce_op: ReduceOp | str, value: Any, destinations: Any, options: Any = None) -> Any:
        return value

    def batch_reduce_to(self, reduce_op: ReduceOp | str, value_destination_pairs: Sequence[tuple[Any, Any]], options: Any = None) -> list[Any]:
        return [value for value, _ in value_destination_pairs]

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[None]:
        return stacks.get_default_graph().colocate_with(colocate_with_variable.op)

    def read_var(self, v: Any) -> Any:
        return convert_to_tensor(v)

    def value_container(self, value: Any) -> Any:
        return value

    @property
    def experimental_require_static_shapes(self) -> bool:
        return False


class ReplicaContext:
    """The one replica, in which a function of `Strategy.run` is."""

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int = 0) -> None:
        self._strategy = strategy

    @property
    def strategy(self) -> Strategy:
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        return 1

    @property
    def replica_id_in_sync_group(self) -> int:
        return 0

    @property
    def devices(self) -> list[str]:
        return list(self._strategy.extended.worker_devices)

    def merge_call(self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """What a function of (strategy, values) gives outside the replica."""
        with self._strategy._entered(None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: ReduceOp | str, value: Any, options: Any = None) -> Any:
        """The value: there is one."""
        return nest.map_structure(convert_to_tensor, value) if nest.is_nested(value) else convert_to_tensor(value)

    @contextmanager
    def _inside(self) -> Iterator[ReplicaContext]:
        with self._strategy._entered(self):
            yield self

    def __enter__(self):
        self._block = self._inside()
        return self._block.__enter__()

    def __exit__(self, *exc):
        self._block.__exit__(*exc)


class OneDeviceStrategy(Strategy):
    """One replica on a device of the program's choice."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self._device = device


class MirroredStrategy(Strategy):
    """One replica: on the one device that is given, or on the first GPU, or else the CPU. ValueError for several devices."""

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        super().__init__()
        if devices is None:
            from troupe.test import gpu_device_name

            devices = [gpu_device_name() or "/device:CPU:0"]
        devices = [devices] if isinstance(devices, str) else list(devices)
        if len(devices) != 1:
            raise ValueError(f"tf.distribute.MirroredStrategy has one device here, not {devices}: variables are not mirrored. Towers on several devices are made with "
                             "tf.device, replicas in several processes with tf.train.SyncReplicasOptimizer.")
        self._device = devices[0]


_default = Strategy()


def get_strategy() -> Strategy:
    """The strategy of the block around, or one of a replica where operations are wherever they are put."""
    current = _around.get()
    return _default if current is None else current[0]


def has_strategy() -> bool:
    """Whether a block around has a strategy."""
    return _around.get() is not None


def get_replica_context() -> ReplicaContext | None:
    """The replica, None outside it in a strategy's scope."""
    current = _around.get()
    return ReplicaContext(_default) if current is None else current[1]


def in_cross_replica_context() -> bool:
    """Whether this is a strategy's scope, outside its replica."""
    current = _around.get()
    return current is not None and current[1] is None


def get_loss_reduction() -> ReduceOp:
    """How losses of replicas become one: there is one."""
    return ReduceOp.MEAN
