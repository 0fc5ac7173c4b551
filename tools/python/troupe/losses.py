"""tf.losses: a number that training makes small. Each loss is in the collection LOSSES."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, nn, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.math_ops import cast, reduce_sum
from troupe.ops import GraphKeys, get_collection
from troupe.tensor import Tensor
from troupe.weights import alike_ranks, broadcast_weights, checked_broadcast

if TYPE_CHECKING:
    from troupe.typing import TensorLike


class Reduction:
    """How a loss is made of the losses of all elements."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def validate(cls, key: str) -> None:
        """ValueError for what is none."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


_BY_NONZERO = Reduction.SUM_BY_NONZERO_WEIGHTS


def _graph():
    return stacks.get_default_graph()


def add_loss(loss: Tensor, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    if loss_collection:
        _graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Tensor]:
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Tensor]:
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """Their sum; 0 when there are none."""
    losses = get_regularization_losses(scope)
    return math_ops.add_n(losses, name=name) if losses else array_ops.constant(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Tensor:
    """The sum of all losses."""
    losses = get_losses(scope)
    return math_ops.add_n(losses + (get_regularization_losses(scope) if add_regularization_losses else []), name=name)


def _count(losses) -> Tensor:
    with _graph().name_scope("num_elements") as scope:
        return cast(array_ops.size(losses, name=scope), losses.dtype)


def _present(losses, weights, per_batch: bool = False) -> Tensor:
    """How many losses count, because their weights are not zero."""
    if isinstance(weights, float) and weights != 0.0:
        return _count(losses)
    with _graph().name_scope("num_present") as scope:
        weights = cast(weights, dtypes.float32)
        zero = op_call.call("Equal", None, x=weights, y=0.0)
        present = broadcast_weights(array_ops.where(zero, array_ops.zeros_like(weights), array_ops.ones_like(weights)), losses)
        if per_batch:
            return reduce_sum(present, axis=math_ops.range(1, array_ops.rank(present)), keepdims=True, name=scope)
        return reduce_sum(present, name=scope)


def compute_weighted_loss(losses: TensorLike, weights: TensorLike | None = 1.0, scope: str | None = None, loss_collection: str = GraphKeys.LOSSES,
                          reduction: str = _BY_NONZERO) -> Tensor:
    """One loss of those of all elements, each times its weight. ValueError for weights whose shape does not fit, or another reduction."""
    Reduction.validate(reduction)
    with _graph().name_scope(scope or "weighted_loss"):
        losses = convert_to_tensor(losses)
        with _graph().control_dependencies(checked_broadcast(weights, losses)):
            dtype = losses.dtype
            losses = cast(losses, dtypes.float32)
            factor = cast(weights, dtypes.float32)
            loss = op_call.call("Mul", None, x=losses, y=factor)
            if reduction != Reduction.NONE:
                loss = _reduced(reduce_sum(loss), losses, factor, reduction)
            loss = cast(loss, dtype)
            add_loss(loss, loss_collection)
            return loss


def _reduced(total, losses, weights, reduction) -> Tensor:
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.MEAN:
        count = reduce_sum(array_ops.ones_like(losses) * weights)
    else:
        count = _count(losses) if reduction == Reduction.SUM_OVER_BATCH_SIZE else _present(losses, weights)
    return math_ops.div_no_nan(reduce_sum(total), count, name="value")


def _given(**arguments) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _elementwise(name: str, first: str, elements):
    """A loss whose elements are elements(predictions, labels, ...), both as float32."""

    def loss(labels, predictions, weights, scope, loss_collection, reduction, *own) -> Tensor:
        _given(labels=labels, **{first: predictions})
        with _graph().name_scope(scope or name) as scope:
            predictions, labels = cast(predictions, dtypes.float32), cast(labels, dtypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            return compute_weighted_loss(elements(predictions, labels, *own), weights, scope, loss_collection, reduction)

    return loss


_absolute = _elementwise("absolute_difference", "predictions", lambda p, l: math_ops.abs(op_call.call("Sub", None, x=p, y=l)))
_squared = _elementwise("mean_squared_error", "predictions", lambda p, l: op_call.call("SquaredDifference", None, x=p, y=l))
_cosine = _elementwise("cosine_distance_loss", "predictions", lambda p, l, axis: 1 - reduce_sum(p * l, axis=(axis,), keepdims=True))


@lambda elements: _elementwise("hinge_loss", "logits", elements)
def _hinge(logits, labels):
    ones = array_ops.ones_like(labels)
    return op_call.call("Relu", None, features=ones - (2 * labels - ones) * logits)


@lambda elements: _elementwise("huber_loss", "predictions", elements)
def _huber(predictions, labels, delta):
    error = math_ops.abs(op_call.call("Sub", None, x=predictions, y=labels))
    quadratic = op_call.call("Minimum", None, x=error, y=delta)
    return 0.5 * (quadratic * quadratic) + delta * (error - quadratic)


@lambda elements: _elementwise("log_loss", "predictions", elements)
def _log(predictions, labels, epsilon):
    log = lambda x: op_call.call("Log", None, x=x)
    return -(labels * log(predictions + epsilon)) - (1 - labels) * log(1 - predictions + epsilon)


def absolute_difference(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = 1.0, scope: str | None = None,
                        loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """|predictions - labels|."""
    return _absolute(labels, predictions, weights, scope, loss_collection, reduction)


def mean_squared_error(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = 1.0, scope: str | None = None,
                       loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """(predictions - labels)^2."""
    return _squared(labels, predictions, weights, scope, loss_collection, reduction)


def cosine_distance(labels: TensorLike, predictions: TensorLike, axis: int | None = None, weights: TensorLike | None = 1.0, scope: str | None = None,
                    loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO, dim: int | None = None) -> Tensor:
    """1 - predictions labels, of vectors in the dimension `axis` that are as long as 1."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    return _cosine(labels, predictions, weights, scope, loss_collection, reduction, axis)


