"""npuscope.torch.install(): the names of PyTorch on Ascend, and that nothing stays after uninstall()."""

import copy
import unittest

import numpy as np
import torch
from torch import nn

import npuscope
import npuscope.torch as nt
from digits_models import SmallResNet, batch, seeded, train_step
from dumper_test import Folder


class Installed(Folder):
    def setUp(self) -> None:
        super().setUp()
        nt.install("910A")
        self.addCleanup(nt.uninstall)

    def test_torch_npu(self) -> None:
        self.assertTrue(torch.npu.is_available())
        self.assertEqual(torch.npu.device_count(), 1)
        torch.npu.set_device("npu:0")
        self.assertEqual(torch.npu.current_device(), 0)
        torch.npu.synchronize()
        torch.npu.set_option({"ACL_OP_SELECT_IMPL_MODE": "high_precision"})

    def test_ops_of_device_tensors_run_on_the_chip(self) -> None:
        x, weight = torch.randn(4, 8), torch.randn(8, 3)
        expected = npuscope.ops.mm(x.numpy(), weight.numpy())
        y = x.npu() @ weight.to("npu:0")
        self.assertTrue(y.is_npu)
        self.assertIn("npu:0", repr(y))
        np.testing.assert_array_equal(y.cpu().numpy(), expected)
        np.testing.assert_array_equal(y.to("cpu").numpy(), expected)
        self.assertFalse(np.array_equal((x @ weight).numpy(), expected))

    def test_the_memory_is_a_copy_and_views_share_it(self) -> None:
        x = torch.zeros(2, 3)
        y = x.npu()
        y.t()[0].add_(5)
        self.assertEqual(y.cpu().tolist(), [[5, 0, 0], [5, 0, 0]])
        self.assertEqual(x.sum().item(), 0)

    def test_factories_make_tensors_on_the_device(self) -> None:
        for made in (
            torch.zeros(2, device="npu"),
            torch.tensor([1.0], device="npu:0", requires_grad=True),
            torch.ones_like(torch.zeros(2).npu()),
            torch.zeros(2).to(device="npu", dtype=torch.float16),
        ):
            self.assertTrue(made.is_npu)
        self.assertTrue(torch.tensor([1.0], device="npu", requires_grad=True).requires_grad)

    def test_gradients_pass_between_cpu_and_device(self) -> None:
        x = torch.ones(2, requires_grad=True)
        (x.npu() * 3).cpu().sum().backward()
        self.assertEqual(x.grad.tolist(), [3, 3])
        self.assertFalse(getattr(x.grad, "is_npu"))

    def test_a_model_trains_on_the_device_as_inside_an_npu_block(self) -> None:
        images, labels = batch()
        losses = []
        for on_device in (True, False):
            model = seeded(SmallResNet)
            if on_device:
                model = model.npu()
                self.assertTrue(model.fc.weight.is_npu)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
            if on_device:
                data = images.npu(), labels.npu()
                losses.append([train_step(model, optimizer, *data) for _ in range(3)])
            else:
                with nt.npu("910A", quiet=True):
                    losses.append([train_step(model, optimizer, images, labels) for _ in range(3)])
        self.assertEqual(losses[0], losses[1])

    def test_models_move_back_and_are_copied(self) -> None:
        model = nn.Linear(2, 2).to("npu:0")
        again = copy.deepcopy(model)
        self.assertTrue(again.weight.is_npu)
        self.assertIsInstance(again.weight, nn.Parameter)
        again.cpu()
        self.assertFalse(again.weight.is_npu)
        torch.testing.assert_close(again.weight.data, model.weight.data.cpu())

    def test_the_dumper_records_what_the_device_computes(self) -> None:
        x = torch.randn(3, 3)
        on_device = x.npu()
        with torch.utils.dumper(use_dump=True, dump_path=self.path):
            x.exp()
            on_device.tanh()
        dump = npuscope.open_dump(self.path)
        self.assertEqual([op.name for op in dump.ops()], ["tanh"])
        self.assertEqual(dump.facts["Chip"], "910A")
        big = torch.full((2,), 300.0).half().npu()
        overflow = self.folder / "overflow.h5"
        with torch.utils.dumper(check_overflow=True, dump_path=overflow, load_file_path=""):
            big * big
        self.assertEqual(self.names(overflow), ["mul_Tensor"])

    def test_a_program_without_device_tensors_is_recorded_as_a_cpu_program(self) -> None:
        with torch.utils.dumper(use_dump=True, dump_path=self.path):
            torch.ones(2).exp()
        dump = npuscope.open_dump(self.path)
        self.assertNotIn("Chip", dump.facts)

    def test_get_op_map_gives_names_and_arguments(self) -> None:
        names, arguments = torch.utils.get_op_map()
        self.assertEqual(names["CudnnConvolutionBackward"], ["convolution_backward"])
        self.assertEqual(arguments["cudnn_convolution"], {"self": "input"})

    def test_torch_device_says_what_to_write_or_works(self) -> None:
        if nt.private.VERSION >= (2, 1):
            self.assertEqual(torch.device("npu:0").type, "npu")
        else:
            with self.assertRaisesRegex(npuscope.UsageError, r"to\('npu:0'\)"):
                torch.device("npu", 0)
        self.assertIsInstance(torch.ones(1).device, torch.device)
        self.assertEqual(torch.device("cpu").type, "cpu")

    def test_rejects_other_devices_options_and_kernel_dumps(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "npu:0"):
            torch.zeros(1).to("npu:1")
        with self.assertRaisesRegex(npuscope.UsageError, "npu:0"):
            torch.npu.set_device("cuda:0")
        with self.assertRaises(TypeError):
            torch.npu.set_option("profiling")
        with self.assertRaisesRegex(npuscope.UsageError, "colour"):
            torch.npu.set_option({"colour": 1})
        with self.assertRaisesRegex(AssertionError, "none.json"):
            torch.npu.set_dump("none.json")
        with self.assertRaisesRegex(npuscope.UsageError, "after init_dump"):
            torch.npu.finalize_dump()
        with self.assertRaisesRegex(TypeError, "cpu"):
            torch.zeros(1).npu().numpy()


class NothingStays(unittest.TestCase):
    def names(self) -> dict:
        rows = {}
        for place in (torch, torch.utils, torch.Tensor, torch.nn.Module):
            rows.update({(str(place), key): value for key, value in vars(place).items()})
        return rows

    def test_importing_changes_nothing_and_uninstall_restores_everything(self) -> None:
        before = self.names()
        self.assertFalse(hasattr(torch.Tensor, "npu"))
        nt.install()
        nt.install()
        self.assertNotEqual(self.names().keys(), before.keys())
        nt.uninstall()
        nt.uninstall()
        after = self.names()
        self.assertEqual(after.keys(), before.keys())
        for key, value in before.items():
            self.assertIs(after[key], value, key)


if __name__ == "__main__":
    unittest.main()
