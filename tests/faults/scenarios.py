"""Commands that write, and what must hold of their files whatever call of the system went wrong."""

import json
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Sequence

import calls
import dumps

STEP = str(calls.MODELS / "digits_step.onnx")
KEPT = re.compile(r"its (\d+) committed ops are kept in '([^']+)'")
WITH_BLOCK = """
import sys
import numpy as np
import npuscope
from npuscope import ops
with npuscope.dumper(use_dump=True, dump_path="d.h5", sync=True):
    for number in range(int(sys.argv[1])):
        ops.relu(np.full(40, number, np.float32))
"""


@dataclass(frozen=True)
class Scenario:
    """`made` are the commands whose files are there before. Their names, and those of the command, are relative to
    the folder."""

    name: str
    command: Sequence[str]
    made: Sequence[Sequence[str]] = ()
    temporary: bool = False  # the folder is the one for temporary files
    python: bool = False
    failures: Sequence[int] = (2,)  # exit codes


def run_words(*words: str) -> List[str]:
    return [calls.NPUSCOPE, "run", "-q", STEP, *words]


GOLDEN = run_words("--device", "cpu", "--dump", "golden.h5")
SCENARIOS = (
    Scenario("dump", run_words("--dump", "d.h5")),
    Scenario("dump --sync over an older one", run_words("--sync", "--dump", "d.h5"), [run_words("--seed", "3", "--dump", "d.h5")]),
    Scenario("dump of every op", [str(calls.BIN / "dump_workload"), "d.h5", "../acknowledged", "12", "40", "0"]),
    Scenario("load", run_words("--load", "golden.h5", "--dump", "d.h5"), [GOLDEN]),
    Scenario("overflow", [calls.NPUSCOPE, "run", "-q", str(calls.MODELS / "pyramid.onnx"), "--check-overflow", "d.h5"]),
    Scenario("extract", [calls.NPUSCOPE, "extract", "-i", "golden.h5", "-o", "e.h5", "-s", "/*/*"], [GOLDEN]),
    Scenario(
        "extract into a file that is there",
        [calls.NPUSCOPE, "extract", "-i", "golden.h5", "-o", "e.h5", "-s", "/mul_Tensor"],
        [GOLDEN, [calls.NPUSCOPE, "extract", "-i", "golden.h5", "-o", "e.h5", "-s", "/mm"]],
    ),
    Scenario(
        "compare",
        [calls.NPUSCOPE, "compare", "-q", "-m", "d.h5", "-g", "golden.h5", "-o", "out"],
        [GOLDEN, run_words("--dump", "d.h5")],
    ),
    Scenario(
        "msaccucmp compare",
        [str(calls.BIN / "msaccucmp"), "compare", "-m", "d.h5", "-g", "golden.h5", "-out", "."],
        [GOLDEN, run_words("--dump", "d.h5")],
        # Of its files that cannot be opened or written.
        failures=(7, 19),
    ),
    Scenario("check", [calls.NPUSCOPE, "check", "-q", STEP, "-o", "out"]),
    Scenario("check without a folder", [calls.NPUSCOPE, "check", "-q", STEP], temporary=True),
    Scenario("with-block of Python", ["/usr/bin/python3", "-B", "-c", WITH_BLOCK, "8"], python=True),
)


