"""npuscope.torch.watch: ops judged as they run, and two watches compared by what was found."""

import contextlib
import unittest

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt
from dumper_test import Folder


class DeepNet(nn.Module):
    """Convolutions, batch norms and ReLUs: small differences grow from layer to layer."""

    def __init__(self, without_relu=-1, eps=1e-5):
        super().__init__()
        self.without_relu = without_relu
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8, eps=eps))
            for _ in range(16)
        )
        self.fc = nn.Linear(8, 10)

    def forward(self, x):
        x = self.stem(x)
        for i, block in enumerate(self.blocks):
            x = block(x)
            if i != self.without_relu:
                x = F.relu(x)
        return self.fc(x.mean((2, 3)))


class NormalizedAttention(nn.Module):
    """PyTorch keeps the order of a permuted tensor's elements, and copies them before it multiplies."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.out = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(64, 3)

    def forward(self, x):
        q, k = (layer(x).reshape(2, 4, 2, 8).permute(0, 2, 1, 3) for layer in (self.q, self.k))
        scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        return self.out((scores.softmax(-1) @ q).flatten(1))


class Judged(Folder):
    def watched(self, name, chip, hook=None, change=None, **options):
        torch.manual_seed(0)
        model = DeepNet(**options)
        images, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 10, (8,))
        if change is not None:
            with torch.no_grad():
                change(model)
        with contextlib.ExitStack() as stack:
            if chip is not None:
                session = stack.enter_context(nt.npu(chip, quiet=True))
                if hook is not None:
                    stack.enter_context(session.hook("after_op", *hook))
            watch = stack.enter_context(nt.watch(model))
            F.cross_entropy(model(images), labels).backward()
            watch.gradients()
        watch.save(self.folder / name)
        return watch

    def compared(self, name):
        return npuscope.compare(self.folder / name, self.folder / "golden.npz")

    def test_a_healthy_deep_step_passes_on_every_chip(self) -> None:
        self.watched("golden.npz", None)
        for chip in ("910A", "310P", "910B", "A3", "950"):
            watch = self.watched("npu.npz", chip)
            self.assertEqual(watch.faults, [])
            self.assertGreater(watch.judged, 100)
            self.assertEqual(watch.not_judged, 0)
            result = self.compared("npu.npz")
            self.assertEqual(result.exit_code, 0, result.text)
            # Without what was found as it ran, many would fail.
            self.assertIn("inherited", result.columns["verdict"])
            strict = npuscope.compare(
                self.folder / "npu.npz", self.folder / "golden.npz", tolerance=4e-3
            )
            self.assertEqual(strict.exit_code, 1)

    def test_copies_that_only_move_elements_make_no_other_program(self) -> None:
        programs, copies = [], []
        for chip in (None, "910B"):
            torch.manual_seed(0)
            model = NormalizedAttention()
            with contextlib.ExitStack() as stack:
                if chip is not None:
                    stack.enter_context(nt.npu(chip, quiet=True))
                dump = self.folder / f"{chip}.h5"
                stack.enter_context(nt.dumper(use_dump=True, dump_path=dump))
                watch = stack.enter_context(nt.watch(model))
                model(torch.randn(2, 4, 16)).square().sum().backward()
                watch.gradients()
            programs.append([record.program for record in watch.records])
            copies.append(self.names(dump).count("clone"))
        self.assertGreater(copies[0], copies[1])
        self.assertEqual(programs[0], programs[1])

    def test_a_watch_without_a_chip_judges_nothing(self) -> None:
        watch = self.watched("golden.npz", None)
        self.assertEqual((watch.judged, watch.not_judged, watch.faults), (0, 0, []))
        self.assertFalse(any(record.honest for record in watch.records))
        self.assertTrue(any(record.program for record in watch.records))

    def test_the_op_at_fault_is_named_where_it_shows_first(self) -> None:
        self.watched("golden.npz", None)
        runs = []

        def shift(call):
            runs.append(1)
            if len(runs) == 5:
                call.outputs["result"] = np.asarray(call.outputs["result"]) * np.float32(1.01)

        watch = self.watched("npu.npz", "910A", hook=("convolution", shift))
        self.assertEqual(len(watch.faults), 1, watch.faults)
        self.assertIn("blocks.3.0", watch.faults[0])
        result = self.compared("npu.npz")
        self.assertEqual(result.exit_code, 1)
        self.assertIn("first culprit: 0/blocks.3.0/forward_output/0", result.text)
        self.assertIn("since the tensor before it: /convolution/", result.text)
        self.assertEqual(list(result.columns["verdict"]).count("fail"), 1, result.text)

    def test_overflow_is_a_fault(self) -> None:
        def large(model):
            model.stem.weight.mul_(1e6)

        watch = self.watched("npu.npz", "910A", change=large)
        self.assertIn("(stem): overflows", watch.faults[0])

    def test_another_program_is_not_excused(self) -> None:
        self.watched("golden.npz", None)
        self.watched("npu.npz", "910A", without_relu=5)
        result = self.compared("npu.npz")
        self.assertEqual(result.exit_code, 1)
        self.assertIn("first culprit: 0/blocks.6.0/forward_input/0", result.text)
        self.watched("npu.npz", "910A", eps=1e-2)
        self.assertEqual(self.compared("npu.npz").exit_code, 1)

    def test_another_weight_is_found_as_it_is(self) -> None:
        def other(model):
            model.blocks[7][0].weight.mul_(1.0001)

        self.watched("golden.npz", None)
        self.watched("npu.npz", "910A", change=other)
        result = self.compared("npu.npz")
        self.assertEqual(result.exit_code, 1)
        self.assertIn("first culprit: 0/blocks.7.0/parameter/weight", result.text)

    def test_what_nobody_judged_keeps_its_tolerance(self) -> None:
        self.watched("golden.npz", None)
        torch.manual_seed(0)
        model = DeepNet()
        images, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 10, (8,))
        with nt.npu("910A", quiet=True):
            watch = nt.watch(model)
            F.cross_entropy(model(images), labels).backward()
            watch.gradients()
            watch.close()
        watch.save(self.folder / "npu.npz")
        strict = npuscope.compare(self.folder / "npu.npz", self.folder / "golden.npz", tolerance=4e-3)
        self.assertEqual(strict.exit_code, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
