"""Faults in what no op computes: parameters, buffers, the model's inputs; and in the program itself.

Those of tensors change `program.given` and name the tensors; those of programs edit a part and name it.
"""

from __future__ import annotations

import math
from typing import Callable, Dict, List, Optional

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from diagnosis.program import Program

Fault = Callable[[Program, np.random.Generator], Optional[List[str]]]


def _pick(rng: np.random.Generator, rows: List[str]) -> str:
    return rows[int(rng.integers(len(rows)))]


def _on_parameter(change: Callable[[Tensor, np.random.Generator], Optional[Tensor]], least: int = 1) -> Fault:
    def fault(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
        name = _pick(rng, [n for n in program.trained if program.given[n].ndim >= least])
        changed = change(program.given[name].clone(), rng)
        if changed is None:
            return None
        program.given[name] = changed
        return [name]

    return fault


def _element(x: Tensor, rng: np.random.Generator) -> Tensor:
    flat = x.flatten()
    i = int(rng.integers(flat.numel()))
    flat[i] = -flat[i] if rng.random() < 0.2 else flat[i] * (1 + _little(rng)) + 0.1 * _little(rng)
    return flat.reshape(x.shape)


def _little(rng: np.random.Generator) -> float:
    """1e-5 to 1."""
    return float(10.0 ** rng.uniform(-5, 0))


def _transposed(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    rows = [n for n in program.trained
            if program.given[n].ndim >= 2 and program.given[n].shape[0] == program.given[n].shape[1]]
    if not rows:
        return None
    name = _pick(rng, rows)
    program.given[name] = program.given[name].transpose(0, 1).contiguous()
    return [name]


def _swapped(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    pairs = [(a, b) for i, a in enumerate(program.trained) for b in program.trained[i + 1 :]
             if program.given[a].shape == program.given[b].shape and program.given[a].ndim > 1]
    if not pairs:
        return None
    a, b = pairs[int(rng.integers(len(pairs)))]
    program.given[a], program.given[b] = program.given[b], program.given[a]
    return [a, b]


def _statistics(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    rows = [n for n in program.given if "running_" in n]
    if not rows or getattr(program, "training", True):
        return None
    name = _pick(rng, rows)
    program.given[name] = torch.full_like(program.given[name], 1.0 if name.endswith("var") else 0.0)
    return [name]


def _input(change: Callable[[Tensor], Optional[Tensor]]) -> Fault:
    def fault(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
        changed = change(program.given["x"])
        if changed is None:
            return None
        program.given["x"] = changed
        return ["x"]

    return fault


def _mask(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    mask = program.given.get("mask")
    if mask is None or getattr(program, "mask", "none") == "none":
        return None
    program.given["mask"] = mask.t().contiguous() if rng.random() < 0.5 else torch.roll(mask, 1, 0)
    return ["mask"]


ON_TENSORS: Dict[str, Fault] = {
    "parameter element": _on_parameter(_element),
    "parameter scaled": _on_parameter(lambda x, rng: x * (1 + _little(rng))),
    "parameter transposed": _transposed,
    "parameters swapped": _swapped,
    "parameter in float16": _on_parameter(lambda x, rng: x.half().float()),
    "parameter in bfloat16": _on_parameter(lambda x, rng: x.bfloat16().float()),
    "parameter zero": _on_parameter(lambda x, rng: torch.zeros_like(x)),
    "other running statistics": _statistics,
    "input channels flipped": _input(lambda x: x.flip(1) if x.ndim == 4 else x.flip(-1)),
    "input scaled": _input(lambda x: x * 1.1 if x.is_floating_point() else None),
    "other mask": _mask,
}


# -- the program ---------------------------------------------------------------------------------


def _edit(program: Program, rng: np.random.Generator, edit: Callable[..., Tensor], parts: List[str]) -> Optional[List[str]]:
    if not parts:
        return None
    name = _pick(rng, parts)
    program.edits[name] = edit
    return [name]


def _extra_relu(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    parts = [p for p in program.parts if not p.startswith("act")]
    return _edit(program, rng, lambda own, x, y: F.relu(y), parts)


def _extra_scale(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    factor = 1 + _little(rng)
    return _edit(program, rng, lambda own, x, y: y * factor, program.parts)


def _extra_linear(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    def edit(own: Program, x: Tensor, y: Tensor) -> Tensor:
        width = y.shape[-1]
        numbers = np.random.default_rng(width).standard_normal((width + 1, width)).astype("f4") / math.sqrt(width)
        weight, bias = torch.from_numpy(numbers[1:]), torch.from_numpy(numbers[0])
        return F.linear(y, weight.to(y.dtype), bias.to(y.dtype))

    return _edit(program, rng, edit, [p for p in program.parts if not p.startswith(("conv", "bn", "pool"))])


def _extra_tanh(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    return _edit(program, rng, lambda own, x, y: torch.tanh(y), program.parts)


def _is_norm(program: Program, name: str) -> bool:
    weight = program.given.get(name + ".weight")
    return weight is not None and weight.dim() == 1


def _no_bias(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    rows = [n[: -len(".bias")] for n in program.trained if n.endswith(".bias")]
    rows = [n for n in rows if not _is_norm(program, n)]
    if not rows:
        return None
    program.without_bias = _pick(rng, rows)
    return [program.without_bias]


def _skip(program: Program, rng: np.random.Generator) -> Optional[List[str]]:
    rows = [p for p in program.parts if p.startswith(("act", "bn", "ln")) or p.endswith((".act", ".mask"))]
    if not rows:
        return None
    name = _pick(rng, rows)
    program.skipped = name
    return [name]


ON_PROGRAMS: Dict[str, Fault] = {
    "extra relu": _extra_relu,
    "extra factor": _extra_scale,
    "extra linear": _extra_linear,
    "extra tanh": _extra_tanh,
    "bias missing": _no_bias,
    "part missing": _skip,
}
