"""Which tensors of a program its ops computed; the others were given to it."""

from __future__ import annotations

from typing import Any, Iterator, List, Sequence, Set

import torch

from npuscope.torch import private
from npuscope.torch.plans import Plan


# Ops in place whose result does not depend on what was there, besides those that draw numbers.
_OVERWRITING = {"copy_", "zero_", "fill__Scalar", "fill__Tensor"}


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

    def follow(self, plan: Plan, inputs: Any, outputs: Any) -> None:
        """After an op that only rearranges: what was given stays given. Fresh memory was given by nobody."""
        if "empty" in plan.name or not self._keys.isdisjoint(_storages(inputs)):
            self._keys.update(_storages(outputs))

    def given(self, plan: Plan, values: Sequence[Any]) -> List[str]:
        """The arguments whose tensors were all given. What an op only writes over does not count."""
        overwrites = plan.out or plan.draws_numbers or plan.name in _OVERWRITING
        names = []
        for argument, value in zip(plan.arguments, values):
            keys = set(_storages(value))
            if keys and self._keys.isdisjoint(keys) and not (argument.written and overwrites):
                names.append(argument.name)
        return names
