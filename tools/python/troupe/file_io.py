"""Files of this machine: what `tf.gfile` and `tf.io.gfile` are. Errors are those of `tf.errors`."""

from __future__ import annotations

import errno
import fnmatch
import os
import re
import shutil
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troupe import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from troupe.typing import Path

_CODES = {errno.ENOENT: errors.NotFoundError, errno.EEXIST: errors.AlreadyExistsError, errno.EACCES: errors.PermissionDeniedError,
          errno.EPERM: errors.PermissionDeniedError, errno.ENOTDIR: errors.FailedPreconditionError, errno.EISDIR: errors.FailedPreconditionError,
          errno.ENOTEMPTY: errors.FailedPreconditionError, errno.ENOSPC: errors.ResourceExhaustedError}
_MODES = ("r", "w", "a", "r+", "w+", "a+")
_SCHEME = re.compile(r"file://")


def _error(cls, message):
    return cls(None, None, message)


@contextmanager
def _told(path):
    """OSErrors of a block as errors of their code."""
    try:
        yield
    except OSError as e:
        raise _error(_CODES.get(e.errno, errors.UnknownError), f"{path.decode() if isinstance(path, bytes) else path}; {e.strerror}") from None


def _path(name) -> str:
    path = os.fspath(name)
    return _SCHEME.sub("", path.decode() if isinstance(path, bytes) else path, count=1)


