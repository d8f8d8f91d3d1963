"""Recurrent layers in one op, as ONNX has them, and in the steps that a framework computes, with the ops' own argument
names. Gates of an LSTM: input, forget, cell, output in steps, input, output, forget, cell in ONNX; of a GRU: reset, update,
new in steps, update, reset, new in ONNX. Source of both: the operators' definitions in ONNX, PyTorch's documentation."""

from typing import Callable, List, NamedTuple, Tuple

import numpy as np
from plain_networks import Op, product

STEPS_TO_ONNX = {4: (0, 3, 1, 2), 3: (1, 0, 2)}


class Weights(NamedTuple):
    """Of a layer, in the steps' order: [gates * hidden, input], [gates * hidden, hidden], [gates * hidden] twice."""

    of_input: np.ndarray
    of_state: np.ndarray
    input_bias: np.ndarray
    state_bias: np.ndarray


class Steps:
    """The ops of a layer, one by one."""

    def __init__(self, spoiled: Callable[[str, int, np.ndarray], np.ndarray]) -> None:
        self.ops: List[Op] = []
        self.step = 0
        self.spoiled = spoiled

    def run(self, name: str, made: np.ndarray, /, **inputs: np.ndarray) -> np.ndarray:
        made = self.spoiled(name, self.step, made).astype("f4")
        self.ops.append((name, list(inputs.items()), made))
        return made

    def linear(self, x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return self.run("addmm", x @ weight.T + bias, self=bias, mat1=x, mat2=weight.T)

    def add(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return self.run("add_Tensor", one + other, self=one, other=other)

    def mul(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return self.run("mul_Tensor", one * other, self=one, other=other)

    def split(self, x: np.ndarray, count: int, axis: int) -> List[np.ndarray]:
        parts = np.split(x, count, axis)
        self.ops.append(("split_Tensor", [("self", x)], parts))
        return parts

    def sigmoid(self, x: np.ndarray) -> np.ndarray:
        return self.run("sigmoid", 1 / (1 + np.exp(-x)), self=x)

    def tanh(self, x: np.ndarray) -> np.ndarray:
        return self.run("tanh", np.tanh(x), self=x)


def lstm_step(steps: Steps, x: np.ndarray, h: np.ndarray, c: np.ndarray, w: Weights) -> Tuple[np.ndarray, np.ndarray]:
    i, f, g, o = steps.split(steps.add(x, steps.linear(h, w.of_state, w.state_bias)), 4, 1)
    i, f, g, o = steps.sigmoid(i), steps.sigmoid(f), steps.tanh(g), steps.sigmoid(o)
    c = steps.add(steps.mul(f, c), steps.mul(i, g))
    return steps.mul(o, steps.tanh(c)), c


def gru_step(steps: Steps, x: np.ndarray, h: np.ndarray, _: np.ndarray, w: Weights) -> Tuple[np.ndarray, np.ndarray]:
    of_state = steps.split(steps.linear(h, w.of_state, w.state_bias), 3, 1)
    of_input = steps.split(x, 3, 1)
    r, z = (steps.sigmoid(steps.add(of_input[k], of_state[k])) for k in range(2))
    n = steps.tanh(steps.add(of_input[2], steps.mul(r, of_state[2])))
    return steps.add(n, steps.mul(z, steps.run("sub_Tensor", h - n, self=h, other=n))), h


def unspoiled(_name: str, _step: int, made: np.ndarray) -> np.ndarray:
    return made


def layer(kind: str, x: np.ndarray, w: Weights, in_one: bool, spoiled=unspoiled) -> List[Op]:
    """An `LSTM` or a `GRU` over [steps, batch, input]; `spoiled` changes what an op of a step (from 0) makes."""
    steps = Steps(spoiled)
    hidden = w.of_state.shape[1]
    gates = w.of_state.shape[0] // hidden
    gated = steps.split(steps.linear(x.reshape(-1, x.shape[2]), w.of_input, w.input_bias), len(x), 0)
    h = c = np.zeros((x.shape[1], hidden), "f4")
    states = []
    for step, each in enumerate(gated):
        steps.step = step
        h, c = (lstm_step if kind == "LSTM" else gru_step)(steps, each, h, c, w)
        states.append(h)
    made = steps.run("stack", np.stack(states), **{f"tensors_{k}": state for k, state in enumerate(states)})
    if not in_one:
        return steps.ops
    in_order = [np.concatenate([np.split(each, gates)[k] for k in STEPS_TO_ONNX[gates]]) for each in w]
    inputs = [("X", x), ("W", in_order[0][None]), ("R", in_order[1][None]), ("B", np.concatenate(in_order[2:])[None])]
    return [(kind, inputs, made[:, None])]


def recurrent(kind: str, in_one: bool, other_weight: bool = False, spoiled=unspoiled, spoiled_layer: int = 1) -> List[Op]:
    """Two layers and a product; with another weight of the second one's state, or results `spoiled` in a layer."""
    chance = np.random.default_rng(7)
    x = chance.standard_normal((6, 3, 10)).astype("f4")
    gates = 4 if kind == "LSTM" else 3
    ops: List[Op] = []
    for number in range(2):
        shapes = ((gates * 8, x.shape[2]), (gates * 8, 8), (gates * 8,), (gates * 8,))
        weights = Weights(*((0.4 * chance.standard_normal(shape)).astype("f4") for shape in shapes))
        weights.of_state[3, 4] += other_weight and number == 1
        ops += layer(kind, x, weights, in_one, spoiled if number == spoiled_layer else unspoiled)
        x = ops[-1][2].reshape(6, 3, 8)
    rows = x.reshape(-1, 8)
    ops += product(rows, chance.standard_normal((8, 3)).astype("f4"), chance.standard_normal(3).astype("f4"))
    return [*ops, ("tanh", [("self", ops[-1][2])], np.tanh(ops[-1][2]))]
