"""How many floating point operations a node is, of the sizes that are known before the run. As TensorFlow's profiler counts them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from troupe.tensor import Operation

# For each element of the first input.
_OF_INPUT = {"Reciprocal": 1, "Square": 1, "Rsqrt": 2, "Log": 1, "Neg": 1, "AssignSub": 1, "AssignAdd": 1, "Softmax": 5, "BiasAdd": 1}
# For each element of the output.
_OF_OUTPUT = {"Add": 1, "AddV2": 1, "Sub": 1, "Mul": 1, "RealDiv": 1, "Maximum": 1, "Minimum": 1, "Pow": 1, "RsqrtGrad": 4, "GreaterEqual": 1, "Greater": 1,
              "LessEqual": 1, "Less": 1, "Equal": 1, "NotEqual": 1, "SquaredDifference": 2}
# For each element that is reduced, and for each that is left.
_REDUCTIONS = {"Mean": (1, 1), "Sum": (1, 0), "ArgMax": (1, 0), "ArgMin": (1, 0), "BiasAddGrad": (1, 0)}


class _Unknown(Exception):
    """A size that is known in runs only."""


def _sizes(tensor):
    if not tensor.shape.is_fully_defined():
        raise _Unknown
    return tensor.shape.as_list()


def _count(tensor):
    return math.prod(_sizes(tensor))


def _matmul(op):
    a = _sizes(op.inputs[0])
    return 2 * (a[-2] if op.get_attr("transpose_a" if op.type == "MatMul" else "adj_x") else a[-1]) * _count(op.outputs[0])


def _conv(spatial, with_depth):
    def flops(op):
        return 2 * _count(op.outputs[0]) * math.prod(_sizes(op.inputs[1])[:spatial + with_depth])

    return flops


def _window(op):
    if op.get_attr("data_format") not in (b"NHWC", "NHWC"):
        raise _Unknown
    return math.prod(op.get_attr("ksize"))


def _conv_back(of_input):
    """Of the gradient by the image, which is the output, or by the filter."""
    def flops(op):
        if op.get_attr("data_format") not in (b"NHWC", "NHWC"):
            raise _Unknown
        image, kernel = (op.outputs[0], op.inputs[1]) if of_input else (op.inputs[0], op.outputs[0])
        strides = op.get_attr("strides")
        return 2 * _count(image) * _count(kernel) // (_sizes(image)[-1] * strides[1] * strides[2])

    return flops


_OTHERS: dict[str, Callable[[Operation], int]] = {
    "L2Loss": lambda op: 3 * _count(op.inputs[0]) - 1,
    "AddN": lambda op: _count(op.inputs[0]) * (len(op.inputs) - 1),
    "MatMul": _matmul, "BatchMatMul": _matmul, "BatchMatMulV2": _matmul, "BatchMatMulV3": _matmul,
    "Conv2D": _conv(2, 1), "Conv3D": _conv(3, 1), "DepthwiseConv2dNative": _conv(2, 0), "Dilation2D": _conv(2, 0),
    "Conv2DBackpropInput": _conv_back(True), "Conv2DBackpropFilter": _conv_back(False),
    "AvgPool": lambda op: _window(op) * _count(op.outputs[0]), "MaxPool": lambda op: _window(op) * _count(op.outputs[0]),
    "AvgPoolGrad": lambda op: 2 * _window(op) * _count(op.inputs[1]), "MaxPoolGrad": lambda op: (_window(op) + 1) * _count(op.inputs[1]),
}


def float_operations(op: Operation) -> int:
    """How many an operation is; 0 where nobody counts them, or sizes are not known."""
    try:
        if op.type in _OF_INPUT:
            return _OF_INPUT[op.type] * _count(op.inputs[0])
        if op.type in _OF_OUTPUT:
            return _OF_OUTPUT[op.type] * _count(op.outputs[0])
        if op.type in _REDUCTIONS:
            each, last = _REDUCTIONS[op.type]
            return each * _count(op.inputs[0]) + (last - each) * _count(op.outputs[0])
        return _OTHERS[op.type](op) if op.type in _OTHERS else 0
    except _Unknown:
        return 0
