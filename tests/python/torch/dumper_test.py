"""npuscope.torch.dumper: names, arguments, facts, and that observing changes nothing."""

import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path

import h5py
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import npuscope
import npuscope.torch as nt
from digits_models import SmallResNet, SmallTransformer, batch, seeded, train_step


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.path = self.folder / "run.h5"

    def names(self, path=None):
        return [op.name for op in npuscope.open_dump(path or self.path).ops()]


class Recording(Folder):
    def test_schema_names_and_defaults_are_in_the_file(self) -> None:
        bias, x, weight = torch.randn(3), torch.randn(4, 8), torch.randn(8, 3)
        with nt.dumper(use_dump=True, dump_path=self.path):
            y = torch.addmm(bias, x, weight)
        with h5py.File(self.path) as file:
            run = file["addmm"][next(iter(file["addmm"]))]
            np.testing.assert_array_equal(run["input/mat1"][()], x.numpy())
            np.testing.assert_array_equal(run["output/result"][()], y.numpy())
            self.assertEqual((run["input/beta"][()], run["input/beta"].attrs["Type"]), (1, 7))
            self.assertEqual(run["input/self"].attrs["DeviceType"], 0)

    def test_lists_masks_and_numbers_keep_their_kinds(self) -> None:
        x = torch.randn(1, 2, 5, 5, requires_grad=True)
        weight = torch.randn(3, 2, 3, 3, requires_grad=True)
        with nt.dumper(use_dump=True, dump_path=self.path):
            (F.conv2d(x, weight) * 2.5).sum().backward()
        with h5py.File(self.path) as file:
            run = file["convolution_backward"][next(iter(file["convolution_backward"]))]
            self.assertEqual(run["input/stride"][()].tolist(), [1, 1])
            self.assertEqual(run["input/stride"].attrs["Type"], 16)
            self.assertEqual(run["input/output_mask"][()].tolist(), [1, 1, 0])
            self.assertEqual(run["input/output_mask"].attrs["Type"], 102)
            self.assertEqual(sorted(run["output"]), ["result0", "result1"])
            run = file["mul_Tensor"][next(iter(file["mul_Tensor"]))]
            self.assertEqual((run["input/other"][()], run["input/other"].attrs["Type"]), (2.5, 5))

    def test_an_op_in_place_has_its_old_input_and_its_new_output(self) -> None:
        x = torch.tensor([-1.0, 2.0])
        with nt.dumper(use_dump=True, dump_path=self.path):
            x.relu_()
            x.add_(torch.tensor([3.0, 3.0]), alpha=2)
        first, second = npuscope.open_dump(self.path).ops()
        self.assertEqual((first.name, second.name), ("relu_", "add__Tensor"))
        self.assertEqual(first.inputs["self"].tolist(), [-1, 2])
        self.assertEqual(first.outputs["self"].tolist(), [0, 2])
        self.assertEqual(second.inputs["self"].tolist(), [0, 2])
        self.assertEqual(second.outputs["self"].tolist(), [6, 8])
        self.assertEqual(second.inputs["alpha"], 2)

    def test_running_statistics_are_those_before_the_step(self) -> None:
        norm = nn.BatchNorm2d(2)
        with nt.dumper(use_dump=True, dump_path=self.path):
            norm(torch.randn(3, 2, 4, 4))
        (run,) = npuscope.open_dump(self.path).ops("native_batch_norm")
        self.assertEqual(run.inputs["running_mean"].tolist(), [0, 0])
        self.assertEqual(run.inputs["running_var"].tolist(), [1, 1])
        self.assertNotEqual(norm.running_mean.tolist(), [0, 0])

    def test_views_and_transposed_tensors_come_in_logical_order(self) -> None:
        x = torch.arange(6.0).reshape(2, 3)
        with nt.dumper(use_dump=True, dump_path=self.path):
            x.t().exp()
        (run,) = npuscope.open_dump(self.path).ops()
        self.assertEqual(run.name, "exp")
        np.testing.assert_array_equal(run.inputs["self"], x.t().numpy())

    def test_lists_of_tensors_and_dtypes_that_numpy_lacks(self) -> None:
        a, b = torch.ones(2, 2, dtype=torch.bfloat16), torch.zeros(1, 2, dtype=torch.bfloat16)
        with nt.dumper(use_dump=True, dump_path=self.path):
            torch.cat([a, b])
        (run,) = npuscope.open_dump(self.path).ops()
        self.assertEqual(set(run.inputs.tensors()), {"tensors/tensors_0", "tensors/tensors_1"})
        self.assertEqual(run.outputs["result"].dtype, "bfloat16")

    def test_half_on_a_cpu_is_stored_by_value(self) -> None:
        x = torch.tensor([1.5, -0.25], dtype=torch.float16)
        with nt.dumper(use_dump=True, dump_path=self.path):
            x.clone()
        (run,) = npuscope.open_dump(self.path).ops()
        self.assertEqual(run.outputs["result"].dtype, np.float16)
        self.assertEqual(run.outputs["result"].tolist(), [1.5, -0.25])

    def test_numbers_go_on_over_blocks(self) -> None:
        for name in ("a.h5", "b.h5"):
            with nt.dumper(use_dump=True, dump_path=self.folder / name):
                torch.ones(1).exp()
        first, second = (npuscope.open_dump(self.folder / n).ops()[-1].seqid for n in ("a.h5", "b.h5"))
        self.assertGreater(second, first)

    def test_keeps_only_what_the_budget_names(self) -> None:
        x = torch.ones(3)
        with nt.dumper(use_dump=True, dump_path=self.path, ops=["exp", "re:^t.n"], steps=[1]) as dump:
            for _ in range(3):
                x.exp(), x.tanh(), x.sin()
                dump.step()
        runs = npuscope.open_dump(self.path).ops()
        self.assertEqual([(run.name, run.facts["step"]) for run in runs], [("exp", 1), ("tanh", 1)])

    def test_a_limit_of_bytes_ends_the_file_and_says_so(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.path, max_bytes=100_000) as dump:
            for _ in range(10):
                torch.randn(5000).exp()
        self.assertFalse(dump.summary.complete)
        self.assertIn("limit", dump.summary.note)
        self.assertLess(self.path.stat().st_size, 120_000)


