"""A disk that plays the calls of a program again and can stop at any of them: what is then under which name.

After a kill of the process everything that was called is there. After a power cut of the machine, of each file's bytes
those of its last sync are there, and of what was written since any of its sectors, each as it was after any of the
writes to it; its size is any that it had. Names are those of the last sync of the folder (POSIX promises no more), or
those before the last sync of anything (file systems with one journal), and then any more."""

import random
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from calls import Call

SECTOR = 512

Write = Tuple[int, bytes]  # offset, bytes
Names = Dict[str, "File"]
# A name that came (with its file), or went.
NameChange = Tuple[Tuple[str, Optional["File"]], ...]


@dataclass(eq=False)
class File:
    """`safe` is what the last sync made safe; `size` and `writes` tell of what came after it."""

    safe: bytes = b""
    now: bytearray = field(default_factory=bytearray)
    writes: List[Write] = field(default_factory=list)
    sizes: List[int] = field(default_factory=list)

    def write(self, offset: int, data: bytes) -> None:
        if len(self.now) < offset:
            self.now.extend(bytes(offset - len(self.now)))
        self.now[offset : offset + len(data)] = data
        self.writes.append((offset, data))
        self.sizes.append(len(self.now))

    def cut(self, size: int) -> None:
        """A file that is cut keeps what was before it."""
        del self.now[size:]
        self.now.extend(bytes(size - len(self.now)))
        self.sizes.append(size)

    def sync(self) -> None:
        self.safe = bytes(self.now)
        self.writes.clear()
        self.sizes.clear()

    def after_power_cut(self, chance: random.Random) -> bytes:
        if not self.writes and not self.sizes:
            return self.safe
        keep = chance.choice((0.0, 0.5, 0.9, 1.0))
        size = chance.choice([len(self.safe), len(self.now), *self.sizes])
        found = bytearray(size)
        common = min(size, len(self.safe))
        found[:common] = self.safe[:common]
        if size > len(self.safe) and chance.random() < 0.5:
            # A new block shows what its place held before.
            found[len(self.safe) :] = chance.randbytes(size - len(self.safe))
        # Of each sector, after how many of its writes.
        for sector, pieces in self._by_sector().items():
            count = len(pieces) if chance.random() < keep else chance.randrange(len(pieces) + 1) if keep > 0 else 0
            if count == 0:
                continue
            if sector >= len(self.safe):
                found[sector : sector + SECTOR] = bytes(len(found[sector : sector + SECTOR]))
            for offset, data in pieces[:count]:
                if offset < size:
                    data = data[: size - offset]
                    found[offset : offset + len(data)] = data
        return bytes(found)

    def _by_sector(self) -> Dict[int, List[Write]]:
        pieces: Dict[int, List[Write]] = {}
        for offset, data in self.writes:
            for sector in range(offset - offset % SECTOR, offset + len(data), SECTOR):
                begin, end = max(sector, offset), min(sector + SECTOR, offset + len(data))
                pieces.setdefault(sector, []).append((begin, data[begin - offset : end - offset]))
        return pieces


class Disk:
    def __init__(self, before: Dict[str, bytes]) -> None:
        """Files that are safe."""
        self.first: Names = {name: File(content, bytearray(content)) for name, content in before.items()}
        self.names: Names = dict(self.first)
        self.changes: List[NameChange] = []
        self.by_posix = 0  # so many changes of names are safe
        self.by_journal = 0
        self.by_inode: Dict[str, File] = {}

    def play(self, call: Call) -> None:
        if call.done:
            getattr(self, "_" + call.kind)(call)

    def _change(self, *names: Tuple[str, Optional[File]]) -> None:
        self.changes.append(names)
        self._apply(self.names, names)

    @staticmethod
    def _apply(names: Names, change: NameChange) -> None:
        for name, file in change:
            if file is None:
                names.pop(name, None)
            else:
                names[name] = file

    def _open(self, call: Call) -> None:
        inode, way, name = call.words
        known = self.names.get(name)
        if known is None:
            known = File()
            if name != "-":
                self._change((name, known))
        self.by_inode[inode] = known
        if way == "truncate" and known.now:
            known.cut(0)

    def _write(self, call: Call) -> None:
        self.by_inode[call.words[0]].write(int(call.words[1]), call.data)

    def _truncate(self, call: Call) -> None:
        self.by_inode[call.words[0]].cut(int(call.words[1]))

    def _sync(self, call: Call) -> None:
        self.by_inode[call.words[0]].sync()
        self.by_journal = len(self.changes)

    def _sync_folder(self, call: Call) -> None:
        self.by_posix = self.by_journal = len(self.changes)

    def _link(self, call: Call) -> None:
        self._change((call.words[1], self.by_inode[call.words[0]]))

    def _rename(self, call: Call) -> None:
        old, new = call.words
        self._change((new, self.names[old]), (old, None))

    def _unlink(self, call: Call) -> None:
        self._change((call.words[0], None))

    def _make_folder(self, call: Call) -> None:
        pass

    def is_at_rest(self) -> bool:
        """A power cut now has one outcome."""
        return self.by_posix == len(self.changes) and not any(file.sizes for file in self.names.values())

    def after_kill(self) -> Dict[str, bytes]:
        return {name: bytes(file.now) for name, file in self.names.items()}

    def after_power_cut(self, chance: random.Random) -> Dict[str, bytes]:
        safe = chance.choice((self.by_posix, self.by_journal))
        changes = self.changes[:safe]
        if safe == self.by_posix and chance.random() < 0.3:
            changes += [change for change in self.changes[safe:] if chance.random() < 0.5]
        else:
            changes += self.changes[safe : chance.randint(safe, len(self.changes))]
        names = dict(self.first)
        for change in changes:
            self._apply(names, change)
        contents: Dict[int, bytes] = {}
        for file in names.values():
            if id(file) not in contents:
                contents[id(file)] = file.after_power_cut(chance)
        return {name: contents[id(file)] for name, file in names.items()}
