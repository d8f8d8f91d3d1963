"""The machine stops at any call, and of what no sync made safe any part is lost: with `sync` every op that the dump
called safe is in a file, each file is readable and nothing in it is wrong; and a file that was there before is there
afterwards, the old one or the new one. Without it, a kill of the process alone leaves as much."""

import hashlib
import random
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List, Sequence, Tuple, Union

import calls
import dumps
from disk import Disk
from scenarios import GOLDEN, STEP, Place, Scenario, is_same_report, run_words, final_name, place_of, show

WORKLOAD = str(calls.BIN / "dump_workload")
SEED = 23
ACKNOWLEDGED = "acknowledged"


def workload(name: str, ops: int, elements: int, *words: str) -> Scenario:
    return Scenario(name, [WORKLOAD, "d.h5", ACKNOWLEDGED, str(ops), str(elements), "1", *words])


# With the number of states, for the usual run and for the long one.
SYNCED = (
    (workload("ops in a growing group", 44, 40, "sync"), 300, 6000),
    (workload("compressed ops", 14, 6000, "sync", "compress"), 80, 1500),
    (Scenario("run over an older dump", run_words("--sync", "--dump", "d.h5"), [run_words("--seed", "3", "--dump", "d.h5")]), 60, 1500),
)
REPLACED = (
    (Scenario("run without sync", run_words("--dump", "d.h5"), [run_words("--seed", "3", "--dump", "d.h5")]), 50, 1500),
    (
        Scenario(
            "extract into a file",
            [calls.NPUSCOPE, "extract", "-i", "golden.h5", "-o", "e.h5", "-s", "/mul_Tensor"],
            [GOLDEN, [calls.NPUSCOPE, "extract", "-i", "golden.h5", "-o", "e.h5", "-s", "/mm"]],
        ),
        50,
        1500,
    ),
    (
        Scenario(
            "check over older reports",
            [calls.NPUSCOPE, "check", "-q", STEP, "-o", "out"],
            [[calls.NPUSCOPE, "check", "-q", STEP, "--seed", "3", "-o", "out"]],
        ),
        50,
        1500,
    ),
)
Found = Union[dumps.Ops, str]


class States:
    """Counts what it looks at, and reads each content once."""

    def __init__(self) -> None:
        self.seen = 0
        self.read: Dict[bytes, Found] = {}
        self.problems: List[str] = []

    def ops(self, content: bytes) -> Found:
        key = hashlib.sha256(content).digest()
        if key not in self.read:
            try:
                self.read[key] = dumps.read_image(content)
            except Exception as error:  # noqa: BLE001 - whatever h5py says
                self.read[key] = f"unreadable: {error}"
        return self.read[key]

    def check_dump(self, place: Place, files: Dict[str, bytes], safe: int, where: str) -> None:
        """Every .h5 file is an old dump or holds the first ops of the new one, and one of them holds those that are
        safe."""
        self.seen += 1
        most = 0
        for name, content in files.items():
            if not name.endswith(".h5"):
                continue
            found = self.ops(content)
            old = place.before.get(name)
            if isinstance(found, str):
                self.problems.append(f"{where}: {name} is {found}")
            elif content == old:
                continue
            elif dumps.is_part_of(found, place.whole[final_name(name)]):
                most = max(most, len(found))
            else:
                self.problems.append(f"{where}: {name} holds what it should not")
        if most < safe:
            self.problems.append(f"{where}: {most} of {safe} safe ops are left")

    def check_replaced(self, place: Place, files: Dict[str, bytes], where: str) -> None:
        """What was there is there, the old one or the new one."""
        self.seen += 1
        for name, old in place.before.items():
            found = files.get(name)
            if found is None:
                self.problems.append(f"{where}: {name} is gone")
            elif found != old and not self._is_new(place, name, found):
                self.problems.append(f"{where}: {name}, of {len(found)} bytes, is neither old nor new")

    def _is_new(self, place: Place, name: str, found: bytes) -> bool:
        if name.endswith(".h5"):
            return self.ops(found) == place.whole[name]
        return is_same_report(found, place.after[name])