class Facts(Folder):
    def test_module_line_and_autograd_node(self) -> None:
        model, (images, labels) = seeded(SmallResNet), batch()
        with nt.dumper(use_dump=True, dump_path=self.path):
            F.cross_entropy(model(images), labels).backward()
        dump = npuscope.open_dump(self.path)
        convs = dump.ops("convolution")
        self.assertEqual([run.facts["module"] for run in convs], ["stem", "block.conv"])
        self.assertNotIn("autograd", convs[0].facts)
        self.assertNotIn("status", convs[0].facts)
        self.assertIn("digits_models.py", convs[0].facts["line"])
        backward = dump.ops("convolution_backward")
        self.assertEqual([run.facts["module"] for run in backward], ["block.conv", "stem"])
        self.assertIn("ConvolutionBackward0", backward[0].facts["autograd"])
        self.assertIn("dumper_test.py", backward[0].facts["line"])
        adds = [run.facts.get("module") for run in dump.ops("add_Tensor")]
        self.assertIn("block", adds)
        relus = [run.facts["module"] for run in dump.ops("threshold_backward")]
        self.assertEqual(relus, ["block", "SmallResNet"])

    def test_nothing_stays_behind(self) -> None:
        engine = torch.autograd.Variable._execution_engine
        hooks = torch.nn.modules.module._global_forward_hooks
        with nt.dumper(use_dump=True, dump_path=self.path):
            nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
            self.assertTrue(hooks)
        self.assertIs(torch.autograd.Variable._execution_engine, engine)
        self.assertFalse(hooks)


class Unchanged(Folder):
    def compare_training(self, model_type: type, **options: object) -> None:
        images, labels = batch()
        results = []
        for watched in (False, True):
            model = seeded(model_type)
            optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
            for i in range(3):
                if watched:
                    with nt.dumper(use_dump=True, dump_path=self.folder / f"{i}.h5", **options):
                        loss = train_step(model, optimizer, images, labels)
                else:
                    loss = train_step(model, optimizer, images, labels)
            results.append((loss, {k: v.clone() for k, v in model.state_dict().items()}))
        self.assertEqual(results[0][0], results[1][0])
        for name, value in results[0][1].items():
            self.assertTrue(torch.equal(value, results[1][1][name]), name)

    def test_a_resnet_trains_to_the_same_bits(self) -> None:
        self.compare_training(SmallResNet)

    def test_a_transformer_trains_to_the_same_bits(self) -> None:
        self.compare_training(SmallTransformer)

    def test_statistics_only_too(self) -> None:
        self.compare_training(SmallResNet, statistics=True)

    def test_random_numbers_are_drawn_as_without(self) -> None:
        def draw() -> torch.Tensor:
            torch.manual_seed(3)
            return F.dropout(torch.ones(50)) + torch.randn(50)

        expected = draw()
        with nt.dumper(use_dump=True, dump_path=self.path):
            self.assertTrue(torch.equal(draw(), expected))

    def test_an_error_of_the_program_rises_and_the_file_is_readable(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "shape|size") as raised:
            with nt.dumper(use_dump=True, dump_path=self.path):
                torch.ones(3).exp()
                torch.ones(2, 3) @ torch.ones(2, 3)
        self.assertIs(type(raised.exception), RuntimeError)
        self.assertIn("exp", self.names())
        self.assertFalse(npuscope.open_dump(self.path).complete)
        torch.ones(3).exp()  # nothing is left attached


    def test_ctrl_c_rises_and_the_file_holds_the_ops_before_it(self) -> None:
        with self.assertRaises(KeyboardInterrupt):
            with nt.dumper(use_dump=True, dump_path=self.path):
                torch.ones(3).exp()
                signal.raise_signal(signal.SIGINT)
                torch.ones(3).tanh()
        dump = npuscope.open_dump(self.path)
        self.assertEqual([op.name for op in dump.ops()], ["ones", "exp"])
        self.assertIn("KeyboardInterrupt", dump.facts["Note"])

    def test_a_recording_without_status_is_scanned_by_values(self) -> None:
        x = torch.tensor([1e30])
        with nt.dumper(use_dump=True, dump_path=self.path):
            x * x
        self.assertTrue(npuscope.overflow(self.path)["found"])


