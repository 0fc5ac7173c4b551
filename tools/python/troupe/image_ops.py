"""Images, [height, width, channels] or several of them: sizes, crops, turns, colours, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, case_ops, control_flow_ops, dtypes, math_ops, op_call, random_ops, stacks, thin
from troupe.conversion import convert_to_tensor
from troupe.image_boxes import *  # noqa: F403, they are of this module
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from troupe.tensor import Tensor
    from troupe.typing import DTypeLike, ShapeOrTensor, TensorLike

thin.define(globals(), """
    decode_bmp(contents, channels=0) = DecodeBmp
    decode_gif(contents) = DecodeGif
    decode_jpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1, dct_method="") = DecodeJpeg
    decode_png(contents, channels=0, dtype=None) = DecodePng
    encode_jpeg(image, format="", quality=95, progressive=False, optimize_size=False, chroma_downsampling=True, density_unit="in", x_density=300, y_density=300, xmp_metadata="") = EncodeJpeg
    encode_png(image, compression=-1) = EncodePng
    hsv_to_rgb(images) = HSVToRGB
    resize_area(images, size, align_corners=False) = ResizeArea
    resize_bicubic(images, size, align_corners=False, name, half_pixel_centers=False) = ResizeBicubic
    resize_bilinear(images, size, align_corners=False, name, half_pixel_centers=False) = ResizeBilinear
    resize_nearest_neighbor(images, size, align_corners=False, name, half_pixel_centers=False) = ResizeNearestNeighbor
    rgb_to_hsv(images) = RGBToHSV
""")


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _image(image, name="image"):
    image = convert_to_tensor(image, name=name)
    if image.shape.rank is not None and image.shape.rank < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    return image


class ResizeMethod:
    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = 0, 1, 2, 3


_RESIZERS = {0: "ResizeBilinear", 1: "ResizeNearestNeighbor", 2: "ResizeBicubic", 3: "ResizeArea", "bilinear": "ResizeBilinear",
             "nearest": "ResizeNearestNeighbor", "bicubic": "ResizeBicubic", "area": "ResizeArea"}


def resize_images(images: TensorLike, size: ShapeOrTensor, method: str = ResizeMethod.BILINEAR, align_corners: bool = False,
                  preserve_aspect_ratio: bool = False, name: str | None = None) -> Tensor:
    """Images of another size [height, width], as floats; as they are when they have it."""
    with _scope(name or "resize"):
        images = convert_to_tensor(images, name="images")
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' contains no shape." if images.shape.rank is None else "'images' must have either 3 or 4 dimensions.")
        single = images.shape.rank == 3
        batch = array_ops.expand_dims(images, 0) if single else images
        size = convert_to_tensor(size, dtypes.int32, name="size")
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            now = math_ops.cast(array_ops.shape(batch)[1:3], dtypes.float32)
            scale = math_ops.reduce_min(math_ops.cast(size, dtypes.float32) / now)
            size = math_ops.cast(math_ops.round(scale * now), dtypes.int32)
        known = constant_value(size)
        if known is None or batch.shape.as_list()[1:3] != [int(d) for d in known]:
            if method not in _RESIZERS:
                raise ValueError(f"Resize method is not implemented: {method}")
            batch = op_call.call(_RESIZERS[method], None, images=batch, size=size, align_corners=align_corners)
        return array_ops.squeeze(batch, axis=[0]) if single else batch


resize = resize_images


def _turned(axis, name):
    def flip(image):
        with _scope(name):
            image = _image(image)
            return array_ops.reverse(image, [axis - 3 if image.shape.rank is None else image.shape.rank - 3 + axis])

    flip.__name__ = flip.__qualname__ = name
    flip.__doc__ = "The first row last." if axis == 0 else "The first column last."
    return flip


flip_up_down, flip_left_right = _turned(0, "flip_up_down"), _turned(1, "flip_left_right")


def _random_flip(axis, name):
    def flip(image, seed=None):
        with _scope(name) as scope:
            image = _image(image)

            def each():
                count = array_ops.shape(image)[0]
                drawn = math_ops.round(array_ops.reshape(random_ops.random_uniform(array_ops.expand_dims(count, 0), seed=seed), [-1, 1, 1, 1]))
                drawn = math_ops.cast(drawn, image.dtype)
                return drawn * array_ops.reverse(image, [axis + 1]) + (1 - drawn) * image

            def one():
                turn = math_ops.less(random_ops.random_uniform([], 0, 1.0, seed=seed), 0.5)
                return control_flow_ops.cond(turn, lambda: array_ops.reverse(image, [axis]), lambda: image, name=scope)

            if image.shape.rank is None:
                return control_flow_ops.cond(math_ops.equal(array_ops.rank(image), 3), one, each)
            return each() if image.shape.rank == 4 else one()

    flip.__name__ = flip.__qualname__ = name
    flip.__doc__ = "Turned round or as it is, each half of the time; each image of several for itself."
    return flip


random_flip_up_down, random_flip_left_right = _random_flip(0, "random_flip_up_down"), _random_flip(1, "random_flip_left_right")


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Rows as columns."""
    with _scope(name or "transpose") as scope:
        image = _image(image)
        return array_ops.transpose(image, _rows_as_columns(image), name=scope)


def _rows_as_columns(image):
    if image.shape.rank is not None:
        return [1, 0, 2] if image.shape.rank == 3 else [0, 2, 1, 3]
    rank = array_ops.rank(image)
    return array_ops.concat([math_ops.range(rank - 3), [rank - 2, rank - 3, rank - 1]], 0)


transpose_image = transpose


