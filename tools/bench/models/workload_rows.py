"""The rows of workloads.tsv: graphs, what is fed and fetched, and values to feed."""
import math
import re
import typing
import zlib

# Columns: name, graph, init target, feeds, fetches, targets, units a run, raw, note; "-" is nothing.
_COLUMNS = 9
_FEED = re.compile(r"([^|;]+)\|(\w+)\|\[([\d,]*)\](?:\|([^|]+))?")
_INTEGERS_BELOW = 10


class Feed(typing.NamedTuple):
    name: str
    dtype: str
    shape: tuple
    fill: float | None

    def array(self):
        """The same numbers in every engine: of floats between -0.5 and 0.5, of integers 0 to 9, or all the row's value."""
        import numpy

        if self.fill is not None:
            return numpy.full(self.shape, self.fill, self.dtype)
        numbers = numpy.random.RandomState(zlib.crc32(self.name.encode()))
        if numpy.dtype(self.dtype).kind in "fc":
            return numpy.asarray(numbers.uniform(-0.5, 0.5, self.shape), self.dtype)
        return numpy.asarray(numbers.randint(0, 2 if self.dtype == "bool" else _INTEGERS_BELOW, self.shape), self.dtype)


class Workload(typing.NamedTuple):
    name: str
    graph: str
    init: str | None
    feeds: tuple
    fetches: tuple
    targets: tuple
    units: float
    raw: bool
    note: str

    @property
    def first_run(self):
        """A row for the time of the first run, not for that of those that follow."""
        return self.note.startswith("FIRST")


def _feed(text):
    match = _FEED.fullmatch(text)
    if not match:
        raise ValueError(f"'{text}' is no feed: name|dtype|[dims], with |value at most")
    name, dtype, dims, fill = match.groups()
    return Feed(name, dtype, tuple(int(dim) for dim in dims.split(",") if dim), None if fill is None else float(fill))


def parse(line):
    """A row; ValueError says what is wrong with it."""
    columns = line.split("\t")
    if len(columns) < _COLUMNS - 1:
        raise ValueError(f"'{columns[0]}' has {len(columns)} columns of {_COLUMNS}")
    name, graph, init, feeds, fetches, targets, units, raw, *note = columns
    listed = [() if column == "-" else tuple(column.split(";")) for column in (feeds, fetches, targets)]
    units = float(units)
    if not (units > 0 and math.isfinite(units)):
        raise ValueError(f"'{name}' has {units} units a run")
    return Workload(name, graph, None if init == "-" else init, tuple(map(_feed, listed[0])), listed[1], listed[2], units, raw == "1",
                    note[0] if note else "-")


def read(folder, only=".*"):
    """The rows whose whole name matches; OSError and ValueError say why there are none."""
    lines = (folder / "workloads.tsv").read_text().splitlines()
    rows = [parse(line) for line in lines if line and not line.startswith("#")]
    return [row for row in rows if re.fullmatch(only, row.name)]
