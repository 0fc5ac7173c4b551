"""Functions that few programs need, of all kinds: sounds, volumes, checks of whole graphs, sections that one step at a time is in."""

from __future__ import annotations

from collections import namedtuple
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, control_flow_ops, dtypes, math_ops, nest, op_call, ops, stacks, thin
from troupe.conversion import convert_n_to_tensor, convert_to_tensor
from troupe.tensor_shape import as_shape
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, NoReturn

    from troupe.tensor import Operation, Tensor
    from troupe.tensor_shape import Dimension
    from troupe.typing import ShapeLike, TensorLike
    from troupe.variables import Variable

thin.define(globals(), """
decode_wav(contents, desired_channels=-1, desired_samples=-1) = DecodeWav
encode_wav(audio, sample_rate) = EncodeWav
extract_volume_patches(input, ksizes, strides, padding) = ExtractVolumePatches
conv(input, filter, strides, padding, explicit_paddings=[], data_format="CHANNELS_LAST", dilations=[], batch_dims=1, groups=1) = Conv
conv2d_backprop_filter_v2(input, filter, out_backprop, strides, padding, use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC", dilations=[1,1,1,1]) = Conv2DBackpropFilterV2
conv2d_backprop_input_v2(input, filter, out_backprop, strides, padding, use_cudnn_on_gpu=True, explicit_paddings=[], data_format="NHWC", dilations=[1,1,1,1]) = Conv2DBackpropInputV2
ragged_fill_empty_rows(value_rowids, values, nrows, default_value) = RaggedFillEmptyRows
ragged_fill_empty_rows_grad(reverse_index_map, grad_values) = RaggedFillEmptyRowsGrad
encode_proto(sizes, values, field_names, message_type, descriptor_source="local://") = EncodeProto
my_fact() = Fact
random_index_shuffle(index, seed, max_index, rounds=4) = RandomIndexShuffle
decode_proto(bytes, message_type, field_names, output_types, descriptor_source="local://", message_format="binary", sanitize=False) = DecodeProtoV2
approx_top_k(input, k, reduction_dimension=-1, recall_target=0.95, is_max_k=True, reduction_input_size_override=-1, aggregate_to_topk=True) = ApproxTopK
sdca_fprint(input) = SdcaFprint
sdca_optimizer(sparse_example_indices, sparse_feature_indices, sparse_feature_values, dense_features, example_weights, example_labels, sparse_indices, sparse_weights, dense_weights, example_state_data, loss_type, l1, l2, num_loss_partitions, num_inner_iterations, adaptative=True) = SdcaOptimizer
sdca_shrink_l1(weights, l1, l2) = SdcaShrinkL1
fingerprint(data, method="farmhash64") = Fingerprint
fftnd(input, fft_length, axes) = FFTND
ifftnd(input, fft_length, axes) = IFFTND
rfftnd(input, fft_length, axes, Tcomplex=8) = RFFTND
irfftnd(input, fft_length, axes, Treal=1) = IRFFTND
""")


def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """What erfc is `x` of, element by element: 0 < x < 2."""
    with stacks.get_default_graph().name_scope(name or "erfcinv"):
        x = convert_to_tensor(x, name="start")
        return -op_call.call("Ndtri", None, x=0.5 * x) * np.sqrt(0.5)


