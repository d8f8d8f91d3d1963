"""The gradients of a layer as products of matrices, or batch by batch and then added, around that of the bias."""

import unittest

import numpy as np
from compared import InFolder, compared
from recording import Recording, in_bfloat16


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
    g = recording.op("mm", {"self": given.reshape(21, 8), "mat2": first}, result=np.float32(made)).reshape(3, 7, 8)
    for _ in range(60):  # so that nearly all ops pair by their names
        g = recording.op("neg", {"self": g}, result=-g)
    for layer in range(3):
        h = chance.standard_normal((3, 7, 8)).astype("f4")
        h[1] = -h[0] + h[1] / 4  # what the batches add cancels, and rounding is left
        weight = (chance.standard_normal((8, 8)) / 3).astype("f4")
        rows, flat = h.reshape(21, 8), g.reshape(21, 8)
        to_bias = {"self": g if by_batch else flat, "dim": np.array([0, 1] if by_batch else [0])}
        of_input = np.float32(rounded(flat).astype("f8") @ rounded(weight).T)
        of_weights = np.float32(np.einsum("bik,bij->bkj", rounded(h).astype("f8"), rounded(g)))
        if by_batch:
            recording.op("sum_dim_IntList", to_bias, result=flat.sum(0))
            turned = np.ascontiguousarray(np.broadcast_to(weight.T, (3, 8, 8)))
            moved = recording.op("bmm", {"self": g, "mat2": turned}, result=of_input.reshape(3, 7, 8))
            columns = np.ascontiguousarray(h.transpose(0, 2, 1))
            each = recording.op("bmm", {"self": columns, "mat2": g}, result=of_weights)
            added = each.sum(0) * np.float32(factor if layer == 1 else 1)
            step = recording.op("sum_dim_IntList", {"self": each, "dim": np.array([0])}, result=added)
        else:
            columns, turned = np.ascontiguousarray(rows.T), np.ascontiguousarray(weight.T)
            step = recording.op("mm", {"self": columns, "mat2": flat}, result=of_weights.sum(0))
            moved = recording.op("mm", {"self": flat, "mat2": turned}, result=of_input).reshape(3, 7, 8)
            recording.op("sum_dim_IntList", to_bias, result=flat.sum(0))
        recording.op("abs", {"self": step}, result=np.abs(step))
        g = recording.op("tanh", {"self": moved}, result=np.tanh(moved))
    recording.close()


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
