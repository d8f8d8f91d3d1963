"""npuscope.torch.npu: ops on the emulated chip, forward and backward, and what falls back."""

import contextlib
import io
import unittest

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt
from digits_models import SmallResNet, SmallTransformer, batch, seeded, train_step
from dumper_test import Folder


class OnTheChip(Folder):
    def test_a_product_has_the_bits_of_the_executor(self) -> None:
        bias, x, weight = torch.randn(3), torch.randn(4, 8), torch.randn(8, 3)
        expected = npuscope.ops.addmm(bias.numpy(), x.numpy(), weight.numpy())
        with nt.npu("910A") as chip:
            y = torch.addmm(bias, x, weight)
        np.testing.assert_array_equal(y.numpy(), expected)
        self.assertFalse(np.array_equal(torch.addmm(bias, x, weight).numpy(), expected))
        self.assertEqual(chip.native, {"addmm": 1})

    def test_backward_runs_there_too(self) -> None:
        x = torch.randn(4, 8)
        weight = torch.randn(8, 3, requires_grad=True)
        with nt.npu("910A") as chip:
            (x @ weight).sum().backward()
        self.assertEqual(chip.native["mm"], 2)
        half = x.half().float().sum(0, keepdim=True).T.expand(8, 3)
        np.testing.assert_allclose(weight.grad.numpy(), half.numpy(), rtol=2e-3, atol=1e-3)

    def test_views_in_place_ops_and_out_arguments_write_where_they_should(self) -> None:
        x = torch.arange(6.0).reshape(2, 3)
        out = torch.empty(0)
        with nt.npu("910A") as chip:
            x.t()[1].mul_(10)
            x.add_(1)
            torch.add(x, x, out=out)
        self.assertIn("add_out", chip.native)
        self.assertEqual(x.tolist(), [[1, 11, 3], [4, 41, 6]])
        self.assertEqual(out.tolist(), [[2, 22, 6], [8, 82, 12]])

    def test_one_seed_gives_the_same_random_numbers_as_without_the_block(self) -> None:
        def draw() -> list:
            torch.manual_seed(3)
            layer = nn.Linear(4, 2)
            kept = F.dropout(torch.ones(50), 0.5)
            noise = torch.rand_like(kept).bernoulli_(0.3)
            return [layer.weight.detach(), kept, noise, torch.randperm(9), torch.empty(5).normal_()]

        expected = draw()
        told = io.StringIO()
        with contextlib.redirect_stderr(told), nt.npu("910A") as chip:
            found = draw()
        for one, other in zip(found, expected):
            np.testing.assert_array_equal(one.numpy(), other.numpy())
        self.assertEqual((told.getvalue(), chip.fallbacks), ("", {}))
        self.assertIn("div__Scalar", chip.native)

    def test_running_statistics_move_as_pytorch_moves_them(self) -> None:
        images = torch.randn(6, 3, 4, 4) * 2 + 1
        norms = [nn.BatchNorm2d(3), nn.BatchNorm2d(3)]
        norms[0](images)
        with nt.npu("910A"):
            norms[1](images)
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            expected, found = (getattr(norm, name).numpy() for norm in norms)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=name)

    def test_networks_train_as_on_the_cpu_within_half_precision(self) -> None:
        images, labels = batch(16)
        for model_type in (SmallResNet, SmallTransformer):
            losses = []
            for chip in (False, True):
                model = seeded(model_type)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
                with nt.npu("910A", quiet=True) if chip else contextlib.nullcontext():
                    losses.append([train_step(model, optimizer, images, labels) for _ in range(6)])
            np.testing.assert_allclose(losses[1], losses[0], rtol=2e-2, err_msg=model_type.__name__)
            self.assertLess(losses[1][-1], losses[1][0])
            self.assertNotEqual(losses[0], losses[1])

    def test_half_training_runs_on_the_cpu_only_through_the_chip(self) -> None:
        layer, x = nn.Linear(8, 4).half(), torch.randn(5, 8).half()
        with nt.npu("910A", quiet=True):
            y = layer(x)
            y.float().sum().backward()
        exact = x.double() @ layer.weight.double().T + layer.bias.double()
        self.assertEqual((y.dtype, layer.weight.grad.dtype), (torch.float16, torch.float16))
        np.testing.assert_allclose(
            y.detach().double().numpy(), exact.detach().numpy(), rtol=2e-3, atol=2e-3
        )

    def test_indices_leave_out_dimensions(self) -> None:
        rows, columns = torch.tensor([1, 0, 1]), torch.tensor([2, 0])
        mask = torch.tensor([True, False, True])

        def run() -> list:
            x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
            parts = [x[:, rows], x[..., columns], x[:, :, columns], x[rows, :, rows], x[:, mask], x[:, rows[:, None], columns]]
            sum((i + 1) * part.square().sum() for i, part in enumerate(parts)).backward()
            written = x.detach().clone()
            written[:, rows] = -1.0
            torch.ops.aten.index_put_(written, [columns % 2, None, columns], torch.ones(2, 3), True)
            return [*parts, x.grad, written]

        expected = run()
        golden = self.folder / "golden.h5"
        with nt.dumper(use_dump=True, dump_path=golden):
            run()
        with nt.npu("910B", quiet=True) as device, nt.dumper(
            use_load=True, load_file_path=golden, dump_path=self.path
        ) as dump:
            made = run()
        self.assertEqual((dump.summary.unmatched, dump.summary.given_differ, device.fallbacks), (0, 0, {}))
        for own, other in zip(made, expected):
            torch.testing.assert_close(own, other, rtol=0, atol=0)
        self.assertEqual(npuscope.compare(self.path, golden, chip="910B").exit_code, 0)

    def test_float64_keeps_its_digits(self) -> None:
        x = torch.randn(5, dtype=torch.float64)
        with nt.npu("910A"):
            y = x * 0.1
        np.testing.assert_allclose(y.numpy(), x.numpy() * 0.1, rtol=1e-15)