def sobol_sample(dim: TensorLike, num_results: TensorLike, skip: TensorLike = 0, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Points of the Sobol sequence [num_results, dim], without its first `skip`."""
    with stacks.get_default_graph().name_scope(name or "sobol"):
        return op_call.call("SobolSample", None, dim=dim, num_results=num_results, skip=skip, dtype=dtype)


def dimension_at_index(shape: ShapeLike, index: int) -> Dimension:
    """A dimension of a shape, None where nothing is known."""
    from troupe.tensor_shape import Dimension

    shape = as_shape(shape)
    return Dimension(None) if shape.rank is None else shape.dims[index]  # type: ignore[index]


def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Tensors of one shape, which must be known, as rows of one."""
    with stacks.get_default_graph().name_scope(name):
        parts = convert_n_to_tensor(values)
        shape = as_shape([len(parts)]).concatenate(parts[0].shape)
        return op_call.call("ParallelConcat", None, values=[array_ops.expand_dims(p, 0) for p in parts], shape=shape)


def required_space_to_batch_paddings(input_shape: TensorLike, block_shape: TensorLike, base_paddings: TensorLike | None = None,
                                     name: str | None = None) -> tuple[Tensor, Tensor]:
    """(paddings, crops), both int32 [M, 2], that make sizes multiples of those of blocks: for space_to_batch_nd, and for batch_to_space_nd behind it."""
    with stacks.get_default_graph().name_scope(name or "required_space_to_batch_paddings"):
        sizes = convert_to_tensor(input_shape, dtypes.int32, name="input_shape")
        block = convert_to_tensor(block_shape, dtypes.int32, name="block_shape")
        block.shape.assert_is_fully_defined()
        count = block.shape.with_rank(1)[0].value
        sizes.shape.assert_is_compatible_with([count])
        base = array_ops.zeros([count, 2], dtypes.int32) if base_paddings is None else convert_to_tensor(base_paddings, dtypes.int32, name="base_paddings")
        base.shape.assert_is_compatible_with([count, 2])
        known = [constant_value(t) for t in (sizes, block, base)]
        if all(k is not None for k in known):
            sizes, block, base = known
        start, end = base[:, 0], base[:, 1]
        extra = (block - (sizes + start + end) % block) % block
        return (array_ops.stack([start, end + extra], axis=1, name="paddings"), array_ops.stack([array_ops.zeros_like(extra), extra], axis=1, name="crops"))


def batch_scatter_update(ref: Variable, indices: TensorLike, updates: TensorLike, use_locking: bool = True, name: str | None = None) -> Any:
    """Rows of the last dimension of `indices` are set, in each of its outer dimensions. ValueError for indices of unknown rank."""
    from troupe.state_ops import scatter_nd_update

    with ops.name_scope(name):
        indices = convert_to_tensor(indices, name="indices")
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        last = array_ops.expand_dims(indices, -1)
        sizes, parts = array_ops.shape(indices), []
        for axis in range(rank - 1):
            numbers = math_ops.cast(math_ops.range(sizes[axis]), indices.dtype)
            shape = array_ops.stack([sizes[axis] if i == axis else 1 for i in range(rank + 1)])
            parts.append(array_ops.reshape(numbers, shape) * array_ops.ones_like(last))
        return scatter_nd_update(ref, array_ops.concat([*parts, last], -1), updates, use_locking=use_locking)


def add_check_numerics_ops() -> Operation:
    """The operation that checks all floating point outputs of the graph: InvalidArgumentError from the step for one that is not finite. ValueError where there
    are branches or loops."""
    from troupe.array_ops import check_numerics

    checks: list[Any] = []
    for op in list(stacks.get_default_graph().get_operations()):
        for output in op.outputs:
            if output.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
                continue
            if op._get_control_flow_context() is not None:
                raise ValueError("`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations such as `tf.cond()` or "
                                 "`tf.while_loop()`.")
            with ops.control_dependencies(checks):
                checks = [check_numerics(output, message=f"{op.name}:{output.value_index}")]
    return control_flow_ops.group(*checks)


def assert_variables_initialized(var_list: Sequence[Variable] | None = None) -> Tensor | None:
    """What fails in steps while any of the variables has no value: FailedPreconditionError. All variables by default; None where there are none."""
    from troupe.variables import global_variables, local_variables

    found = list(var_list) if var_list is not None else global_variables() + local_variables()
    ranks = []
    for variable in found:
        with ops.colocate_with(variable.op):
            ranks.append(op_call.call("Rank", None, input=variable))
    return None if not ranks else ranks[0] if len(ranks) == 1 else array_ops.stack(ranks)


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` of each row of a nest of tensors, stacked. A loop here, whose turns run side by side."""
    from troupe.dataset_specs import structure_of
    from troupe.functional_ops import map_fn

    made = nest.pack_sequence_as(elems, [convert_to_tensor(e) for e in nest.flatten(elems)])
    with stacks.get_default_graph().as_default():
        types = _result_types(fn, made)
    return map_fn(fn, made, dtype=types)


def _result_types(fn, elems):
    """The dtypes of what a function gives for a row, which is tried in a graph of its own."""
    from troupe.captured_function import FunctionGraph
    from troupe.dataset_specs import structure_of

    flat = nest.flatten(elems)
    graph = FunctionGraph(stacks.get_default_graph())
    with graph.as_default():
        rows = [array_ops.placeholder(t.dtype.base_dtype, t.shape[1:]) for t in flat]
        made = fn(nest.pack_sequence_as(elems, rows))
        return structure_of(nest.pack_sequence_as(made, [convert_to_tensor(m) for m in nest.flatten(made)]))[0]


_Execution = namedtuple("_Execution", "handle resources exclusive")


class CriticalSection:
    """What only one step, or one of several operations, is in at a time: `execute(fn)`."""

    def __init__(self, name: str | None = None, shared_name: str | None = None, critical_section_def: Any = None, import_scope: str | None = None) -> None:
        if critical_section_def is not None:
            raise ValueError("Argument `critical_section_def` is not supported.")
        with ops.name_scope(name, "CriticalSection") as scope, ops.init_scope():
            self._handle = op_call.call("MutexV2", scope, shared_name=shared_name or scope, container=stacks.get_default_graph()._container or "")
        ops.add_to_collection("critical_sections", self)

    @property
    def name(self) -> str:
        return self._handle.op.name

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """What `fn()` gives, whose operations run when no other execution of this section does. ValueError where they use a resource that another section uses,
        unless both do without exclusive access, or lock this section again."""
        graph = stacks.get_default_graph()
        with ops.name_scope(name, "critical_section_execute"):
            lock = op_call.call("MutexLock", None, mutex=self._handle)
            before = set(graph.get_operations())
            with ops.control_dependencies([lock]):
                result = fn()
            made = [op for op in graph.get_operations() if op not in before]
            self._wait_for_inputs(made, lock.op)
            resources = {t for op in made for t in op.inputs if t.dtype is dtypes.resource}
            self._check(resources, exclusive_resource_access)
            flat = [array_ops.identity(t) if hasattr(t, "dtype") else t for t in nest.flatten(result)]
            with ops.control_dependencies(flat), ops.colocate_with(self._handle):
                unlocked = op_call.call("ConsumeMutexLock", None, mutex_lock=lock)
            with ops.control_dependencies([unlocked]):
                outputs = [array_ops.identity(t) if hasattr(t, "dtype") else control_flow_ops.group(t) for t in flat]
            ops.add_to_collection("critical_section_executions", _Execution(self._handle, resources, exclusive_resource_access))
            return nest.pack_sequence_as(result, outputs)

    def _wait_for_inputs(self, made, lock):
        """The lock is taken when all is there that is needed inside, so that none waits for it meanwhile."""
        inside = {*made, lock, *lock.control_inputs, *(t.op for t in lock.inputs)}
        needed = [op for op in dict.fromkeys([t.op for m in made for t in m.inputs] + [c for m in made for c in m.control_inputs]) if op not in inside]
        if needed:
            lock._add_control_input(control_flow_ops.group(*needed))

    def _check(self, resources, exclusive):
        if any(r is self._handle for r in resources):
            raise ValueError(f"Attempting to lock a CriticalSection in which we are already running ({self.name}). This is illegal and may cause deadlocks.")
        for other in ops.get_collection("critical_section_executions"):
            both = resources & other.resources
            if other.handle is not self._handle and (exclusive or other.exclusive) and both:
                raise ValueError(f"This execution would access resources: {sorted(r.name for r in both)}. Either this lock (CriticalSection: {self.name}) or "
                                 f"another (CriticalSection: {other.handle.op.name}) requested exclusive resource access of this resource. Did you mean to "
                                 "call execute with keyword argument exclusive_resource_access=False?")


def load_op_library(library_filename: str) -> NoReturn:
    raise RuntimeError(f"Operations of libraries ({library_filename}) are for TensorFlow's runtime. Here an operation is a tf.py_func, or a kernel that is "
                       "registered with the runtime in C++.")


def load_library(library_location: str) -> NoReturn:
    load_op_library(library_location)


def load_file_system_library(library_filename: str) -> NoReturn:
    raise RuntimeError(f"File systems of libraries ({library_filename}) are for TensorFlow's runtime.")


@contextmanager
def jit_scope(compile_ops: bool = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """Nothing: there is no compiler of whole graphs, and values are the same without."""
    yield


def xla_compile(computation: Callable[..., Any], inputs: Sequence[TensorLike] | None = None) -> Any:
    """What a function gives of the inputs: there is no compiler of whole graphs, and values are the same without. A single result comes in a list."""
    made = computation(*[convert_to_tensor(i) for i in inputs or ()])
    return made if isinstance(made, (list, tuple)) or made is None else [made]
