"""Parts of images: crops, borders, boxes."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, stacks
from troupe.conversion import convert_to_tensor
from troupe.special_math_ops import random_crop  # noqa: F401, it is of these, too
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

__all__ = ["central_crop", "crop_and_resize", "crop_to_bounding_box", "draw_bounding_boxes", "extract_image_patches", "extract_patches",
           "non_max_suppression", "pad_to_bounding_box", "random_crop", "resize_image_with_crop_or_pad", "resize_image_with_pad",
           "resize_with_crop_or_pad"]


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _picture(image):
    """As a tensor; where nobody knows how many dimensions it has, it is one picture."""
    image = convert_to_tensor(image, name="image")
    if image.shape.rank is None:
        image = array_ops.identity(image)
        image.set_shape([None] * 3)
    return image


def _number(value):
    """An int where it is one of NumPy's or a Dimension that is known; a tensor stays one."""
    value = getattr(value, "value", value)
    return int(value) if isinstance(value, numbers.Integral) else value


def _sizes(image):
    """(height, width): numbers where they are known."""
    known, dims = image.shape.as_list()[-3:-1], array_ops.shape(image)
    rows = image.shape.rank - 3
    return [dims[rows + i] if k is None else k for i, k in enumerate(known)]


def _around(image):
    return [0] * (image.shape.rank - 3)


