"""A sum or product that one program writes the other way round: `positions + x` for `x + positions`."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

BIN = Path(os.environ["NPUSCOPE_BIN_DIR"])
BATCH, TOKENS, WIDTH = 2, 5, 32


class Step:
    """Two layers with positions in between, which come `first` or not, as rows or as one batch of rows."""

    def __init__(self, first=False, is_batch=False, op="add_Tensor", shift=0.0):
        draw = np.random.default_rng(1)
        self.x, self.one, self.two, self.positions = (
            draw.normal(size=shape).astype(np.float32)
            for shape in [(BATCH * TOKENS, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (TOKENS, WIDTH)]
        )
        self.positions += np.float32(shift)
        self.first, self.is_batch, self.op = first, is_batch, op

    def product(self, x, weight):
        """The target's operands are in float16."""
        narrow = (lambda a: a.astype(np.float16).astype(np.float32)) if self.first else (lambda a: a)
        return (narrow(x).astype(np.float64) @ narrow(weight)).astype(np.float32)

    def write(self, path):
        with h5py.File(path, "w") as self.file:
            made = self.product(self.x, self.one)
            self.put("mm/1", {"self": self.x, "mat2": self.one}, made)
            rows = made.reshape(BATCH, TOKENS, WIDTH)
            positions = np.broadcast_to(self.positions, rows.shape).copy() if self.is_batch else self.positions
            if self.first and not self.is_batch:
                positions = positions[None]
            both = rows + positions if self.op == "add_Tensor" else rows * positions
            operands = (positions, rows) if self.first else (rows, positions)
            alpha = {"alpha": np.int64(1)} if self.op == "add_Tensor" else {}
            self.put(f"{self.op}/2", {"self": operands[0], "other": operands[1], **alpha}, both)
            flat = both.reshape(-1, WIDTH)
            self.put("mm/3", {"self": flat, "mat2": self.two}, self.product(flat, self.two))

    def put(self, op, inputs, result):
        for name, value in inputs.items():
            self.file[f"{op}/input/{name}"] = value
        self.file[f"{op}/output/result"] = result


class ExchangedOperands(unittest.TestCase):
    def compared(self, target, golden):
        with tempfile.TemporaryDirectory() as folder:
            target.write(f"{folder}/target.h5")
            golden.write(f"{folder}/golden.h5")
            words = [BIN / "npuscope", "compare", "-m", f"{folder}/target.h5", "-g", f"{folder}/golden.h5", "--json", "-q"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            return done.returncode, json.loads(done.stdout).get("first_culprit")

    def test_are_the_same_sum_or_product(self) -> None:
        for op in ("add_Tensor", "mul_Tensor"):
            for is_batch in (False, True):
                with self.subTest(op=op, is_batch=is_batch):
                    said = self.compared(Step(True, is_batch, op), Step(False, is_batch, op))
                    self.assertEqual(said, (0, None))

    def test_hide_no_other_tensor(self) -> None:
        for is_batch in (False, True):
            with self.subTest(is_batch=is_batch):
                code, culprit = self.compared(Step(True, is_batch, shift=0.5), Step(False, is_batch))
                self.assertEqual(code, 1)
                self.assertEqual(culprit["tensor"], "/add_Tensor/2/input/self")


if __name__ == "__main__":
    unittest.main()
