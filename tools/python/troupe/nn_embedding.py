"""Rows of large matrices, and losses over a sample of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks, tensor_algebra
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast
from troupe.nn_loss import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2
from troupe.ops import get_seed
from troupe.partitioned_variables import parts_of
from troupe.tensor import Tensor
from troupe.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple

    from troupe.composite import SparseTensor
    from troupe.partitioned_variables import PartitionedVariable
    from troupe.typing import TensorLike

    class _Candidates(NamedTuple):
        sampled_candidates: Tensor
        true_expected_count: Tensor
        sampled_expected_count: Tensor

    class _Hits(NamedTuple):
        indices: Tensor
        ids: Tensor
        weights: Tensor


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def embedding_lookup(params: TensorLike | PartitionedVariable, ids: TensorLike, partition_strategy: str = "mod", name: str | None = None,
                     validate_indices: bool = True, max_norm: TensorLike | None = None) -> Tensor:
    """The rows of `params` with these numbers: ids [...] to [..., depth]. Of several matrices, the row `i` is row i // n of matrix i % n with
    "mod", or they are one after the other with "div". ValueError for other strategies. Longer rows become `max_norm` long."""
    matrices = parts_of(params)
    if not matrices:
        raise ValueError("params must not be None or empty")
    with _scope(name, "embedding_lookup") as scope:
        matrices = [m if isinstance(m, Variable) else convert_to_tensor(m, name="params") for m in matrices]
        ids = convert_to_tensor(ids, name="ids")
        if len(matrices) == 1:
            with stacks.get_default_graph().colocate_with(matrices[0].op):
                rows = array_ops.gather(matrices[0], ids, name=scope if max_norm is None else None)
                return op_call.call("Identity", None, input=_clipped(rows, ids, max_norm))
        return _clipped(_partitioned(matrices, ids, partition_strategy), ids, max_norm)


def _clipped(rows, ids, max_norm):
    if max_norm is None:
        return rows
    rank = ids.shape.rank
    return tensor_algebra.clip_by_norm(rows, max_norm, axes=list(range(rank, rows.shape.rank)))


def _partitioned(matrices, ids, strategy):
    count = len(matrices)
    flat = array_ops.reshape(ids, [-1])
    if strategy == "mod":
        places, rows = flat % count, flat // count
    elif strategy == "div":
        sizes = [array_ops.shape(m)[0] if m.shape.as_list()[0] is None else m.shape.as_list()[0] for m in matrices]
        total = cast(sum(sizes), flat.dtype)
        each, longer = total // count, total % count
        places = op_call.call("Maximum", None, x=flat // (each + 1), y=(flat - longer) // each)
        first = cast(places < longer, flat.dtype)
        rows = first * (flat % (each + 1)) + (1 - first) * ((flat - longer) % each)
    else:
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    places = cast(places, dtypes.int32)
    wanted = op_call.call("DynamicPartition", None, data=rows, partitions=places, num_partitions=count)
    where = op_call.call("DynamicPartition", None, data=math_ops.range(array_ops.size(flat)), partitions=places, num_partitions=count)
    found = [array_ops.gather(m, w) for m, w in zip(matrices, wanted)]
    joined = op_call.call("ParallelDynamicStitch", None, indices=where, data=found)
    depth = matrices[0].shape[1:]
    dims = array_ops.concat([array_ops.shape(ids), array_ops.shape(matrices[0])[1:]], 0)
    joined = array_ops.reshape(joined, dims)
    joined.set_shape(ids.shape.concatenate(depth))
    return joined


def embedding_lookup_sparse(params: TensorLike | PartitionedVariable, sp_ids: SparseTensor, sp_weights: SparseTensor | None,
                            partition_strategy: str = "mod", name: str | None = None, combiner: str | None = None,
                            max_norm: TensorLike | None = None) -> Tensor:
    """For each row of the sparse ids the sum of their embeddings, or its quotient by the weights ("mean") or by their length ("sqrtn").
    ValueError for other combiners, TypeError for ids that are not sparse."""
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if not hasattr(sp_ids, "dense_shape"):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    with _scope(name, "embedding_lookup_sparse") as scope:
        segments = cast(sp_ids.indices[:, 0], dtypes.int32)
        ids, places = op_call.call("Unique", None, x=sp_ids.values)
        embeddings = embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            op_type = {"sum": "SparseSegmentSum", "mean": "SparseSegmentMean", "sqrtn": "SparseSegmentSqrtN"}[combiner]
            return op_call.call(op_type, scope, data=embeddings, indices=places, segment_ids=segments)
        weights = cast(sp_weights.values, embeddings.dtype)
        rows = array_ops.gather(embeddings, places)
        rows = rows * array_ops.reshape(weights, array_ops.concat([array_ops.shape(weights), [1] * (embeddings.shape.rank - 1)], 0))
        total = op_call.call("SegmentSum", None, data=rows, segment_ids=segments)
        if combiner == "sum":
            return op_call.call("Identity", scope, input=total)
        each = weights if combiner == "mean" else op_call.call("Square", None, x=weights)
        divisor = op_call.call("SegmentSum", None, data=each, segment_ids=segments)
        if combiner == "sqrtn":
            divisor = op_call.call("Sqrt", None, x=divisor)
        divisor = array_ops.reshape(divisor, array_ops.concat([array_ops.shape(divisor), [1] * (embeddings.shape.rank - 1)], 0))
        return op_call.call("DivNoNan", scope, x=total, y=divisor)


# Samples of classes.


def _sampler(op_type: str, true_classes, num_true, num_sampled, unique, seed, name, **attrs):
    seed1, seed2 = get_seed(seed)
    return op_call.call(op_type, name, true_classes=true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique, seed=seed1 or 0,
                        seed2=seed2 or 0, **attrs)


def uniform_candidate_sampler(true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
                              name: str | None = None) -> _Candidates:
    """(classes, how often the true ones are expected, how often these are): all with the same probability."""
    return _sampler("UniformCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


def log_uniform_candidate_sampler(true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
                                  name: str | None = None) -> _Candidates:
    """The same, lower numbers more often: log((c + 2) / (c + 1)) / log(range_max + 1)."""
    return _sampler("LogUniformCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


def learned_unigram_candidate_sampler(true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int,
                                      seed: int | None = None, name: str | None = None) -> _Candidates:
    """The same, as often as they were true classes before."""
    return _sampler("LearnedUnigramCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


def fixed_unigram_candidate_sampler(true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: str = "",
                                    distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1, shard: int = 0,
                                    unigrams: Iterable[float] = (), seed: int | None = None, name: str | None = None) -> _Candidates:
    """The same, as often as a file or a list says."""
    return _sampler("FixedUnigramCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max,
                    vocab_file=vocab_file, distortion=distortion, num_reserved_ids=num_reserved_ids, num_shards=num_shards, shard=shard,
                    unigrams=list(unigrams))


def all_candidate_sampler(true_classes: TensorLike, num_true: int, num_sampled: int, unique: bool, seed: int | None = None,
                          name: str | None = None) -> _Candidates:
    return _sampler("AllCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name)


def compute_accidental_hits(true_classes: TensorLike, sampled_candidates: TensorLike, num_true: int, seed: int | None = None,
                            name: str | None = None) -> _Hits:
    """(rows, places in the sample, the lowest float for each) where a sampled class is a true one."""
    seed1, seed2 = get_seed(seed)
    return op_call.call("ComputeAccidentalHits", name, true_classes=true_classes, sampled_candidates=sampled_candidates, num_true=num_true,
                        seed=seed1 or 0, seed2=seed2 or 0)


def _sum_rows(x):
    ones = array_ops.ones(array_ops.stack([array_ops.shape(x)[1], 1]), x.dtype.base_dtype)
    return array_ops.reshape(math_ops.matmul(x, ones), [-1])


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
                    partition_strategy, name, seed=None):
    """(logits, labels), both [batch, num_true + num_sampled]: of the true classes, then of those sampled."""
    with _scope(name, "compute_sampled_logits"):
        inputs = convert_to_tensor(inputs)
        labels = cast(convert_to_tensor(labels), dtypes.int64)
        flat = array_ops.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
        sampled, true_expected, sampled_expected = (op_call.call("StopGradient", None, input=s) for s in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        ids = array_ops.concat([flat, sampled], 0)
        all_weights = cast(embedding_lookup(weights, ids, partition_strategy), inputs.dtype)
        all_biases = cast(embedding_lookup(biases, ids, partition_strategy), inputs.dtype)
        count = array_ops.shape(flat)[0]
        true_weights, sampled_weights = all_weights[:count], all_weights[count:]
        depth = array_ops.shape(true_weights)[1:2]
        products = array_ops.expand_dims(inputs, 1) * array_ops.reshape(true_weights, array_ops.concat([[-1, num_true], depth], 0))
        dots = _sum_rows(array_ops.reshape(products, array_ops.concat([[-1], depth], 0)))
        true_logits = array_ops.reshape(dots, [-1, num_true]) + array_ops.reshape(all_biases[:count], [-1, num_true])
        sampled_logits = math_ops.matmul(inputs, sampled_weights, transpose_b=True) + all_biases[count:]
        if remove_accidental_hits:
            sampled_logits = sampled_logits + _hits(labels, sampled, num_true, num_sampled, sampled_logits.dtype)
        true_logits = true_logits - op_call.call("Log", None, x=true_expected)
        sampled_logits = sampled_logits - op_call.call("Log", None, x=sampled_expected)
        made = array_ops.concat([array_ops.ones_like(true_logits) / num_true, array_ops.zeros_like(sampled_logits)], 1)
        return array_ops.concat([true_logits, sampled_logits], 1), made


def _hits(labels, sampled, num_true, num_sampled, dtype):
    """The lowest float wherever a sampled class is a true one of the row."""
    rows, places, lowest = compute_accidental_hits(labels, sampled, num_true)
    indices = array_ops.stack([rows, cast(places, dtypes.int32)], axis=1)
    shape = array_ops.stack([array_ops.shape(labels)[0], num_sampled])
    return op_call.call("SparseToDense", None, sparse_indices=indices, output_shape=shape, sparse_values=cast(lowest, dtype),
                        default_value=np.array(0.0, dtype._np), validate_indices=False)


def nce_loss(weights: TensorLike | PartitionedVariable, biases: TensorLike | PartitionedVariable, labels: TensorLike, inputs: TensorLike,
             num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: Sequence[TensorLike] | None = None,
             remove_accidental_hits: bool = False, partition_strategy: str = "mod", name: str | None = "nce_loss") -> Tensor:
    """The noise-contrastive estimate of each row: labels [batch, num_true], inputs [batch, depth], weights [classes, depth]."""
    logits, made = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
                                   partition_strategy, name)
    return _sum_rows(sigmoid_cross_entropy_with_logits(made, logits, name="sampled_losses"))


def sampled_softmax_loss(weights: TensorLike | PartitionedVariable, biases: TensorLike | PartitionedVariable, labels: TensorLike, inputs: TensorLike,
                         num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: Sequence[TensorLike] | None = None,
                         remove_accidental_hits: bool = True, partition_strategy: str = "mod", name: str | None = "sampled_softmax_loss",
                         seed: int | None = None) -> Tensor:
    """The cross entropy of each row over the true and some other classes. Of the same shapes."""
    logits, made = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
                                   partition_strategy, name, seed)
    made = op_call.call("StopGradient", "labels_stop_gradient", input=made)
    return softmax_cross_entropy_with_logits_v2(made, logits)
