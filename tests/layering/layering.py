"""Reads the includes of a source tree and tells which break the table in rooms.txt.

Also the rules of shape: file sizes, `#pragma once`, and names that say nothing.
"""

import fnmatch
import re
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Set

SUFFIXES = {".cpp", ".h", ".py", ".def"}
LARGEST_SOURCE = 400
LARGEST_TEST = 600
FORBIDDEN_NAMES = {"util", "utils", "helper", "helpers", "common", "misc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


class Library(NamedTuple):
    name: str
    headers: List[str]
    places: List[str]


class Table(NamedTuple):
    rooms: Dict[str, Set[str]]
    libraries: List[Library]


def read_table(path: Path) -> Table:
    table = Table({}, [])
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        kind, _, rest = line.partition(" ")
        name, _, values = rest.partition(":")
        if kind == "room":
            table.rooms[name] = set(values.split())
        elif kind == "library":
            headers, _, places = values.partition("->")
            table.libraries.append(Library(name, headers.split(), places.split()))
        else:
            raise ValueError(f"{path}:{number}: expected 'room' or 'library', found '{kind}'")
    return table


def room_of(path: str, table: Table) -> Optional[str]:
    """The longest room that holds the path; None outside every room."""
    found = [room for room in table.rooms if path.startswith(room + "/")]
    return max(found, key=len) if found else None


def sources(root: Path, table: Table) -> Iterator[str]:
    """Paths below the rooms and data/, from the root."""
    folders = sorted({room.split("/")[0] for room in table.rooms} | {"data"})
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root).as_posix()


def may_include(room: str, other: str, table: Table) -> bool:
    allowed = table.rooms[room]
    return other == room or other in allowed or other.split("/")[0] in allowed


def broken_include(path: str, mark: str, header: str, root: Path, table: Table) -> Optional[str]:
    """What is wrong with one include, or None."""
    room = room_of(path, table)
    for library in table.libraries:
        if any(fnmatch.fnmatchcase(header, pattern) for pattern in library.headers):
            if room == "tests" or any(fnmatch.fnmatchcase(path, p) for p in library.places):
                return None
            return f"{library.name} belongs in {' '.join(library.places)}"
    if mark == "<":
        return None
    if header.startswith((".", "/")) or not (root / header).is_file():
        return "is not a path from the root of the sources"
    other = room_of(header, table)
    if other is None:
        return "is in no room"
    if room is None or not may_include(room, other, table):
        return f"{room or 'no room'} may not include {other}"
    return None


# Comments, raw strings, strings, characters: the first of them that begins is what stands there.
TOKENS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.S
)
OWN_OPTIONS = ("cli/", "msaccucmp/", "bench/", "tests/", "data/")


def options_in_texts(root: Path, table: Table) -> List[str]:
    """Places "path: text" where a library's text names a command line's option."""
    found = []
    for path in sources(root, table):
        if path.startswith(OWN_OPTIONS) or not path.endswith((".cpp", ".h")):
            continue
        for token in TOKENS.finditer((root / path).read_text(encoding="utf-8")):
            if not token[0].startswith("/") and re.search(r"(?<![\w(])--[a-z]", token[0]):
                found.append(f"{path}: {token[0].splitlines()[0]}")
    return found


def missing_pages(root: Path, folders: List[str]) -> List[str]:
    """Places "path: page" where a source names a page of docs/ that does not exist."""
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {*SUFFIXES, ".txt", ".S"} or not path.is_file():
                continue
            for page in re.findall(r"docs/[\w/]+\.md", path.read_text(encoding="utf-8")):
                if not (root / page).is_file():
                    found.append(f"{path.relative_to(root).as_posix()}: {page}")
    return found


def violations(root: Path, table: Table) -> List[str]:
    """One line "path[:line]: what" for each broken rule."""
    found: List[str] = []
    for path in sources(root, table):
        parts = Path(path)
        bad = FORBIDDEN_NAMES & {part.lower() for part in [*parts.parent.parts, parts.stem]}
        if bad:
            found.append(f"{path}: the name '{bad.pop()}' says nothing")
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        limit = LARGEST_TEST if path.startswith("tests/") else LARGEST_SOURCE
        if len(lines) > limit:
            found.append(f"{path}: {len(lines)} lines, at most {limit}")
        # An -inl.h is included once for each vector instruction set.
        if parts.suffix == ".h" and not (parts.name.endswith("-inl.h") or "#pragma once" in lines):
            found.append(f"{path}: no '#pragma once'")
        if parts.suffix not in (".cpp", ".h"):
            continue
        if room_of(path, table) is None:
            found.append(f"{path}: is in no room")
        for number, line in enumerate(lines, 1):
            include = INCLUDE.match(line)
            if include:
                wrong = broken_include(path, include[1], include[2], root, table)
                if wrong:
                    found.append(f"{path}:{number}: {include[2]}: {wrong}")
    return found
