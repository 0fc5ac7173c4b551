"""What variables begin with: objects that make a tensor of a shape and dtype."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, dtypes, op_call, random_ops
from troupe.constant_op import constant as _constant
from troupe.tensor_shape import as_shape

if TYPE_CHECKING:
    from typing import Any

    from troupe.typing import DTypeLike, Message, TensorLike


class Initializer:
    """`initializer(shape, dtype)` is a tensor."""

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another one like it."""
        return {name: value.name if name == "dtype" else value for name, value in vars(self).items() if not name.startswith("_")}

    def __repr__(self):
        return f"<{type(self).__name__} {' '.join(f'{k}={v!r}' for k, v in self.get_config().items())}>"

    @classmethod
    def from_config(cls, config: Message) -> Initializer:
        return cls(**config)


class Zeros(Initializer):
    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.zeros(as_shape(shape), dtype or self.dtype)


class Ones(Initializer):
    def __init__(self, dtype: DTypeLike = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.ones(as_shape(shape), dtype or self.dtype)


class Constant(Initializer):
    """All elements one value, or those of a list or array, in order."""

    def __init__(self, value: TensorLike = 0, dtype: DTypeLike = dtypes.float32, verify_shape: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(f"Invalid type for initial value={value} of type: {type(value)}. Expected Python scalar, list or tuple of values, or "
                            "numpy.ndarray.")
        self.value, self.dtype, self._verify_shape = value, dtypes.as_dtype(dtype), verify_shape

    def __call__(self, shape, dtype=None, partition_info=None):
        return _constant(self.value, dtype or self.dtype, shape, verify_shape=self._verify_shape)


class RandomUniform(Initializer):
    def __init__(self, minval: TensorLike = 0.0, maxval: TensorLike | None = None, seed: int | None = None,
                 dtype: DTypeLike = dtypes.float32) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_uniform(as_shape(shape), self.minval, self.maxval, dtype or self.dtype, self.seed)


class RandomNormal(Initializer):
    _draw = staticmethod(random_ops.random_normal)

    def __init__(self, mean: TensorLike | None = 0.0, stddev: TensorLike | None = 1.0, seed: int | None = None,
                 dtype: DTypeLike = dtypes.float32) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return self._draw(as_shape(shape), self.mean, self.stddev, dtype or self.dtype, self.seed)


class TruncatedNormal(RandomNormal):
    _draw = staticmethod(random_ops.truncated_normal)


def _fans(dims):
    """Inputs and outputs of a unit whose weights have this shape."""
    if len(dims) < 2:
        return (dims[0] if dims else 1,) * 2
    field = math.prod(dims[:-2])
    return dims[-2] * field, dims[-1] * field


class VarianceScaling(Initializer):
    """Random, with a variance that follows from the number of inputs or outputs."""

    def __init__(self, scale: TensorLike = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal", seed: int | None = None,
                 dtype: DTypeLike = dtypes.float32) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError("Argument `distribution` should be one of ('normal', 'uniform', 'truncated_normal', 'untruncated_normal'). "
                             f"Received: {distribution}")
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        inputs, outputs = _fans(as_shape(shape).as_list() if partition_info is None else partition_info.full_shape)
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2.0}[self.mode]
        variance = self.scale / max(1.0, count)
        dtype = dtype or self.dtype
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_ops.random_uniform(as_shape(shape), -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(as_shape(shape), 0.0, math.sqrt(variance), dtype, self.seed)
        # What is cut off at two standard deviations has that much less.
        return random_ops.truncated_normal(as_shape(shape), 0.0, math.sqrt(variance) / 0.87962566103423978, dtype, self.seed)


class GlorotUniform(VarianceScaling):
    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    def __init__(self, gain: float = 1.0, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain, self.dtype = gain, dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dims = as_shape(shape).as_list()
        if len(dims) != 2:
            raise ValueError(f"Identity matrix initializer can only be used for 2D matrices. Received: shape={shape}")
        whole = self.gain * np.eye(*(dims if partition_info is None else partition_info.full_shape))
        if partition_info is not None:
            whole = whole[tuple(slice(o, o + d) for o, d in zip(partition_info.var_offset, dims))]
        return _constant(whole, dtype or self.dtype)


class Orthogonal(Initializer):
    """Rows or columns of length `gain` at right angles, from the QR decomposition of a random matrix."""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dims = as_shape(shape).as_list()
        if len(dims) < 2:
            raise ValueError("The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
                             f"Received shape={shape}")
        rows, columns = math.prod(dims[:-1]), dims[-1]
        drawn = random_ops.random_normal((max(rows, columns), min(rows, columns)), dtype=dtype or self.dtype, seed=self.seed)
        q, r = op_call.call("Qr", None, input=drawn, full_matrices=False)
        q = q * op_call.call("Sign", None, x=op_call.call("MatrixDiagPart", None, input=r))
        if rows < columns:
            q = array_ops.transpose(q)
        return self.gain * array_ops.reshape(q, dims)


zeros_initializer, ones_initializer, constant_initializer = Zeros, Ones, Constant
random_uniform_initializer, random_normal_initializer, truncated_normal_initializer = RandomUniform, RandomNormal, TruncatedNormal
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer, glorot_normal_initializer = GlorotUniform, GlorotNormal
identity_initializer, orthogonal_initializer = Identity, Orthogonal


class UniformUnitScaling(Initializer):
    """Random, so that a product with the matrix keeps the scale of its input, times `factor`."""

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: DTypeLike = dtypes.float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dims = as_shape(shape).as_list()
        whole = dims if partition_info is None else partition_info.full_shape
        most = math.sqrt(3 / max(1.0, math.prod(whole[:-1]))) * self.factor
        return random_ops.random_uniform(dims, -most, most, dtype or self.dtype, self.seed)


uniform_unit_scaling_initializer = UniformUnitScaling


def he_normal(seed: int | None = None) -> Initializer:
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> Initializer:
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> Initializer:
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> Initializer:
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def __getattr__(name: str) -> Any:
    """"zeros" is zeros_initializer, and so on; and what initializes variables is of tf.initializers, too."""
    from troupe import variables

    if name == "tables_initializer":
        from troupe.lookup import tables_initializer

        return tables_initializer
    others = {"variables": "variables_initializer", "global_variables": "global_variables_initializer",
              "local_variables": "local_variables_initializer"}
    if name in others:
        return getattr(variables, others[name])
    found = globals().get(name + "_initializer")
    if found is None:
        raise AttributeError(f"module 'troupe.initializers' has no attribute {name!r}")
    return found
