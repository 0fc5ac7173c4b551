"""tf.contrib.image: pictures that are turned, moved and warped; colours by hue, saturation and value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, math_ops, op_call, ops, random_ops
from troupe.contractions import tensordot
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

_TYPES = (dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64)


def _as_batch(images):
    """(pictures [batch, height, width, channels], a function that takes what was added off again)."""
    images = convert_to_tensor(images, name="images")
    if images.dtype.base_dtype not in _TYPES:
        raise TypeError(f"Invalid dtype {images.dtype.name}.")
    rank = images.shape.rank
    if rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if rank == 2:
        return images[None, :, :, None], lambda made: made[0, :, :, 0]
    if rank == 3:
        return images[None], lambda made: made[0]
    if rank != 4:
        raise TypeError("Images should have rank between 2 and 4.")
    return images, lambda made: made


def transform(images: TensorLike, transforms: TensorLike, interpolation: str = "NEAREST", output_shape: TensorLike | None = None,
              name: str | None = None) -> Tensor:
    """Pictures [height, width], [height, width, channels] or with a batch before, where (x, y) is what was at ((a0 x + a1 y + a2) / k,
    (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1, of transforms (a0, a1, a2, b0, b1, b2, c0, c1): one, or one of each. TypeError for other ranks."""
    with ops.name_scope(name, "transform"):
        batch, back = _as_batch(images)
        transforms = convert_to_tensor(transforms, name="transforms", dtype=dtypes.float32)
        if transforms.shape.rank is None:
            raise TypeError("transforms rank must be statically known")
        if transforms.shape.rank not in (1, 2):
            raise TypeError(f"Transforms should have rank 1 or 2, but got rank {transforms.shape.rank}")
        transforms = transforms[None] if transforms.shape.rank == 1 else transforms
        shape = array_ops.shape(batch)[1:3] if output_shape is None else convert_to_tensor(output_shape, dtypes.int32, name="output_shape")
        made = op_call.call("ImageProjectiveTransformV2", None, images=batch, transforms=transforms, output_shape=shape,
                            interpolation=interpolation.upper())
        if output_shape is None:
            made.set_shape([batch.shape[0], batch.shape[1], batch.shape[2], batch.shape[3]])
        return back(made)


def rotate(images: TensorLike, angles: TensorLike, interpolation: str = "NEAREST", name: str | None = None) -> Tensor:
    """Pictures turned about their middle, against the clock, by an angle (radians), or by one each."""
    with ops.name_scope(name, "rotate"):
        batch, _ = _as_batch(images)
        height, width = (math_ops.cast(array_ops.shape(batch)[i], dtypes.float32) for i in (1, 2))
        return transform(images, angles_to_projective_transforms(angles, height, width), interpolation)


def translate(images: TensorLike, translations: TensorLike, interpolation: str = "NEAREST", name: str | None = None) -> Tensor:
    """Pictures moved by (dx, dy) pixels, or by a pair each."""
    with ops.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation)


def angles_to_projective_transforms(angles: TensorLike, image_height: TensorLike, image_width: TensorLike, name: str | None = None) -> Tensor:
    """Transforms [number of angles, 8] that turn pictures. TypeError for an unknown rank or one above 1."""
    with ops.name_scope(name, "angles_to_projective_transforms"):
        angles = convert_to_tensor(angles, dtypes.float32, name="angles")
        if angles.shape.rank is None:
            raise TypeError("Angles rank must be statically known")
        if angles.shape.rank > 1:
            raise TypeError("Angles should have rank 0 or 1.")
        angles = angles[None] if angles.shape.rank == 0 else angles
        height, width = (math_ops.cast(n, dtypes.float32) - 1 for n in (image_height, image_width))
        cos, sin = math_ops.cos(angles), math_ops.sin(angles)
        right = (width - (cos * width - sin * height)) / 2.0
        down = (height - (sin * width + cos * height)) / 2.0
        nothing = array_ops.zeros_like(angles)
        return array_ops.stack([cos, -sin, right, sin, cos, down, nothing, nothing], axis=1)


def translations_to_projective_transforms(translations: TensorLike, name: str | None = None) -> Tensor:
    """Transforms [number of pairs, 8] that move pictures by (dx, dy). TypeError for other ranks than 1 and 2."""
    with ops.name_scope(name, "translations_to_projective_transforms"):
        translations = convert_to_tensor(translations, dtypes.float32, name="translations")
        if translations.shape.rank is None:
            raise TypeError("translation_or_translations rank must be statically known")
        if translations.shape.rank not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        pairs = translations[None] if translations.shape.rank == 1 else translations
        nothing = array_ops.zeros_like(pairs[:, 0])
        one = array_ops.ones_like(nothing)
        return array_ops.stack([one, nothing, -pairs[:, 0], nothing, one, -pairs[:, 1], nothing, nothing], axis=1)


def flat_transforms_to_matrices(transforms: TensorLike) -> Tensor:
    """[batch, 3, 3] of [batch, 8] or [8]."""
    transforms = convert_to_tensor(transforms, dtypes.float32)
    if transforms.shape.rank not in (1, 2):
        raise ValueError(f"Transforms should be 2D, got: {transforms}")
    transforms = array_ops.reshape(transforms, [-1, 8])
    return array_ops.reshape(array_ops.concat([transforms, array_ops.ones([array_ops.shape(transforms)[0], 1])], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: TensorLike) -> Tensor:
    """[batch, 8] of [batch, 3, 3] or [3, 3]."""
    matrices = convert_to_tensor(transform_matrices, dtypes.float32)
    if matrices.shape.rank not in (2, 3):
        raise ValueError(f"Matrices should be 3D, got: {matrices}")
    flat = array_ops.reshape(matrices, [-1, 9])
    return (flat / flat[:, 8:])[:, :8]


def compose_transforms(*transforms: TensorLike) -> Tensor:
    """The transform of all in turn. ValueError for none."""
    if not transforms:
        raise ValueError("transforms cannot be empty")
    with ops.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for other in transforms[1:]:
            composed = math_ops.matmul(composed, flat_transforms_to_matrices(other))
        return matrices_to_flat_transforms(composed)


def interpolate_bilinear(grid: TensorLike, query_points: TensorLike, name: str = "interpolate_bilinear", indexing: str = "ij") -> Tensor:
    """Values [batch, number, channels] of a grid [batch, height, width, channels] at points [batch, number, 2]: (row, column), or (x, y) with
    indexing "xy". ValueError for other shapes and orders."""
    if indexing not in ("ij", "xy"):
        raise ValueError("Indexing mode must be 'ij' or 'xy'")
    with ops.name_scope(name):
        grid, points = convert_to_tensor(grid), convert_to_tensor(query_points)
        if grid.shape.rank != 4:
            raise ValueError("Grid must be 4 dimensional. Received size: " + str(grid.shape))
        if points.shape.rank != 3:
            raise ValueError("Query points must be 3 dimensional.")
        rows, columns = points[:, :, 0 if indexing == "ij" else 1], points[:, :, 1 if indexing == "ij" else 0]
        shape = array_ops.shape(grid)
        at, parts = [], []
        for place, size in ((rows, shape[1]), (columns, shape[2])):
            # The lower neighbour, so that the upper is there, too.
            low = math_ops.minimum(math_ops.maximum(0.0, math_ops.floor(place)), math_ops.cast(size - 2, place.dtype))
            at.append(math_ops.cast(low, dtypes.int32))
            parts.append(array_ops.expand_dims(math_ops.minimum(math_ops.maximum(0.0, place - low), 1.0), 2))
        flat = array_ops.reshape(grid, [shape[0] * shape[1] * shape[2], shape[3]])
        first = array_ops.reshape(math_ops.range(shape[0]) * shape[1] * shape[2], [-1, 1])
        value = lambda down, right: array_ops.gather(flat, first + (at[0] + down) * shape[2] + at[1] + right)
        top = parts[1] * (value(0, 1) - value(0, 0)) + value(0, 0)
        bottom = parts[1] * (value(1, 1) - value(1, 0)) + value(1, 0)
        return parts[0] * (bottom - top) + top


def dense_image_warp(image: TensorLike, flow: TensorLike, name: str = "dense_image_warp") -> Tensor:
    """[batch, height, width, channels] where (j, i) is what was at (j - flow[0], i - flow[1]), between pixels by their distance."""
    with ops.name_scope(name):
        image, flow = convert_to_tensor(image), convert_to_tensor(flow)
        shape = array_ops.shape(image)
        across, down = array_ops.meshgrid(math_ops.range(shape[2]), math_ops.range(shape[1]))
        points = math_ops.cast(array_ops.stack([down, across], axis=2), flow.dtype)[None] - flow
        made = interpolate_bilinear(image, array_ops.reshape(points, [shape[0], shape[1] * shape[2], 2]))
        made = array_ops.reshape(made, shape)
        made.set_shape(image.shape)
        return made


_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.59590059, -0.27455667, -0.32134392], [0.21153661, -0.52273617, 0.31119955]], np.float32).T


def adjust_hsv_in_yiq(image: TensorLike, delta_hue: TensorLike = 0, scale_saturation: TensorLike = 1, scale_value: TensorLike = 1,
                      name: str | None = None) -> Tensor:
    """Colours whose hue is turned (radians), and whose saturation and value are so many times as large. ValueError for other than 3 channels."""
    with ops.name_scope(name, "adjust_hsv_in_yiq", [image]):
        image = convert_to_tensor(image, name="image")
        from troupe.image_ops import convert_image_dtype

        kind = image.dtype.base_dtype
        pixels = image if kind is dtypes.float32 else convert_image_dtype(image, dtypes.float32)
        hue, saturation, value = (math_ops.cast(x, dtypes.float32) for x in (delta_hue, scale_saturation, scale_value))
        cos, sin = saturation * math_ops.cos(hue), saturation * math_ops.sin(hue)
        one, nothing = array_ops.ones_like(cos), array_ops.zeros_like(cos)
        turn = array_ops.stack([array_ops.stack(row) for row in ([one, nothing, nothing], [nothing, cos, sin], [nothing, -sin, cos])])
        matrix = math_ops.matmul(math_ops.matmul(convert_to_tensor(_TO_YIQ), value * turn), convert_to_tensor(np.linalg.inv(_TO_YIQ)))
        made = tensordot(pixels, matrix, [[-1], [0]])
        made.set_shape(image.shape)
        return made if kind is dtypes.float32 else convert_image_dtype(made, kind, saturate=True)


def random_hsv_in_yiq(image: TensorLike, max_delta_hue: float = 0, lower_saturation: float = 1, upper_saturation: float = 1, lower_value: float = 1,
                      upper_value: float = 1, seed: int | None = None, name: str | None = None) -> Tensor:
    """The same by random numbers within these. ValueError for negative ones."""
    if max_delta_hue < 0:
        raise ValueError("max_delta must be non-negative.")
    if lower_saturation < 0 or lower_value < 0:
        raise ValueError("lower bounds must be non-negative.")
    if lower_saturation > upper_saturation or lower_value > upper_value:
        raise ValueError("lower bounds must be less than upper bounds.")
    with ops.name_scope(name, "random_hsv_in_yiq", [image]):
        within = lambda low, high: random_ops.random_uniform([], low, high, seed=seed) if high > low else convert_to_tensor(float(low))
        return adjust_hsv_in_yiq(image, within(-max_delta_hue, max_delta_hue), within(lower_saturation, upper_saturation),
                                 within(lower_value, upper_value))
