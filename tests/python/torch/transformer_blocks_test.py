"""A training step of six blocks on every class of chip: nothing on the CPU, nothing accused, the loss as it is."""

import tempfile
import unittest
from pathlib import Path

import torch

import npuscope
import npuscope.torch as nt
from transformer_blocks import BLOCKS, batch_of, made, train_step

CHIPS = ("910A", "910B")


class Blocks(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def stepped(self, block, chip, path):
        """(loss, the chip's block or None, the watch) of a step that is dumped to `path`."""
        model = made(block)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        given = batch_of(block)
        with nt.dumper(use_dump=True, dump_path=path) if chip is None else nt.npu(chip, quiet=True) as device:
            if chip is None:
                return train_step(model, optimizer, *given), None, None
            with nt.watch(model) as seen, nt.dumper(use_dump=True, dump_path=path):
                loss = train_step(model, optimizer, *given)
            return loss, device, seen

    def check(self, block) -> None:
        golden = self.folder / "cpu.h5"
        expected, _, _ = self.stepped(block, None, golden)
        for chip in CHIPS:
            with self.subTest(chip=chip):
                target = self.folder / f"{chip}.h5"
                loss, device, seen = self.stepped(block, chip, target)
                self.assertEqual(device.fallbacks, {})
                self.assertEqual(seen.faults, [])
                # Of whole numbers and truths nothing is said.
                self.assertLess(seen.not_judged, 8)
                self.assertGreater(seen.judged, 100)
                self.assertAlmostEqual(loss, expected, delta=2e-2)
                result = npuscope.compare(target, golden, chip=chip)
                self.assertEqual(result.exit_code, 0, result.text)


for one in BLOCKS:
    setattr(Blocks, f"test_{one.__name__}", lambda self, block=one: self.check(block))


if __name__ == "__main__":
    unittest.main()
