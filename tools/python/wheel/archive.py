"""The file format of wheels."""

import base64
import hashlib
import zipfile

# Files that differ in nothing give wheels that differ in nothing.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


class Wheel:
    """Files for a wheel, which is written at the end."""

    def __init__(self, project, tag):
        """`project` is the table of pyproject.toml with a version; `tag` as in cp311-cp311-linux_x86_64."""
        self._stem = f"{project['name']}-{project['version']}"
        self._tag = tag
        self._files = {}
        self.add_info("METADATA", _metadata(project).encode())
        self.add_info("WHEEL", f"Wheel-Version: 1.0\nGenerator: troupe\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())

    def add_info(self, name, data):
        """A file of the wheel's .dist-info."""
        self._files[f"{self._stem}.dist-info/{name}"] = (data, 0o644)

    def add_tree(self, root):
        """All files below a folder."""
        for path in root.rglob("*"):
            if path.is_file():
                self._files[path.relative_to(root).as_posix()] = (path.read_bytes(), path.stat().st_mode & 0o777)

    def write(self, folder):
        """Writes it into `folder`; its path."""
        path = folder / f"{self._stem}-{self._tag}.whl"
        record = f"{self._stem}.dist-info/RECORD"
        lines = [f"{name},{_digest(data)},{len(data)}\n" for name, (data, _) in sorted(self._files.items())]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, (data, mode) in sorted(self._files.items()):
                _put(archive, name, data, mode)
            _put(archive, record, "".join([*lines, f"{record},,\n"]).encode(), 0o644)
        return path


def write_info(project, folder):
    """Writes the metadata alone, into a folder of `folder`; its name."""
    made = folder / f"{project['name']}-{project['version']}.dist-info"
    made.mkdir()
    (made / "METADATA").write_text(_metadata(project))
    return made.name


def _put(archive, name, data, mode):
    info = zipfile.ZipInfo(name, _NO_DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100000 | mode) << 16
    archive.writestr(info, data)


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}",
             f"License: {project['license']['text']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    for extra, needs in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    return "\n".join(lines) + "\n"
