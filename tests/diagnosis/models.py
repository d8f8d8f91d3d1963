"""Small random programs: convolutional, fully connected, attention and recurrent networks."""

from __future__ import annotations

import math
from typing import Any, Dict, Type

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from diagnosis.program import Program


class Cnn(Program):
    kind = "cnn"

    def build(self) -> None:
        self.classes = self.pick([5, 10])
        batch, side, channels = self.pick([2, 4]), self.pick([8, 10, 12]), self.pick([2, 3])
        width, self.blocks = self.pick([8, 12, 16]), self.pick([2, 3])
        self.training = self.pick([True, True, False])
        self.pool = self.pick(["max", "max overlapping", "average"])
        self.residual = self.pick([True, False])
        self.act = self.pick(["relu", "relu", "silu", "leaky relu", "hardswish"])
        self.norm = self.pick(["batch", "batch", "batch", "group"])
        # Each block but the first: kernel, stride, groups.
        self.shapes = [(3, 1, 1)] + [
            self.pick([(3, 1, 1), (3, 1, 1), (1, 1, 1), (3, 2, 1), (3, 1, 4), (3, 1, width)]) for _ in range(self.blocks - 1)]
        self.constant("x", self.images(batch, channels, side, side))
        self.constant("y", self.rng.integers(0, self.classes, batch))
        bias = self.pick([True, False])
        for i, (kernel, _, groups) in enumerate(self.shapes):
            inputs = channels if i == 0 else width
            self.parameter(f"conv{i}.weight", width, inputs // groups, kernel, kernel)
            if bias:
                self.make_bias(f"conv{i}", width)
            self.make_norm(f"bn{i}", width)
            self.constant(f"bn{i}.running_mean", 0.2 * self.rng.standard_normal(width))
            self.constant(f"bn{i}.running_var", 0.5 + self.rng.random(width))
        self.up = self.pick(["none", "none", "none", "nearest", "bilinear", "transposed"])
        if self.up == "transposed":
            self.parameter("up.weight", width, width, 2, 2)
        self.joined = self.pick([True, False])
        self.make_linear("head", width * (2 if self.up != "none" and self.joined else 1), self.classes)

    def _conv(self, i: int, x: Tensor) -> Tensor:
        weight, bias = self.given[f"conv{i}.weight"], self.given.get(f"conv{i}.bias")
        if self.without_bias == f"conv{i}":
            bias = None
        kernel, stride, groups = self.shapes[i]
        return F.conv2d(self.cast(x), self.cast(weight), None if bias is None else self.cast(bias),
                        stride=stride, padding=kernel // 2, groups=groups)

    def _norm(self, i: int, x: Tensor) -> Tensor:
        g = self.given
        if self.norm == "group":
            return F.group_norm(self.wide(x), 4, g[f"bn{i}.weight"], g[f"bn{i}.bias"])
        return torch.batch_norm(
            x, g[f"bn{i}.weight"], g[f"bn{i}.bias"], g[f"bn{i}.running_mean"], g[f"bn{i}.running_var"],
            self.training, 0.1, 1e-5, False)

    def _pool(self, x: Tensor) -> Tensor:
        if self.pool == "max overlapping":
            return F.max_pool2d(x, 3, 2, 1)
        return F.max_pool2d(x, 2) if self.pool == "max" else F.avg_pool2d(x, 2)

    def loss(self) -> Tensor:
        x = self.given["x"]
        for i in range(self.blocks):
            before = x
            x = self.part(f"conv{i}", lambda x, i=i: self._conv(i, x), x)
            x = self.part(f"bn{i}", lambda x, i=i: self._norm(i, x), x)
            if self.residual and i > 0 and before.shape == x.shape:
                x = x + before.to(x.dtype)
            x = self.part(f"act{i}", self.activation(self.act), x)
            if i == 0:
                x = self.part(f"pool{i}", self._pool, x)
        if self.up != "none":
            y = self.part("up", self._upwards, x)
            x = torch.cat([y, y.tanh()], 1) if self.joined else y
        x = self.part("mean", lambda x: x.mean((2, 3)), x)
        x = self.linear("head", x)
        return F.cross_entropy(self.wide(x), self.given["y"])

    def _upwards(self, x: Tensor) -> Tensor:
        if self.up == "transposed":
            return F.conv_transpose2d(self.cast(x), self.cast(self.given["up.weight"]), stride=2)
        if self.up == "bilinear":
            return F.interpolate(self.wide(x), scale_factor=2, mode="bilinear", align_corners=False)
        return F.interpolate(x, scale_factor=2)


class Mlp(Program):
    kind = "mlp"

    def build(self) -> None:
        batch, inputs = self.pick([4, 8, 16]), self.pick([12, 24, 200])
        width = self.pick([16, 24, 32, 96])
        self.depth = self.pick([2, 3, 4])
        self.outputs = self.pick([4, 10])
        self.target = self.pick(["squares", "classes", "distances", "yes or no"])
        self.acts = [self.pick(["relu", "gelu", "tanh", "silu", "gelu tanh", "sigmoid", "softplus", "elu"])
                     for _ in range(self.depth)]
        self.norm = self.pick(["layer", "layer", "rms", "none"])
        self.dropout = self.pick([0.0, 0.0, 0.0, 0.25])
        self.constant("x", self.images(batch, inputs))
        shape = (batch, self.outputs)
        self.constant("y", {
            "classes": lambda: self.rng.integers(0, self.outputs, batch),
            "yes or no": lambda: self.rng.integers(0, 2, shape).astype("f4"),
        }.get(self.target, lambda: self.rng.standard_normal(shape))())
        for i in range(self.depth):
            self.make_linear(f"fc{i}", inputs if i == 0 else width, width)
            if self.norm == "layer":
                self.make_norm(f"ln{i}", width)
            elif self.norm == "rms":
                self.make_rms_norm(f"ln{i}", width)
        self.make_linear("head", width, self.outputs)

    def loss(self) -> Tensor:
        x = self.given["x"]
        for i in range(self.depth):
            x = self.linear(f"fc{i}", x)
            if self.norm != "none":
                x = self.layer_norm(f"ln{i}", x) if self.norm == "layer" else self.rms_norm(f"ln{i}", x)
            x = self.part(f"act{i}", self.activation(self.acts[i]), x)
            if self.dropout and i == 0:
                x = self.part("dropout", lambda x: F.dropout(x, self.dropout), x)
        x = self.wide(self.linear("head", x))
        return {
            "squares": F.mse_loss, "classes": F.cross_entropy, "distances": F.smooth_l1_loss,
            "yes or no": F.binary_cross_entropy_with_logits,
        }[self.target](x, self.given["y"])


class Transformer(Program):
    kind = "transformer"

    def build(self) -> None:
        self.batch, self.length = self.pick([1, 2]), self.pick([6, 8, 12])
        self.width, self.heads = self.pick([16, 24, 32]), self.pick([2, 4])
        self.words, self.depth = self.pick([11, 20]), self.pick([1, 2])
        self.act = self.pick(["gelu", "relu", "gelu tanh"])
        self.mask = self.pick(["fill", "add", "first", "none"])
        self.tied = self.pick([True, False, False])
        self.sharpness = self.pick([1.0, 1.0, 6.0])
        self.rms = self.pick([True, False, False])
        make_norm = self.make_rms_norm if self.rms else self.make_norm
        self.constant("x", self.rng.integers(0, self.words, (self.batch, self.length)))
        answers = self.rng.integers(0, self.words, (self.batch, self.length))
        if self.pick([True, False]):
            answers[:, -1] = -100  # not counted
        self.constant("y", answers)
        self.parameter("embedding", self.words, self.width, spread=1.0)
        self.parameter("places", self.length, self.width, spread=0.3)
        hidden = np.triu(np.ones((self.length, self.length), bool), 1)
        self.constant("mask", hidden if self.mask == "fill" else np.where(hidden, -1e4, 0.0))
        for i in range(self.depth):
            for name in ("q", "k", "v", "o"):
                self.make_linear(f"{i}.{name}", self.width, self.width)
            self.make_linear(f"{i}.up", self.width, 2 * self.width)
            self.make_linear(f"{i}.down", 2 * self.width, self.width)
            make_norm(f"{i}.ln1", self.width)
            make_norm(f"{i}.ln2", self.width)
        make_norm("ln", self.width)
        if not self.tied:
            self.make_linear("head", self.width, self.words)

    def _norm(self, name: str, x: Tensor) -> Tensor:
        return self.rms_norm(name, x) if self.rms else self.layer_norm(name, x)

    def _split(self, x: Tensor) -> Tensor:
        return x.reshape(self.batch, self.length, self.heads, -1).transpose(1, 2)

    def _attention(self, i: int, x: Tensor) -> Tensor:
        q, k, v = (self._split(self.linear(f"{i}.{name}", x)) for name in ("q", "k", "v"))
        scale = self.sharpness / math.sqrt(q.shape[-1])
        if self.mask == "first":
            mask = self.cast(self.given["mask"]).expand(q.shape[0] * q.shape[1], -1, -1)
            keys = k.flatten(0, 1).transpose(1, 2)
            scores = self.part(f"{i}.scores", lambda q: torch.baddbmm(mask, q.flatten(0, 1), keys, alpha=scale), q)
            scores = self.wide(scores.reshape(q.shape[:3] + (-1,)))
        else:
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
        x = self._norm("ln", x)
        if self.tied:
            x = self.part("head", lambda x: F.linear(self.cast(x), self.cast(given["embedding"])), x)
        else:
            x = self.linear("head", x)
        return F.cross_entropy(self.wide(x).reshape(-1, self.words), given["y"].reshape(-1))


class Rnn(Program):
    kind = "rnn"

    def build(self) -> None:
        self.cell = self.pick(["plain", "gru", "lstm", "library gru", "library lstm"])
        self.batch, self.steps = self.pick([2, 4]), self.pick([3, 4])
        inputs, self.width, self.classes = self.pick([6, 10]), self.pick([12, 16, 24]), self.pick([4, 7])
        gates = {"plain": 1, "gru": 3, "lstm": 4}[self.cell.split()[-1]]
        self.constant("x", self.images(self.steps, self.batch, inputs))
        self.constant("y", self.rng.integers(0, self.classes, self.batch))
        zero = self.pick([True, False])
        self.constant("h", np.zeros((self.batch, self.width)) if zero else
                      0.3 * self.rng.standard_normal((self.batch, self.width)))
        self.constant("c", np.zeros((self.batch, self.width)))
        self.make_linear("in", inputs, gates * self.width)
        self.make_linear("state", self.width, gates * self.width)
        self.make_linear("head", self.width, self.classes)

    def _library_cell(self, x: Tensor, h: Tensor, c: Tensor) -> Any:
        rows = [self.cast(self.given[name]) for name in ("in.weight", "state.weight", "in.bias", "state.bias")]
        if self.cell == "library gru":
            return torch.gru_cell(self.cast(x), self.cast(h), *rows), c
        return torch.lstm_cell(self.cast(x), (self.cast(h), self.cast(c)), *rows)

    def _cell(self, x: Tensor, h: Tensor, c: Tensor) -> Any:
        if self.cell.startswith("library"):
            return self._library_cell(x, h, c)
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


PROGRAMS: Dict[str, Type[Program]] = {row.kind: row for row in (Cnn, Mlp, Transformer, Rnn)}
