"""Faults of one run of an op, and of a parameter: each changes what honest arithmetic makes, and says by how much."""

import random
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from recorder import Fault, Run
from torch import Tensor

# Made of nothing, copies, or results that differ between runs by right.
UNTOUCHED = frozenset(
    """zeros_like ones_like clone arange full ones zeros scalar_tensor new_zeros zero fill copy _to_copy triu tril eq
    bitwise_not full_like embedding_dense_backward repeat_interleave_Tensor native_dropout bernoulli_float""".split()
)


def is_touched(op: str) -> bool:
    """Whether a fault may be put into it: not where it works in place."""
    if op in UNTOUCHED or op.startswith(("set_", "_foreach_", "_amp_")):
        return False
    return not op.split("_Tensor")[0].split("_Scalar")[0].endswith("_")


def channel(y: Tensor, chance: random.Random) -> Tuple[Any, ...]:
    place: List[Any] = [slice(None)] * y.dim()
    if y.dim():
        axis = chance.randrange(y.dim())
        place[axis] = chance.randrange(y.shape[axis])
    return tuple(place)


def with_flat(y: Tensor, change: Callable[[Tensor], None]) -> Tensor:
    flat = y.reshape(-1).clone()
    change(flat)
    return flat.view(y.shape)


def set_channel(y: Tensor, chance: random.Random, change: Callable[[Tensor], Tensor]) -> Tensor:
    y, place = y.clone(), channel(y, chance)
    y[place] = change(y[place])
    return y


def set_one(y: Tensor, chance: random.Random, change: Callable[[Tensor], Any]) -> Tensor:
    at = chance.randrange(y.numel())

    def change_one(flat: Tensor) -> None:
        flat[at] = change(flat[at])

    return with_flat(y, change_one)