@dataclass
class Place:
    """A scenario with its files as they are before the command and after one that nothing disturbs."""

    scenario: Scenario
    folder: Path
    before: Dict[str, bytes] = field(default_factory=dict)
    after: Dict[str, bytes] = field(default_factory=dict)
    whole: Dict[str, dumps.Ops] = field(default_factory=dict)
    exit_code: int = 0
    count: int = 0
    renames: List[int] = field(default_factory=list)  # numbers of such calls

    @property
    def acknowledged(self) -> Path:
        return self.folder.parent / "acknowledged"

    def files(self) -> Dict[str, bytes]:
        paths = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {self._name(path): path.read_bytes() for path in paths}

    def _name(self, path: Path) -> str:
        """Without the time."""
        return re.sub(r"result_\d+", "result_TIME", str(path.relative_to(self.folder)))

    def start(self) -> None:
        """The files as they are before the command."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.acknowledged.unlink(missing_ok=True)
        for name, content in self.before.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(content)

    def run(self, plan: str = "") -> calls.Ended:
        env = {"TMPDIR": str(self.folder)} if self.scenario.temporary else {}
        if self.scenario.python:
            env["PYTHONPATH"] = str(calls.BIN.parent / "python")
        return calls.run(self.scenario.command, self.folder, plan, env)

    def committed(self) -> int:
        """What the dump has called safe."""
        if not self.acknowledged.exists():
            return 0
        return max((int(line) for line in self.acknowledged.read_text().splitlines()), default=0)


def place_of(scenario: Scenario, folder: Path) -> Place:
    place = Place(scenario, folder)
    place.start()
    for command in scenario.made:
        made = calls.run(command, folder)
        assert made.exit_code == 0, made.err
    place.before = place.files()
    place.start()
    ended = place.run()
    assert ended.exit_code in (0, 1), ended.err
    place.exit_code = ended.exit_code
    place.count = ended.count
    place.renames = [call.number for call in ended.calls if call.kind == "rename"]
    place.after = place.files()
    for name in (*place.before, *place.after):
        if name.endswith(".h5"):
            content = place.after.get(name, place.before.get(name, b""))
            place.whole[name] = dumps.read_image(content)
    return place


def final_name(name: str) -> str:
    """Of a part file or what was kept of one."""
    return re.sub(r"\.part(_\d+)?\.h5$|_killed(_\d+)?(?=\.h5$)", "", name)


def problem_of_file(place: Place, name: str, content: bytes) -> str:
    """ "" for a file that is as it was, as it should become, or the first ops of that."""
    if content in (place.before.get(name), place.after.get(name)):
        return ""
    if not name.endswith(".h5"):
        if name.endswith(".json"):
            json.loads(content)
        return "" if is_same_report(content, place.after.get(name, b"")) else f"{name} is neither old nor new"
    found = dumps.read_image(content)
    whole = place.whole.get(final_name(name), {})
    old = dumps.read_image(place.before[name]) if name in place.before else {}
    if found == old and old:
        return ""
    return "" if dumps.is_part_of(found, whole) else f"{name} holds other ops than it should"


def is_same_report(found: bytes, wanted: bytes) -> bool:
    """But for the time that it took."""
    number = re.compile(rb"[0-9.]+")
    return number.sub(b"", found) == number.sub(b"", wanted)


def problems(place: Place, ended: calls.Ended) -> List[str]:
    """What is wrong after a call that failed."""
    found: List[str] = []
    files = place.files()
    for name, content in files.items():
        try:
            if not place.scenario.temporary:
                found.append(problem_of_file(place, name, content))
        except Exception as error:  # noqa: BLE001 - whatever a reader says
            found.append(f"{name} cannot be read: {error}")
    for name in place.before:
        if name not in files:
            found.append(f"{name} is gone")
    found.extend(_of_names(place, ended, files))
    found.extend(_of_exit(place, ended, files))
    return [line for line in found if line]


def _could_not_remove(ended: calls.Ended) -> bool:
    return any(call.kind in ("unlink", "remove_folder") and not call.done for call in ended.calls)


def _of_names(place: Place, ended: calls.Ended, files: Dict[str, bytes]) -> List[str]:
    if place.scenario.temporary:
        left = [] if _could_not_remove(ended) else sorted(files)
        return [f"left in the temporary folder: {left}"] if left else []
    known = {*place.before, *place.after}
    return [f"{name} is left and not named" for name in files if name not in known and f"{name}'" not in ended.err]


def _of_exit(place: Place, ended: calls.Ended, files: Dict[str, bytes]) -> List[str]:
    if ended.exit_code == place.exit_code:
        return [f"{name} is missing after success" for name in place.after if name not in files]
    failures = (1,) if place.scenario.python else place.scenario.failures
    if ended.exit_code not in failures:
        return [f"exit code {ended.exit_code}: {ended.err}"]
    told = ended.err + ended.out
    if not place.scenario.python and not re.search("error|cannot|Failed", told):
        return [f"no clear error: {told!r}"]
    found = []
    kept = {path: int(count) for count, path in KEPT.findall(ended.err)}
    for path, count in kept.items():
        name = str((place.folder / path).relative_to(place.folder))
        if name not in files:
            found.append(f"{name} is said to hold {count} ops and is not there")
        elif len(dumps.read_image(files.get(name, b""))) < count:
            found.append(f"{name} does not hold the {count} ops that it is said to")
    safe = place.committed()
    held = max((len(dumps.read_image(files[name])) for name in files if final_name(name) == "d.h5"), default=0)
    if held < safe:
        found.append(f"{held} of {safe} committed ops are left")
    return found


def show(line: str) -> None:
    print(line, file=sys.stderr)


Checker = Callable[[Place, calls.Ended], List[str]]
