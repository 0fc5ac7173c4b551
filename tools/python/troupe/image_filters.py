"""Images: other colours, edges, likeness, files of any kind, glimpses, boxes that overlap less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, contractions, dtypes, image_ops, math_ops, nn, op_call, random_ops, stacks, thin
from troupe.check_ops import assert_equal
from troupe.control_flow_ops import Assert
from troupe.conversion import convert_to_tensor
from troupe.tensor import Tensor
from troupe.tensor_util import constant_value

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from troupe.typing import DTypeLike, TensorLike

thin.define(globals(), """
    decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1, dct_method="") = DecodeAndCropJpeg
    extract_jpeg_shape(contents, output_type=3) = ExtractJpegShape
    non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float("-inf")) = NonMaxSuppressionWithOverlaps
""")
_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
# As TensorFlow rounds the inverses.
_FROM_YIQ = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def extract_glimpse(input: TensorLike, size: TensorLike, offsets: TensorLike, centered: bool = True, normalized: bool = True,  # noqa: A002
                    uniform_noise: bool = True, name: str | None = None) -> Tensor:
    """Parts [batch, height, width, channels] of pictures, of one size [height, width], around (row, column) offsets [batch, 2]: from -1 to 1 and
    from the middle, unless they are not `normalized` or not `centered`. What is outside is noise."""
    made = op_call.call("ExtractGlimpse", name, input=input, size=size, offsets=offsets, centered=centered, normalized=normalized,
                        uniform_noise=uniform_noise)
    pictures = made.op.inputs[0].shape
    known = constant_value(made.op.inputs[1])
    if pictures.rank == 4:
        made.set_shape([pictures[0], *([None, None] if known is None else known.tolist()), pictures[3]])
    return made


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def _turned(images, kernel) -> Tensor:
    """Each pixel's channels times the matrix."""
    images = convert_to_tensor(images, name="images")
    return contractions.tensordot(images, convert_to_tensor(np.array(kernel), images.dtype, name="kernel"), [[images.shape.rank - 1], [0]])


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """[..., 3] of red, green and blue in [0, 1] to brightness and two colours."""
    return _turned(images, _YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    return _turned(images, _FROM_YIQ)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    return _turned(images, _YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    return _turned(images, _FROM_YUV)


def sobel_edges(image: TensorLike) -> Tensor:
    """Changes down and to the right: [batch, height, width, channels] to [batch, height, width, channels, 2]."""
    image = convert_to_tensor(image)
    kernels = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]]).transpose(1, 2, 0)[:, :, None]
    kernels = array_ops.tile(convert_to_tensor(kernels, image.dtype), array_ops.stack([1, 1, array_ops.shape(image)[-1], 1]))
    padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    made = nn.depthwise_conv2d(padded, kernels, [1, 1, 1, 1], "VALID")
    made = array_ops.reshape(made, array_ops.concat([array_ops.shape(image), [2]], 0))
    made.set_shape(image.shape.concatenate([2]))
    return made


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """(differences to the pixel below, to the one on the right), zero at the end. ValueError unless it is [batch, height, width, channels]."""
    image = convert_to_tensor(image)
    if image.shape.rank != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")
    down, right = image[:, 1:] - image[:, :-1], image[:, :, 1:] - image[:, :, :-1]
    return array_ops.pad(down, [[0, 0], [0, 1], [0, 0], [0, 0]]), array_ops.pad(right, [[0, 0], [0, 0], [0, 1], [0, 0]])


def ssim(img1: TensorLike, img2: TensorLike, max_val: TensorLike, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01,
         k2: float = 0.03, return_index_map: bool = False) -> Tensor:
    """How alike images [..., height, width, channels] are, 1 for the same; of each place with `return_index_map`. InvalidArgumentError from the step for
    images that are smaller than the filter, or of other shapes."""
    with _scope("SSIM"):
        first, second, max_val = _floats(img1, img2, max_val)
        likeness, _ = _ssim_per_channel(first, second, max_val, filter_size, filter_sigma, k1, k2, return_index_map)
        return math_ops.reduce_mean(likeness, [-1])


