"""What small random programs have in common: one training step, the same on every build of one seed.

A program is made of parts; each is called through `part`, which names it for the recorder and lets a fault in the program edit it.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F


class Program:
    """low: dtype of autocast-like parts, None for float32 throughout. edits: part -> function(program, name, x, y)
    that gives what the part is to give in place of y."""

    kind = ""

    def __init__(self, seed: int, low: Optional[torch.dtype] = None) -> None:
        self.rng = np.random.default_rng([seed, 1])
        self.low = low
        self.given: Dict[str, Tensor] = {}
        self.trained: List[str] = []
        self.edits: Dict[str, Callable[..., Tensor]] = {}
        self.without_bias: Optional[str] = None
        self.skipped: Optional[str] = None
        self.parts: List[str] = []
        self.recorder: Any = None
        self.seed = seed
        self.optimizer = self.pick(["none", "none", "none", "none", "sgd", "adam"])
        self.clips = self.pick([False, False, True])
        self.fresh = self.pick([False, False, True])  # biases zero and norms one, as before any training
        self.loss_scale = 1.0 if low is None else self.pick([1.0, 128.0, 1024.0])
        self.build()

    def build(self) -> None:
        raise NotImplementedError

    def loss(self) -> Tensor:
        raise NotImplementedError

    # -- making ----------------------------------------------------------------------------------

    def pick(self, rows: Any) -> Any:
        return rows[int(self.rng.integers(len(rows)))]

    def parameter(self, name: str, *shape: int, around: float = 0.0, spread: Optional[float] = None) -> None:
        fan = math.prod(shape[1:]) if len(shape) > 1 else 1
        spread = (1.2 / math.sqrt(fan) if len(shape) > 1 else 0.15) if spread is None else spread
        data = around + spread * self.rng.standard_normal(shape)
        self.given[name] = torch.tensor(data, dtype=torch.float32)
        self.trained.append(name)

    def constant(self, name: str, data: Any) -> None:
        data = np.asarray(data)
        dtype = torch.float32 if data.dtype.kind == "f" else None
        self.given[name] = torch.tensor(data, dtype=dtype)

    # -- parts -----------------------------------------------------------------------------------

    def part(self, name: str, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        self.parts.append(name)
        if name == self.skipped:
            return x
        with self.recorder.part(name):
            y = function(x)
        edit = self.edits.get(name)
        if edit is not None:
            with self.recorder.part(name + " edited"):
                y = edit(self, x, y)
        return y

    def cast(self, x: Tensor) -> Tensor:
        return x if self.low is None or x.dtype == self.low else x.to(self.low)

    @staticmethod
    def wide(x: Tensor) -> Tensor:
        return x if x.dtype == torch.float32 else x.float()

    def linear(self, name: str, x: Tensor) -> Tensor:
        bias = self.given.get(name + ".bias")
        if self.without_bias == name:
            bias = None
        return self.part(
            name,
            lambda x: F.linear(self.cast(x), self.cast(self.given[name + ".weight"]),
                               None if bias is None else self.cast(bias)),
            x)

    def make_linear(self, name: str, inputs: int, outputs: int, bias: bool = True) -> None:
        self.parameter(name + ".weight", outputs, inputs)
        if bias:
            self.make_bias(name, outputs)

    def make_bias(self, name: str, width: int) -> None:
        self.parameter(name + ".bias", width, spread=0.0 if self.fresh else None)

    def make_norm(self, name: str, width: int) -> None:
        self.parameter(name + ".weight", width, around=1.0, spread=0.0 if self.fresh else None)
        self.make_bias(name, width)

    def images(self, *shape: int) -> np.ndarray:
        """Inputs: centred, or positive as pixels are, of different sizes."""
        data = self.rng.standard_normal(shape) if self.rng.random() < 0.7 else self.rng.random(shape)
        return data * self.pick([1.0, 1.0, 0.05, 6.0])

    def activation(self, kind: str) -> Callable[[Tensor], Tensor]:
        return {
            "relu": F.relu, "gelu": F.gelu, "tanh": torch.tanh, "silu": F.silu, "sigmoid": torch.sigmoid,
            "gelu tanh": lambda x: F.gelu(x, approximate="tanh"), "leaky relu": lambda x: F.leaky_relu(x, 0.1),
            "softplus": F.softplus, "elu": F.elu, "hardswish": F.hardswish,
        }[kind]

    def make_rms_norm(self, name: str, width: int) -> None:
        self.parameter(name + ".weight", width, around=1.0)

    def rms_norm(self, name: str, x: Tensor) -> Tensor:
        def norm(x: Tensor) -> Tensor:
            x = self.wide(x)
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.given[name + ".weight"]

        return self.part(name, norm, x)

    def layer_norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.given[name + ".weight"], self.given[name + ".bias"]
        return self.part(name, lambda x: F.layer_norm(self.wide(x), weight.shape, weight, bias), x)

    # -- running ---------------------------------------------------------------------------------

    def step(self, recorder: Any) -> None:
        """Forward, backward and what the optimizer does, under the recorder."""
        self.recorder = recorder
        self.parts = []
        leaves = [self.given[name].requires_grad_(True) for name in self.trained]
        recorder.name_given(self.given)
        torch.manual_seed(self.seed)
        with recorder:
            with recorder.part("loss"):
                loss = self.loss()
                if self.loss_scale != 1:
                    loss = loss * self.loss_scale
            with recorder.part("backward"):
                gradients = torch.autograd.grad(loss, leaves, allow_unused=True)
            with torch.no_grad(), recorder.part("optimizer"):
                self._update(leaves, gradients)

    def _update(self, leaves: List[Tensor], gradients: Any) -> None:
        if self.optimizer == "none":
            return
        if self.clips:
            present = [g for g in gradients if g is not None]
            total = torch.stack([g.norm() for g in present]).norm()
            factor = (1.0 / (total + 1e-6)).clamp(max=1.0)
            gradients = [None if g is None else g * factor for g in gradients]
        for leaf, gradient in zip(leaves, gradients):
            if gradient is None:
                continue
            if self.optimizer == "sgd":
                leaf.add_(gradient, alpha=-0.05)
                continue
            first, second = gradient * 0.1, torch.zeros_like(gradient)
            second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
            root = (second.sqrt() / math.sqrt(0.001)).add_(1e-8)
            leaf.addcdiv_(first, root, value=-0.01)
