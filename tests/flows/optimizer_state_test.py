"""npuscope compare where one side updates all parameters at once and the other one after the other: a state that differs is named."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import npuscope.torch as nt
import torch
from compared import compared
from torch.nn import functional as F

BETA1, BETA2, STEPS, RATE, EPS = 0.9, 0.999, 5, 1e-2, 1e-8
BIAS_CORRECTION = (1 - BETA2 ** STEPS) ** 0.5

Tensors = List[torch.Tensor]


def adam_of_lists(parameters: Tensors, gradients: Tensors, means: Tensors, squares: Tensors) -> None:
    torch._foreach_mul_(means, BETA1)
    torch._foreach_add_(means, gradients, alpha=1 - BETA1)
    torch._foreach_mul_(squares, BETA2)
    torch._foreach_addcmul_(squares, gradients, gradients, 1 - BETA2)
    below = torch._foreach_sqrt(squares)
    torch._foreach_div_(below, BIAS_CORRECTION)
    torch._foreach_add_(below, EPS)
    torch._foreach_addcdiv_(parameters, means, below, -RATE / (1 - BETA1 ** STEPS))


def adam_in_a_loop(parameters: Tensors, gradients: Tensors, means: Tensors, squares: Tensors) -> None:
    for parameter, gradient, mean, square in zip(parameters, gradients, means, squares):
        mean.mul_(BETA1).add_(gradient, alpha=1 - BETA1)
        square.mul_(BETA2).addcmul_(gradient, gradient, value=1 - BETA2)
        below = (square.sqrt() / BIAS_CORRECTION).add_(EPS)
        parameter.addcdiv_(mean, below, value=-RATE / (1 - BETA1 ** STEPS))


def first_adam_of_lists(beta2: float) -> Callable[..., None]:
    """With a list of counters, as torch.optim keeps them; what divides is a list of its own."""
    def adam(parameters: Tensors, gradients: Tensors, means: Tensors, squares: Tensors) -> None:
        torch._foreach_add_([torch.zeros(()) for _ in parameters], 1)
        torch._foreach_mul_(means, BETA1)
        torch._foreach_add_(means, gradients, alpha=1 - BETA1)
        torch._foreach_mul_(squares, beta2)
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - beta2)
        below = torch._foreach_sqrt(squares)
        torch._foreach_div_(below, (1 - beta2) ** 0.5)
        torch._foreach_addcdiv_(parameters, means, torch._foreach_add(below, EPS), -RATE / (1 - BETA1))
    return adam


def first_adam_in_a_loop(parameters: Tensors, gradients: Tensors, means: Tensors, squares: Tensors) -> None:
    for parameter, gradient, mean, square in zip(parameters, gradients, means, squares):
        mean.mul_(BETA1).add_(gradient, alpha=1 - BETA1)
        square.mul_(BETA2).addcmul_(gradient, gradient, value=1 - BETA2)
        parameter.addcdiv_(mean, square.sqrt().div_((1 - BETA2) ** 0.5).add_(EPS), value=-RATE / (1 - BETA1))


def no_states(means: Tensors, squares: Tensors) -> None:
    for each in means + squares:
        each.zero_()


def record(path: Path, adam: Callable[..., None], change: Callable[[Tensors, Tensors], None] = lambda means, squares: None) -> Path:
    """Two linear layers, a loss, its gradients and Adam's fifth step. `change` gets the states before it."""
    generator = torch.Generator().manual_seed(3)
    parameters = [torch.randn(shape, generator=generator) * 0.3 for shape in ((12, 8), (12,), (5, 12), (5,))]
    means = [torch.randn(each.shape, generator=generator) * 0.02 for each in parameters]
    squares = [torch.rand(each.shape, generator=generator) * 1e-3 for each in parameters]
    x, labels = torch.randn(6, 8, generator=generator), torch.randint(0, 5, (6,), generator=generator)
    change(means, squares)
    for each in parameters:
        each.requires_grad_()
    with contextlib.redirect_stderr(io.StringIO()), nt.dumper(use_dump=True, dump_path=path) as dump:
        F.cross_entropy(F.linear(F.gelu(F.linear(x, *parameters[:2])), *parameters[2:]), labels).backward()
        with torch.no_grad():
            adam(parameters, [each.grad for each in parameters], means, squares)
    return Path(dump.summary.path)


class OptimizerState(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.golden = record(cls.folder / "golden.h5", adam_of_lists)

    def compared(self, name: str, *how: Any) -> Tuple[int, Dict[str, Any]]:
        target = record(self.folder / f"{name}.h5", adam_in_a_loop, *how)
        code, _, report = compared(target, self.golden)
        return code, report

    def test_the_same_states_are_no_finding(self) -> None:
        code, report = self.compared("same")
        self.assertEqual((code, report["culprits"]), (0, []))
        on_lists = [op for op in report["ops"] if op.get("golden", "").startswith("/_foreach_")]
        self.assertTrue(on_lists)
        self.assertTrue(all(not op.get("target", "").startswith("/_foreach_") for op in on_lists))

    def assert_named(self, report: Dict[str, Any], what: str, shape: Tuple[int, ...], ops_behind: str) -> None:
        first = report["culprits"][0]
        self.assertEqual(first["kind"], "tensor", first)
        self.assertIn("/mul__Tensor/", first["tensor"])
        self.assertIn(f"is not the golden's: {what}", first["why"])
        places = [op["path"] for op in report["ops"]]
        place = places.index(first["path"])
        tensors = {tensor["target"]: tensor for tensor in report["ops"][place]["tensors"]}
        self.assertEqual(tensors[first["tensor"]]["shape"], str(list(shape)).replace(" ", ""))
        self.assertTrue(places[place + 1].startswith(ops_behind), places[place + 1])

    def test_one_element_of_a_mean_is_named(self) -> None:
        def change(means: Tensors, squares: Tensors) -> None:
            means[2][1, 4] += 0.3
        code, report = self.compared("one", change)
        self.assertEqual(code, 1)
        self.assert_named(report, "one element of 60 differs, [1,4]", (5, 12), "/add__Tensor/")

    def test_a_mean_of_squares_that_is_half_as_large_is_named(self) -> None:
        def change(means: Tensors, squares: Tensors) -> None:
            squares[3] *= 0.5
        code, report = self.compared("half", change)
        self.assertEqual(code, 1)
        self.assert_named(report, "it is scaled by 0.5", (5,), "/addcmul_/")

    def of_first_step(self, name: str, beta2: float) -> Tuple[int, Dict[str, Any]]:
        golden = record(self.folder / "first.h5", first_adam_in_a_loop, no_states)
        code, _, report = compared(record(self.folder / f"{name}.h5", first_adam_of_lists(beta2), no_states), golden)
        return code, report

    def test_counters_of_the_first_step_are_no_finding(self) -> None:
        code, report = self.of_first_step("counted", BETA2)
        self.assertEqual((code, report["culprits"], report["partings"]), (0, [], []))

    def test_another_decay_is_told_by_what_it_leaves_behind(self) -> None:
        # Its first step moves parameters alike: the bias correction takes the factor out again.
        code, report = self.of_first_step("decay", 0.99)
        self.assertEqual(code, 1)
        self.assertIn("/_foreach_addcmul__Scalar/", report["first_culprit"]["path"])
        self.assertIn("called with other arguments: value 0.01, golden 0.001", report["first_culprit"]["why"])


if __name__ == "__main__":
    unittest.main()