def ssim_multiscale(img1: TensorLike, img2: TensorLike, max_val: TensorLike, power_factors: Sequence[Any] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
                    filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03) -> Tensor:
    """The same at several sizes, each half of the one before, weighted by powers."""
    with _scope("MS-SSIM"):
        first, second, max_val = _floats(img1, img2, max_val)
        factors, likeness = [], None
        for k in range(len(power_factors)):
            if k > 0:
                first, second = _halved(first), _halved(second)
            likeness, contrast = _ssim_per_channel(first, second, max_val, filter_size, filter_sigma, k1, k2, False)
            factors.append(nn.relu(contrast))
        factors[-1] = nn.relu(likeness)
        powers = op_call.call("Pow", None, x=array_ops.stack(factors, axis=-1), y=list(power_factors))
        return math_ops.reduce_mean(math_ops.reduce_prod(powers, [-1]), [-1])


def _floats(first, second, max_val):
    """Images of one shape as floats, and the largest value that they may have."""
    first, second = convert_to_tensor(first, name="img1"), convert_to_tensor(second, name="img2")
    if not first.shape.is_compatible_with(second.shape):
        raise ValueError(f"Shapes {first.shape} and {second.shape} are incompatible")
    with stacks.get_default_graph().control_dependencies([assert_equal(array_ops.shape(first), array_ops.shape(second))]):
        first = array_ops.identity(first)
    top = image_ops.convert_image_dtype(math_ops.cast(convert_to_tensor(max_val), first.dtype), dtypes.float32)
    return image_ops.convert_image_dtype(first, dtypes.float32), image_ops.convert_image_dtype(second, dtypes.float32), top