def recorded(scenario: Scenario, scratch: str) -> Tuple[Place, List[calls.Call]]:
    place = place_of(scenario, Path(scratch) / "work")
    place.start()
    ended = place.run()
    assert ended.exit_code == place.exit_code, ended.err
    place.after = place.files()
    return place, ended.calls


def explored(place: Place, made: Sequence[calls.Call], is_synced: bool, count: int) -> States:
    """What about `count` power cuts leave."""
    states = States()
    chance = random.Random(SEED)
    disk = Disk(place.before)
    for call in made:
        disk.play(call)
        where = f"after call {call.number} ({call.kind})"
        for _ in range(1 if disk.is_at_rest() else -(-count // len(made))):
            files = disk.after_power_cut(chance)
            if is_synced:
                states.check_dump(place, files, acknowledged(disk), where)
            else:
                states.check_replaced(place, files, where)
    return states


def acknowledged(disk: Disk) -> int:
    """What the dump has called safe by now."""
    told = disk.names.get(ACKNOWLEDGED)
    return int(bytes(told.now).split()[-1]) if told is not None and told.now else 0


class PowerCut(unittest.TestCase):
    def test_with_sync_nothing_that_is_safe_is_lost(self) -> None:
        total = 0
        for scenario, usual, long in SYNCED:
            with tempfile.TemporaryDirectory() as scratch:
                place, made = recorded(scenario, scratch)
            states = explored(place, made, True, long if calls.IS_LONG else usual)
            self.tell(scenario, states)
            total += states.seen
        self.assertGreaterEqual(total, 400)

    def test_a_file_that_was_there_is_the_old_or_the_new_one(self) -> None:
        for scenario, usual, long in REPLACED:
            with tempfile.TemporaryDirectory() as scratch:
                place, made = recorded(scenario, scratch)
            self.tell(scenario, explored(place, made, False, long if calls.IS_LONG else usual))

    def test_a_sync_that_is_left_out_shows(self) -> None:
        """That the states can find a fault at all."""
        for (scenario, usual, _), is_synced, kind, says in (
            (SYNCED[0], True, "sync", "unreadable"),
            (SYNCED[0], True, "sync_folder", "0 of"),
            (REPLACED[0], False, "sync", "neither old nor new"),
        ):
            with tempfile.TemporaryDirectory() as scratch:
                place, made = recorded(scenario, scratch)
            without = [call for call in made if call.kind != kind]
            problems = explored(place, without, is_synced, usual // 2).problems
            self.assertTrue(any(says in problem for problem in problems), (scenario.name, kind, problems[:3]))

    def test_a_kill_in_the_middle_of_any_write_loses_nothing_either(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            place, made = recorded(workload("killed", 44, 40), scratch)
        states = States()
        chance = random.Random(SEED)
        disk = Disk(place.before)
        for call in made:
            # One write of 48 bytes in a page is seen as a whole.
            if call.kind == "write" and call.words[1] != "0" and len(call.data) > 1:
                before = Disk({name: content for name, content in disk.after_kill().items()})
                for name, file in disk.names.items():
                    if file is disk.by_inode[call.words[0]] and name.endswith(".h5"):
                        before.names[name].write(int(call.words[1]), call.data[: chance.randrange(len(call.data))])
                        states.check_dump(place, before.after_kill(), acknowledged(disk), f"in call {call.number}")
            disk.play(call)
            states.check_dump(place, disk.after_kill(), acknowledged(disk), f"after call {call.number}")
        self.tell(Scenario("kills", []), states)

    def tell(self, scenario: Scenario, states: States) -> None:
        show(f"{scenario.name}: {states.seen} states, {len(states.read)} contents of dumps")
        self.assertEqual(states.problems[:5], [], scenario.name)


if __name__ == "__main__":
    unittest.main()
