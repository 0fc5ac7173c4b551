"""What RunMetadata says of a step that was run with FULL_TRACE and output_partition_graphs: which kernels ran, for how long, over which tensors."""
import math
import re
import typing

from wire import fields, signed, text

# Bytes of an element, by DataType; types that are not listed have no fixed size.
_SIZES = {1: 4, 2: 8, 3: 4, 4: 1, 5: 2, 6: 1, 8: 8, 9: 8, 10: 1, 11: 1, 12: 1, 13: 4, 14: 2, 15: 2, 16: 2, 17: 2, 18: 16, 19: 2, 22: 4, 23: 8}
_REFERENCE = 100
RESOURCE = 20
# "[cpu 0.4MB 0.4MB] y = MatMul(x, w:1, ^c)"; the part in brackets may be missing.
_LABEL = re.compile(r"(?:\[[^\]]*\] )?(\S+) = ([^\s(]+)\((.*)\)", re.S)


class Tensor(typing.NamedTuple):
    dtype: int
    shape: tuple

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def bytes(self):
        return self.elements * _SIZES.get(self.dtype, 0)


class KernelRun(typing.NamedTuple):
    """One execution of a node. Inputs are Tensors, None where nothing says what came."""
    name: str
    op: str
    nanoseconds: int
    inputs: tuple
    outputs: tuple
    data_format: str


class _Node(typing.NamedTuple):
    """Of a graph: the value of a constant or of a variable, in so far as its shape goes."""
    value: Tensor | None
    data_format: str


def _shape(data):
    """None of a shape that is not known."""
    dims = []
    for number, value in fields(data):
        if number == 3 and value:
            return None
        if number == 2:
            dims.append(signed(next((v for n, v in fields(value) if n == 1), 0)))
    return None if any(dim < 0 for dim in dims) else tuple(dims)


def _tensor(data):
    """Of a TensorProto or a TensorDescription: both have dtype and shape as fields 1 and 2."""
    dtype, shape = 0, ()
    for number, value in fields(data):
        if number == 1:
            dtype = value % _REFERENCE
        elif number == 2:
            shape = _shape(value)
    return None if shape is None else Tensor(dtype, shape)


def _node(data):
    name, dtype, shape, value, data_format = "", 0, None, None, "NHWC"
    for number, part in fields(data):
        if number == 1:
            name = text(part)
        elif number == 5:
            entry = dict(fields(part))
            key, attr = text(entry.get(1, b"")), dict(fields(entry.get(2, b"")))
            if key == "value" and 8 in attr:
                value = _tensor(attr[8])
            elif key == "dtype":
                dtype = attr.get(6, 0)
            elif key == "shape" and 7 in attr:
                shape = _shape(attr[7])
            elif key == "data_format":
                data_format = text(attr.get(2, b"NHWC"))
    if value is None and dtype and shape is not None:
        value = Tensor(dtype, shape)
    return name, _Node(value, data_format)


def _execution(data):
    """Name, label, nanoseconds and outputs by slot of a NodeExecStats."""
    name, label, begin, end, outputs = "", "", 0, 0, {}
    for number, value in fields(data):
        if number == 1:
            name = text(value)
        elif number == 8:
            label = text(value)
        elif number == 14:
            begin = value
        elif number == 15:
            end = value
        elif number == 7:
            output = dict(fields(value))
            if 3 in output:
                outputs[output.get(1, 0)] = _tensor(output[3])
    return name, label, end - begin, outputs


def _source(name):
    """Node and slot that "name" or "name:1" is an output of."""
    node, colon, slot = name.rpartition(":")
    return (node, int(slot)) if colon and slot.isdigit() else (name, 0)


def kernel_runs(metadata):
    """KernelRun of each execution in a RunMetadata's bytes, in the order in which they ended."""
    nodes, executions = {}, []
    for number, value in fields(metadata):
        if number == 1:
            for _, device in fields(value):
                executions += [_execution(stats) for n, stats in fields(device) if n == 2]
        elif number == 3:
            nodes.update(_node(node) for n, node in fields(value) if n == 1)
    made, runs = {}, []
    for name, label, nanoseconds, outputs in executions:
        match = _LABEL.match(label)
        op, listed = (match.group(2), match.group(3)) if match else (label or "?", "")
        inputs = []
        for source in [_source(s) for s in listed.split(", ") if s and not s.startswith("^")]:
            value = made.get(source)
            node = nodes.get(source[0])
            # A constant need not run, and of a variable its handle is what runs.
            if node and node.value and (value is None or value.dtype == RESOURCE):
                value = node.value
            inputs.append(value)
        made.update({(name, slot): output for slot, output in outputs.items()})
        runs.append(KernelRun(name, op, nanoseconds, tuple(inputs), tuple(outputs[slot] for slot in sorted(outputs)),
                              nodes[name].data_format if name in nodes else "NHWC"))
    return runs
