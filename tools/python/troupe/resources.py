"""`tf.resource_loader` and `tf.sysconfig`: files beside a program, and where this package's are."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

CXX11_ABI_FLAG = 1
CXX_VERSION = 202002
MONOLITHIC_BUILD = 0


def _here():
    return os.path.dirname(os.path.abspath(__file__))


def get_data_files_path() -> str:
    """The folder of the file that calls this."""
    return os.path.dirname(os.path.abspath(sys._getframe(1).f_code.co_filename))


def get_root_dir_with_all_resources() -> str:
    """The folder of the program."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    return os.path.dirname(os.path.abspath(main)) if main else os.getcwd()


def get_path_to_datafile(path: str) -> str:
    """A path from the folder of the file that calls this."""
    return os.path.join(os.path.dirname(os.path.abspath(sys._getframe(1).f_code.co_filename)), path)


def load_resource(path: str) -> bytes:
    """The bytes of a file beside the package. FileNotFoundError where there is none."""
    with open(os.path.join(_here(), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself."""
    return path


def get_include() -> str:
    """The folder of the package's headers, where it was installed with some."""
    return os.path.join(_here(), "include")


def get_lib() -> str:
    """The folder of the package's libraries."""
    return _here()


def get_compile_flags() -> list[str]:
    return [f"-I{get_include()}", f"-D_GLIBCXX_USE_CXX11_ABI={CXX11_ABI_FLAG}", "--std=c++20"]


def get_link_flags() -> list[str]:
    return [f"-L{get_lib()}"]


def get_build_info() -> dict[str, Any]:
    """How the runtime was built, as TensorFlow's keys say it."""
    return {"cpu_compiler": "c++", "is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}
