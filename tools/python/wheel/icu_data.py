"""ICU's data without what nothing here asks for: 31 MB are mostly locales, and only converters of encodings are used."""

import pathlib
import re
import subprocess
import tempfile

_SOURCE = """
  .section .rodata
  .balign 16
  .globl {symbol}
  .type {symbol}, %object
{symbol}:
  .incbin "{data}"
  .size {symbol}, . - {symbol}
  .section .note.GNU-stack, "", %progbits
"""


def keep_converters(library, small):
    """Writes to `small` the shared library `library` of ICU's data, with the converters and their names alone."""
    symbol, version = re.search(r"\b(icudt(\d+)_dat)\b", _output("nm", "-D", library)).groups()
    with tempfile.TemporaryDirectory() as folder:
        # The last letter says little endian.
        data = pathlib.Path(folder, f"icudt{version}l.dat")
        _output("objcopy", "-O", "binary", "--only-section=.rodata", library, data)
        unneeded = [item for item in _output("icupkg", "-l", data).split() if not re.fullmatch(r"[^/]*\.(cnv|icu)", item)]
        pathlib.Path(folder, "unneeded.lst").write_text("\n".join(unneeded) + "\n")
        _output("icupkg", "-r", pathlib.Path(folder, "unneeded.lst"), data)
        pathlib.Path(folder, "data.s").write_text(_SOURCE.format(symbol=symbol, data=data))
        _output("cc", "-shared", "-nostdlib", f"-Wl,-soname,libicudata.so.{version}", pathlib.Path(folder, "data.s"), "-o", small)


def _output(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout
