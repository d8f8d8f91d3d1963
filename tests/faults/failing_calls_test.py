"""Each call of the system that a command changes files with fails in turn: what was committed stays, with the right
bytes; what was there stays; the error is told; nothing else is left behind."""

import errno
import random
import tempfile
import unittest
from pathlib import Path
from typing import List

import calls
from scenarios import SCENARIOS, Place, Scenario, place_of, problems, show

# How a call fails; see watched_calls.cpp.
WAYS = (
    f"fail {errno.ENOSPC}",
    f"broken {errno.ENOSPC}",
    f"late {errno.EIO}",
    f"short {errno.ENOSPC}",
    f"fail {errno.EIO}",
)
SEED = 7
# Of a scenario, outside of long tests.
MOST_RUNS = 6


def plans(place: Place) -> List[str]:
    whole = [f"{number} {way}" for number in range(1, place.count + 1) for way in WAYS]
    if calls.IS_LONG or len(whole) <= MOST_RUNS:
        return whole
    # A rename that was made and is said to have failed is rare, and costs most.
    lost_answers = [f"{number} late {errno.EIO}" for number in place.renames[-1:]]
    return lost_answers + random.Random(SEED).sample(whole, MOST_RUNS - len(lost_answers))


class FailingCalls(unittest.TestCase):
    def fail_each(self, place: Place) -> int:
        failures = 0
        for plan in plans(place):
            place.start()
            ended = place.run(plan)
            failures += ended.exit_code != place.exit_code
            with self.subTest(scenario=place.scenario.name, plan=plan):
                self.assertEqual(problems(place, ended), [], ended.err)
        return failures

    def try_scenario(self, scenario: Scenario) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            place = place_of(scenario, Path(scratch) / "work")
            failures = self.fail_each(place)
            show(f"{scenario.name}: {place.count} calls, {len(plans(place))} runs, {failures} failed")
            self.assertGreater(place.count, 3)
            self.assertGreater(failures, 2)

    def test_each_command(self) -> None:
        for scenario in SCENARIOS:
            if scenario.python and not (calls.BIN.parent / "python" / "npuscope").exists():
                continue
            self.try_scenario(scenario)


if __name__ == "__main__":
    unittest.main()
