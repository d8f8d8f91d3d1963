"""Which tensors of a program its ops computed; the others were given to it."""

from __future__ import annotations

from typing import Any, Iterator, List, Sequence, Set

import torch

from npuscope.torch import private
from npuscope.torch.plans import Plan


def _storages(value: Any) -> Iterator[int]:
    if isinstance(value, torch.Tensor):
        key = private.storage_key(value)
        if key is not None:
            yield key
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _storages(item)


class ComputedStorages:
    """Follows storage, so that views need no op. A storage that is gone may leave its key to one that
    is given later: then a difference goes unnoticed, and none is made up."""

    def __init__(self) -> None:
        self._keys: Set[int] = set()

    def take(self, plan: Plan, values: Sequence[Any], outputs: Any) -> None:
        """After an op that computes: its results, and what it wrote in place."""
        self._keys.update(_storages(outputs))
        for argument, value in zip(plan.arguments, values):
            if argument.written or argument.name in plan.hidden_writes:
                self._keys.update(_storages(value))

    def follow(self, inputs: Any, outputs: Any) -> None:
        """After an op that only rearranges: what was given stays given."""
        if not self._keys.isdisjoint(_storages(inputs)):
            self._keys.update(_storages(outputs))

    def given(self, plan: Plan, values: Sequence[Any]) -> List[str]:
        """The arguments whose tensors were all given."""
        names = []
        for argument, value in zip(plan.arguments, values):
            keys = set(_storages(value))
            if keys and self._keys.isdisjoint(keys):
                names.append(argument.name)
        return names
