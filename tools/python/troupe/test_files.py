"""Files and folders of a test, as absl's test cases make them, and what is written to a stream."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from troupe.test_util_more import CapturedWrites


class TempFile:
    """A file of a test. It is a path, too."""

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        return self._path

    def __fspath__(self) -> str:
        return self._path

    def __str__(self) -> str:
        return self._path

    def read_text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        with open(self._path, encoding=encoding, errors=errors) as file:
            return file.read()

    def read_bytes(self) -> bytes:
        with open(self._path, "rb") as file:
            return file.read()

    def write_text(self, text: str, mode: str = "w", encoding: str = "utf-8", errors: str = "strict") -> None:
        with open(self._path, mode, encoding=encoding, errors=errors) as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = "wb") -> None:
        with open(self._path, mode) as file:
            file.write(data)

    def open_text(self, mode: str = "rt", encoding: str = "utf-8", errors: str = "strict") -> Any:
        return open(self._path, mode, encoding=encoding, errors=errors)

    def open_bytes(self, mode: str = "rb") -> Any:
        return open(self._path, mode)


class TempDir(TempFile):
    """A folder of a test."""

    def create_file(self, file_path: str | None = None, content: str | bytes | None = None, mode: str = "w") -> TempFile:
        """A file in it, whose folders are made with it."""
        return _file(self._path, file_path, content, mode)

    def mkdir(self, dir_path: str | None = None) -> TempDir:
        """A folder in it."""
        return _folder(self._path, dir_path)


def _file(root, file_path, content, mode):
    if file_path is None:
        handle, path = tempfile.mkstemp(dir=root)
        os.close(handle)
    else:
        path = os.path.join(root, file_path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
    made = TempFile(path)
    if isinstance(content, bytes):
        made.write_bytes(content)
    else:
        made.write_text(content or "", mode="a" if content is None else mode)
    return made


def _folder(root, name):
    path = tempfile.mkdtemp(dir=root) if name is None else os.path.join(root, name)
    os.makedirs(path, exist_ok=True)
    return TempDir(path)


class TestFiles:
    """For test cases that have `get_temp_dir()`."""

    def create_tempfile(self, file_path: str | None = None, content: str | bytes | None = None, mode: str = "w",
                        encoding: str = "utf-8", errors: str = "strict", cleanup: Any = None) -> TempFile:
        """A file of the test's, with this content; it goes with the test's folder."""
        return _file(self.get_temp_dir(), file_path, content, mode)  # type: ignore[attr-defined]

    def create_tempdir(self, name: str | None = None, cleanup: Any = None) -> TempDir:
        """A folder of the test's."""
        return _folder(self.get_temp_dir(), name)  # type: ignore[attr-defined]

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:  # noqa: N802
        """What the block writes to a stream that has a file, `sys.stderr` for one, also from outside of Python: `contents()` of what this gives."""
        from troupe.test_util_more import CapturedWrites

        stream.flush()
        file, path = tempfile.mkstemp(dir=self.get_temp_dir())  # type: ignore[attr-defined]
        before = os.dup(stream.fileno())
        os.dup2(file, stream.fileno())
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.dup2(before, stream.fileno())
            os.close(file)
            os.close(before)
