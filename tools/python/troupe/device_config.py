"""What sessions are configured by that are opened without a ConfigProto, and which devices there are: `tf.config`.

Settings hold for sessions that are opened afterwards without `config`: numbers of threads, soft placement, placement in the log, and what the graph's
optimizer leaves out. Functions that only eager programs need are there where programs call them without a thought; the others raise and say so."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

from troupe import protos, stacks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.typing import Message

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])
LogicalDeviceConfiguration = namedtuple("LogicalDeviceConfiguration", ["memory_limit", "experimental_priority", "experimental_device_ordinal"],
                                        defaults=(None, None, None))

_visible: dict[str, list[PhysicalDevice]] = {}
_growth: dict[PhysicalDevice, bool] = {}
_flags = {"functions_run_eagerly": False, "tensor_float_32": True, "jit": ""}
_options: dict[str, bool] = {}


def session_config() -> Message | None:
    """The ConfigProto of sessions that are given none; None where nothing was set."""
    return stacks.session_config


def _set():
    if stacks.session_config is None:
        stacks.session_config = protos.ConfigProto()
    return stacks.session_config


def _get(field, otherwise):
    return otherwise if stacks.session_config is None else getattr(stacks.session_config, field)


# Devices.


def _session_devices():
    from troupe.graph import Graph
    from troupe.session import Session

    with Session(graph=Graph(), config=protos.ConfigProto()) as session:
        return session.list_devices()


def _of_type(devices, device_type):
    return [d for d in devices if device_type is None or d.device_type == device_type]


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this process: its CPU, and its GPUs."""
    found = [PhysicalDevice("/physical_device:" + d.name.rpartition("/device:")[2], d.device_type) for d in _session_devices()]
    return _of_type(found, device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices as programs name them."""
    found = [LogicalDevice("/device:" + d.name.rpartition("/device:")[2], d.device_type) for d in _session_devices()]
    return _of_type(found, device_type)


def _check_type(device_type):
    if device_type is not None and not isinstance(device_type, str):
        raise ValueError(f"Unsupported device type: {device_type!r}")


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that sessions use."""
    return [d for d in list_physical_devices(device_type) if d.device_type not in _visible or d in _visible[d.device_type]]


def set_visible_devices(devices: PhysicalDevice | Sequence[PhysicalDevice], device_type: str | None = None) -> None:
    """Sessions that are opened afterwards without a config use these devices of a type, or of all, only. ValueError for devices that are not there, or for no
    CPU."""
    _check_type(device_type)
    wanted = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    known = list_physical_devices()
    for d in wanted:
        if d not in known:
            raise ValueError(f"Unrecognized device: {d!r}")
        if device_type is not None and d.device_type != device_type:
            raise ValueError(f"Unrecognized device: {d!r}")
    types = [device_type] if device_type is not None else sorted({d.device_type for d in known})
    if "CPU" in types and not any(d.device_type == "CPU" for d in wanted):
        raise ValueError("The CPU cannot be hidden: sessions begin there.")
    for kind in types:
        _visible[kind] = _of_type(wanted, kind)
    if "GPU" in types:
        gpus = _visible["GPU"]
        _set().device_count["GPU"] = len(gpus)
        _set().gpu_options.visible_device_list = ",".join(d.name.rpartition(":")[2] for d in gpus)


def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """None: a device is one device here."""
    _check_device(device)
    return None


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]) -> None:
    """Several logical CPUs: sessions that are opened afterwards without a config have so many. ValueError for other devices, and for limits of memory."""
    _check_device(device)
    if device.device_type != "CPU":
        raise ValueError(f"Only the CPU can be several logical devices here, not {device!r}.")
    if any(c.memory_limit is not None or c.experimental_priority is not None for c in logical_devices):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    _set().device_count["CPU"] = len(logical_devices)


def _check_device(device):
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Whether a GPU's memory is taken as it is needed, by sessions that are opened afterwards without a config. ValueError for other devices."""
    _check_device(device)
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    _growth[device] = enable
    _set().gpu_options.allow_growth = enable


