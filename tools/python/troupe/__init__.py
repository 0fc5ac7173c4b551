"""TensorFlow 1's graphs and sessions on Troupe's runtime: `import troupe as tf`."""

from __future__ import annotations

import importlib
import typing as _typing

from troupe import dtypes as _dtypes
from troupe import errors, exports, import_paths as _import_paths, nest, nn, protos, raw_ops
from troupe.array_ops import (
    batch_to_space_nd, boolean_mask, broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, check_numerics, concat, depth_to_space,
    diag, diag_part, expand_dims, fill, gather, guarantee_const, identity_n, matrix_band_part, matrix_transpose, meshgrid, one_hot, ones,
    ones_like, pad, placeholder, placeholder_with_default, rank, reshape, reverse, reverse_sequence, scatter_nd, sequence_mask, setdiff1d,
    shape, shape_n, size, slice, space_to_batch_nd, space_to_depth, sparse_placeholder, split, squeeze, stack, stop_gradient, strided_slice,
    tensor_scatter_add, tensor_scatter_update, tile, transpose, unique, unique_with_counts, unravel_index, unstack, where, where_v2, zeros,
    zeros_like)
from troupe.composite import IndexedSlices, IndexedSlicesValue, SparseTensor, SparseTensorValue
from troupe.constant_op import constant
from troupe.control_flow_ops import Assert, cond, group, no_op, tuple, while_loop
from troupe.control_flow_ops import identity_of as identity
from troupe.conversion import convert_to_tensor, convert_to_tensor_or_indexed_slices, register_tensor_conversion_function
from troupe.device_spec import DeviceSpec
from troupe.dtypes import (
    DType, QUANTIZED_DTYPES, as_dtype, bfloat16, complex64, complex128, double, float16, float32, float64, half, int4, int8, int16, int32,
    int64, qint8, qint16, qint32, quint8, quint16, resource, string, uint4, uint8, uint16, uint32, uint64, variant)
from troupe.gradients import AggregationMethod, UnconnectedGradients, gradients, hessians
from troupe.graph import Graph
from troupe.importer import import_graph_def
from troupe.initializers import (
    constant_initializer, glorot_normal_initializer, glorot_uniform_initializer, identity_initializer, ones_initializer,
    orthogonal_initializer, random_normal_initializer, random_uniform_initializer, truncated_normal_initializer,
    variance_scaling_initializer, zeros_initializer)
from troupe.math_ops import *  # noqa: F403
from troupe.ops import (
    GraphKeys, add_to_collection, add_to_collections, colocate_with, container, control_dependencies, device, get_all_collection_keys,
    get_collection, get_collection_ref, get_seed, init_scope, name_scope, set_random_seed)
from troupe.random_ops import multinomial, random_gamma, random_normal, random_shuffle, random_uniform, truncated_normal
from troupe.session import InteractiveSession, Session
from troupe.session_ops import delete_session_tensor, get_session_handle, get_session_tensor
from troupe.slicing import newaxis
from troupe.stacks import get_default_graph, get_default_session, reset_default_graph
from troupe.tensor import Operation, Tensor
from troupe.tensor_algebra import (
    Print, as_string, clip_by_global_norm, clip_by_norm, clip_by_value, eye, global_norm, norm)
from troupe.tensor_shape import Dimension, TensorShape, dimension_value
from troupe.tensor_util import constant_value, is_tensor, make_ndarray, make_tensor_proto
from troupe.variable_scope import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, no_regularizer, variable_op_scope, variable_scope)
from troupe.variables import (
    Variable, VariableAggregation, VariableSynchronization, all_variables, assign, assign_add, assign_sub, global_variables,
    global_variables_initializer, initialize_all_variables, is_variable_initialized, local_variables, local_variables_initializer, model_variables,
    moving_average_variables, report_uninitialized_variables, trainable_variables, variables_initializer)

if _typing.TYPE_CHECKING:
    import builtins

_import_paths.install()

bool = _dtypes.bool_
OpError = errors.OpError

_MESSAGES = ("AttrValue", "CallableOptions", "ConfigProto", "Event", "GPUOptions", "GraphDef", "GraphOptions", "HistogramProto", "LogMessage", "MetaGraphDef", "NameAttrList",
             "NodeDef", "OptimizerOptions", "RunMetadata", "RunOptions", "SessionLog", "Summary", "SummaryMetadata", "TensorInfo", "VariableDef")


# Modules of the package that are imported when they are first asked for.
_MODULES = ("compat", "data", "distributions", "feature_column", "function", "initializers", "layers", "lookup", "losses", "metrics", "python_io", "queue", "ragged", "saved_model", "seq2seq", "summary", "test", "train")

# Names that are in such modules.
_NAMES = {"confusion_matrix": "metrics", "uniform_unit_scaling_initializer": "initializers"}
_NAMES.update({name: "queues" for name in ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue")})
_NAMES.update({name: "lookup" for name in ("initialize_all_tables", "tables_initializer")})


def __getattr__(name: str) -> _typing.Any:
    if name in _MESSAGES:
        return getattr(protos, name)
    if name in _MODULES:
        return importlib.import_module("troupe." + name)
    if name in _NAMES:
        return getattr(importlib.import_module("troupe." + _NAMES[name]), name)
    if name in exports.APART:
        raise AttributeError(exports.APART[name])
    try:
        value = globals()[name] = exports.find(name)
        return value
    except KeyError:
        pass
    raise AttributeError(f"module 'troupe' has no attribute {name!r}")


def __dir__() -> list[str]:
    return exports.listed(globals(), {*_MESSAGES, *_MODULES, *_NAMES, *exports.names(), "errors", "nest", "nn", "raw_ops"})


def disable_v2_behavior() -> None:
    """Nothing: graphs and sessions are all that there is."""


disable_eager_execution = disable_v2_behavior


def executing_eagerly() -> builtins.bool:
    return False


if _typing.TYPE_CHECKING:
    # What the star brings: checkers do not see it.
    from troupe.math_ops import (
        abs, accumulate_n, add_n, argmax, argmin, bincount, cast, complex, conj, div, divide, lin_space, linspace, logical_xor, matmul, range, real,
        round, saturate_cast, truediv)
    from troupe.reductions import (
        count_nonzero, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum)
