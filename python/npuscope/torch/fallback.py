"""Ops that a chip lacks, on the CPU: half tensors in float32, rounded once."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import torch

from npuscope.torch import private
from npuscope.torch.plans import Plan

_HALF = (torch.float16, torch.bfloat16)


def _is_half(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in _HALF


def holds_half(values: List[Any]) -> bool:
    return any(
        _is_half(value) or (isinstance(value, (list, tuple)) and any(map(_is_half, value)))
        for value in values
    )


def _mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(item, change) for item in value)
    return value


def _native_dtypes(plan: Plan, values: List[Any]) -> List[Any]:
    """The dtypes that the op's own half form gives, from a run without elements; [] when PyTorch
    cannot tell."""
    try:
        shapes = [_mapped(value, lambda t: t.to("meta")) for value in values]
        outputs = plan.call(shapes)
    except Exception:  # any: many ops have no such form
        return []
    rows = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    return [row.dtype if isinstance(row, torch.Tensor) else None for row in rows]


def on_cpu(plan: Plan, values: List[Any]) -> Any:
    """Runs the op by PyTorch. Errors: PyTorch's own."""
    if not holds_half(values):
        return plan.call(values)
    half = next(
        item.dtype
        for value in values
        for item in (value if isinstance(value, (list, tuple)) else [value])
        if _is_half(item)
    )
    originals: Dict[int, torch.Tensor] = {}
    widened: Dict[int, torch.Tensor] = {}

    def widen(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dtype not in _HALF:
            return tensor
        if id(tensor) not in widened:
            widened[id(tensor)] = tensor.float()
            originals[id(widened[id(tensor)])] = tensor
        return widened[id(tensor)]

    with private.unseen():
        dtypes = _native_dtypes(plan, values)
        wide = [_mapped(value, widen) for value in values]
        asks_for_dtype = any(isinstance(value, torch.dtype) for value in values)
    outputs = plan.call(wide)
    with private.unseen():
        for argument, value in zip(plan.arguments, wide):
            if argument.written:
                _mapped(value, lambda t: originals[id(t)].copy_(t) if id(t) in originals else t)
        many = isinstance(outputs, (tuple, list))
        rows = list(outputs) if many else [outputs]
        for i, row in enumerate(rows):
            if not isinstance(row, torch.Tensor):
                continue
            if id(row) in originals:
                rows[i] = originals[id(row)]
            elif row.dtype == torch.float32:
                known = dtypes[i] if i < len(dtypes) else None
                target = known or (torch.float32 if asks_for_dtype else half)
                rows[i] = row.to(target)
    return type(outputs)(rows) if many else rows[0]
