"""npuscope compare of a step that is written in other ops, recorded by PyTorch: what is the same passes, what is not is found."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Tuple

import npuscope.torch as nt
import torch
from compared import compared
from torch.nn import functional as F

NOTE = "so tensors were paired by what they hold as well"


def step(bias_apart: bool = False, contiguous: bool = False, gelu: str = "none", moved: bool = False) -> None:
    """A convolution, three linear layers, a loss and their gradients: images [6,3,8,8] to 5 classes."""
    torch.manual_seed(7)
    images, labels = torch.randn(6, 3, 8, 8), torch.randint(0, 5, (6,))
    parameters = [torch.randn(shape) * 0.3 for shape in ((8, 3, 3, 3), (8,), (12, 8), (12,), (10, 12), (10,), (5, 10), (5,))]
    for each in parameters:
        each.requires_grad_()
    weight, bias, *rest = parameters
    if bias_apart:
        x = F.conv2d(images, weight, padding=1) + bias.view(1, -1, 1, 1)
    else:
        x = F.conv2d(images, weight, bias, padding=1)
    x = F.relu(x).mean((2, 3))
    for place in range(0, 6, 2):
        matrix, vector = rest[place], rest[place + 1]
        x = torch.addmm(vector, x, matrix.t().contiguous()) if contiguous else torch.addmm(vector, x, matrix.t())
        if moved and place == 2:
            x = torch.roll(x, 3, 1)
        if place < 4:
            x = F.gelu(x, approximate=gelu if place == 2 else "none")
    F.cross_entropy(x, labels).backward()


class SecondLook(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.golden = cls.record("golden")

    @classmethod
    def record(cls, name: str, **how: Any) -> Path:
        with contextlib.redirect_stderr(io.StringIO()), nt.dumper(use_dump=True, dump_path=cls.folder / f"{name}.h5") as dump:
            step(**how)
        return Path(dump.summary.path)

    def compared(self, name: str, *words: str, **how: Any) -> Tuple[int, Dict[str, Any]]:
        target = self.record(name, **how)
        code, _, report = compared(target, self.golden, *words)
        told = any(NOTE in note for note in report.get("notes", []))
        self.assertEqual(told, NOTE in report["stderr"])
        return code, {**report, "second": told}

    def test_a_bias_that_is_added_apart_is_no_finding(self) -> None:
        code, report = self.compared("apart", bias_apart=True)
        self.assertEqual((code, report["culprits"]), (0, []))
        code, report = self.compared("by_names", "--no-align", bias_apart=True)
        self.assertEqual((code, report["second"]), (0, False))

    def test_gradients_that_lie_transposed_are_no_finding(self) -> None:
        code, report = self.compared("transposed", contiguous=True)
        self.assertEqual((code, report["culprits"]), (0, []))

    def test_what_is_wrong_beside_it_is_found(self) -> None:
        code, report = self.compared("gelu", bias_apart=True, contiguous=True, gelu="tanh")
        self.assertEqual((code, report["first_culprit"]["kind"], report["first_culprit"]["path"].split("/")[1]), (1, "op", "gelu"))

    def test_an_op_that_moves_elements_is_a_parting(self) -> None:
        for more in ({}, {"bias_apart": True}):
            with self.subTest(**more):
                code, report = self.compared("moved" + "".join(more), moved=True, **more)
                self.assertEqual(code, 1)
                self.assertIn("roll", json.dumps([parting["only_target"] for parting in report["partings"]]))

    def test_the_same_step_needs_none(self) -> None:
        code, report = self.compared("same")
        self.assertEqual((code, report["second"], report["partings"]), (0, False, []))


if __name__ == "__main__":
    unittest.main()
