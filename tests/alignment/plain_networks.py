"""Small networks written down op by op with the ops' own argument names, so that each op can be computed again."""

from pathlib import Path
from typing import Collection, List, Sequence, Tuple, Union

import numpy as np
from recorder import Record, Side, Style

Op = Tuple[str, List[Tuple[str, np.ndarray]], Union[np.ndarray, List[np.ndarray]]]
NONE = frozenset()


def write(path: Path, ops: Sequence[Op]) -> Path:
    side = Side(Style())
    for name, inputs, output in ops:
        taken = [(argument, np.ascontiguousarray(each, "f4"), NONE) for argument, each in inputs]
        results = [(f"result{i}", each) for i, each in enumerate(output)] if isinstance(output, list) else [("out", output)]
        side.records.append(Record(name, taken, [(result, np.ascontiguousarray(each, "f4"), NONE) for result, each in results]))
    side.write(path)
    return path


def product(x: np.ndarray, w: np.ndarray, b: np.ndarray = None, apart: bool = False) -> List[Op]:
    """A matrix product with a bias, if there is one: in one op, or `apart` in two."""
    if b is None:
        return [("mm", [("self", x), ("mat2", w)], x @ w)]
    if not apart:
        return [("addmm", [("self", b), ("mat1", x), ("mat2", w)], x @ w + b)]
    return [*product(x, w), ("add_Tensor", [("self", x @ w), ("other", b)], x @ w + b)]


def mlp(
    without: Collection[int] = (), apart: Collection[int] = (), zero: Collection[int] = (), other: Collection[int] = (), layers: int = 12
) -> List[Op]:
    """Layers `without` a bias, with one added `apart`, with one that is all `zero`, with an`other` one."""
    chance = np.random.default_rng(0)
    x = chance.standard_normal((8, 16)).astype("f4")
    ops: List[Op] = []
    for i in range(layers):
        w = (chance.standard_normal((16, 16)) * 0.35).astype("f4")
        b = (chance.standard_normal(16) * 0.3).astype("f4")
        b = np.zeros_like(b) if i in zero else b + np.float32(0.2) * (np.arange(16) == 3) if i in other else b
        ops += product(x, w, None if i in without else b, i in apart)
        y = ops[-1][2]
        x = np.maximum(y, 0)
        ops.append(("relu", [("self", y)], x))
    return ops


def query_key_value(fused: bool, bias: bool = True, wrong_weight: bool = False) -> List[Op]:
    chance = np.random.default_rng(3)
    x = chance.standard_normal((6, 16)).astype("f4")
    weights = [chance.standard_normal((16, 16)).astype("f4") for _ in range(3)]
    biases = [chance.standard_normal(16).astype("f4") for _ in range(3)]
    if fused:
        w = np.concatenate(weights, 1)
        w[3, 20] += 0.5 if wrong_weight else 0
        ops = product(x, w, np.concatenate(biases) if bias else None)
        parts = np.split(ops[0][2], 3, 1)
    else:
        ops = [op for w, b in zip(weights, biases) for op in product(x, w, b)]
        parts = [op[2] for op in ops]
    return ops + [("exp", [("self", part)], np.exp(part)) for part in parts]


def convolved(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w).astype("f4")


def normalised(folded: bool, without: int = -1) -> List[Op]:
    """Convolutions with a batch norm, or with weights and a bias that it is folded into."""
    chance = np.random.default_rng(5)
    x = chance.standard_normal((2, 4, 8, 8)).astype("f4")
    ops: List[Op] = []
    for i in range(3):
        w = (chance.standard_normal((4, 4, 3, 3)) / 6).astype("f4")
        gain = (1 + 0.3 * chance.standard_normal(4)).astype("f4")
        bias, mean = (0.3 * chance.standard_normal((2, 4))).astype("f4")
        variance = (1 + 0.2 * chance.random(4)).astype("f4")
        scale = gain / np.sqrt(variance + 1e-5)
        if folded:
            kernel = w * scale[:, None, None, None]
            shift = bias - mean * scale
            y = convolved(x, kernel) + (0 if i == without else shift[:, None, None])
            ops.append(("convolution", [("input", x), ("weight", kernel)] + ([] if i == without else [("bias", shift)]), y))
        else:
            made = convolved(x, w)
            y = (made - mean[:, None, None]) * scale[:, None, None] + bias[:, None, None]
            given = [("input", made), ("weight", gain), ("bias", bias), ("running_mean", mean), ("running_var", variance)]
            ops += [("convolution", [("input", x), ("weight", w)], made), ("native_batch_norm", given, y)]
        x = np.maximum(y, 0)
        ops.append(("relu", [("self", y)], x))
    return ops
