"""Small random programs: one training step each, the same on every build of one seed.

A program is made of parts; each is called through `part`, which names it for the recorder and lets a fault in the program edit it.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

KINDS = ("cnn", "mlp", "transformer", "rnn")


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
        self.optimizer = self.pick(["none", "none", "none", "sgd", "adam"])
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
            self.parameter(name + ".bias", outputs)

    def make_norm(self, name: str, width: int) -> None:
        self.parameter(name + ".weight", width, around=1.0)
        self.parameter(name + ".bias", width)

    def activation(self, kind: str) -> Callable[[Tensor], Tensor]:
        return {
            "relu": F.relu, "gelu": F.gelu, "tanh": torch.tanh, "silu": F.silu, "sigmoid": torch.sigmoid,
            "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
        }[kind]

    # -- running ---------------------------------------------------------------------------------

    def step(self, recorder: Any) -> None:
        """Forward, backward and what the optimizer does, under the recorder."""
        self.recorder = recorder
        self.parts = []
        leaves = [self.given[name].requires_grad_(True) for name in self.trained]
        recorder.name_given(self.given)
        with recorder:
            with recorder.part("loss"):
                loss = self.loss()
            with recorder.part("backward"):
                gradients = torch.autograd.grad(loss, leaves, allow_unused=True)
            with torch.no_grad(), recorder.part("optimizer"):
                self._update(leaves, gradients)

    def _update(self, leaves: List[Tensor], gradients: Any) -> None:
        if self.optimizer == "none":
            return
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


class Cnn(Program):
    kind = "cnn"

    def build(self) -> None:
        self.classes = self.pick([5, 10])
        batch, side, channels = self.pick([2, 4]), self.pick([8, 10, 12]), self.pick([2, 3])
        widths = [self.pick([8, 12, 16])] * self.pick([2, 3])
        self.blocks = len(widths)
        self.training = self.pick([True, True, False])
        self.pool = self.pick(["max", "average"])
        self.residual = self.pick([True, False])
        self.bias = self.pick([True, False])
        self.act = self.pick(["relu", "relu", "silu"])
        self.constant("x", self.rng.standard_normal((batch, channels, side, side)))
        self.constant("y", self.rng.integers(0, self.classes, batch))
        for i, width in enumerate(widths):
            inputs = channels if i == 0 else widths[i - 1]
            self.parameter(f"conv{i}.weight", width, inputs, 3, 3)
            if self.bias:
                self.parameter(f"conv{i}.bias", width)
            self.make_norm(f"bn{i}", width)
            self.constant(f"bn{i}.running_mean", 0.2 * self.rng.standard_normal(width))
            self.constant(f"bn{i}.running_var", 0.5 + self.rng.random(width))
        self.make_linear("head", widths[-1], self.classes)

    def _conv(self, i: int, x: Tensor) -> Tensor:
        weight, bias = self.given[f"conv{i}.weight"], self.given.get(f"conv{i}.bias")
        if self.without_bias == f"conv{i}":
            bias = None
        return F.conv2d(self.cast(x), self.cast(weight), None if bias is None else self.cast(bias), padding=1)

    def _norm(self, i: int, x: Tensor) -> Tensor:
        g = self.given
        return torch.batch_norm(
            x, g[f"bn{i}.weight"], g[f"bn{i}.bias"], g[f"bn{i}.running_mean"], g[f"bn{i}.running_var"],
            self.training, 0.1, 1e-5, False)

    def loss(self) -> Tensor:
        x = self.given["x"]
        for i in range(self.blocks):
            before = x
            x = self.part(f"conv{i}", lambda x, i=i: self._conv(i, x), x)
            x = self.part(f"bn{i}", lambda x, i=i: self._norm(i, x), x)
            if self.residual and i > 0 and before.shape == x.shape:
                x = x + self.cast(before)
            x = self.part(f"act{i}", self.activation(self.act), x)
            if i == 0:
                pool = F.max_pool2d if self.pool == "max" else F.avg_pool2d
                x = self.part(f"pool{i}", lambda x: pool(x, 2), x)
        x = self.part("mean", lambda x: x.mean((2, 3)), x)
        x = self.linear("head", x)
        return F.cross_entropy(self.wide(x), self.given["y"])


class Mlp(Program):
    kind = "mlp"

    def build(self) -> None:
        batch, inputs, width = self.pick([4, 8, 16]), self.pick([12, 24]), self.pick([16, 24, 32])
        self.depth = self.pick([2, 3, 4])
        self.outputs = self.pick([4, 10])
        self.regression = self.pick([True, False])
        self.acts = [self.pick(["relu", "gelu", "tanh", "silu", "gelu tanh", "sigmoid"]) for _ in range(self.depth)]
        self.norm = self.pick([True, False])
        self.constant("x", self.rng.standard_normal((batch, inputs)))
        shape = (batch, self.outputs)
        self.constant("y", self.rng.standard_normal(shape) if self.regression else
                      self.rng.integers(0, self.outputs, batch))
        for i in range(self.depth):
            self.make_linear(f"fc{i}", inputs if i == 0 else width, width)
            if self.norm:
                self.make_norm(f"ln{i}", width)
        self.make_linear("head", width, self.outputs)

    def loss(self) -> Tensor:
        x = self.given["x"]
        for i in range(self.depth):
            x = self.linear(f"fc{i}", x)
            if self.norm:
                weight, bias = self.given[f"ln{i}.weight"], self.given[f"ln{i}.bias"]
                x = self.part(f"ln{i}", lambda x: F.layer_norm(self.wide(x), weight.shape, weight, bias), x)
            x = self.part(f"act{i}", self.activation(self.acts[i]), x)
        x = self.wide(self.linear("head", x))
        if self.regression:
            return F.mse_loss(x, self.given["y"])
        return F.cross_entropy(x, self.given["y"])


class Transformer(Program):
    kind = "transformer"

    def build(self) -> None:
        self.batch, self.length = self.pick([1, 2]), self.pick([6, 8, 12])
        self.width, self.heads = self.pick([16, 24, 32]), self.pick([2, 4])
        self.words, self.depth = self.pick([11, 20]), self.pick([1, 2])
        self.act = self.pick(["gelu", "relu", "gelu tanh"])
        self.mask = self.pick(["fill", "add", "none"])
        self.sharpness = self.pick([1.0, 1.0, 6.0])
        self.constant("x", self.rng.integers(0, self.words, (self.batch, self.length)))
        self.constant("y", self.rng.integers(0, self.words, (self.batch, self.length)))
        self.parameter("embedding", self.words, self.width, spread=1.0)
        self.parameter("places", self.length, self.width, spread=0.3)
        hidden = np.triu(np.ones((self.length, self.length), bool), 1)
        self.constant("mask", hidden if self.mask == "fill" else np.where(hidden, -1e4, 0.0))
        for i in range(self.depth):
            for name in ("q", "k", "v", "o"):
                self.make_linear(f"{i}.{name}", self.width, self.width)
            self.make_linear(f"{i}.up", self.width, 2 * self.width)
            self.make_linear(f"{i}.down", 2 * self.width, self.width)
            self.make_norm(f"{i}.ln1", self.width)
            self.make_norm(f"{i}.ln2", self.width)
        self.make_norm("ln", self.width)
        self.make_linear("head", self.width, self.words)

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.given[name + ".weight"], self.given[name + ".bias"]
        return self.part(name, lambda x: F.layer_norm(self.wide(x), weight.shape, weight, bias), x)

    def _split(self, x: Tensor) -> Tensor:
        return x.reshape(self.batch, self.length, self.heads, -1).transpose(1, 2)

    def _attention(self, i: int, x: Tensor) -> Tensor:
        q, k, v = (self._split(self.linear(f"{i}.{name}", x)) for name in ("q", "k", "v"))
        scale = self.sharpness / math.sqrt(q.shape[-1])
        scores = self.part(f"{i}.scores", lambda q: self.wide(q @ k.transpose(-1, -2)) * scale, q)
        if self.mask == "fill":
            scores = self.part(f"{i}.mask", lambda s: s.masked_fill(self.given["mask"], -1e4), scores)
        elif self.mask == "add":
            scores = self.part(f"{i}.mask", lambda s: s + self.given["mask"], scores)
        share = self.part(f"{i}.softmax", lambda s: s.softmax(-1), scores)
        y = self.part(f"{i}.values", lambda p: self.cast(p) @ v, share)
        y = y.transpose(1, 2).reshape(self.batch, self.length, self.width)
        return self.linear(f"{i}.o", y)

    def loss(self) -> Tensor:
        given = self.given
        x = self.part("embedding", lambda x: F.embedding(x, given["embedding"]), given["x"])
        x = self.part("places", lambda x: x + given["places"], x)
        for i in range(self.depth):
            x = x + self._attention(i, self._norm(f"{i}.ln1", x))
            y = self.linear(f"{i}.up", self._norm(f"{i}.ln2", x))
            y = self.part(f"{i}.act", self.activation(self.act), y)
            x = x + self.linear(f"{i}.down", y)
        x = self.linear("head", self._norm("ln", x))
        return F.cross_entropy(self.wide(x).reshape(-1, self.words), given["y"].reshape(-1))


class Rnn(Program):
    kind = "rnn"

    def build(self) -> None:
        self.cell = self.pick(["plain", "gru", "lstm"])
        self.batch, self.steps = self.pick([2, 4]), self.pick([3, 4])
        inputs, self.width, self.classes = self.pick([6, 10]), self.pick([12, 16, 24]), self.pick([4, 7])
        gates = {"plain": 1, "gru": 3, "lstm": 4}[self.cell]
        self.constant("x", self.rng.standard_normal((self.steps, self.batch, inputs)))
        self.constant("y", self.rng.integers(0, self.classes, self.batch))
        zero = self.pick([True, False])
        self.constant("h", np.zeros((self.batch, self.width)) if zero else
                      0.3 * self.rng.standard_normal((self.batch, self.width)))
        self.constant("c", np.zeros((self.batch, self.width)))
        self.make_linear("in", inputs, gates * self.width)
        self.make_linear("state", self.width, gates * self.width)
        self.make_linear("head", self.width, self.classes)

    def _cell(self, x: Tensor, h: Tensor, c: Tensor) -> Any:
        given, state = self.linear("in", x), self.linear("state", h)
        if self.cell == "plain":
            return torch.tanh(given + state), c
        if self.cell == "gru":
            ir, iz, new = given.chunk(3, 1)
            hr, hz, hn = state.chunk(3, 1)
            r, z = torch.sigmoid(ir + hr), torch.sigmoid(iz + hz)
            candidate = torch.tanh(new + r * hn)
            return candidate + z * (h - candidate), c
        i, f, g, o = (given + state).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c

    def loss(self) -> Tensor:
        h, c = self.given["h"], self.given["c"]
        for t in range(self.steps):
            with self.recorder.part(f"cell{t}"):
                h, c = self._cell(self.given["x"][t], h, c)
        return F.cross_entropy(self.wide(self.linear("head", h)), self.given["y"])


def make_program(kind: str, seed: int, low: Optional[torch.dtype] = None) -> Program:
    return {"cnn": Cnn, "mlp": Mlp, "transformer": Transformer, "rnn": Rnn}[kind](seed, low)
