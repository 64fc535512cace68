"""Checks the table of rooms in docs/architecture.md: every folder of src is a room of it, and includes only
rooms that its row allows. Rows name only rows above themselves, so there can be no circle.

usage: rooms.py REPOSITORY
"""

import pathlib
import re
import sys


def table(page):
    """The rooms in order, each with the rooms it may use; a row may hold several rooms."""
    rooms = {}
    for first, uses in re.findall(r"^\| (`[^|]+/`[^|]*) \|[^|]*\| ([^|]+) \|$", page, re.M):
        above = list(rooms)
        named = re.findall(r"`([^`]+)/`", uses)
        for room in re.findall(r"`([^`]+)/`", first):
            allowed = [other for other in above for name in named if (other + "/").startswith(name + "/")]
            rooms[room] = set(above if "all above" in uses else allowed)
        unknown = [name for name in named if not any((room + "/").startswith(name + "/") for room in above)]
        assert not unknown, f"{first} may use {unknown}, which no row above it holds"
    return rooms


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    sources = repository / "src"
    rooms = table((repository / "docs/architecture.md").read_text())
    faults = []
    seen = {}
    for path in sorted(sources.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".inc"):
            continue
        room = str(path.parent.relative_to(sources))
        seen[room] = seen.get(room, 0) + 1
        for used in re.findall(r'^ *#include "([^"]+)/[^"/]+"', path.read_text(), re.M):
            if used != room and used != "mollify" and used not in rooms.get(room, ()):
                faults.append(f"src/{path.relative_to(sources)} includes {used}/, which its room may not use")
    faults += [f"docs/architecture.md has no room src/{room}" for room in seen if room not in rooms]
    faults += [f"docs/architecture.md has a room src/{room}, which is empty" for room in rooms if room not in seen]
    print("\n".join(faults))
    print(f"{sum(seen.values())} files in {len(seen)} rooms, {len(faults)} faults")
    return 1 if faults or len(seen) < 10 else 0


sys.exit(main())
