"""tf.gfile and tf.io.gfile."""

import os
import tempfile

from program import show, tf

gfile, new = tf.gfile, tf.io.gfile
top = tempfile.mkdtemp()
path = lambda *parts: os.path.join(top, *parts)
short = lambda name: os.path.relpath(name, top)


def failure(function):
    try:
        function()
    except (TypeError, tf.errors.OpError) as e:
        return type(e).__name__
    return None


with gfile.GFile(path("a.txt"), "w") as f:
    f.write("one\n")
    f.write(b"two\nthr\xc3\xa9e")
    show("written", [f.tell(), f.mode, short(f.name), f.seekable()])
with gfile.Open(path("a.txt")) as f:
    show("read", [f.read(3), f.tell(), f.readline(), f.readlines(), f.size()])
    f.seek(4)
    show("sought", [f.readline(), f.tell()])
    f.seek(-3, whence=2)
    show("from the end", f.read())
    f.seek(position=0)
    show("lines", list(f))
with gfile.FastGFile(path("a.txt"), "rb") as f:
    show("bytes", [f.read(4), f.next()])
with gfile.GFile(path("a.txt"), "a+") as f:
    f.write("!")
show("appended", gfile.GFile(path("a.txt")).read())
gfile.MkDir(path("d"))
gfile.MakeDirs(path("d", "e", "f"))
gfile.MakeDirs(path("d", "e"))
for name in ("b1.txt", "b2.txt", ".hidden.txt", "c[1].txt"):
    gfile.GFile(path("d", name), "w").write("")
    with gfile.GFile(path("d", name), "w") as f:
        f.write(name)
gfile.Copy(path("a.txt"), path("d", "e", "copy.txt"))
gfile.Rename(path("d", "b2.txt"), path("d", "e", "moved.txt"))
show("walked", [[short(d), sorted(inside), sorted(files)] for d, inside, files in gfile.Walk(top)])
show("walked up", [short(d) for d, _, _ in new.walk(top, topdown=False)])
show("nothing", list(gfile.Walk(path("nowhere"))))
show("listed", sorted(gfile.ListDirectory(path("d"))))
show("globs", [sorted(map(short, gfile.Glob(p))) for p in (path("d", "*.txt"), path("*"), path("d", "b?.txt"), path("d", "[bc]*"), path("*", "e", "*.txt"),
                                                       [path("a.txt"), path("d", "b*")], path("nothing*"), path("d", "b1.txt"))])
show("are", [gfile.Exists(path("d")), gfile.Exists(path("x")), gfile.IsDirectory(path("d")), gfile.IsDirectory(path("a.txt")), gfile.IsDirectory(path("x"))])
found = gfile.Stat(path("a.txt"))
show("stat", [found.length, found.is_directory, gfile.Stat(path("d")).is_directory, found.mtime_nsec > 10**18])
show("joined", [new.join("a", "b", "c"), new.exists(path("d")), new.isdir(path("d"))])
show("failures", [failure(f) for f in (
    lambda: gfile.GFile(path("a.txt"), "z"), lambda: gfile.GFile(path("x")).read(), lambda: gfile.GFile(path("a.txt")).write("x"),
    lambda: gfile.GFile(path("a.txt"), "w").read(), lambda: gfile.GFile(path("no", "x"), "w").write("x"), lambda: gfile.MkDir(path("d")),
    lambda: gfile.MkDir(path("no", "x")), lambda: gfile.Remove(path("x")), lambda: gfile.ListDirectory(path("x")),
    lambda: gfile.Rename(path("a.txt"), path("d", "b1.txt")), lambda: gfile.Copy(path("a.txt"), path("d", "b1.txt")), lambda: gfile.Copy(path("x"), path("y")),
    lambda: gfile.Stat(path("x")), lambda: gfile.DeleteRecursively(path("x")), lambda: gfile.GFile(path("a.txt")).seek(), lambda: new.rename(path("x"), path("y")),
    lambda: gfile.GFile(path("a.txt")).seek(0, whence=5))])
gfile.Copy(path("d", "b1.txt"), path("a.txt"), overwrite=True)
gfile.Rename(path("d", "b1.txt"), path("d", "e", "copy.txt"), overwrite=True)
show("overwritten", [gfile.GFile(path("a.txt")).read(), gfile.GFile(path("d", "e", "copy.txt")).read(), gfile.Exists(path("d", "b1.txt"))])
gfile.Remove(path("a.txt"))
gfile.DeleteRecursively(path("d"))
show("gone", sorted(gfile.ListDirectory(top)))
new.rmtree(top)
show("all gone", new.exists(top))
