"""Load mode holds what a program was given (weights, buffers, its input) against the golden's."""

import contextlib
import io
import unittest

import torch
from torch import nn

import npuscope.torch as nt
from digits_models import SmallResNet, batch, seeded
from dumper_test import Folder


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 8, bias=False)
        self.norm = nn.BatchNorm1d(8)
        self.second = nn.Linear(8, 8, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.norm(self.first(x)))).sum(1)


class Given(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.golden = self.folder / "golden.h5"
        self.x = torch.linspace(-1, 1, 32).reshape(4, 8)
        self.model = seeded(Block, 3)
        with nt.dumper(use_dump=True, dump_path=self.golden):
            self.model(self.x).mean().backward()

    def load(self, model: nn.Module, x: torch.Tensor, chip: str = "") -> "nt.dumper":
        told = io.StringIO()
        on_chip = nt.npu(chip, quiet=True) if chip else contextlib.nullcontext()
        with contextlib.redirect_stderr(told), on_chip:
            with nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.path) as dump:
                model(x).mean().backward()
        self.told = told.getvalue()
        return dump

    def test_the_same_weights_and_input_differ_in_nothing(self) -> None:
        for chip in ("", "910A"):
            summary = self.load(seeded(Block, 3), self.x, chip).summary
            self.assertEqual((summary.given_differ, summary.first_given), (0, []), chip)
            self.assertNotIn("not the golden's", self.told)

    def test_a_training_step_of_a_whole_network_differs_in_nothing(self) -> None:
        images, labels = batch()
        golden = self.folder / "step.h5"
        for path, options in ((golden, {"use_dump": True}),
                              (self.path, {"use_load": True, "load_file_path": golden})):
            model = seeded(SmallResNet, 7)
            optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
            with nt.npu("910A", quiet=True) if path == self.path else contextlib.nullcontext():
                with nt.dumper(dump_path=path, **options) as dump:
                    nn.functional.cross_entropy(model(images), labels).backward()
                    optimizer.step()
        self.assertEqual(dump.summary.first_given, [])
        self.assertGreater(dump.summary.replaced_tensors, 50)

    def test_a_model_that_is_made_inside_the_block_differs_in_nothing(self) -> None:
        golden = self.folder / "made.h5"
        for path, options in ((golden, {"use_dump": True}),
                              (self.path, {"use_load": True, "load_file_path": golden})):
            garbage = [torch.full((64,), float(n)) for n in range(1, 50)]
            del garbage
            with nt.dumper(dump_path=path, **options) as dump:
                model = seeded(SmallResNet, 7)
                out = torch.empty(3)
                torch.add(torch.ones(3), torch.ones(3), out=out)
                model(batch()[0])
        self.assertEqual(dump.summary.first_given, [])

    def test_a_transposed_weight_is_named_with_its_module(self) -> None:
        other = seeded(Block, 3)
        other.second.weight.data = other.second.weight.data.t().contiguous()
        summary = self.load(other, self.x, "910A").summary
        self.assertGreaterEqual(summary.given_differ, 1)
        self.assertRegex(summary.first_given[0],
                         r"^/mm/\d+/input/mat2 \(second, .*given_test.py:\d+\) is not the golden's: "
                         r"it is its transpose$")
        self.assertIn(summary.first_given[0], self.told)

    def test_a_stale_buffer_is_named(self) -> None:
        other = seeded(Block, 3)
        other.norm.running_mean += 0.5
        (row,) = [r for r in self.load(other, self.x).summary.first_given if "running_mean" in r]
        self.assertIn("norm", row)

    def test_another_input_is_named(self) -> None:
        summary = self.load(seeded(Block, 3), self.x + 1).summary
        self.assertRegex(summary.first_given[0], r"^/mm/\d+/input/self \(first, ")


if __name__ == "__main__":
    unittest.main(verbosity=2)
