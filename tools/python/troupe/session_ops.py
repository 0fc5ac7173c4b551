"""Values that a session keeps, and handles to them."""


class TensorHandle:
    """A value that stays in its session when its step has ended."""

    def __init__(self, native, dtype, session):
        self._native, self._dtype, self._session = native, dtype, session