def stale_tail(flat: Tensor) -> None:
    count = max(1, flat.numel() // 8)
    flat[-count:] = flat[:count].clone()


def zero_tail(flat: Tensor) -> None:
    flat[-max(1, flat.numel() // 8) :] = 0


def swapped_rows(y: Tensor, chance: random.Random) -> Tensor:
    if not y.dim() or y.shape[0] < 2:
        return y
    return y[[1, 0, *range(2, y.shape[0])]]


def truncated(y: Tensor, chance: random.Random) -> Tensor:
    return (y.float().contiguous().view(torch.int32) & ~0xFFFF).view(torch.float32).to(y.dtype)


def largest(y: Tensor) -> float:
    return float(y.abs().max())


OF_RESULT: Dict[str, Callable[[Tensor, random.Random], Tensor]] = {
    "scaled": lambda y, chance: y * (1 + chance.choice([0.01, 0.05, 0.3, -0.1])),
    "channel zero": lambda y, chance: set_channel(y, chance, torch.zeros_like),
    "channel's sign": lambda y, chance: set_channel(y, chance, torch.neg),
    "channel shifted": lambda y, chance: set_channel(y, chance, lambda part: part + largest(y) * chance.choice([0.1, 0.5])),
    "tail zero": lambda y, chance: with_flat(y, zero_tail),
    "tail stale": lambda y, chance: with_flat(y, stale_tail),
    "one element": lambda y, chance: set_one(y, chance, lambda one: one + largest(y) * chance.choice([0.05, 0.5, 2])),
    "rolled": lambda y, chance: torch.roll(y, 1, -1) if y.dim() else y,
    "nan": lambda y, chance: set_one(y, chance, lambda one: float("nan")),
    "inf": lambda y, chance: set_one(y, chance, lambda one: float("inf")),
    "clamped": lambda y, chance: y.clamp(-largest(y) * 0.6, largest(y) * 0.6),
    "in bfloat16": lambda y, chance: y.to(torch.bfloat16).to(y.dtype),
    "in float16": lambda y, chance: y.to(torch.float16).to(y.dtype),
    "truncated": truncated,
    "rows swapped": swapped_rows,
    "magnitudes": lambda y, chance: y.abs(),
    "shifted": lambda y, chance: y + largest(y) * 0.02,
}
OF_OPERAND: Dict[str, Callable[[Tensor], Tensor]] = {
    "operand rolled": lambda x: torch.roll(x, 1, 0),
    "operand scaled": lambda x: x * 1.1,
    "operand in bfloat16": lambda x: x.to(torch.bfloat16).to(x.dtype),
    "operand's tail zero": lambda x: torch.cat([x[..., : -max(1, x.shape[-1] // 6)], x[..., -max(1, x.shape[-1] // 6) :] * 0], -1),
}
OF_PARAMETER: Dict[str, Callable[[Tensor], Tensor]] = {
    "parameter scaled": lambda p: p * 1.03,
    "parameter rolled": lambda p: torch.roll(p, 1, -1),
    "parameter in bfloat16": lambda p: p.to(torch.bfloat16).to(p.dtype),
    "parameter transposed": lambda p: p.t() if p.dim() == 2 and p.shape[0] == p.shape[1] else torch.roll(p, 1, -1),
    "parameter element zero": lambda p: torch.cat([p.reshape(-1)[1:], p.reshape(-1)[:1] * 0]).roll(1).view(p.shape),
}
ARGUMENT = "other argument"
# Changed, they give another shape, another op or nothing.
STRUCTURE = frozenset("dim reduction ignore_index groups N C HxW group padding_idx num_weights".split())


def floats_of(values: Any) -> List[Tuple[int, Tensor]]:
    values = values if isinstance(values, (tuple, list)) else [values]
    return [(at, x) for at, x in enumerate(values) if isinstance(x, Tensor) and x.is_floating_point() and x.numel()]


def in_result(kind: str, chance: random.Random) -> Fault:
    def fault(run: Run) -> Any:
        honest = run.compute(run.args)
        found = floats_of(honest)
        if not found:
            return honest
        at, y = chance.choice(found)
        faulty = OF_RESULT[kind](y, chance)
        if not isinstance(honest, (tuple, list)):
            return faulty
        return type(honest)(faulty if each == at else one for each, one in enumerate(honest))

    return fault


def in_operand(kind: str, chance: random.Random) -> Fault:
    def fault(run: Run) -> Any:
        found = [(at, x) for at, x in floats_of(run.args) if x.numel() > 1]
        if not found:
            return run.compute(run.args)
        at, x = chance.choice(found)
        return run.compute((*run.args[:at], OF_OPERAND[kind](x), *run.args[at + 1 :]))

    return fault


def in_argument(chance: random.Random) -> Fault:
    def fault(run: Run) -> Any:
        for at in chance.sample(range(len(run.args)), len(run.args)):
            value, argument = run.args[at], run.schema.arguments[at]
            if isinstance(value, bool) or argument.name in STRUCTURE:
                continue
            if isinstance(value, float):
                value = value * chance.choice([1.1, 10, 100]) if value else 0.1
            elif isinstance(value, int) and "Scalar" in str(argument.type):
                value = value * 2 if value else 1
            else:
                continue
            return run.compute((*run.args[:at], value, *run.args[at + 1 :]))
        return run.compute(run.args)

    return fault


def fault_of(kind: str, chance: random.Random) -> Optional[Fault]:
    """None of what is a parameter's."""
    if kind in OF_RESULT:
        return in_result(kind, chance)
    if kind in OF_OPERAND:
        return in_operand(kind, chance)
    return in_argument(chance) if kind == ARGUMENT else None


def effect_of(honest: Any, faulty: Any) -> float:
    """The largest difference over the largest honest element, of any result; infinite where a finite one became none."""
    worst = 0.0
    for (_, one), (_, other) in zip(floats_of(honest), floats_of(faulty)):
        if one.shape != other.shape:
            return float("inf")
        one, other = one.double(), other.double()
        difference = (one - other).abs()[one != other]
        if difference.numel() == 0:
            continue
        scale = float(one[one.isfinite()].abs().max()) if bool(one.isfinite().any()) else 1.0
        found = float(difference.max()) / max(scale, 1e-30)
        worst = max(worst, found if found == found else float("inf"))
    return worst


# In units of the arithmetic.
COUNTS, GROSS = 4.0, 30.0


def size_of(units: float) -> str:
    return "gross" if units > GROSS else "subtle" if units > COUNTS else "none"


def measured(fault: Fault) -> Tuple[Fault, Dict[str, float]]:
    """The fault, and what it changed when it has run, as `found`."""
    effect = {"found": 0.0}

    def with_effect(run: Run) -> Any:
        result = fault(run)
        effect["found"] = effect_of(run.compute(run.args), result)
        return result

    return with_effect, effect


KINDS = (*OF_RESULT, *OF_OPERAND, ARGUMENT, *OF_PARAMETER)
