"""Groups of wishes about datasets, and their values: kept for who asks, elements come as they come without."""

from __future__ import annotations

import enum

from troupe.dataset_transformations import Options


class AutotuneOptions(Options):
    """What is tuned by itself."""


class DistributeOptions(Options):
    """How a dataset is shared by workers."""


class OptimizationOptions(Options):
    """How a dataset's operations are rewritten."""


class ThreadingOptions(Options):
    """Threads of a dataset."""


class AutoShardPolicy(enum.IntEnum):
    """By what a dataset is shared by workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    """How what is tuned by itself is found."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    """What becomes of state outside a dataset that is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2