def hinge_loss(labels: TensorLike, logits: TensorLike, weights: TensorLike | None = 1.0, scope: str | None = None,
               loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """max(0, 1 - logits) where labels are 1, max(0, 1 + logits) where they are 0."""
    return _hinge(labels, logits, weights, scope, loss_collection, reduction)


def huber_loss(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = 1.0, delta: TensorLike = 1.0, scope: str | None = None,
               loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """Half the square of small errors, and a line beyond `delta`."""
    return _huber(labels, predictions, weights, scope, loss_collection, reduction, delta)


def log_loss(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = 1.0, epsilon: float = 1e-07, scope: str | None = None,
             loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """The cross entropy of probabilities."""
    return _log(labels, predictions, weights, scope, loss_collection, reduction, epsilon)


def mean_pairwise_squared_error(labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = 1.0, scope: str | None = None,
                                loss_collection: str = GraphKeys.LOSSES) -> Tensor:
    """The squared differences of all pairs of errors in an example."""
    _given(labels=labels, predictions=predictions)
    with _graph().name_scope(scope or "mean_pairwise_squared_error"):
        weights, labels, predictions = (cast(t, dtypes.float32) for t in (weights, labels, predictions))
        predictions.shape.assert_is_compatible_with(labels.shape)
        with _graph().control_dependencies(checked_broadcast(weights, labels)):
            differences = op_call.call("Sub", None, x=predictions, y=labels)
            axis = math_ops.range(1, array_ops.rank(differences))
            count = _present(differences, weights, per_batch=True)
            most = lambda x: op_call.call("Maximum", None, x=x, y=0)
            square = lambda x: op_call.call("Square", None, x=x)
            first = 2.0 * math_ops.div_no_nan(reduce_sum(square(differences), axis=axis, keepdims=True), most(count - 1), name="value")
            total = reduce_sum(differences, axis=axis, keepdims=True)
            second = 2.0 * math_ops.div_no_nan(square(total), most(count * (count - 1)), name="value")
            loss = reduce_sum((first - second) * weights)
            loss = array_ops.where(reduce_sum(count) > 0, loss, array_ops.zeros_like(loss), name="value")
            add_loss(loss, loss_collection)
            return loss


def _logits_and_labels(logits, labels):
    """Both as tensors of the logits' type. ValueError when their shapes differ."""
    logits = convert_to_tensor(logits)
    labels = cast(labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    return logits, labels


def sigmoid_cross_entropy(multi_class_labels: TensorLike, logits: TensorLike, weights: TensorLike | None = 1.0, label_smoothing: float = 0,
                          scope: str | None = None, loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """The cross entropy of each class by itself; with `label_smoothing` labels are that much nearer to 1/2."""
    _given(multi_class_labels=multi_class_labels, logits=logits)
    with _graph().name_scope(scope or "sigmoid_cross_entropy_loss") as scope:
        logits, labels = _logits_and_labels(logits, multi_class_labels)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(onehot_labels: TensorLike, logits: TensorLike, weights: TensorLike | None = 1.0, label_smoothing: float = 0,
                          scope: str | None = None, loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """The cross entropy of each row; with `label_smoothing` labels are that much nearer to 1 / classes."""
    _given(onehot_labels=onehot_labels, logits=logits)
    with _graph().name_scope(scope or "softmax_cross_entropy_loss") as scope:
        logits, labels = _logits_and_labels(logits, onehot_labels)
        if label_smoothing > 0:
            classes = cast(array_ops.shape(labels)[-1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        labels = op_call.call("StopGradient", "labels_stop_gradient", input=labels)
        losses = nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(labels: TensorLike, logits: TensorLike, weights: TensorLike | None = 1.0, scope: str | None = None,
                                 loss_collection: str = GraphKeys.LOSSES, reduction: str = _BY_NONZERO) -> Tensor:
    """The same with class numbers."""
    _given(labels=labels, logits=logits)
    with _graph().name_scope(scope or "sparse_softmax_cross_entropy_loss") as scope:
        labels, logits = alike_ranks(labels, logits, expected_rank_diff=1)
        weights = convert_to_tensor(weights)
        if None not in (weights.shape.rank, labels.shape.rank) and weights.shape.rank - labels.shape.rank == 1:
            weights = array_ops.squeeze(weights, [-1])
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
