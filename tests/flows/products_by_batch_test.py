"""The gradients of a layer as products of matrices, or batch by batch and then added, before or behind that of the bias."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared


class Recording:
    """Ops as a recorder writes them, numbered as they run."""

    def __init__(self, path):
        self.file = h5py.File(path, "w")
        self.seqid = 0

    def op(self, name, result, /, **inputs):
        self.seqid += 1
        group = self.file.create_group(f"{name}/{self.seqid}")
        for argument, value in inputs.items():
            group[f"input/{argument}"] = value
        group["output/result"] = np.asarray(result, "f4")
        return group["output/result"][()]


def in_bfloat16(x):
    """To the nearest number of bfloat16, as float32."""
    bits = np.float32(x).view("u4").astype("u8")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype("u4").view("f4")


def record(path, by_batch, factor=1.0):
    """Three layers' gradients; `factor` is what the second one's, added over the batch, is off by."""
    chance = np.random.default_rng(11)
    recording = Recording(path)
    given = chance.standard_normal((3, 7, 8)).astype("f4")
    given[1] = given[0]
    given[2] /= 10
    rounded = in_bfloat16 if by_batch else np.float32
    first = chance.standard_normal((8, 8)).astype("f4")
    made = rounded(given.reshape(21, 8)).astype("f8") @ rounded(first)
    g = recording.op("mm", made, self=given.reshape(21, 8), mat2=first).reshape(3, 7, 8)
    for _ in range(60):  # so that nearly all ops pair by their names
        g = recording.op("neg", -g, self=g)
    for layer in range(3):
        h = chance.standard_normal((3, 7, 8)).astype("f4")
        h[1] = -h[0] + h[1] / 4  # what the batches add cancels, and rounding is left
        weight = (chance.standard_normal((8, 8)) / 3).astype("f4")
        rows, flat = h.reshape(21, 8), g.reshape(21, 8)
        to_bias = {"self": g if by_batch else flat, "dim": np.array([0, 1] if by_batch else [0])}
        of_input = rounded(flat).astype("f8") @ rounded(weight).T
        of_weights = np.einsum("bik,bij->bkj", rounded(h).astype("f8"), rounded(g))
        if by_batch:
            recording.op("sum_dim_IntList", flat.sum(0), **to_bias)
            turned = np.ascontiguousarray(np.broadcast_to(weight.T, (3, 8, 8)))
            moved = recording.op("bmm", of_input.reshape(3, 7, 8), self=g, mat2=turned)
            each = recording.op("bmm", of_weights, self=np.ascontiguousarray(h.transpose(0, 2, 1)), mat2=g)
            added = each.sum(0) * np.float32(factor if layer == 1 else 1)
            step = recording.op("sum_dim_IntList", added, self=each, dim=np.array([0]))
        else:
            step = recording.op("mm", of_weights.sum(0), self=np.ascontiguousarray(rows.T), mat2=flat)
            moved = recording.op("mm", of_input, self=flat, mat2=np.ascontiguousarray(weight.T)).reshape(3, 7, 8)
            recording.op("sum_dim_IntList", flat.sum(0), **to_bias)
        recording.op("abs", np.abs(step), self=step)
        g = recording.op("tanh", np.tanh(moved), self=moved)
    recording.file.close()


class ProductsByBatch(InFolder):
    def verdict(self, **target):
        record(self.folder / "t.h5", True, **target)
        record(self.folder / "g.h5", False)
        return compared(self.folder / "t.h5", self.folder / "g.h5")[:2]

    def test_they_are_the_same_in_other_steps(self):
        self.assertEqual(self.verdict(), (0, None))

    def test_an_error_inside_is_told_at_the_op_that_makes_it(self):
        self.assertEqual(self.verdict(factor=1.02), (1, "/sum_dim_IntList/71"))


if __name__ == "__main__":
    unittest.main()
