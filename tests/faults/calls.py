"""Runs programs whose system calls are counted, written down and made to fail by number: the Python side of
watched_calls.cpp."""

import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Sequence

BIN = Path(os.environ["NPUSCOPE_BIN_DIR"])
SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
LIBRARY = BIN / "libnpuscope_watched_calls.so"
NPUSCOPE = str(BIN / "npuscope")
MODELS = SOURCE / "data" / "models"
IS_LONG = os.environ.get("NPUSCOPE_LONG_TESTS") == "1"


@dataclass(frozen=True)
class Call:
    """One line of the log; `done` and told so. `kind` is open, write, truncate, reserve, sync, sync_folder, rename, link, unlink,
    make_folder or remove_folder; names are relative to the folder."""

    number: int
    done: bool
    kind: str
    words: Sequence[str]
    data: bytes = b""


@dataclass(frozen=True)
class Ended:
    """A program that has ended; a negative exit code is the signal that killed it."""

    exit_code: int
    out: str
    err: str
    calls: List[Call]

    @property
    def count(self) -> int:
        return max((call.number for call in self.calls), default=0)


def read_log(path: Path) -> List[Call]:
    text = path.read_bytes()
    calls = []
    at = 0
    while at < len(text):
        end = text.index(b"\n", at)
        number, result, *words = text[at:end].decode().split(" ")
        at = end + 1
        size = 0
        if result in ("done", "late") and words[0] == "write":
            size = int(words[3])
        calls.append(Call(int(number), result == "done", words[0] if words else "", words[1:], text[at : at + size]))
        at += size
    return calls


def _set_signals(ignored: Optional[signal.Signals]) -> None:
    """The tests may run in the background, where SIGINT is ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number == ignored else signal.SIG_DFL)


def run(
    command: Sequence[str],
    folder: Path,
    plan: str = "",
    env: Optional[Dict[str, str]] = None,
    ignored: Optional[signal.Signals] = None,
) -> Ended:
    """Runs the command with its calls on files below `folder` watched. `plan` as in watched_calls.cpp; `ignored` is a
    signal that the program ignores from its start."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "log"
        settings = {
            **os.environ,
            "LD_PRELOAD": str(LIBRARY),
            "NPUSCOPE_CALLS_FOLDER": str(folder.resolve()),
            "NPUSCOPE_CALLS_LOG": str(log),
            "ASAN_OPTIONS": "verify_asan_link_order=0",
            **(env or {}),
        }
        if plan:
            settings["NPUSCOPE_CALLS_PLAN"] = plan
        ended = subprocess.run(
            list(command),
            cwd=folder,
            env=settings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            preexec_fn=lambda: _set_signals(ignored),
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode(), read_log(log))
