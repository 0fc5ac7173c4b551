"""Layers of columns of features: one tensor of dense columns, and the weighted sum of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, check_ops, initializers, math_ops, nn, sparse_ops, stacks
from troupe.control_flow_ops import identity_of as identity
from troupe.feature_columns import (
    CategoricalColumn, DenseColumn, FeatureColumn, LazyBuilder, SequenceDenseColumn, check_batch_sizes, normalized_columns, sparse_rows)
from troupe.nn_sparse import safe_embedding_lookup_sparse
from troupe.ops import GraphKeys, add_to_collection, get_collection
from troupe.partitioned_variables import parts_of
from troupe.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.variables import Variable

    _Columns = Iterable[FeatureColumn] | FeatureColumn


def _collections(weight_collections):
    names = list(weight_collections or [])
    return names + [name for name in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES) if name not in names]


def _flat(tensor, column):
    """[batch, numbers of the column]."""
    return array_ops.reshape(tensor, array_ops.stack([array_ops.shape(tensor)[0], column.variable_shape.num_elements()]))


def input_layer(features: Mapping[str, Any], feature_columns: _Columns, weight_collections: Iterable[str] | None = None, trainable: bool = True,
                cols_to_vars: dict[Any, list[Variable]] | None = None, cols_to_output_tensors: dict[Any, Tensor] | None = None) -> Tensor:
    """One tensor [batch, numbers of all columns] of dense columns, in the order of their names. `features`: {key: dense or sparse tensor}.
    Dictionaries that are given get, for each column, its variables and its part. ValueError for columns of ids: they want to be embedded or indicated."""
    columns = normalized_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError("Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an embedding_column or "
                             f"indicator_column. Given: {column}")
    collections, parts = _collections(weight_collections), []
    with variable_scope(None, "input_layer"):
        builder = LazyBuilder(features)
        for column in columns:
            with variable_scope(None, column._var_scope_name) as scope:
                parts.append(_flat(column._get_dense_tensor(builder, collections, trainable), column))
                if cols_to_vars is not None:
                    cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope.name)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = parts[-1]
        check_batch_sizes(parts, columns)
        return array_ops.concat(parts, 1)


def _last(scope):
    return scope.name.rpartition("/")[2]


def linear_model(features: Mapping[str, Any], feature_columns: _Columns, units: int = 1, sparse_combiner: str = "sum",
                 weight_collections: Iterable[str] | None = None, trainable: bool = True,
                 cols_to_vars: dict[Any, list[Variable]] | None = None) -> Tensor:
    """The sum of all columns times their weights, and a bias: [batch, units]. Ids of one column in a row are combined by `sparse_combiner` ("sum", "mean",
    "sqrtn"). A dictionary that is given gets each column's variables, and those of "bias". ValueError for columns neither dense nor of ids."""
    with variable_scope(None, "linear_model") as scope:
        name = _last(scope)
    named = []
    for column in normalized_columns(feature_columns):
        with variable_scope(None, column._var_scope_name) as scope:
            named.append((_last(scope), column))
    named.sort(key=lambda pair: pair[0])
    more = [c for c in _collections(weight_collections) if c != GraphKeys.GLOBAL_VARIABLES]
    with stacks.get_default_graph().name_scope(name), variable_scope(name):
        for _, column in named:
            if not isinstance(column, (DenseColumn, CategoricalColumn)):
                raise ValueError(f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}")
        builder, sums = LazyBuilder(features), []
        for own, column in named:
            with variable_scope(None, own) as scope:
                sums.append(_weighted_sum(column, builder, units, sparse_combiner, more, trainable))
                if cols_to_vars is not None:
                    cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope.name)
        check_batch_sizes(sums, [c for _, c in named])
        total = math_ops.add_n(sums, name="weighted_sum_no_bias")
        bias = _weights("bias_weights", [units], more, trainable)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = parts_of(bias)
        return nn.bias_add(total, bias, name="weighted_sum")


def _weights(name, shape, collections, trainable):
    made = get_variable(name, shape, initializer=initializers.Zeros(), trainable=trainable)
    for part in parts_of(made):
        for collection in collections:
            add_to_collection(collection, part)
    return made


def _weighted_sum(column, builder, units, combiner, collections, trainable):
    if not isinstance(column, CategoricalColumn):
        weights = _weights("weights", [column.variable_shape.num_elements(), units], collections, trainable)
        return math_ops.matmul(_flat(column._get_dense_tensor(builder, None, trainable), column), weights, name="weighted_sum")
    weights = _weights("weights", [column.num_buckets, units], collections, trainable)
    pair = column._get_sparse_tensors(builder, None, trainable)
    ids, id_weights = (None if t is None else sparse_ops.sparse_reshape(t, array_ops.stack([sparse_rows(t), -1])) for t in pair)
    return safe_embedding_lookup_sparse(weights, ids, id_weights, combiner, name="weighted_sum")


def make_parse_example_spec(feature_columns: Iterable[FeatureColumn]) -> dict[str, Any]:
    """{key: FixedLenFeature or VarLenFeature} of all columns, for parse_example. ValueError where two want one key in different ways."""
    spec: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be _FeatureColumn instances. Given: {column}")
        for key, value in column.parse_example_spec.items():
            if key in spec and spec[key] != value:
                raise ValueError(f"feature_columns contain different parse_spec for key {key}. Given {value} and {spec[key]}")
            spec[key] = value
    return spec


# Of sequences: tf.contrib.feature_column.


def sequence_input_layer(features: Mapping[str, Any], feature_columns: _Columns, weight_collections: Iterable[str] | None = None,
                         trainable: bool = True) -> tuple[Tensor, Tensor]:
    """(one tensor [batch, time, numbers of all columns] of dense sequence columns, the length of each row, int64). InvalidArgumentError where
    columns have other lengths, from the step unless they are constants; ValueError for other columns."""
    columns = normalized_columns(feature_columns)
    for column in columns:
        if not isinstance(column, SequenceDenseColumn):
            raise ValueError("All feature_columns must be of type _SequenceDenseColumn. You can wrap a sequence_categorical_column with an embedding_column "
                             f"or indicator_column. Given (type {type(column)}): {column}")
    collections, parts, lengths = _collections(weight_collections), [], []
    with variable_scope(None, "sequence_input_layer"):
        builder = LazyBuilder(features)
        for column in columns:
            with variable_scope(None, column._var_scope_name):
                dense, length = column._get_sequence_dense_tensor(builder, collections, trainable)
                shape = array_ops.shape(dense)
                parts.append(array_ops.reshape(dense, array_ops.stack([shape[0], shape[1], column.variable_shape.num_elements()])))
                lengths.append(length)
        check_batch_sizes(parts, columns)
        return array_ops.concat(parts, -1), _all_equal(lengths)


def _all_equal(tensors: Sequence[Tensor]) -> Tensor:
    with stacks.get_default_graph().name_scope("assert_all_equal"):
        checks = [check_ops.assert_equal(tensors[0], t) for t in tensors[1:]]
        with stacks.get_default_graph().control_dependencies(checks):
            return identity(tensors[0])


def concatenate_context_input(context_input: Tensor, sequence_input: Tensor) -> Tensor:
    """Behind each step of sequences [batch, time, n] the numbers [batch, m] of their rows: [batch, time, n + m]."""
    with stacks.get_default_graph().name_scope("concatenate_context_input"):
        steps = array_ops.shape(sequence_input)[1]
        context = array_ops.tile(array_ops.expand_dims(context_input, 1), array_ops.stack([1, steps, 1]))
        return array_ops.concat([sequence_input, context], 2)
