"""Faults that a call shows: another plain argument, or another tensor as its input, recorded as such."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from diagnosis.call import Call


class Edited(NamedTuple):
    """call: as the target makes it. name: the argument that differs."""

    call: Call
    name: str


Edit = Callable[[Call, List[Tensor], np.random.Generator], Optional[Edited]]


def _pick(rng: np.random.Generator, rows: Any) -> Any:
    return rows[int(rng.integers(len(rows)))]


def _number(name: str, *others: Callable[[Any, float], Any]) -> Edit:
    """others: functions of the right number and of how much it is to differ, 1e-5 to 1."""

    def edit(call: Call, earlier: List[Tensor], rng: np.random.Generator) -> Optional[Edited]:
        value = call.values.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return None
        other = _pick(rng, others)(value, float(10.0 ** rng.uniform(-5, 0)))
        return Edited(call.with_values(**{name: other}), name)

    return edit


def _axis(call: Call, earlier: List[Tensor], rng: np.random.Generator) -> Optional[Edited]:
    dim = call.values.get("dim")
    lead = call.values.get("self", call.values.get("grad_output"))
    if call.base in ("cat", "stack") or not isinstance(lead, Tensor) or lead.ndim < 2 or not isinstance(dim, int):
        return None
    return Edited(call.with_values(dim=0 if dim % lead.ndim else 1), "dim")


def _dilation(call: Call, earlier: List[Tensor], rng: np.random.Generator) -> Optional[Edited]:
    """With as much padding, so that shapes stay."""
    if call.base != "convolution" or list(call.values["padding"]) != [1, 1] or call.values["weight"].shape[2] != 3:
        return None
    return Edited(call.with_values(dilation=[2, 2], padding=[2, 2]), "dilation")


def _reduction(call: Call, earlier: List[Tensor], rng: np.random.Generator) -> Optional[Edited]:
    if call.values.get("reduction") not in (1, 2):
        return None
    return Edited(call.with_values(reduction=3 - call.values["reduction"]), "reduction")


def _earlier_tensor(call: Call, earlier: List[Tensor], rng: np.random.Generator) -> Optional[Edited]:
    rows: List[Tuple[str, Tensor]] = []
    for name, x in call.floats():
        if name not in call.values or name == call.schema.written or name.startswith("running_"):
            continue
        rows += [(name, old) for old in earlier[-20:]
                 if old.shape == x.shape and old.dtype == x.dtype and not torch.equal(old, x)]
    if not rows:
        return None
    name, old = _pick(rng, rows)
    return Edited(call.with_values(**{name: old.clone()}), name)


def _in_another_order(call: Call, earlier: List[Tensor], rng: np.random.Generator) -> Optional[Edited]:
    """A view where two axes were to change places: the same elements in the same shape."""
    rows = [(name, x, d) for name, x in call.floats() if name in call.values and name != call.schema.written
            for d in range(x.ndim - 1) if x.shape[d] > 1 and x.shape[d + 1] > 1]
    if not rows:
        return None
    name, x, d = _pick(rng, rows)
    return Edited(call.with_values(**{name: x.transpose(d, d + 1).reshape(x.shape).clone()}), name)


# Arguments: kind -> (edit, whether a tensor is what differs)
EDITS: Dict[str, Tuple[Edit, bool]] = {
    "other eps": (_number("eps", lambda e, d: 1e-3, lambda e, d: e * (1 + 100 * d), lambda e, d: 1e-12), False),
    "other alpha": (_number("alpha", lambda n, d: 2 * n, lambda n, d: -n, lambda n, d: n * (1 - d)), False),
    "other beta": (_number("beta", lambda n, d: 0, lambda n, d: 1 - d), False),
    "other factor": (_number("other", lambda n, d: n * (1 + d), lambda n, d: 2 * n, lambda n, d: n * n), False),
    "other exponent": (_number("exponent", lambda n, d: n + 1, lambda n, d: n + d), False),
    "other threshold": (_number("threshold", lambda n, d: n + d, lambda n, d: n - d), False),
    "other fill": (_number("value", lambda n, d: n / 1e4, lambda n, d: n * (1 - d)), False),
    "other axis": (_axis, False),
    "other dilation": (_dilation, False),
    "other reduction": (_reduction, False),
    "input of an earlier op": (_earlier_tensor, True),
    "input in another order": (_in_another_order, True),
}