def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Turned `k` times by 90 degrees against the clock."""
    with _scope(name or "rot90") as scope:
        image = _image(image)
        turns = [lambda: image, lambda: array_ops.reverse(_exchanged(image), [-3]), lambda: array_ops.reverse(image, [-3, -2]),
                 lambda: array_ops.reverse(_exchanged(image), [-2])]
        known = constant_value(convert_to_tensor(k, dtypes.int32, name="k")) if hasattr(k, "op") else k
        if known is not None:
            return turns[int(known) % 4]()
        k = math_ops.mod(k, 4)
        made = case_ops.case([(math_ops.equal(k, i), turns[i]) for i in (1, 2, 3)], default=turns[0], exclusive=True, name=scope)
        made.set_shape([None if i in (-3, -2) else image.shape[i] for i in range(-image.shape.rank, 0)] if image.shape.rank else None)
        return made


def _exchanged(image):
    return array_ops.transpose(image, _rows_as_columns(image))


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """Of another dtype: integers up to their largest are floats up to 1."""
    image, dtype = convert_to_tensor(image, name="image"), dtypes.as_dtype(dtype)
    if dtype is image.dtype.base_dtype:
        return op_call.call("Identity", name, input=image)
    to = math_ops.saturate_cast if saturate else math_ops.cast
    with _scope(name or "convert_image") as scope:
        if image.dtype.is_floating:
            return math_ops.cast(image, dtype, name=scope) if dtype.is_floating else to(math_ops.multiply(image, dtype.max + 0.5), dtype, name=scope)
        if dtype.is_floating:
            return math_ops.multiply(math_ops.cast(image, dtype), 1.0 / image.dtype.max, name=scope)
        if image.dtype.max > dtype.max:
            return to(math_ops.floordiv(image, (image.dtype.max + 1) // (dtype.max + 1)), dtype, name=scope)
        return math_ops.multiply(to(image, dtype), (dtype.max + 1) // (image.dtype.max + 1), name=scope)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with mean 0 and deviation 1, or less when it is uniform."""
    with _scope("per_image_standardization") as scope:
        image = math_ops.cast(_image(image), dtypes.float32)
        count = math_ops.reduce_prod(array_ops.shape(image)[-3:])
        mean = math_ops.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = math_ops.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        deviation = math_ops.maximum(deviation, math_ops.rsqrt(math_ops.cast(count, dtypes.float32)))
        return math_ops.divide(image - mean, deviation, name=scope)


def _as_float(function_name, change):
    """A change of floats, done to images of any dtype."""
    def adjust(image, *arguments, name=None):
        with _scope(name or function_name):
            image = convert_to_tensor(image, name="image")
            own = image.dtype.base_dtype
            floats = image if own in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)
            return convert_image_dtype(change(floats, *arguments), own, saturate=True)

    return adjust


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """`delta`, of 1, added."""
    return _as_float("adjust_brightness", lambda x, d: x + math_ops.cast(d, x.dtype))(image, delta)


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """The distance from the mean of each channel of each image times a factor."""
    return _as_float("adjust_contrast", lambda x, f: op_call.call("AdjustContrastv2", None, images=x, contrast_factor=f))(images, contrast_factor)


def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    return _as_float("adjust_hue", lambda x, d: op_call.call("AdjustHue", None, images=x, delta=d))(image, delta, name=name)


def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    return _as_float("adjust_saturation", lambda x, f: op_call.call("AdjustSaturation", None, images=x, scale=f))(image, saturation_factor, name=name)


def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: int = 1) -> Tensor:
    """gain x^gamma of floats from 0 to 1."""
    return _as_float("adjust_gamma", lambda x: gain * x ** gamma)(image)


def random_brightness(image: TensorLike, max_delta: TensorLike, seed: int | None = None) -> Tensor:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None) -> Tensor:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust_contrast(image, random_ops.random_uniform([], lower, upper, seed=seed))


def random_hue(image: TensorLike, max_delta: TensorLike, seed: int | None = None) -> Tensor:
    if not 0 <= max_delta <= 0.5:
        raise ValueError("max_delta must be <= 0.5." if max_delta > 0.5 else "max_delta must be non-negative.")
    return adjust_hue(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None) -> Tensor:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust_saturation(image, random_ops.random_uniform([], lower, upper, seed=seed))


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """One channel of how bright they are."""
    with _scope(name or "rgb_to_grayscale") as scope:
        images = convert_to_tensor(images, name="images")
        own = images.dtype.base_dtype
        grey = math_ops.reduce_sum(convert_image_dtype(images, dtypes.float32) * [0.2989, 0.587, 0.114], -1)
        return convert_image_dtype(array_ops.expand_dims(grey, -1), own, name=scope)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    with _scope(name or "grayscale_to_rgb") as scope:
        images = convert_to_tensor(images, name="images")
        before = array_ops.expand_dims(array_ops.rank(images) - 1, 0)
        made = array_ops.tile(images, array_ops.concat([array_ops.ones(before, dtypes.int32), [3]], 0), name=scope)
        made.set_shape(images.shape[:-1].concatenate([3]))
        return made


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the distances of neighbours of each image."""
    with _scope(name or "total_variation"):
        images = convert_to_tensor(images)
        if images.shape.rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        right = images[..., :, 1:, :] - images[..., :, :-1, :]
        axes = [1, 2, 3] if images.shape.rank == 4 else None
        return math_ops.reduce_sum(math_ops.abs(down), axes) + math_ops.reduce_sum(math_ops.abs(right), axes)


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The ratio of the largest value to the difference, in decibels."""
    with _scope(name or "PSNR"):
        limit = convert_image_dtype(math_ops.cast(max_val, a.dtype), dtypes.float32)
        a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
        mse = math_ops.reduce_mean(math_ops.squared_difference(a, b), [-3, -2, -1])
        return 20 * math_ops.log(limit) / math_ops.log(10.0) - 10 / 2.302585092994046 * math_ops.log(mse)

