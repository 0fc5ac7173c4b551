"""Functions of networks that few programs need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, functional_ops, math_ops, op_call, stacks, tensor_util, thin
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor
from troupe.gather_ops import gather_nd

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


thin.define(globals(), """
quantized_relu_x(features, max_value, min_features, max_features, out_type=12) = QuantizedReluX
""")


def _scope(name, default):
    return stacks.get_default_graph().name_scope(name or default)


def _window(value, spatial, data_format):
    """A size of windows for each dimension, of one, or of one for each that is a place."""
    sizes = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(sizes) == spatial + 2:
        return sizes
    sizes = sizes * spatial if len(sizes) == 1 else sizes
    if len(sizes) != spatial:
        raise ValueError(f"ksize and strides should be of length 1, {spatial} or {spatial + 2}, received {value}")
    return [1, 1, *sizes] if data_format is not None and data_format.startswith("NC") else [1, *sizes, 1]


def _pooled(kind, input, ksize, strides, padding, data_format, name):
    from troupe import nn_pool

    input = convert_to_tensor(input, name="input")
    spatial = (input.shape.rank or len(data_format or "NHWC")) - 2
    formats = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
    if spatial not in formats:
        raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {spatial + 2}.")
    function = getattr(nn_pool, f"{kind}_pool{spatial}d")
    data_format = data_format or formats[spatial]
    return function(input, ksize=_window(ksize, spatial, data_format), strides=_window(strides, spatial, data_format), padding=padding,
                    data_format=data_format, name=name)


def avg_pool_v2(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str, data_format: str | None = None,
                name: str | None = None) -> Tensor:
    """Means of windows, in one, two or three dimensions."""
    return _pooled("avg", input, ksize, strides, padding, data_format, name)


def max_pool_v2(input: TensorLike, ksize: int | Sequence[int], strides: int | Sequence[int], padding: str, data_format: str | None = None,
                name: str | None = None) -> Tensor:
    """The largest of windows, in one, two or three dimensions."""
    return _pooled("max", input, ksize, strides, padding, data_format, name)


def atrous_conv2d_transpose(value: TensorLike, filters: TensorLike, output_shape: TensorLike, rate: int, padding: str, name: str | None = None) -> Tensor:
    """The transpose of atrous_conv2d: value [batch, height, width, channels], filters [height, width, output channels, channels]. ValueError for channels that
    do not fit, and for a rate below one."""
    with _scope(name, "atrous_conv2d_transpose") as scope:
        value, filters = convert_to_tensor(value, name="value"), convert_to_tensor(filters, name="filters")
        if not value.shape[3].is_compatible_with(filters.shape[3]):
            raise ValueError("`value` channel count must be compatible with `filters` input channel count. Received: "
                             f"value.shape={value.shape} with channel count {value.shape[3]} and filters.shape={filters.shape} with input channel count "
                             f"{filters.shape[3]}.")
        if rate < 1:
            raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
        if padding not in ("SAME", "VALID"):
            raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
        sizes = convert_to_tensor(output_shape, dtypes.int32, name="output_shape")
        if not sizes.shape.is_compatible_with([4]):
            raise ValueError(f"`output_shape` must have shape (4,). Received: output_shape={sizes.shape}")
        made = op_call.call("Conv2DBackpropInput", scope, input_sizes=sizes, filter=filters, out_backprop=value, strides=[1, 1, 1, 1], padding=padding,
                            dilations=[1, rate, rate, 1])
        made.set_shape(tensor_util.constant_value_as_shape(sizes))
        return made


def space_to_batch(input: TensorLike, paddings: TensorLike, block_size: int | None = None, name: str | None = None,
                   block_shape: TensorLike | None = None) -> Tensor:
    """Blocks of places as a part of the batch: `block_size` in two dimensions, or `block_shape`. ValueError for none or both."""
    from troupe.array_ops import space_to_batch_nd

    if (block_size is None) == (block_shape is None):
        raise ValueError("Exactly one of `block_size` and `block_shape` must be given.")
    shape = [block_size, block_size] if block_shape is None else block_shape
    return space_to_batch_nd(input, shape, paddings, name=name)


def with_space_to_batch(input: TensorLike, dilation_rate: TensorLike, padding: str, op: Callable[[Tensor, int, str], Tensor],
                        filter_shape: TensorLike | None = None, spatial_dims: Sequence[int] | None = None, data_format: str | None = None) -> Tensor:
    """`op(input, number of spatial dimensions, padding)` of each `dilation_rate`-th place: on blocks of places, padded so that they fit. `filter_shape`: sizes
    of the windows, for "SAME". ValueError for rates that are not above zero."""
    from troupe.array_ops import batch_to_space_nd, space_to_batch_nd
    from troupe.more_ops import required_space_to_batch_paddings

    input = convert_to_tensor(input, name="input")
    rates = tensor_util.constant_value(convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate"))
    if rates is None or any(r < 1 for r in rates):
        raise ValueError(f"`dilation_rate` must be known before the run and positive. Received: dilation_rate={dilation_rate}")
    count = len(rates)
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    dims = sorted(spatial_dims) if spatial_dims is not None else list(range(first, first + count))
    if dims != list(range(dims[0], dims[0] + count)):
        raise ValueError(f"`spatial_dims` must be {count} dimensions in a row. Received: spatial_dims={spatial_dims}")
    if all(r == 1 for r in rates):
        return op(input, count, padding)
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    base = None
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("`filter_shape` must be specified for `padding='SAME'`.")
        sizes = tensor_util.constant_value(convert_to_tensor(filter_shape, dtypes.int32))
        more = [(int(s) - 1) * int(r) for s, r in zip(sizes, rates)]
        base = [[m // 2, m - m // 2] for m in more]
    places = array_ops.shape(input)[dims[0]:dims[0] + count]
    paddings, crops = required_space_to_batch_paddings(places, rates, base)
    lead = [1] * (dims[0] - 1)
    zeros = array_ops.zeros([len(lead), 2], dtypes.int32)
    blocks = [*lead, *map(int, rates)]
    made = op(space_to_batch_nd(input, blocks, array_ops.concat([zeros, paddings], 0)), count, "VALID")
    return batch_to_space_nd(made, blocks, array_ops.concat([zeros, crops], 0))


# Labels.


def collapse_repeated(labels: TensorLike, seq_length: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(labels [batch, longest] without repetitions of the one before, their lengths) of labels [batch, time] of these lengths."""
    with _scope(name, "collapse_repeated_labels"):
        labels, lengths = convert_to_tensor(labels, name="labels"), convert_to_tensor(seq_length, name="seq_length")
        first = array_ops.ones_like(labels[:, :1], dtypes.bool_)
        kept = array_ops.concat([first, math_ops.not_equal(labels[:, 1:], labels[:, :-1])], 1)
        shape = array_ops.shape(labels)
        kept = math_ops.logical_and(kept, array_ops.sequence_mask(lengths, maxlen=shape[1]))
        counts = math_ops.reduce_sum(math_ops.cast(kept, dtypes.int32), axis=1)
        most = math_ops.reduce_max(counts)
        places = array_ops.where_v2(array_ops.sequence_mask(counts, maxlen=most))
        values = array_ops.boolean_mask(array_ops.reshape(labels, [-1]), array_ops.reshape(kept, [-1]))
        made = array_ops.scatter_nd(places, values, math_ops.cast(array_ops.stack([shape[0], most]), dtypes.int64))
        return made, math_ops.cast(counts, lengths.dtype)


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(the different labels of each row in their order, int64, filled up with zeros; the place of each label among them, int32): both [batch, time]."""
    with _scope(name, "ctc_unique_labels"):
        labels = convert_to_tensor(labels, name="labels")

        def unique(row):
            found, places = op_call.call("Unique", None, x=row)
            missing = array_ops.shape(places)[0] - array_ops.shape(found)[0]
            return math_ops.cast(array_ops.pad(found, array_ops.reshape(array_ops.stack([0, missing]), [1, 2])), dtypes.int64), places

        return tuple(functional_ops.map_fn(unique, labels, dtype=(dtypes.int64, dtypes.int32)))  # type: ignore[return-value]


def ctc_loss_v2(labels: Any, logits: TensorLike, label_length: TensorLike | None, logit_length: TensorLike, logits_time_major: bool = True,
                unique: Any = None, blank_index: int | None = None, name: str | None = None) -> Tensor:
    """The loss of each row: labels sparse, or dense [batch, longest] of these lengths; logits [time, batch, classes], or [batch, time, classes] unless time
    comes first. `blank_index`: the class of blanks, 0 by default for dense labels, the last with -1. ValueError where it is missing or no class."""
    from troupe.nn_loss import ctc_loss

    with _scope(name, "ctc_loss"):
        logits = convert_to_tensor(logits, name="logits")
        if not isinstance(labels, SparseTensor):
            labels = _sparse_labels(convert_to_tensor(labels, name="labels"), label_length)
            blank_index = 0 if blank_index is None else blank_index
        elif blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
        classes = logits.shape[2].value
        if classes is None:
            raise ValueError(f"The number of classes must be known. Received: logits.shape={logits.shape}")
        blank = blank_index + classes if blank_index < 0 else blank_index
        if not 0 <= blank < classes:
            raise ValueError(f"Argument `blank_index` must be a class of {classes}. Received: blank_index={blank_index}")
        if blank != classes - 1:
            # The op's blank is the last class.
            logits = array_ops.concat([logits[:, :, :blank], logits[:, :, blank + 1:], logits[:, :, blank:blank + 1]], 2)
            values = labels.values
            labels = SparseTensor(labels.indices, array_ops.where_v2(values < blank, values, values - 1), labels.dense_shape)
        return ctc_loss(labels=labels, inputs=logits, sequence_length=logit_length, time_major=logits_time_major)


def _sparse_labels(labels, lengths):
    places = array_ops.where_v2(array_ops.sequence_mask(convert_to_tensor(lengths), maxlen=array_ops.shape(labels)[1]))
    return SparseTensor(places, math_ops.cast(gather_nd(labels, places), dtypes.int32), array_ops.shape(labels, out_type=dtypes.int64))


# The largest and smallest.


def approx_max_k(operand: TensorLike, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, reduction_input_size_override: int = -1,
                 aggregate_to_topk: bool = True, name: str | None = None) -> Any:
    """(values, indices) of the k largest in a dimension; here all of them are found."""
    return op_call.call("ApproxTopK", name, input=operand, k=k, reduction_dimension=reduction_dimension, recall_target=recall_target, is_max_k=True,
                        reduction_input_size_override=reduction_input_size_override, aggregate_to_topk=aggregate_to_topk)


def approx_min_k(operand: TensorLike, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, reduction_input_size_override: int = -1,
                 aggregate_to_topk: bool = True, name: str | None = None) -> Any:
    """(values, indices) of the k smallest in a dimension; here all of them are found."""
    return op_call.call("ApproxTopK", name, input=operand, k=k, reduction_dimension=reduction_dimension, recall_target=recall_target, is_max_k=False,
                        reduction_input_size_override=reduction_input_size_override, aggregate_to_topk=aggregate_to_topk)


# Losses over replicas, of which there is one.


def compute_average_loss(per_example_loss: TensorLike, sample_weight: TensorLike | None = None, global_batch_size: TensorLike | None = None) -> Tensor:
    """The sum of losses, times their weights, by the size of the batch, which is theirs unless it is given."""
    losses = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        weights = convert_to_tensor(sample_weight, losses.dtype if losses.dtype.is_floating else None)
        losses = losses * array_ops.reshape(weights, array_ops.concat([array_ops.shape(weights), [1] * (losses.shape.rank - weights.shape.rank)], 0))
    size = array_ops.shape(losses)[0] if global_batch_size is None else global_batch_size
    return math_ops.reduce_sum(losses) / math_ops.cast(size, losses.dtype)


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of penalties: there is one replica."""
    return math_ops.reduce_sum(convert_to_tensor(regularization_loss))
