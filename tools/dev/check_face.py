#!/usr/bin/env python3
"""Fails on a message that clients send and that has no row in actors/messages/FACE.md under its actor, and on a row of one that the actor
does not take, or takes from the library alone (actors/interfaces.h says which)."""
import re
import sys

from interfaces import ROOT, read_interfaces

PAGE = ROOT / "actors/messages/FACE.md"
# Those that have a table of their own there.
ACTORS = ["RUNTIME", "SESSION", "PARTIAL RUN"]
ROW = re.compile(r"^\| `(\w+)` \|", re.M)


def rows_of(page, actor):
    """The first cells of the section that is headed by the actor's name."""
    section = re.search(rf"^## {actor} .*?(?=^## |\Z)", page, re.M | re.S)
    return set(ROW.findall(section.group())) if section else set()


def main():
    page, actors, bad = PAGE.read_text(), read_interfaces(), []
    for name in ACTORS:
        takes = set(actors[name].messages) - actors[name].internal
        rows = rows_of(page, name)
        bad += [f"{PAGE.relative_to(ROOT)}: {name} takes {m}, which has no row" for m in sorted(takes - rows)]
        bad += [f"{PAGE.relative_to(ROOT)}: {name} takes no {m} from clients" for m in sorted(rows - takes)]
    for line in bad:
        print(line)
    print(f"face: {'FAILED' if bad else 'OK'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