class Fallback(Folder):
    def test_an_op_without_a_row_runs_on_the_cpu_and_is_named_once(self) -> None:
        x = torch.randn(3, 3)
        told = io.StringIO()
        with contextlib.redirect_stderr(told), nt.npu("910A") as chip:
            y = torch.linalg.matrix_exp(x)
            torch.linalg.matrix_exp(x)
        self.assertTrue(torch.equal(y, torch.linalg.matrix_exp(x)))
        self.assertEqual(chip.fallbacks["linalg_matrix_exp"][1], 2)
        self.assertEqual(told.getvalue().count("linalg_matrix_exp"), 1)
        self.assertIn("no such op", told.getvalue())

    def test_half_falls_back_in_float32_rounded_once(self) -> None:
        x = torch.randn(40).half()
        with nt.npu("910A", quiet=True) as chip:
            y = torch.special.i0e(x)
            torch.special.i0e(x, out=(z := torch.empty(40).half()))
        self.assertIn("special_i0e", chip.fallbacks)
        self.assertEqual(y.dtype, torch.float16)
        expected = torch.special.i0e(x.float()).half()
        self.assertTrue(torch.equal(y, expected))
        self.assertTrue(torch.equal(z, expected))

    def test_indices_of_half_tensors_stay_indices(self) -> None:
        x = torch.randn(4, 5).half()
        with nt.npu("910A", quiet=True):
            values, indices = torch.kthvalue(x, 2)
        self.assertEqual((values.dtype, indices.dtype), (torch.float16, torch.int64))
        self.assertTrue(torch.equal(values, torch.kthvalue(x.float(), 2)[0].half()))

    def test_complex_and_sparse_tensors_are_pytorchs(self) -> None:
        x = torch.tensor([1 + 2j, 3 - 1j])
        with nt.npu("910A", quiet=True) as chip:
            self.assertEqual((x * x).tolist(), [-3 + 4j, 8 - 6j])
            self.assertEqual(torch.ones(1).to(torch.complex64).dtype, torch.complex64)
            sparse = torch.eye(2).to_sparse()
            self.assertEqual(torch.mm(sparse, torch.ones(2, 1)).tolist(), [[1], [1]])
        self.assertIn("dtype or layout", chip.fallbacks["mul_Tensor"][0])

    def test_the_dump_tells_which_ops_fell_back(self) -> None:
        with nt.npu("910A", quiet=True), nt.dumper(use_dump=True, dump_path=self.path):
            torch.linalg.matrix_exp(torch.eye(2))
            torch.eye(2).exp()
        dump = npuscope.open_dump(self.path)
        self.assertIn("no such op", dump.ops("linalg_matrix_exp")[0].facts["fallback"])
        exp = dump.ops("exp")[0].facts
        self.assertNotIn("fallback", exp)
        self.assertEqual(exp["kernels"], ["Exp"])

    def test_errors_of_the_program_are_pytorchs_own(self) -> None:
        with self.assertRaises(RuntimeError) as raised:
            with nt.npu("910A", quiet=True):
                torch.ones(2, 3) @ torch.ones(2, 3)
        self.assertIs(type(raised.exception), RuntimeError)


