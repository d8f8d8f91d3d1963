"""Pairs of dumps that are equal up to one op, whose results differ as a planted cause makes them differ."""

from pathlib import Path
from typing import Callable, Dict, List, Tuple

import h5py
import numpy as np

Op = Tuple[str, Dict[str, np.ndarray], Dict[str, np.ndarray]]
DTYPES = ("f4", "f2")


def write(path: Path, ops: List[Op], first: int = 1) -> None:
    with h5py.File(path, "w") as file:
        for number, (name, inputs, outputs) in enumerate(ops, first):
            for direction, tensors in (("input", inputs), ("output", outputs)):
                for argument, data in tensors.items():
                    dataset = file.create_dataset(f"{name}/{number}/{direction}/{argument}", data=data)
                    code = {"f4": 1, "f2": 10}[data.dtype.str[1:]]
                    for key, value in (("DeviceType", 0), ("DataType", code), ("FormatType", 0), ("Type", 0)):
                        dataset.attrs[key] = np.int32(value)
                    dataset.attrs["Stride"] = np.array([s // data.itemsize for s in data.strides], "i8")


def product(a: np.ndarray, b: np.ndarray, order: np.ndarray) -> np.ndarray:
    """a @ b, the terms of each element added in `order`, in float32, rounded once to the dtype of a."""
    total = np.zeros((a.shape[0], b.shape[1]), "f4")
    for k in order:
        total = total + a[:, k : k + 1].astype("f4") * b[k : k + 1].astype("f4")
    return total.astype(a.dtype)


def matrices(random: np.random.Generator, dtype: str) -> Tuple[np.ndarray, np.ndarray]:
    m, k, n = (int(random.choice(sizes)) for sizes in ((24, 48, 64, 96), (32, 100, 300), (16, 40, 64, 130)))
    scale = 10.0 ** random.uniform(-3, 2)
    return (random.standard_normal((m, k)) * scale).astype(dtype), random.standard_normal((k, n)).astype(dtype)


def garbage(random: np.random.Generator, count: int, dtype: str) -> np.ndarray:
    """What an allocator hands out: any bits, or zeros, or addresses and counters."""
    kind = random.integers(3)
    if kind == 0:
        return random.integers(0, 256, count * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)
    if kind == 1:
        return np.zeros(count, dtype)
    return np.resize(np.arange(0x7F3A00, 0x7F3A00 + count, dtype=np.uint64).view(dtype), count)


def order_of_addition(random, result, a, b, _dtype):
    order = random.permutation(a.shape[1])
    return product(a, b, order)


def uninitialised_tail(random, result, a, b, dtype):
    other = result.copy()
    if random.random() < 0.5:
        flat = other.reshape(-1)
        count = int(random.integers(8, max(9, flat.size // 3)))
        flat[-count:] = garbage(random, count, dtype)
    else:
        width = int(random.integers(1, max(2, other.shape[1] // 3)))
        other[:, -width:] = garbage(random, other.shape[0] * width, dtype).reshape(-1, width)
    return other


def whole_tile(random, result, a, b, dtype):
    """A block that another launch's data was left in: values like the others', not these."""
    other = result.copy()
    rows, columns = int(random.choice((8, 16))), int(random.choice((8, 16)))
    top = rows * int(random.integers(0, other.shape[0] // rows))
    left = columns * int(random.integers(0, max(1, other.shape[1] // columns)))
    block = other[top : top + rows, left : left + columns]
    block[...] = (random.permutation(result.reshape(-1))[: block.size].reshape(block.shape)).astype(dtype)
    return other


def random_op(random, result, a, b, dtype):
    return (result * (random.random(result.shape) < 0.5)).astype(dtype)


CAUSES: Dict[str, Callable] = {
    "order_of_addition": order_of_addition,
    "uninitialised_tail": uninitialised_tail,
    "whole_tile": whole_tile,
    "random_op": random_op,
}
RANDOM_OPS = ("native_dropout", "bernoulli", "rand_like", "normal_functional", "uniform")


def pair(folder: Path, cause: str, seed: int) -> Tuple[Path, Path, str]:
    """Both dumps, and the path of the op at fault. What follows it differs, too."""
    random = np.random.default_rng(seed)
    dtype = DTYPES[int(random.integers(2))]
    # Sums of few bits are exact in any order.
    while True:
        a, b = matrices(random, dtype)
        result = product(a, b, np.arange(a.shape[1]))
        other = CAUSES[cause](random, result, a, b, dtype)
        if other.tobytes() != result.tobytes():
            break
    name = str(random.choice(RANDOM_OPS)) if cause == "random_op" else "mm"
    runs = []
    for made in (result, other):
        before: List[Op] = [("relu", {"self": a}, {"result": np.maximum(a, 0)}) for _ in range(int(seed % 4))]
        with np.errstate(all="ignore"):
            after: List[Op] = [
                ("neg", {"self": made}, {"result": -made}),
                ("abs", {"self": -made}, {"result": np.abs(made)}),
                ("relu", {"self": a}, {"result": np.maximum(a, 0)}),
            ]
        runs.append([*before, (name, {"self": a, "mat2": b}, {"result": made}), *after])
    paths = folder / "a.h5", folder / "b.h5"
    for path, ops in zip(paths, runs):
        write(path, ops)
    return (*paths, f"/{name}/{seed % 4 + 1}")