class GFile:
    """A file, which is opened when it is first read or written. Modes are "r", "w", "a" and those with "+"; with "b" what is read is bytes, else
    texts in UTF-8. It may be written as either."""

    def __init__(self, name: str, mode: str = "r") -> None:
        if mode.replace("b", "") not in _MODES:
            raise _error(errors.InvalidArgumentError, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name, self._mode = name, mode
        self._plain = mode.replace("b", "")
        self._file = None

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _opened(self, writing=False):
        """The file. PermissionDeniedError where the mode does not allow it."""
        if not (self._plain != "r" if writing else self._plain not in ("w", "a")):
            raise _error(errors.PermissionDeniedError, f"File isn't open for {'writing' if writing else 'reading'}")
        if self._file is None:
            with _told(self._name):
                self._file = open(_path(self._name), self._plain + "b")  # noqa: SIM115
        return self._file

    def _value(self, data):
        return data if "b" in self._mode else data.decode()

    def size(self) -> int:
        """In bytes."""
        return stat(self._name).length

    def write(self, file_content: str | bytes) -> None:
        self._opened(True).write(file_content.encode() if isinstance(file_content, str) else file_content)

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all."""
        return self._value(self._opened().read(n))

    def readline(self) -> Any:
        """With its end; empty at the end of the file."""
        return self._value(self._opened().readline())

    def readlines(self) -> list:
        return [self._value(line) for line in self._opened().readlines()]

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        if (offset is None) == (position is None):
            raise TypeError("seek(): offset argument required" if offset is None else "seek(): offset and position may not be set simultaneously.")
        if whence not in (0, 1, 2):
            raise _error(errors.InvalidArgumentError, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        self._opened().seek(position if offset is None else offset, whence)

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._opened(self._plain in ("w", "a")).tell()

    def flush(self) -> None:
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__


FastGFile = Open = GFile


class FileStatistics:
    """The length in bytes, the time of the last change in nanoseconds, and whether it is a directory."""

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


def stat(path: Path) -> FileStatistics:
    with _told(path):
        found = os.stat(_path(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(_path(path)))


def exists(path: Path) -> bool:
    return os.path.exists(_path(path))


def isdir(path: Path) -> bool:
    return os.path.isdir(_path(path))


def listdir(path: Path) -> list[str]:
    """Names in a directory, in no order. NotFoundError when there is none."""
    if not isdir(path):
        raise _error(errors.NotFoundError, f"Could not find directory {path}")
    return os.listdir(_path(path))


def mkdir(path: Path) -> None:
    """Nothing where it is there. NotFoundError without what it is to be in."""
    with _told(path):
        if not isdir(path):
            os.mkdir(_path(path))


def makedirs(path: Path) -> None:
    """With those above it; nothing where it is there."""
    with _told(path):
        os.makedirs(_path(path), exist_ok=True)


def remove(path: Path) -> None:
    with _told(path):
        os.remove(_path(path))


def rmtree(path: Path) -> None:
    """A directory with all in it, or a file."""
    with _told(path):
        shutil.rmtree(_path(path)) if isdir(path) else os.remove(_path(path))


def copy(src: Path, dst: Path, overwrite: bool = False) -> None:
    """The contents of a file. AlreadyExistsError where there is one, unless it is to be overwritten."""
    _check_free(dst, overwrite)
    with _told(src):
        shutil.copyfile(_path(src), _path(dst))


def rename(src: Path, dst: Path, overwrite: bool = False) -> None:
    """Of files and directories. AlreadyExistsError as copy."""
    _check_free(dst, overwrite)
    with _told(src):
        os.replace(_path(src), _path(dst))


def _check_free(path, overwrite):
    if not overwrite and exists(path):
        raise _error(errors.AlreadyExistsError, "file already exists")


def walk(top: Path, topdown: bool = True, onerror: Callable[..., Any] | None = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """(directory, names of directories in it, names of files in it) of it and all below. `onerror` hears of a NotFoundError."""
    try:
        names = listdir(top)
    except errors.NotFoundError as e:
        if onerror:
            onerror(e)
        return
    inside = [n for n in names if isdir(os.path.join(_path(top), n))]
    here = (_path(top), inside, [n for n in names if n not in set(inside)])
    if topdown:
        yield here
    for name in inside:
        yield from walk(os.path.join(_path(top), name), topdown, onerror)
    if not topdown:
        yield here


def glob(pattern: Path | Sequence[Path]) -> list[str]:
    """Files and directories that match it, or one of several: "*", "?" and "[...]" match within a name, hidden ones too."""
    if isinstance(pattern, (list, tuple)):
        return [name for p in pattern for name in glob(p)]
    parts = _path(pattern).split("/")
    found = ["/"] if parts[0] == "" else [""]
    for part in filter(None, parts):
        if re.search(r"[*?\[\\]", part):
            found = [os.path.join(d, n) for d in found if isdir(d or ".") for n in sorted(os.listdir(d or ".")) if fnmatch.fnmatchcase(n, part)]
        else:
            found = [os.path.join(d, part) for d in found if os.path.lexists(os.path.join(d, part))]
    return found


def read_file_to_string(filename: Path, binary_mode: bool = False) -> Any:
    """All of a file: bytes in binary mode, else a text."""
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Path, file_content: str | bytes) -> None:
    with GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: Path, contents: str | bytes, overwrite: bool = True) -> None:
    """Readers see the whole contents, or what was there before. AlreadyExistsError as rename."""
    other = f"{_path(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(other, contents)
    try:
        rename(other, filename, overwrite)
    except errors.OpError:
        remove(other)
        raise


def join(path: Path, *paths: Any) -> str:
    return os.path.join(path, *paths)


def get_registered_schemes() -> list[str]:
    """What may stand before "://"."""
    return ["", "file"]


# As `tf.gfile` calls them, with other names of arguments.


def Copy(oldpath: Path, newpath: Path, overwrite: bool = False) -> None:  # noqa: N802, TensorFlow's names
    return copy(oldpath, newpath, overwrite)


def DeleteRecursively(dirname: Path) -> None:  # noqa: N802
    return rmtree(dirname)


def Exists(filename: Path) -> bool:  # noqa: N802
    return exists(filename)


def Glob(filename: Path | Sequence[Path]) -> list[str]:  # noqa: N802
    return glob(filename)


def IsDirectory(dirname: Path) -> bool:  # noqa: N802
    return isdir(dirname)


def ListDirectory(dirname: Path) -> list[str]:  # noqa: N802
    return listdir(dirname)


def MakeDirs(dirname: Path) -> None:  # noqa: N802
    return makedirs(dirname)


def MkDir(dirname: Path) -> None:  # noqa: N802
    return mkdir(dirname)


def Remove(filename: Path) -> None:  # noqa: N802
    return remove(filename)


def Rename(oldname: Path, newname: Path, overwrite: bool = False) -> None:  # noqa: N802
    return rename(oldname, newname, overwrite)


def Stat(filename: Path) -> FileStatistics:  # noqa: N802
    return stat(filename)


def Walk(top: Path, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:  # noqa: N802
    return walk(top, in_order)