def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The middle: so much of the height and of the width. ValueError unless it is more than 0 and at most 1."""
    with _scope("central_crop"):
        image = convert_to_tensor(image, name="image")
        fraction = constant_value(central_fraction) if hasattr(central_fraction, "op") else central_fraction
        if fraction is not None and not 0.0 < fraction <= 1.0:
            raise ValueError("central_fraction must be within (0, 1]")
        if image.shape.rank not in (3, 4):
            raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {image.shape.rank}.")
        if fraction == 1.0:
            return image
        starts = []
        for size in _sizes(image):
            if isinstance(size, int) and fraction is not None:
                starts.append(int((float(size) - float(size) * fraction) / 2))
            else:
                # TensorFlow's fraction is a float32 here, too, whose last bits are seen in what is rounded down.
                wide, part = math_ops.cast(size, dtypes.float64), math_ops.cast(convert_to_tensor(central_fraction), dtypes.float64)
                starts.append(math_ops.cast((wide - wide * part) / 2, dtypes.int32))
        sizes = [s - 2 * b for s, b in zip(_sizes(image), starts)]
        return array_ops.slice(image, array_ops.stack([*_around(image), *starts, 0]), array_ops.stack([-1] * (image.shape.rank - 3) + [*sizes, -1]))


def crop_to_bounding_box(image: TensorLike, offset_height: TensorLike, offset_width: TensorLike, target_height: TensorLike,
                         target_width: TensorLike) -> Tensor:
    """A part of this size from this place. ValueError for parts that are known to be outside."""
    with _scope("crop_to_bounding_box"):
        image = _picture(image)
        offset_height, offset_width, target_height, target_width = map(_number, (offset_height, offset_width, target_height, target_width))
        height, width = _sizes(image)
        for offset, what in ((offset_height, "offset_height"), (offset_width, "offset_width")):
            if isinstance(offset, int) and offset < 0:
                raise ValueError(f"{what} must be >= 0.")
        for whole, offset, size, what in ((height, offset_height, target_height, "height"), (width, offset_width, target_width, "width")):
            if all(isinstance(x, int) for x in (whole, offset, size)) and offset + size > whole:
                raise ValueError(f"{what} must be >= target + offset.")
        begin = array_ops.stack([*_around(image), offset_height, offset_width, 0])
        cropped = array_ops.slice(image, begin, array_ops.stack([-1] * (image.shape.rank - 3) + [target_height, target_width, -1]))
        return _of_size(cropped, image, target_height, target_width)


def _of_size(made, image, height, width):
    """What was made of an image, with the shape that is known of it."""
    known = image.shape.as_list()
    made.set_shape([*known[:-3], *(size if isinstance(size, int) else None for size in (height, width)), known[-1]])
    return made


def pad_to_bounding_box(image: TensorLike, offset_height: TensorLike, offset_width: TensorLike, target_height: TensorLike,
                        target_width: TensorLike) -> Tensor:
    """A larger image of zeros with this one in it, at this place. ValueError when it is known that it does not fit."""
    with _scope("pad_to_bounding_box"):
        image = _picture(image)
        offset_height, offset_width, target_height, target_width = map(_number, (offset_height, offset_width, target_height, target_width))
        height, width = _sizes(image)
        after = target_height - offset_height - height, target_width - offset_width - width
        for value, what in ((offset_height, "offset_height must be >= 0"), (offset_width, "offset_width must be >= 0"),
                            (after[0], "height must be <= target - offset"), (after[1], "width must be <= target - offset")):
            if isinstance(value, int) and value < 0:
                raise ValueError(what)
        pairs = [0, 0] * (image.shape.rank - 3) + [offset_height, after[0], offset_width, after[1], 0, 0]
        padded = array_ops.pad(image, array_ops.reshape(array_ops.stack(pairs), [image.shape.rank, 2]))
        return _of_size(padded, image, target_height, target_width)


def _smaller(a, b):
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else math_ops.minimum(a, b)


def _larger(a, b):
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else math_ops.maximum(a, b)


def _half(value):
    """Towards zero."""
    return int(value / 2) if isinstance(value, int) else op_call.call("TruncateDiv", None, x=value, y=2)


def resize_image_with_crop_or_pad(image: TensorLike, target_height: TensorLike, target_width: TensorLike) -> Tensor:
    """The middle of an image, or the image in the middle of zeros."""
    with _scope("resize_image_with_crop_or_pad"):
        image = _picture(image)
        target_height, target_width = targets = _number(target_height), _number(target_width)
        height, width = _sizes(image)
        over = [_larger(_half(size - t), 0) for size, t in zip((height, width), targets)]
        image = crop_to_bounding_box(image, *over, _smaller(target_height, height), _smaller(target_width, width))
        under = [_larger(_half(t - size), 0) for size, t in zip((height, width), targets)]
        return pad_to_bounding_box(image, *under, target_height, target_width)


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def resize_image_with_pad(image: TensorLike, target_height: TensorLike, target_width: TensorLike, method: str = 0,
                          align_corners: bool = False) -> Tensor:
    """Resized with the same ratio of its sides, in the middle of zeros."""
    from troupe.image_ops import resize_images

    with _scope("resize_image_with_pad"):
        image = _picture(image)
        target_height, target_width = _number(target_height), _number(target_width)
        height, width = (math_ops.cast(s, dtypes.float64) for s in _sizes(image))
        ratio = math_ops.maximum(width / target_width, height / target_height)
        sizes = [math_ops.cast(math_ops.floor(s / ratio), dtypes.int32) for s in (height, width)]
        offsets = [math_ops.maximum(0, math_ops.cast(math_ops.floor((t - s / ratio) / 2), dtypes.int32))
                   for t, s in ((target_height, height), (target_width, width))]
        known = [constant_value(t) for t in (*sizes, *offsets)]
        sizes, offsets = ([int(k) if k is not None else t for k, t in zip(known[i:i + 2], part)] for i, part in ((0, sizes), (2, offsets)))
        resized = resize_images(image, array_ops.stack(sizes), method, align_corners)
        return pad_to_bounding_box(resized, *offsets, target_height, target_width)


def crop_and_resize(image: TensorLike, boxes: TensorLike, box_ind: TensorLike | None = None, crop_size: TensorLike | None = None,
                    method: str = "bilinear", extrapolation_value: TensorLike = 0, name: str | None = None,
                    box_indices: TensorLike | None = None) -> Tensor:
    """Boxes [y1, x1, y2, x2], of 1, of the images `box_ind`, in one size."""
    return op_call.call("CropAndResize", name, image=image, boxes=boxes, box_ind=box_indices if box_ind is None else box_ind, crop_size=crop_size,
                        method=method, extrapolation_value=float(extrapolation_value))


def draw_bounding_boxes(images: TensorLike, boxes: TensorLike, name: str | None = None, colors: Sequence[Any] | None = None) -> Tensor:
    if colors is None:
        return op_call.call("DrawBoundingBoxes", name, images=images, boxes=boxes)
    return op_call.call("DrawBoundingBoxesV2", name, images=images, boxes=boxes, colors=colors)


def non_max_suppression(boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
                        score_threshold: TensorLike = -np.inf, name: str | None = None) -> Tensor:
    """The numbers of the boxes with the highest scores, without those that overlap a better one too much."""
    with _scope(name or "non_max_suppression"):
        return op_call.call("NonMaxSuppressionV3", None, boxes=boxes, scores=scores, max_output_size=max_output_size,
                            iou_threshold=convert_to_tensor(iou_threshold, dtypes.float32), score_threshold=convert_to_tensor(score_threshold, dtypes.float32))


def extract_image_patches(images: TensorLike, ksizes: Sequence[Any] | None = None, strides: Sequence[Any] | None = None,
                          rates: Sequence[Any] | None = None, padding: str | None = None, name: str | None = None,
                          sizes: Sequence[Any] | None = None) -> Tensor:
    """Patches of images in the last dimension."""
    return op_call.call("ExtractImagePatches", name, images=images, ksizes=sizes if ksizes is None else ksizes, strides=strides, rates=rates,
                        padding=padding)


def extract_patches(images: TensorLike, sizes: Sequence[Any], strides: Sequence[Any], rates: Sequence[Any], padding: str,
                    name: str | None = None) -> Tensor:
    return extract_image_patches(images, sizes, strides, rates, padding, name)
