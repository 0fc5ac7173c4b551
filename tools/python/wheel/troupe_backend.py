"""How pip makes a wheel of this package (PEP 517): with CMake, and with nothing from the network.

`pip wheel tools/python --config-settings build-dir=build/release` takes the module from that build, which must be up to date. Without
it, the configuration `package` is built: at first from nothing, then what has changed.
"""

import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

import archive
import shared_libraries

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
SOURCE = PACKAGE.parents[1]


class UnsupportedOperation(Exception):
    """What PEP 517 wants raised for what a backend does not do."""


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes what is known without building; the folder's name."""
    return archive.write_info(_metadata(), pathlib.Path(metadata_directory))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a folder; its file name."""
    missing = [p for p in ("cmake", "patchelf", "strip", "ldd") if shutil.which(p) is None]
    if missing:
        raise SystemExit(f"a wheel needs {', '.join(missing)}: tools/dev/install.sh installs them")
    given = (config_settings or {}).get("build-dir")
    build = pathlib.Path(given).resolve() if given else _built()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        _run("cmake", "--install", build, "--prefix", root, "--component", "wheel", "--strip")
        module = _module(root, build)
        libraries = shared_libraries.take_along(module, root / "troupe.libs")
        wheel = archive.Wheel(_metadata(), _tag(module))
        wheel.add_tree(root)
        wheel.add_info("licenses/LICENSE", (SOURCE / "LICENSE").read_bytes())
        for package, text in shared_libraries.licenses(libraries):
            wheel.add_info(f"licenses/{package}/copyright", text)
        path = wheel.write(pathlib.Path(wheel_directory))
        _print_sizes(path, root)
    return path.name


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the sources of this package are the whole repository: make a wheel of a clone of it")


def _run(*command):
    subprocess.run([str(part) for part in command], check=True)


def _built():
    """The folder of the configuration `package`, which is brought up to date for this Python."""
    build = SOURCE / "build" / "package"
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not (build / "CMakeCache.txt").exists() else []
    _run("cmake", "-S", SOURCE, "-B", build, *generator, "-C", SOURCE / "tools/dev/package.cmake", f"-DPython_EXECUTABLE={sys.executable}")
    _run("cmake", "--build", build, "--target", "troupe_python")
    return build


def _module(root, build):
    """The extension module. SystemExit for one that this Python cannot load."""
    found = list((root / "troupe").glob("_native.*.so"))
    if not found:
        raise SystemExit(f"{build} has no module: it was built without Python, pybind11 or NumPy")
    if not _tag_of_name(found[0]) == f"cp{sys.version_info.major}{sys.version_info.minor}":
        raise SystemExit(f"{build} is for another Python than {sys.version.split()[0]}: {found[0].name}")
    return found[0]


def _tag_of_name(module):
    return re.sub(r".*\.cpython-(\d+)-.*", r"cp\1", module.name)


def _tag(module):
    """The C library that the wheel asks for is the one that it was made with, or a newer one."""
    library, version = platform.libc_ver()
    if library != "glibc":
        raise SystemExit(f"a wheel is made where glibc is the C library, not {library or 'an unknown one'}")
    python = _tag_of_name(module)
    return f"{python}-{python}-manylinux_{version.replace('.', '_')}_{platform.machine()}"


def _metadata():
    """The table `project` of pyproject.toml, with CMake's version."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    project["version"] = re.search(r"project\(troupe VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
    return project


def _print_sizes(path, root):
    files = sorted((f for f in root.rglob("*") if f.is_file()), key=lambda f: -f.stat().st_size)
    mega = lambda size: f"{size / 1e6:6.1f} MB"
    for file in files[:8]:
        print(f"{mega(file.stat().st_size)}  {file.relative_to(root)}")
    print(f"{mega(sum(f.stat().st_size for f in files))}  in {len(files)} files")
    print(f"{mega(path.stat().st_size)}  {path.name}")