class WithDumper(Folder):
    def test_dumps_carry_the_chip_and_seqids_count_on(self) -> None:
        with nt.npu("910B"), nt.dumper(use_dump=True, dump_path=self.path):
            torch.ones(2).exp()
        dump = npuscope.open_dump(self.path)
        self.assertEqual(dump.facts["Chip"], "910B")
        self.assertIn("PyTorch", dump.facts["Framework"])

    def test_a_golden_run_of_the_cpu_is_loaded_into_the_chip_and_back(self) -> None:
        model, (images, labels) = seeded(SmallResNet), batch()
        halved = images * 0.5
        golden, back = self.folder / "golden.h5", self.folder / "back.h5"
        with nt.dumper(use_dump=True, dump_path=golden):
            F.cross_entropy(model(images), labels).backward()
        model.zero_grad(set_to_none=True)
        with nt.npu("910A", quiet=True), nt.dumper(
            use_dump=True, load_file_path=golden, dump_path=self.path
        ) as loaded:
            F.cross_entropy(model(halved), labels).backward()
        self.assertEqual(loaded.summary.unmatched, 0)
        result = npuscope.compare(self.path, golden)
        self.assertTrue(result.load_mode)
        # Each op was given the golden's inputs and is right; the program was given other images.
        self.assertIn("ops judged", result.text)
        self.assertIn("input `input` of " + result.first_fail, result.text)
        self.assertNotIn(" fail", result.text.split("tensors measured")[1].splitlines()[0])
        self.assertEqual(result.exit_code, 1, result.text)
        model.zero_grad(set_to_none=True)
        npu_dump = self.folder / "npu.h5"
        with nt.npu("910A", quiet=True), nt.dumper(use_dump=True, dump_path=npu_dump):
            F.cross_entropy(model(images), labels).backward()
        model.zero_grad(set_to_none=True)
        with nt.dumper(use_load=True, load_file_path=npu_dump, dump_path=back) as returned:
            F.cross_entropy(model(images), labels).backward()
        self.assertEqual(returned.summary.unmatched, 0)

    def test_overflow_is_dumped_and_named_with_its_step(self) -> None:
        big = torch.full((2, 2), 300.0).half()
        told = io.StringIO()
        with contextlib.redirect_stdout(told), nt.npu("910A", check_overflow=True) as chip:
            big + big
            chip.step()
            big * big
        (record,) = chip.overflows
        self.assertEqual((record["op"], record["step"], record["kind"]), ("mul_Tensor", 1, "introduced"))
        self.assertIn("IR: mul_Tensor", told.getvalue())
        self.assertIn("step 1", told.getvalue())
        with nt.npu("910A"), nt.dumper(check_overflow=True, dump_path=self.path):
            big + big
            big * big
        self.assertEqual(self.names(), ["mul_Tensor"])

    def test_hooks_of_the_chip(self) -> None:
        def zero(call: npuscope.HookCall) -> None:
            call.outputs["result"] = np.zeros(2, np.float32)

        with nt.npu("910A") as chip, chip.hook("after_op", "exp", zero):
            y = torch.ones(2).exp()
        self.assertEqual(y.tolist(), [0, 0])

    def test_rejects_dumper_before_npu_and_shows_the_right_order(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, r'npu\("910A"\), torch.utils.dumper'):
            with nt.dumper(use_dump=True, dump_path=self.path), nt.npu("910A"):
                pass

    def test_rejects_unknown_chips_settings(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "910A"):
            nt.npu("1910")
        with self.assertRaisesRegex(npuscope.UsageError, "colour"):
            nt.npu("910A", settings={"colour": "red"})


if __name__ == "__main__":
    unittest.main()