class Surroundings(Folder):
    def test_no_grad_autocast_and_checkpointing(self) -> None:
        layer, x = nn.Linear(4, 4), torch.ones(2, 4)
        with nt.dumper(use_dump=True, dump_path=self.path):
            with torch.no_grad():
                layer(x)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                layer(x)
            checkpoint(layer, x.requires_grad_(), use_reentrant=True).sum().backward()
        dump = npuscope.open_dump(self.path)
        dtypes = [run.outputs.describe("result").dtype for run in dump.ops("addmm")]
        self.assertEqual(dtypes, ["float32", "bfloat16", "float32", "float32"])
        self.assertEqual(len(dump.ops("mm")), 2)

    def test_two_threads_have_their_own_blocks(self) -> None:
        def work(index: int) -> None:
            with nt.dumper(use_dump=True, dump_path=self.folder / f"{index}.h5"):
                x = torch.full((3,), float(index), requires_grad=True)
                for _ in range(20):
                    x.exp().sum().backward()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for index in range(2):
            runs = npuscope.open_dump(self.folder / f"{index}.h5").ops("exp")
            self.assertEqual(len(runs), 20)
            self.assertTrue(all(run.inputs["self"].tolist() == [index] * 3 for run in runs))

    def test_nested_blocks_and_a_block_that_dumps_nothing(self) -> None:
        x = torch.ones(2)
        with nt.dumper(use_dump=True, dump_path=self.folder / "outer.h5"):
            x.exp()
            with nt.dumper(use_dump=True, dump_path=self.folder / "inner.h5"):
                x.tanh()
            with nt.dumper(use_dump=True, dump_path=self.folder / "none.h5") as none:
                x.view(1, 2)
            x.sin()
        self.assertEqual(self.names(self.folder / "outer.h5"), ["exp", "tanh", "sin"])
        self.assertEqual(self.names(self.folder / "inner.h5"), ["tanh"])
        self.assertIsNone(none.summary.path)
        self.assertFalse((self.folder / "none.h5").exists())

    def test_a_forked_child_leaves_the_file_to_the_parent(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.path):
            x = torch.ones(2)
            x.exp()
            child = os.fork()
            if child == 0:
                x.tanh()
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            x.sin()
        self.assertEqual([n for n in self.names() if n != "ones"], ["exp", "sin"])

    def test_a_data_loader_with_workers(self) -> None:
        data = torch.utils.data.TensorDataset(torch.arange(8.0))
        loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=1)
        with nt.dumper(use_dump=True, dump_path=self.path):
            total = sum(float(x.sum()) for (x,) in loader)
        self.assertEqual(total, 28)
        self.assertEqual(self.names().count("sum"), 2)

    def test_a_disabled_block_changes_nothing(self) -> None:
        with nt.dumper(enabled=False, use_dump=True, dump_path=self.path):
            torch.ones(2).exp()
        with nt.dumper(check_overflow=False, dump_path=self.path, load_file_path=""):
            torch.ones(2).exp()
        self.assertFalse(self.path.exists())

    def test_rejects_overflow_checks_without_a_chip(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "no NPU"):
            with nt.dumper(check_overflow=True, dump_path=self.path):
                pass
        with self.assertRaisesRegex(npuscope.UsageError, "belongs into a with-block"):
            nt.step()
        torch.ones(2).exp()


if __name__ == "__main__":
    unittest.main()
