"""Takes the shared libraries of a module along with it, but those that every machine has."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import tempfile

import icu_data

# What PEP 600 lets a wheel expect of a machine.
_EVERYWHERE = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|util|nsl|pthread|resolv|gcc_s|stdc\+\+|z))\.so\.\d+")


def take_along(module, folder):
    """Copies the libraries into a folder beside that of `module`, and lets all find each other there, whatever else is on the machine.
    Where they came from."""
    paths = _closure(module)
    folder.mkdir()
    names = {name: _copied(path, name, folder) for name, path in paths.items()}
    for copy in names.values():
        _output("patchelf", "--set-soname", copy, folder / copy)
        _ask_for_copies(folder / copy, names, "$ORIGIN")
    _ask_for_copies(module, names, f"$ORIGIN/../{folder.name}")
    return list(paths.values())


def licenses(paths):
    """(package, text) of the Debian packages that these files are of."""
    owners = subprocess.run(["dpkg", "-S", *map(str, paths)], stdout=subprocess.PIPE, text=True).stdout
    packages = sorted({line.split(":")[0] for line in owners.splitlines()})
    files = [(package, pathlib.Path("/usr/share/doc", package, "copyright")) for package in packages]
    return [(package, file.read_bytes()) for package, file in files if file.exists()]


def _output(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def _closure(module):
    """Name and path of all that is loaded with it and is not everywhere. SystemExit when one of them is missing."""
    paths = {}
    for name, path in re.findall(r"^\s*(\S+) => (not found|\S+)", _output("ldd", module), re.MULTILINE):
        if path == "not found":
            raise SystemExit(f"{module.name} needs {name}, which is not on this machine")
        if not _EVERYWHERE.fullmatch(name):
            paths[name] = pathlib.Path(path).resolve()
    return paths


def _copied(path, name, folder):
    """Copies it under a name that no other library has, so that the loader does not take another one of the same name for it."""
    with tempfile.NamedTemporaryFile() as small:
        if name.startswith("libicudata."):
            icu_data.keep_converters(path, small.name)
            path = pathlib.Path(small.name)
        stem, _, version = name.partition(".so")
        copy = f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}.so{version}"
        shutil.copyfile(path, folder / copy)
    (folder / copy).chmod(0o755)
    return copy


def _ask_for_copies(file, names, place):
    """Lets `file` look for the copies, which are in `place`. One change a call: patchelf 0.14 mixes several up."""
    needed = _output("patchelf", "--print-needed", file).split()
    replaced = [part for name in needed if name in names for part in ("--replace-needed", name, names[name])]
    if replaced:
        _output("patchelf", *replaced, file)
    _output("patchelf", "--set-rpath", place, file)
