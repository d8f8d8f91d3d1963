"""What is known of a pair; truth.json beside its two files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import List, NamedTuple, Optional


class Truth(NamedTuple):
    """What was planted. group: "op", "argument", "tensor", "program" or "" for a clean pair. paths: ops of the target,
    golden_paths: ops of the golden, any of which is the right answer. argument, tensors: names of what differs.
    discarded: (kind, count) of drawn faults that could not be seen."""

    seed: int
    variant: str
    kind: str
    group: str
    model: str
    arithmetic: str
    gross: bool
    ratio: float
    where: str
    paths: List[str]
    golden_paths: List[str]
    argument: str
    tensors: List[str]
    discarded: int


def read_truth(folder: Path) -> Optional[Truth]:
    """None where the variant cannot show the fault."""
    found = json.loads((folder / "truth.json").read_text())
    return None if found is None else Truth(**found)
