"""Example and SequenceExample messages as tensors."""

from __future__ import annotations

import re
from collections import namedtuple
from typing import TYPE_CHECKING, Any

from troupe import array_ops, control_flow_ops, dtypes, math_ops, op_call, stacks
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor
from troupe.parsing_ragged import RaggedFeature, ragged_of, with_partitions
from troupe.sparse_shapes import sparse_merge
from troupe.tensor import Tensor
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from troupe.typing import DTypeLike, ShapeLike, TensorLike


class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """As many values as an example has: a SparseTensor."""


class SparseFeature(namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])):
    """Values of one key at the places that one or more other keys say, in a row of `size` (a list of them for several keys)."""

    def __new__(cls, index_key: str | list[str], value_key: str, dtype: DTypeLike, size: int | list[int],
                already_sorted: bool | list[bool] = False) -> SparseFeature:
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class FixedLenFeature(namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """A tensor of this shape in each example; without a default value each must have it."""

    def __new__(cls, shape: ShapeLike, dtype: DTypeLike, default_value: TensorLike | None = None) -> FixedLenFeature:
        return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])):
    """Any number of tensors of this shape; in a batch the shorter are filled up with `default_value`, zero or "" if there is none."""

    def __new__(cls, shape: ShapeLike, dtype: DTypeLike, allow_missing: bool = False,
                default_value: TensorLike | None = None) -> FixedLenSequenceFeature:
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


class _Keys:
    """What the ops are asked for: sparse keys with types, dense ones with types, shapes and defaults. In the order of names."""

    def __init__(self, features, kinds):
        self.sparse, self.dense, self.ragged = {}, {}, {}
        for key in sorted(features or {}):
            feature = features[key]
            if not isinstance(feature, kinds):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            if not feature.dtype:
                raise ValueError(f"Missing type for feature {key}. Received feature={feature}")
            self._add(key, feature)
        for a, b in (("dense", "sparse"), ("dense", "ragged"), ("ragged", "sparse")):
            both = sorted(getattr(self, a).keys() & getattr(self, b).keys())
            if both:
                raise ValueError(f"{a.capitalize()} and {b} keys must not intersect; {a}_keys: {list(getattr(self, a))}, {b}_keys: "
                                 f"{list(getattr(self, b))}, intersection: {both}")

    def _add(self, key, feature):
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            for name in ("index_key", "value_key"):
                if not getattr(feature, name):
                    raise ValueError(f"Missing {name} for SparseFeature {feature}.")
            for index_key in sorted([feature.index_key] if isinstance(feature.index_key, str) else feature.index_key):
                self._add_sparse(index_key, dtypes.int64)
            self._add_sparse(feature.value_key, feature.dtype)
        elif isinstance(feature, RaggedFeature):
            for name, kinds in feature.keys(key).items():
                known = self.ragged.setdefault(name, kinds)
                if known != kinds:
                    raise ValueError(f"Conflicting type {known} vs {kinds} for feature {name}.")
        else:
            if feature.shape is None:
                raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
            shape = as_shape(feature.shape)
            if isinstance(feature, FixedLenFeature):
                _check_fixed(key, feature, shape)
            self.dense[key] = feature._replace(shape=shape, dtype=dtypes.as_dtype(feature.dtype))

    def _add_sparse(self, key, dtype):
        known = self.sparse.setdefault(key, dtypes.as_dtype(dtype))
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")

    @property
    def shapes(self):
        return [f.shape for f in self.dense.values()]

    def defaults(self) -> list[Tensor]:
        return [_default(key, f) for key, f in self.dense.items()]

    @property
    def ragged_types(self):
        """(types of values, types of row splits)."""
        return [t for t, _ in self.ragged.values()], [t for _, t in self.ragged.values()]

    def check_any(self, *others):
        if not any(k.sparse or k.dense or k.ragged for k in (self, *others)):
            raise ValueError("Must provide at least one feature key.")


