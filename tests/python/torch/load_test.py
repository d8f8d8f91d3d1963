"""Load mode of npuscope.torch.dumper: every op on the golden's inputs, the program's tensors untouched."""

import contextlib
import io
import os
import unittest
from typing import Any, Callable

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt
from digits_models import SmallResNet, batch, seeded
from dumper_test import Folder
from npuscope.torch.tensors import laid_out


class Load(Folder):
    def setUp(self) -> None:
        super().setUp()
        self.golden = self.folder / "golden.h5"

    def step(self, model: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        return loss

    def test_a_step_with_other_weights_computes_the_golden_step(self) -> None:
        images, labels = batch()
        with nt.dumper(use_dump=True, dump_path=self.golden):
            self.step(seeded(SmallResNet, 7), images, labels)
        other = seeded(SmallResNet, 8)
        images = images + 1
        before = {name: value.clone() for name, value in other.state_dict().items()}
        with nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.path) as dump:
            self.step(other, images, labels)
        self.assertEqual(dump.summary.unmatched, 0)
        result = npuscope.compare(self.path, self.golden, tolerance=0.0)
        self.assertTrue(result.load_mode)
        self.assertEqual(set(result.columns["verdict"]) - {"pass", "mistrusted"}, set(), result.text)
        for name, value in other.state_dict().items():
            if "num_batches" not in name:
                self.assertTrue(torch.equal(value, before[name]), name)
        self.assertIsNotNone(other.fc.weight.grad)

    def loaded(self, round: int, golden: Callable[[], Any], running: Callable[[], Any]) -> tuple:
        """What both give, the second in load mode, and the inputs that load mode gave the last op."""
        paths = [self.folder / f"{side}{round}.h5" for side in ("golden", "run")]
        with nt.dumper(use_dump=True, dump_path=paths[0]):
            expected = golden()
        given = []
        with nt.dumper(use_load=True, load_file_path=paths[0], dump_path=paths[1]) as dump:
            compute = dump._session.compute

            def watched(plan: Any, values: list, *rest: Any) -> Any:
                given[:] = values
                return compute(plan, values, *rest)

            dump._session.compute = watched
            found = running()
        return expected, found, given

    def test_inputs_have_the_golden_layout(self) -> None:
        x = torch.arange(24.0).reshape(4, 6)
        expanded = torch.ones(3, 1).expand(3, 5), torch.ones(()).expand(2, 2)
        for round, tensor in enumerate((x.t(), x[:, ::2], x[:, :1], *expanded, x)):
            ones = torch.ones(tensor.shape)
            _, _, (given, *_) = self.loaded(
                round, lambda: torch.cat([tensor, tensor + 1]), lambda: torch.cat([ones, ones + 1])
            )
            self.assertEqual(given[0].stride(), tensor.stride())
            self.assertTrue(torch.equal(given[0], tensor))
            _, _, (other, *_) = self.loaded(round + 10, tensor.exp, ones.exp)
            self.assertEqual(other.stride(), tensor.stride())
            self.assertTrue(torch.equal(other, tensor))

    def test_the_layout_of_inputs_is_in_the_facts(self) -> None:
        x = torch.arange(6.0).reshape(2, 3)
        by_columns = x.t().contiguous().t()
        with nt.dumper(use_dump=True, dump_path=self.golden):
            torch.mm(x, x.t())
            torch.cat([x, by_columns])
            x.sum().expand(4).exp()
        facts = {run.name: run.facts.get("strides") for run in npuscope.open_dump(self.golden).ops()}
        self.assertEqual(
            facts,
            {
                "mm": {"input/mat2": [1, 3]},
                "cat": {"input/tensors/tensors_1": [1, 2]},
                "sum": None,
                "exp": {"input/self": [0]},
            },
        )

    def test_a_product_with_a_transposed_weight_has_the_golden_bits(self) -> None:
        for round, (rows, inner, columns) in enumerate(((8, 64, 10), (33, 257, 65), (1, 300, 7))):
            x, weight, bias = torch.randn(rows, inner), torch.randn(columns, inner), torch.randn(columns)
            ones = torch.ones(columns), torch.ones(rows, inner), torch.ones(inner, columns)
            expected, found, _ = self.loaded(
                round, lambda: torch.addmm(bias, x, weight.t()), lambda: torch.addmm(*ones)
            )
            self.assertTrue(torch.equal(expected, found), (rows, inner, columns))

    def test_strides_that_cannot_be_are_not_taken(self) -> None:
        x = torch.tensor([[1.0, float("nan")], [1.0, 4.0]])
        for strides in ([1 << 40, 1], [0, 1], [1, 1], [1], [-1, 1]):
            self.assertIs(laid_out(x, strides), x)
        x[1, 1] = x[0, 1]
        self.assertEqual(laid_out(x, [0, 1]).stride(), (0, 1))
        self.assertIs(laid_out(x, [0, 1], written=True), x)
        self.assertEqual(laid_out(x, [1, 2], written=True).stride(), (1, 2))

    def test_use_dump_with_a_load_file_loads(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.golden):
            torch.tensor([1.0, 2.0]).exp()
        with nt.dumper(use_dump=True, load_file_path=self.golden, dump_path=self.path):
            y = torch.tensor([0.0, 0.0]).exp()
        np.testing.assert_allclose(y.numpy(), np.exp([1.0, 2.0]), rtol=1e-6)
        (run,) = npuscope.open_dump(self.path).ops()
        self.assertEqual(len(run.inputs), 0)
        self.assertEqual(run.seqid, npuscope.open_dump(self.golden).ops("exp")[0].seqid)

    def test_an_op_in_place_gives_the_golden_result_to_the_programs_tensor(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.golden):
            torch.tensor([1.0, -2.0]).relu_()
        x = torch.tensor([-5.0, 7.0])
        with nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.path):
            y = x.relu_()
        self.assertIs(y, x)
        self.assertEqual(x.tolist(), [1, 0])

    def test_numbers_and_lists_of_tensors_are_loaded(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.golden):
            torch.add(torch.ones(2), torch.ones(2), alpha=3)
            torch.cat([torch.ones(1), torch.full((1,), 2.0)])
        with nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.path):
            y = torch.add(torch.ones(2), torch.ones(2), alpha=5)
            z = torch.cat([torch.zeros(1), torch.zeros(1)])
        self.assertEqual((y.tolist(), z.tolist()), ([4, 4], [1, 2]))

    def test_mismatches_are_counted_and_the_first_ones_named(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.golden):
            torch.ones(2).exp()
        told = io.StringIO()
        x = torch.ones(3)
        with contextlib.redirect_stderr(told):
            with nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.path) as dump:
                for _ in range(12):
                    x.exp()
                x.tanh()
                torch.ones(2).exp()
        self.assertEqual(dump.summary.unmatched, 13)
        self.assertEqual(len(dump.summary.first_unmatched), 10)
        self.assertIn("float32 [3] here, float32 [2] in the golden", dump.summary.first_unmatched[0])
        self.assertIn("13 of 15 ops ran on their own data", told.getvalue())
        self.assertIn("and 3 more", told.getvalue())

    def test_a_file_without_any_counterpart_is_an_error(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.golden):
            torch.ones(2).exp()
        dump = nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.path, quiet=True)
        with self.assertRaisesRegex(npuscope.UsageError, "no op of this block has a counterpart"):
            with dump:
                torch.ones(3).exp()
        self.assertEqual(dump.summary.unmatched, dump.summary.ops_seen)
        with self.assertRaisesRegex(ValueError, "its own"):
            with nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.path):
                torch.ones(3).exp()
                raise ValueError("its own")

    def check_a_recording_of_a_gpu(self, tolerance: float) -> None:
        golden = f"{os.environ['NPUSCOPE_SOURCE_DIR']}/data/recordings/gpu_step_fp32.h5"
        recorded = npuscope.open_dump(golden).ops("convolution_backward")[0]
        given = recorded.inputs
        x = torch.zeros(given.describe("input").shape, requires_grad=True)
        weight = torch.zeros(given.describe("weight").shape, requires_grad=True)
        y = F.conv2d(x, weight, stride=given["stride"], padding=given["padding"])
        with nt.dumper(use_load=True, load_file_path=golden, dump_path=self.path, quiet=True) as d:
            y.backward(torch.zeros_like(y))
        self.assertGreaterEqual(d.summary.ops_written, 1)
        (run,) = npuscope.open_dump(self.path).ops("convolution_backward")
        for name in recorded.outputs.tensors():
            expected = recorded.outputs[name]
            largest = np.abs(expected).max()
            np.testing.assert_allclose(run.outputs[name], expected, atol=tolerance * largest, rtol=0)

    def test_a_recording_of_a_gpu_is_loaded_on_the_cpu(self) -> None:
        self.check_a_recording_of_a_gpu(2e-6)

    def test_a_recording_of_a_gpu_is_loaded_into_the_chip(self) -> None:
        with nt.npu("910A", quiet=True) as chip:
            self.check_a_recording_of_a_gpu(4e-3)
        self.assertIn("convolution_backward", chip.native)

    def test_rejects_a_load_file_that_is_missing_or_the_dump_itself(self) -> None:
        with self.assertRaisesRegex(npuscope.IoError, "none.h5"):
            with nt.dumper(
                use_load=True, load_file_path=self.folder / "none.h5", dump_path=self.path
            ):
                pass
        with nt.dumper(use_dump=True, dump_path=self.golden):
            torch.ones(2).exp()
        with self.assertRaisesRegex(npuscope.UsageError, "one file"):
            with nt.dumper(use_load=True, load_file_path=self.golden, dump_path=self.golden):
                pass
        torch.ones(2).exp()


if __name__ == "__main__":
    unittest.main()
