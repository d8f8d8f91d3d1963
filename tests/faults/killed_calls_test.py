"""A process is killed before each of its calls that change a file, or in the middle of one: what a dump called safe is
in the file that is left, and the next run of the same command keeps it. Also with several writers on one path."""

import random
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Dict, List, Set, Tuple

import calls
import dumps
import h5py
from scenarios import SCENARIOS, Place, place_of, problem_of_file, show

WORKLOAD = str(calls.BIN / "dump_workload")
SEED = 11
WANTED = ("dump", "dump --sync over an older one", "dump of every op", "load", "extract into a file that is there", "check")
# Of a scenario, outside of long tests.
MOST_KILLS = 6


def plans(count: int) -> List[str]:
    whole = [f"{number} {way} 0" for number in range(1, count + 1) for way in ("kill", "torn")]
    return whole if calls.IS_LONG else random.Random(SEED).sample(whole, min(MOST_KILLS, len(whole)))


def most_ops(place: Place) -> int:
    """Of the files that the dump's ops may be in."""
    names = [name for name in place.files() if name.startswith("d") and name.endswith(".h5")]
    return max((len(dumps.read_dump(place.folder / name)) for name in names), default=0)


class KilledCalls(unittest.TestCase):
    def check_files(self, place: Place) -> None:
        for name, content in place.files().items():
            if name.endswith(".h5") and not name.startswith("e.h5.part"):
                self.assertEqual(problem_of_file(place, name, content), "")
        for name, content in place.before.items():
            self.assertIn(name, place.files())

    def test_nothing_committed_is_lost_and_a_restart_keeps_it(self) -> None:
        for scenario in SCENARIOS:
            if scenario.name not in WANTED:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                place = place_of(scenario, Path(scratch) / "work")
                kills = 0
                for plan in plans(place.count):
                    place.start()
                    killed = place.run(plan)
                    kills += killed.exit_code < 0
                    with self.subTest(scenario=scenario.name, plan=plan):
                        self.check_files(place)
                        if place.files() == place.after:
                            continue
                        safe = place.committed()
                        self.assertGreaterEqual(most_ops(place), safe)
                        again = place.run()
                        self.assertEqual(again.exit_code, place.exit_code, again.err)
                        self.check_files(place)
                        self.assertFalse([name for name in place.files() if ".part" in name])
                        kept = [name for name in place.files() if "_killed" in name]
                        if safe > 0 and safe < len(place.whole["d.h5"]):
                            self.assertEqual(len(kept), 1)
                            self.assertGreaterEqual(len(dumps.read_dump(place.folder / kept[0])), safe)
                show(f"{scenario.name}: {place.count} calls, {kills} kills")
                self.assertGreater(kills, 3)


def writers_in(folder: Path) -> Dict[Tuple[str, int], Set[int]]:
    """The ops of each file, by the file and the writer that their elements name; each element is looked at."""
    found: Dict[Tuple[str, int], Set[int]] = {}
    for path in folder.glob("*.h5"):
        with h5py.File(path, "r") as file:
            for name in file:
                for seqid in file[name]:
                    values = file[name][seqid]["output/result"][()]
                    writer, op = divmod(int(values[0]), 10000)
                    assert op == int(seqid) and (values == values[0]).all(), (path, name, seqid)
                    found.setdefault((path.name, writer), set()).add(op)
    return found


class Writers(unittest.TestCase):
    OPS = 60

    def write_at_once(self, count: int, seed: int) -> int:
        """Processes on one path, every other one killed at a random moment. Returns how many were."""
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "work"
            folder.mkdir()
            started = [
                subprocess.Popen(
                    [WORKLOAD, "d.h5", f"../{writer}", str(self.OPS), "200", str(writer), "meet"],
                    cwd=folder,
                    stderr=subprocess.DEVNULL,
                )
                for writer in range(1, count + 1)
            ]
            # Whoever begins after another one's end replaces its file: that is no fault.
            while len(list(Path(scratch).glob("*.begun"))) < count:
                self.assertTrue(all(process.poll() is None for process in started))
                time.sleep(0.001)
            (Path(scratch) / "go").touch()
            for process in started[1::2]:
                try:
                    process.wait(chance.random() * 0.02)
                except subprocess.TimeoutExpired:
                    process.kill()
            codes = [process.wait() for process in started]
            found = writers_in(folder)
            for writer, code in zip(range(1, count + 1), codes):
                told = Path(scratch) / str(writer)
                safe = max((int(line) for line in told.read_text().split()), default=0) if told.exists() else 0
                if code == 0:
                    self.assertEqual(safe, self.OPS)
                files = [ops for (_, owner), ops in found.items() if owner == writer]
                self.assertLessEqual(len(files), 1, f"writer {writer} is in several files")
                self.assertLessEqual(set(range(1, safe + 1)), files[0] if files else set(), f"writer {writer}, seed {seed}")
            owners = [name for name, _ in found]
            self.assertEqual(len(owners), len(set(owners)), "a file holds ops of two writers")
            self.assertLessEqual(set(codes), {0, -9})
            return sum(code != 0 for code in codes)

    def test_two_and_eight_on_one_path_keep_the_ops_of_all(self) -> None:
        rounds = 40 if calls.IS_LONG else 4
        killed = sum(self.write_at_once(count, seed) for seed in range(rounds) for count in (2, 8))
        show(f"{rounds} rounds of 2 and of 8 writers, {killed} killed")
        self.assertGreater(killed, 0)


if __name__ == "__main__":
    unittest.main()