def _check_fixed(key, feature, shape):
    if shape.rank and shape.as_list()[0] is None:
        raise ValueError(f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. Received feature={feature}.")
    if not shape.is_fully_defined():
        raise ValueError(f"All dimensions of shape for feature {key} need to be known but received {feature.shape!s}.")


def _default(key, feature):
    """What stands where there is nothing: a padding value, a tensor of the shape, or an empty one where there must be something."""
    value, name = feature.default_value, re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
    padded = feature.shape.rank and feature.shape.as_list()[0] is None
    if value is None:
        return array_ops.constant("" if feature.dtype is dtypes.string else 0, feature.dtype) if padded else array_ops.constant([], feature.dtype)
    if padded:
        return array_ops.reshape(convert_to_tensor(value, feature.dtype, name=f"padding_{name}"), [])
    if isinstance(value, Tensor):
        return value
    return array_ops.reshape(convert_to_tensor(value, feature.dtype, name=f"key_{name}"), feature.shape)


def _sparse(parts) -> list[SparseTensor]:
    return [SparseTensor(*part) for part in zip(*parts)]


def parse_example(serialized: TensorLike, features: Mapping[str, Any], name: str | None = None,
                  example_names: TensorLike | None = None) -> dict[str, Any]:
    """A batch of serialized Examples, a vector of strings, or one, a scalar: {key: Tensor or SparseTensor}. `features`: {key: one of the classes
    above}. ValueError for what the features cannot be; InvalidArgumentError from the step for what an example lacks, or has otherwise."""
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    keys = keys_of(features)
    keys.check_any()
    with stacks.get_default_graph().name_scope(name or "ParseExample") as scope:
        made_of = convert_to_tensor(serialized, dtypes.string, name="serialized")
        value_types, split_types = keys.ragged_types
        made = op_call.call(
            "ParseExampleV2", scope, serialized=made_of, names=_names(example_names),
            sparse_keys=_strings(keys.sparse), dense_keys=_strings(keys.dense), ragged_keys=_strings(keys.ragged), dense_defaults=keys.defaults(),
            num_sparse=len(keys.sparse), sparse_types=list(keys.sparse.values()), ragged_value_types=value_types, ragged_split_types=split_types,
            dense_shapes=keys.shapes)
    found = dict(zip([*keys.sparse, *keys.dense], [*_sparse(made[:3]), *made.dense_values]))
    if keys.ragged:
        found.update(zip(keys.ragged, ragged_of(made_of.shape, made.ragged_values, made.ragged_row_splits)))
    return with_merged(features, found)


def keys_of(features: Mapping[str, Any]) -> _Keys:
    """What parse_example asks its op for."""
    return _Keys(_with_rows(features), (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature))


def _strings(keys):
    return array_ops.constant(list(keys), dtypes.string)


def _names(example_names):
    return array_ops.constant([], dtypes.string) if example_names is None else example_names


def _with_rows(features):
    """Sequences with the dimension of their length."""
    made = dict(features)
    for key, f in features.items():
        if isinstance(f, FixedLenSequenceFeature):
            if not f.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            made[key] = f._replace(shape=[None, *f.shape])
    return made


def with_merged(features: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked for, of which Sparse- and RaggedFeatures are made of several."""
    made = {}
    for key in sorted(features):
        f = features[key]
        if isinstance(f, SparseFeature):
            ids = found[f.index_key] if isinstance(f.index_key, str) else [found[k] for k in f.index_key]
            made[key] = sparse_merge(ids, found[f.value_key], f.size, already_sorted=f.already_sorted)
        elif isinstance(f, RaggedFeature):
            made[key] = with_partitions(key, f, found)
        else:
            made[key] = found[key]
    return made


def parse_single_example(serialized: TensorLike, features: Mapping[str, Any], name: str | None = None,
                         example_names: TensorLike | None = None) -> dict[str, Any]:
    """One Example, a scalar string: as parse_example. ValueError for more."""
    if not features:
        raise ValueError(f"Invalid argument: features cannot be {features}.")
    with stacks.get_default_graph().name_scope(name or "ParseSingleExample"):
        return parse_example(_scalar(serialized), features, name, example_names)


def _scalar(serialized):
    serialized = convert_to_tensor(serialized, dtypes.string, name="serialized")
    if serialized.shape.rank is None:
        check = control_flow_ops.Assert(math_ops.equal(array_ops.rank(serialized), 0), ["Input serialized must be a scalar"],
                                        name="SerializedIsScalar")
        serialized = control_flow_ops.with_dependencies([check], serialized, name="SerializedDependencies")
        serialized.set_shape([])
        return serialized
    if serialized.shape.rank != 0:
        raise ValueError("Input serialized must be a scalar")
    return serialized


def parse_sequence_example(serialized: TensorLike, context_features: Mapping[str, Any] | None = None,
                           sequence_features: Mapping[str, Any] | None = None, example_names: TensorLike | None = None,
                           name: str | None = None) -> tuple[dict[str, Any], dict[str, Any], dict[str, Tensor]]:
    """A batch of serialized SequenceExamples, or one: ({key: tensor} of the context, {key: tensor} of the feature lists, with a dimension for
    their lengths, {key: lengths} of FixedLenSequenceFeatures). Context features are fixed, Ragged- or VarLenFeatures, those of lists
    Ragged-, VarLen- or FixedLenSequenceFeatures, which have no default values: ValueError."""
    if not (context_features or sequence_features):
        raise ValueError("Both `context_features` and `sequence_features` argument are None, but at least one should have values.")
    context = _Keys(context_features, (VarLenFeature, FixedLenFeature, RaggedFeature))
    lists = _Keys(sequence_features, (VarLenFeature, FixedLenSequenceFeature, RaggedFeature))
    for key, f in lists.dense.items():
        if f.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    with stacks.get_default_graph().name_scope(name or "ParseSequenceExample") as scope:
        made_of = convert_to_tensor(serialized, dtypes.string, name="serialized")
        made = op_call.call(
            "ParseSequenceExampleV2", scope, serialized=made_of, debug_name=_names(example_names), context_sparse_keys=_strings(context.sparse), context_dense_keys=_strings(context.dense),
            context_ragged_keys=_strings(context.ragged), feature_list_sparse_keys=_strings(lists.sparse), feature_list_dense_keys=_strings(lists.dense),
            feature_list_ragged_keys=_strings(lists.ragged),
            feature_list_dense_missing_assumed_empty=array_ops.constant([f.allow_missing for f in lists.dense.values()], dtypes.bool_),
            context_dense_defaults=context.defaults(), Ncontext_sparse=len(context.sparse), Nfeature_list_sparse=len(lists.sparse),
            Nfeature_list_dense=len(lists.dense), context_sparse_types=list(context.sparse.values()), context_ragged_value_types=context.ragged_types[0],
            context_ragged_split_types=context.ragged_types[1], feature_list_dense_types=[f.dtype for f in lists.dense.values()],
            feature_list_sparse_types=list(lists.sparse.values()), feature_list_ragged_value_types=lists.ragged_types[0],
            feature_list_ragged_split_types=lists.ragged_types[1],
            context_dense_shapes=context.shapes, feature_list_dense_shapes=lists.shapes)
    _set_shapes(made, made_of.shape, context, lists)
    of_context = dict(zip([*context.sparse, *context.dense], [*_sparse(made[:3]), *made.context_dense_values]))
    of_lists = dict(zip([*lists.sparse, *lists.dense], [*_sparse(made[6:9]), *made.feature_list_dense_values]))
    of_context.update(zip(context.ragged, ragged_of(made_of.shape, made.context_ragged_values, made.context_ragged_row_splits)))
    of_lists.update(zip(lists.ragged, ragged_of(made_of.shape, made.feature_list_ragged_values, made.feature_list_ragged_outer_splits,
                                                made.feature_list_ragged_inner_splits)))
    lengths = dict(zip(lists.dense, made.feature_list_dense_lengths))
    return with_merged(context_features or {}, of_context), with_merged(sequence_features or {}, of_lists), lengths


def _set_shapes(made, batch, context, lists):
    """What the op's own inference does not tell; nothing for messages of unknown rank."""
    if batch.rank is None:
        return
    for t, shape in zip(made.context_dense_values, context.shapes):
        t.set_shape(batch.concatenate(shape))
    for t, length, shape in zip(made.feature_list_dense_values, made.feature_list_dense_lengths, lists.shapes):
        t.set_shape(batch.concatenate([None]).concatenate(shape))
        length.set_shape(batch)
    for parts, rank in ((made[:3], 1), (made[6:9], 2)):
        for indices, values, dense_shape in zip(*parts):
            indices.set_shape([None, batch.rank + rank])
            values.set_shape([None])
            dense_shape.set_shape([batch.rank + rank])


def parse_single_sequence_example(serialized: TensorLike, context_features: Mapping[str, Any] | None = None,
                                  sequence_features: Mapping[str, Any] | None = None, example_name: TensorLike | None = None,
                                  name: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """One SequenceExample, a scalar string: the first two of parse_sequence_example."""
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    with stacks.get_default_graph().name_scope(name or "ParseSingleSequenceExample"):
        return parse_sequence_example(_scalar(serialized), context_features, sequence_features, example_name, name)[:2]
