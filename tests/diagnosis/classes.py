"""The classes of honest arithmetic that targets are made with, and the draw of one of them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import numpy as np
import torch

from diagnosis.arithmetic import HABITS, Arithmetic
from diagnosis.chips import Chip
from diagnosis.products import Recipe
from diagnosis.rounding import FORMATS

_ORDERS = ["kernel", "exact", "split", "blocks", "truncated blocks", "sequential"]


class Draw:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def pick(self, rows: List[Any]) -> Any:
        return rows[int(self.rng.integers(len(rows)))]

    def product(self, inputs: str = "float32", **more: Any) -> Recipe:
        return Recipe(
            inputs=FORMATS[inputs],
            order=self.pick(_ORDERS),
            parts=self.pick([2, 3, 4]),
            bias=self.pick(["kept", "kept", "first", "rounded"]),
            convolution=self.pick(["matrix", "matrix", "winograd"]),
            bias_sum=self.pick(["vector", "rounded"]),
        )._replace(**more)

    def of_float32(self, name: str, product: Recipe) -> Arithmetic:
        """Vector ops in float32, in some order."""
        return Arithmetic(
            name, product, vector=self.pick(["kernel", "exact", "steps", "steps"]),
            sums=self.pick(["tree", "blocks", "sequential", "wide"]), ties=self.pick(["first", "first", "last"]),
            habits=tuple(self.pick([[], [], HABITS, *([habit] for habit in HABITS)])))

    def stepwise(self, name: str, product: Recipe, number_format: str, stored: bool) -> Arithmetic:
        return Arithmetic(
            name, product, vector="steps", vector_format=FORMATS[number_format],
            sums=self.pick(["tree", "wide", "wide"]), outputs=FORMATS[number_format] if stored else None)


def _narrow(name: str, *formats: str) -> Callable[[Draw], Arithmetic]:
    return lambda d: d.of_float32(name, d.product(d.pick(list(formats))))


CLASSES: Dict[str, Callable[[Draw], Arithmetic]] = {
    "fp32": _narrow("fp32", "float32"),
    "tf32": _narrow("tf32", "tf32", "tf32 truncated"),
    "hf32": _narrow("hf32", "hf32", "hf32 truncated"),
    "fp16 inputs": _narrow("fp16 inputs", "float16", "float16", "float16 flushed"),
    "bf16 inputs": _narrow("bf16 inputs", "bfloat16"),
    "fp16 products": lambda d: d.of_float32("fp16 products", d.product("float16", result=FORMATS["float16"])),
    "fp16 vector": lambda d: d.stepwise("fp16 vector", d.product("float16"), "float16", stored=False),
    "bf16 vector": lambda d: d.stepwise("bf16 vector", d.product("bfloat16"), "bfloat16", stored=False),
    "fp16 throughout": lambda d: d.stepwise(
        "fp16 throughout", d.product("float16", result=FORMATS["float16"]), "float16", stored=True),
    "fp16 sums": lambda d: d.stepwise(
        "fp16 sums",
        d.product("float16", order="blocks", accumulator="float16", result=FORMATS["float16"], convolution="matrix"),
        "float16", stored=True),
    "bf16 throughout": lambda d: d.stepwise(
        "bf16 throughout", d.product("bfloat16", result=FORMATS["bfloat16"]), "bfloat16", stored=True),
    "int8 products": _narrow("int8 products", "int8"),
}

# How often each is drawn for programs in float32.
_SHARES = {
    "fp32": 5, "tf32": 2, "hf32": 2, "fp16 inputs": 4, "bf16 inputs": 2, "fp16 products": 2, "fp16 vector": 2, "bf16 vector": 1,
    "fp16 throughout": 2, "fp16 sums": 1, "bf16 throughout": 1, "int8 products": 1,
}


def draw_golden(rng: np.random.Generator) -> Arithmetic:
    """Float32, or float32 sums of low inputs, in the order of a CPU or of some GPU."""
    draw = Draw(rng)
    order = draw.pick(["kernel", "kernel", "split", "blocks"])
    return Arithmetic("fp32", Recipe(order=order), vector=draw.pick(["kernel", "kernel", "exact", "steps"]))


def draw_arithmetic(rng: np.random.Generator, low: Optional[torch.dtype]) -> Any:
    """An Arithmetic, or an emulated Chip."""
    draw = Draw(rng)
    if low != torch.bfloat16 and rng.random() < 0.12:
        return Chip(draw.pick(["910A", "910B", "950"]))
    if low is not None:
        short = "fp16" if low == torch.float16 else "bf16"
        if rng.random() < 0.25:
            wide = "float16" if low == torch.float16 else "bfloat16"
            return draw.stepwise(f"{short} autocast, {short} vector", draw.product(wide), wide, stored=False)
        return draw.of_float32(f"{short} autocast", draw.product("float32"))
    names = [name for name, share in _SHARES.items() for _ in range(share)]
    return CLASSES[draw.pick(names)](draw)
