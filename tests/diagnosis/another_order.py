"""A recorded run whose independent ops ran in another order, as another scheduler's would."""

from __future__ import annotations

import heapq
from typing import Any, Dict, Iterator, List, Set, Tuple

import numpy as np
from torch import Tensor

from diagnosis.recording import Run


def in_another_order(runs: List[Run], window: float, rng: np.random.Generator) -> Tuple[List[Run], Dict[str, str]]:
    """Each op about `window` places later at most, and behind what it takes in; in-place ops where they were. New paths
    by the old ones."""
    waits = _what_each_waits_for(runs)
    users: List[List[int]] = [[] for _ in runs]
    for place, before in enumerate(waits):
        for each in before:
            users[each].append(place)
    rank = [place + rng.uniform(0, window) for place in range(len(runs))]
    open_waits = [len(before) for before in waits]
    ready = [(rank[place], place) for place in range(len(runs)) if not waits[place]]
    heapq.heapify(ready)
    ordered: List[Run] = []
    paths: Dict[str, str] = {}
    while ready:
        _, place = heapq.heappop(ready)
        moved = runs[place]._replace(seqid=runs[len(ordered)].seqid)
        paths[runs[place].path] = moved.path
        ordered.append(moved)
        for user in users[place]:
            open_waits[user] -= 1
            if open_waits[user] == 0:
                heapq.heappush(ready, (rank[user], user))
    return ordered, paths


def _what_each_waits_for(runs: List[Run]) -> List[Set[int]]:
    """By place. Views are not recorded, so what an op takes in is known by its elements."""
    made: Dict[bytes, int] = {}
    waits: List[Set[int]] = []
    barrier = -1
    for place, run in enumerate(runs):
        before: Set[int] = set()
        for argument, value in run.call.values.items():
            for content in _contents([value]):
                if content in made:
                    before.add(made[content])
                elif not run.origins.get(argument):  # a part of what some op made
                    before.update(range(place))
        if barrier >= 0:
            before.add(barrier)
        if run.call.schema.written is not None:
            before.update(range(max(0, barrier), place))
            barrier = place
        waits.append(before - {place})
        for content in _contents(run.outputs):
            made[content] = place
    return waits


def _contents(values: Any) -> Iterator[bytes]:
    """Of a tensor in any order of its axes: its elements, sorted."""
    for value in values:
        if isinstance(value, Tensor):
            yield np.sort(value.detach().double().numpy(), axis=None).tobytes()
        elif isinstance(value, (list, tuple)):
            yield from _contents(value)
