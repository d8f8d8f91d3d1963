"""Dumps that hold statistics in place of elements: read back, traced and judged as far as these carry."""

import contextlib
import unittest
from typing import Any

import torch
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt
from digits_models import SmallResNet, batch, seeded
from dumper_test import Folder


class Statistics(Folder):
    def recorded(self, side: str, chip: str = "", change: Any = None, **options: Any) -> Any:
        """A training step of a small network by its statistics; `change` is called with the model."""
        model = seeded(SmallResNet, 7)
        if change is not None:
            with torch.no_grad():
                change(model)
        images, labels = batch()
        path = self.folder / f"{side}{len(list(self.folder.iterdir()))}.h5"
        with nt.npu(chip) if chip else contextlib.nullcontext():
            with nt.dumper(use_dump=True, dump_path=path, statistics=True, **options):
                F.cross_entropy(model(images), labels).backward()
        return path

    def test_the_same_step_agrees(self) -> None:
        for options in ({}, {"inputs": False}):
            golden = self.recorded("golden", **options)
            result = npuscope.compare(self.recorded("target", **options), golden)
            self.assertEqual(result.exit_code, 0, result.text)
            self.assertFalse(result.load_mode)
            self.assertIn("statistics: max, min, mean and norm agree", " ".join(result.columns["rule"]))

    def test_a_chip_is_not_accused(self) -> None:
        result = npuscope.compare(self.recorded("chip", chip="910A"), self.recorded("golden"))
        self.assertEqual(set(result.columns["verdict"]) & {"fail"}, set(), result.text)
        self.assertEqual(result.exit_code, 0, result.text)

    def test_a_changed_weight_is_named(self) -> None:
        def change(model: Any) -> None:
            model.fc.weight.mul_(1.5)

        result = npuscope.compare(self.recorded("target", change=change), self.recorded("golden"))
        self.assertEqual(result.exit_code, 1)
        first = result.text.split("first culprit: ")[1].splitlines()[0]
        self.assertIn("/input/mat2 (fc", first)
        self.assertIn("is not the golden's: statistics:", " ".join(result.text.split()))
        self.assertNotIn("other findings", result.text)

    def test_a_changed_op_is_named(self) -> None:
        def change(model: Any) -> None:
            model.norm.eps = 0.5

        for options in ({}, {"inputs": False}):
            golden = self.recorded("golden", **options)
            result = npuscope.compare(self.recorded("target", change=change, **options), golden)
            self.assertEqual(result.exit_code, 1, result.text)
            first = result.text.split("first culprit: ")[1].splitlines()[0]
            self.assertIn("/native_batch_norm/", first)
            self.assertNotIn("other findings", result.text)


if __name__ == "__main__":
    unittest.main()