def _halved(images):
    """The mean of each two by two; odd rows and columns are mirrored first."""
    shape = array_ops.shape(images)
    flat = array_ops.reshape(images, array_ops.concat([[-1], shape[-3:]], 0))
    odd = shape[-3:] % [2, 2, 1 << 30] * [1, 1, 0]
    padded = array_ops.pad(flat, array_ops.concat([[[0, 0]], array_ops.stack([[0, 0, 0], odd], axis=1)], 0), mode="SYMMETRIC")
    made = nn.avg_pool(padded, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    return array_ops.reshape(made, array_ops.concat([shape[:-3], array_ops.shape(made)[1:]], 0))


def _ssim_per_channel(first, second, max_val, size, sigma, k1, k2, keep_places):
    """(likeness, contrast) of each channel."""
    shapes = [array_ops.shape(first), array_ops.shape(second)]
    checks = [Assert(math_ops.reduce_all(math_ops.greater_equal(s[-3:-1], size)), [s, size], summarize=8) for s in shapes]
    with stacks.get_default_graph().control_dependencies(checks):
        first = array_ops.identity(first)
    places = np.arange(size) - (size - 1) / 2.0
    bell = np.exp(-0.5 * (places[None] ** 2 + places[:, None] ** 2) / sigma**2)
    kernel = array_ops.tile(convert_to_tensor(bell[:, :, None, None] / bell.sum(), first.dtype), array_ops.stack([1, 1, shapes[0][-1], 1]))

    def mean(x):
        shape = array_ops.shape(x)
        made = nn.depthwise_conv2d(array_ops.reshape(x, array_ops.concat([[-1], shape[-3:]], 0)), kernel, [1, 1, 1, 1], "VALID")
        return array_ops.reshape(made, array_ops.concat([shape[:-3], array_ops.shape(made)[1:]], 0))

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    means = mean(first), mean(second)
    product, squares = means[0] * means[1] * 2.0, math_ops.square(means[0]) + math_ops.square(means[1])
    luminance = (product + c1) / (squares + c1)
    contrast = (mean(first * second) * 2.0 - product + c2) / (mean(math_ops.square(first) + math_ops.square(second)) - squares + c2)
    likeness = luminance * contrast
    return (likeness, contrast) if keep_places else (math_ops.reduce_mean(likeness, [-3, -2]), math_ops.reduce_mean(contrast, [-3, -2]))


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether texts begin as JPEG files do."""
    with _scope(name or "is_jpeg"):
        return math_ops.equal(op_call.call("Substr", None, input=contents, pos=0, len=3), b"\xff\xd8\xff", name=name)


def decode_image(contents: TensorLike, channels: int | None = None, dtype: DTypeLike = dtypes.uint8, name: str | None = None,
                 expand_animations: bool = True) -> Tensor:
    """A BMP, GIF, JPEG or PNG file as [height, width, channels]; a GIF as [frames, height, width, 3], or without `expand_animations` its first frame.
    The number of dimensions is known only without them."""
    with _scope(name or "decode_image"):
        dtype = dtypes.as_dtype(dtype)
        own = dtype if dtype in (dtypes.float32, dtypes.uint8, dtypes.uint16) else dtypes.uint16
        image = op_call.call("DecodeImage", None, contents=contents, channels=channels or 0, dtype=own, expand_animations=expand_animations)
        if own is not dtype:
            image = image_ops.convert_image_dtype(image, dtype)
        if not expand_animations:
            image.set_shape([None, None, channels or None])
        return image


def adjust_jpeg_quality(image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None) -> Tensor:
    """What is left of an image in a JPEG file of this quality, 0 to 100; `dct_method` as decode_jpeg has it."""
    with _scope(name or "adjust_jpeg_quality"):
        image = convert_to_tensor(image, name="image")
        channels, own = image.shape.as_list()[-1], image.dtype.base_dtype
        image = image_ops.convert_image_dtype(image, dtypes.uint8, saturate=True)
        data = op_call.call("EncodeJpegVariableQuality", None, images=image, quality=jpeg_quality)
        return image_ops.convert_image_dtype(image_ops.decode_jpeg(data, channels=channels, dct_method=dct_method), own, saturate=True)


def random_jpeg_quality(image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None) -> Tensor:
    """The same with a random quality. ValueError for bounds outside 0 to 100, or not in order."""
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_ops.random_uniform([], min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed)
    return adjust_jpeg_quality(image, quality)


def sample_distorted_bounding_box(image_size: TensorLike, bounding_boxes: TensorLike, seed: int | None = None, seed2: int | None = None,
                                  min_object_covered: float = 0.1, aspect_ratio_range: Sequence[Any] | None = None,
                                  area_range: Sequence[Any] | None = None, max_attempts: int | None = None,
                                  use_image_if_no_bounding_boxes: bool | None = None, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """(begin, size, box) of a random part of an image that covers so much of a box at least."""
    return op_call.call("SampleDistortedBoundingBoxV2", name, image_size=image_size, bounding_boxes=bounding_boxes, seed=seed, seed2=seed2,
                        min_object_covered=min_object_covered, aspect_ratio_range=aspect_ratio_range, area_range=area_range,
                        max_attempts=max_attempts, use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes)


def non_max_suppression_with_scores(boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
                                    score_threshold: TensorLike = float('-inf'), soft_nms_sigma: float = 0.0,
                                    name: str | None = None) -> tuple[Tensor, Tensor]:
    """(numbers of the boxes that stay, their scores), those of which others that overlap were lowered with a sigma above zero."""
    with _scope(name or "non_max_suppression_with_scores"):
        made = op_call.call("NonMaxSuppressionV5", None, boxes=boxes, scores=scores, max_output_size=max_output_size, iou_threshold=iou_threshold,
                            score_threshold=score_threshold, soft_nms_sigma=soft_nms_sigma, pad_to_max_output_size=False)
        return made[0], made[1]