def get_memory_growth(device: PhysicalDevice) -> bool:
    """What set_memory_growth set. ValueError for devices that are not GPUs."""
    _check_device(device)
    if device.device_type != "GPU":
        raise ValueError(f"There is no growth of memory to set for {device!r}")
    return _growth.get(device, False)


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Nothing: see session.list_devices."""
    _check_device(device)
    return {}


def get_memory_info(device: str) -> dict[str, int]:
    raise ValueError(f"Allocator stats not available for device '{device}'")


def get_memory_usage(device: str) -> int:
    raise ValueError(f"Allocator stats not available for device '{device}'")


def reset_memory_stats(device: str) -> None:
    raise ValueError(f"Allocator stats not available for device '{device}'")


# Sessions.


def get_inter_op_parallelism_threads() -> int:
    """Threads for operations that are independent; 0: the runtime decides."""
    return _get("inter_op_parallelism_threads", 0)


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """For sessions that are opened afterwards without a config."""
    _set().inter_op_parallelism_threads = num_threads


def get_intra_op_parallelism_threads() -> int:
    """Threads for one operation; 0: the runtime decides."""
    return _get("intra_op_parallelism_threads", 0)


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """For sessions that are opened afterwards without a config."""
    _set().intra_op_parallelism_threads = num_threads


def get_soft_device_placement() -> bool:
    """Whether operations go to another device where theirs cannot run them, in sessions without a config."""
    return _get("allow_soft_placement", False)


def set_soft_device_placement(enabled: bool) -> None:
    """For sessions that are opened afterwards without a config."""
    _set().allow_soft_placement = enabled


def get_log_device_placement() -> bool:
    """Whether sessions without a config log where operations are."""
    return _get("log_device_placement", False)


def set_log_device_placement(enabled: bool) -> None:
    """For sessions that are opened afterwards without a config."""
    _set().log_device_placement = enabled


# The optimizer of graphs. Names that RewriterConfig has, too.
_REWRITES = ("arithmetic_optimization", "constant_folding", "debug_stripper", "dependency_optimization", "function_optimization", "layout_optimizer",
             "loop_optimization", "pin_to_host_optimization", "remapping", "scoped_allocator_optimization", "shape_optimization", "implementation_selector")
_REWRITE_FLAGS = ("disable_model_pruning", "disable_meta_optimizer")


def get_optimizer_options() -> dict[str, bool]:
    """What set_optimizer_options set."""
    return {**_options, "disable_model_pruning": _options.get("disable_model_pruning", False),
            "disable_meta_optimizer": _options.get("disable_meta_optimizer", False)}


def set_optimizer_options(options: dict[str, bool]) -> None:
    """Which rewritings of graphs are on and off, {name: bool}, in sessions that are opened afterwards without a config: "constant_folding",
    "disable_meta_optimizer", ..."""
    rewrite = _set().graph_options.rewrite_options
    for name, on in options.items():
        if name in _REWRITE_FLAGS:
            setattr(rewrite, name, on)
        elif name in _REWRITES:
            setattr(rewrite, name, protos.RewriterConfig.ON if on else protos.RewriterConfig.OFF)
        else:
            continue
        _options[name] = on


def get_optimizer_jit() -> str:
    """"autoclustering" where set_optimizer_jit asked for a compiler, else ""."""
    return _flags["jit"]


def set_optimizer_jit(enabled: bool | str) -> None:
    """Kept for who asks: there is no compiler of whole graphs, and values are the same without."""
    if enabled not in (True, False, "", "autoclustering"):
        raise ValueError(f"Invalid jit: {enabled!r}")
    _flags["jit"] = "autoclustering" if enabled in (True, "autoclustering") else ""


# What only eager programs need.


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Kept for who asks: nothing is eager."""
    _flags["functions_run_eagerly"] = run_eagerly


def functions_run_eagerly() -> bool:
    return _flags["functions_run_eagerly"]


def get_synchronous_execution() -> bool:
    """True: a run is over when it returns."""
    return True


def set_synchronous_execution(enable: bool | None) -> None:
    """Nothing: a run is over when it returns. `session.run_async` is what does not wait."""


def get_device_policy() -> str:
    """"silent": values are copied between devices where that is needed."""
    return "silent"


def set_device_policy(device_policy: str | None) -> None:
    """ValueError for others than "silent" and None: values are copied between devices where that is needed."""
    if device_policy not in (None, "silent"):
        raise ValueError(f"{device_policy!r} is not a valid DevicePolicy here. It must be \"silent\" or None.")


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Kept for who asks: products of float32 are of float32."""
    _flags["tensor_float_32"] = enabled


def tensor_float_32_execution_enabled() -> bool:
    return _flags["tensor_float_32"]


def enable_mlir_bridge() -> None:
    """Nothing: there is no compiler of whole graphs."""


def disable_mlir_bridge() -> None:
    """Nothing: there is no compiler of whole graphs."""


def experimental_connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    raise RuntimeError("A cluster is joined by tf.train.Server, and used by tf.Session(target): nothing is eager here.")


def experimental_connect_to_cluster(cluster_spec_or_resolver: Any, job_name: str = "localhost", task_index: int = 0, protocol: str | None = None,
                                    make_master_device_default: bool = True, cluster_device_filters: Any = None) -> None:
    raise RuntimeError("A cluster is joined by tf.train.Server, and used by tf.Session(target): nothing is eager here.")
