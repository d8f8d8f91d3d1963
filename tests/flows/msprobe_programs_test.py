"""npuscope compare of msprobe's tensor dumps of two programs that differ a little: what is the same passes, what is not is named."""

import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Tuple

import torch
import torch.nn.functional as F
from compared import compared

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from msprobe_tree import Tree  # noqa: E402

ROWS, WIDTH, CLASSES, RATE = 6, 8, 5, 0.01


def record(folder: Path, order: str = "qkv", logs: bool = False, scale: float = 1, **loss: Any) -> Path:
    """Query, key and value of rows [6,8], attention, a head, a loss [], their gradients and a step on the head.

    `logs`: a product by 1 that nothing takes in; `scale`: of the loss, divided out of the gradient again.
    """
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(ROWS, WIDTH, generator=generator)
    weights = {name: torch.randn(WIDTH, WIDTH, generator=generator) * 0.4 for name in "qkv"}
    head = torch.randn(CLASSES, WIDTH, generator=generator) * 0.4
    labels = torch.randint(0, CLASSES, (ROWS,), generator=generator)
    momentum = torch.randn(CLASSES, WIDTH, generator=generator) * 0.01
    for each in (*weights.values(), head):
        each.requires_grad_()
    tree = Tree(folder)
    made = {name: tree.call("Functional.linear", x, weights[name]) for name in order}
    scores = tree.call("Torch.matmul", made["q"], made["k"].t())
    scores = tree.call("Tensor.__mul__", scores, WIDTH ** -0.5)
    x = tree.call("Torch.matmul", tree.call("Functional.softmax", scores, dim=-1), made["v"])
    logits = tree.call("Functional.linear", x, head)
    value = tree.call("Functional.cross_entropy", logits, labels, **loss)
    if logs:
        tree.call("Tensor.__mul__", value.detach(), 1.0)
    if scale != 1:
        value = tree.call("Tensor.__mul__", value, scale)
    value.backward()
    with torch.no_grad():
        gradient = head.grad
        if scale != 1:
            gradient = tree.call("Tensor.__mul__", gradient, 1 / scale)
        # Plain SGD with momentum: a product of the optimizer's beside those of the model.
        momentum = tree.call("Tensor.__mul__", momentum, 0.99)
        momentum = tree.call("Tensor.__add__", momentum, gradient)
        tree.call("Tensor.add_", head, momentum, alpha=-RATE)
    tree.write()
    return folder


class MsprobePrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.golden = record(cls.folder / "golden")

    def compared(self, name: str, **how: Any) -> Tuple[int, Dict[str, Any]]:
        target = record(self.folder / name, **how)
        code, _, report = compared(target, self.golden)
        return code, report

    def pairs(self, report: Dict[str, Any]) -> Dict[str, str]:
        return {op["path"]: op["golden"] for op in report["ops"] if op["path"] and op["golden"]}

    def test_one_call_more_shifts_no_other_pair(self) -> None:
        code, report = self.compared("logs", logs=True)
        self.assertEqual((code, report["culprits"]), (0, []))
        # The optimizer's product is the second on one side and the third on the other.
        self.assertEqual(self.pairs(report)["Tensor.__mul__.2.forward"], "Tensor.__mul__.1.forward")

    def test_calls_in_another_order_are_no_finding(self) -> None:
        code, report = self.compared("order", order="vkq")
        self.assertEqual((code, report["culprits"]), (0, []))

    def test_a_scaled_loss_is_told_in_a_line(self) -> None:
        code, report = self.compared("scale", scale=1024.0)
        self.assertEqual((code, report["culprits"]), (0, []))
        self.assertTrue(any("multiplies its loss by 1024" in note for note in report["notes"]), report["notes"])

    def test_an_argument_that_one_side_alone_gives_is_named_where_it_matters(self) -> None:
        code, report = self.compared("sum", reduction="sum")
        self.assertEqual(code, 1)
        first = report["culprits"][0]
        self.assertEqual((first["kind"], first["path"]), ("argument", "Functional.cross_entropy.0.forward"), first)
        self.assertIn("reduction sum, golden not given", first["why"])
        code, report = self.compared("mean", reduction="mean")
        self.assertEqual((code, report["culprits"]), (0, []))


if __name__ == "__main__":
    unittest.main()
