"""Messages for the tests, made by tools/bench/models/wire.py, which importing this puts on the path."""
import pathlib
import sys

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "tools/bench/models"
sys.path.insert(0, str(SCRIPTS))

from wire import field  # noqa: E402

FLOAT, RESOURCE = 1, 20


def shape(dims):
    return b"".join(field(2, field(1, dim)) for dim in dims)


def tensor(dtype, dims, value=b""):
    """A TensorDescription, and with a float as value a TensorProto that is it everywhere."""
    return field(1, dtype) + field(2, shape(dims)) + (field(5, value) if value else b"")


def attr(key, number, value):
    """An attribute whose AttrValue has one field."""
    return field(5, field(1, key) + field(2, field(number, value)))


def node(name, op, *inputs, attrs=b""):
    """As a field of a GraphDef."""
    return field(1, field(1, name) + field(2, op) + b"".join(field(3, i) for i in inputs) + attrs)


def execution(name, label, nanoseconds, *outputs, begin=0):
    """A NodeExecStats; outputs: (slot, description)."""
    described = b"".join(field(7, field(1, slot) + field(3, description)) for slot, description in outputs)
    return field(1, name) + field(14, begin) + field(15, begin + nanoseconds) + described + field(8, label)


def metadata(executions, graph=b""):
    device = field(1, "/device:CPU:0") + b"".join(field(2, e) for e in executions)
    return field(1, field(1, device)) + field(3, graph)
