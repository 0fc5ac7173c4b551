"""Boxes that overlap less than others, of batches and of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import array_ops, dtypes, functional_ops, op_call, stacks
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike


def combined_non_max_suppression(boxes: TensorLike, scores: TensorLike, max_output_size_per_class: TensorLike, max_total_size: TensorLike,
                                 iou_threshold: TensorLike = 0.5, score_threshold: TensorLike = float("-inf"), pad_per_class: bool = False,
                                 clip_boxes: bool = True, name: str | None = None) -> Any:
    """(boxes, scores, classes, how many) of the best of each class, by batch: boxes [batch, n, classes or 1, 4], scores [batch, n, classes]."""
    with stacks.get_default_graph().name_scope(name or "combined_non_max_suppression"):
        return op_call.call("CombinedNonMaxSuppression", None, boxes=boxes, scores=scores, max_output_size_per_class=max_output_size_per_class,
                            max_total_size=max_total_size, iou_threshold=convert_to_tensor(iou_threshold, dtypes.float32, name="iou_threshold"),
                            score_threshold=convert_to_tensor(score_threshold, dtypes.float32, name="score_threshold"), pad_per_class=pad_per_class,
                            clip_boxes=clip_boxes)


def non_max_suppression_padded(boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
                               score_threshold: TensorLike = float("-inf"), pad_to_max_output_size: bool = False, name: str | None = None,
                               sorted_input: bool = False, canonicalized_coordinates: bool = False, tile_size: int = 512) -> tuple[Tensor, Tensor]:
    """(the numbers of the best boxes that overlap by less than `iou_threshold`, how many): boxes [..., n, 4], scores [..., n]. Of batches they are filled up with zeros to
    `max_output_size`, as `pad_to_max_output_size` says: ValueError without it."""
    with stacks.get_default_graph().name_scope(name or "non_max_suppression_padded"):
        boxes, scores = convert_to_tensor(boxes, name="boxes"), convert_to_tensor(scores, name="scores")
        if not pad_to_max_output_size and boxes.shape.rank is not None and boxes.shape.rank > 2:
            raise ValueError(f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input")
        limits = {"max_output_size": max_output_size, "iou_threshold": convert_to_tensor(iou_threshold, dtypes.float32),
                  "score_threshold": convert_to_tensor(score_threshold, dtypes.float32)}

        def best(pair):
            return tuple(op_call.call("NonMaxSuppressionV4", None, boxes=pair[0], scores=pair[1], pad_to_max_output_size=pad_to_max_output_size, **limits))

        if boxes.shape.rank == 2:
            return best((boxes, scores))  # type: ignore[return-value]
        outer = array_ops.shape(boxes)[:-2]
        flat = (array_ops.reshape(boxes, array_ops.concat([[-1], array_ops.shape(boxes)[-2:]], 0)),
                array_ops.reshape(scores, array_ops.concat([[-1], array_ops.shape(scores)[-1:]], 0)))
        found, counts = functional_ops.map_fn(best, flat, dtype=(dtypes.int32, dtypes.int32))
        return array_ops.reshape(found, array_ops.concat([outer, [max_output_size]], 0)), array_ops.reshape(counts, outer)
