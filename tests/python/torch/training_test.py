"""Mixed precision, watched models, models side by side, profiles of ops."""

import contextlib
import io
import json
import unittest

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt
from digits_models import SmallResNet, SmallTransformer, batch, seeded, train_step
from dumper_test import Folder


class MixedPrecision(Folder):
    def dtypes(self, level: str) -> dict:
        model, (images, labels) = seeded(SmallTransformer), batch()
        with nt.npu("910A", quiet=True), nt.dumper(use_dump=True, dump_path=self.path):
            with nt.autocast(level):
                F.cross_entropy(model(images), labels).backward()
        self.assertEqual(model.head.weight.grad.dtype, torch.float32)
        dump = npuscope.open_dump(self.path)
        return {
            name: {op.outputs.describe(op.outputs.tensors()[0]).dtype for op in dump.ops(name)}
            for name in ("addmm", "_softmax", "native_layer_norm", "_log_softmax", "gelu")
        }

    def test_o1_casts_by_function(self) -> None:
        found = self.dtypes("O1")
        self.assertEqual(found["addmm"], {"float16"})
        self.assertEqual(found["_softmax"], {"float32"})
        self.assertEqual(found["native_layer_norm"], {"float32"})
        self.assertEqual(found["_log_softmax"], {"float32"})
        self.assertEqual(found["gelu"], {"float16"})

    def test_o2_keeps_norms_and_losses_only(self) -> None:
        found = self.dtypes("O2")
        self.assertEqual(found["_softmax"], {"float16"})
        self.assertEqual(found["native_layer_norm"], {"float32"})
        self.assertEqual(found["_log_softmax"], {"float32"})

    def test_training_with_a_static_scale_follows_float32(self) -> None:
        images, labels = batch(16)
        plain, mixed = seeded(SmallResNet), seeded(SmallResNet)
        losses = [[], []]
        optimizer = torch.optim.SGD(plain.parameters(), lr=0.05, momentum=0.9)
        losses[0] = [train_step(plain, optimizer, images, labels) for _ in range(6)]
        optimizer = torch.optim.SGD(mixed.parameters(), lr=0.05, momentum=0.9)
        scaler = nt.LossScale(1024)
        with nt.npu("910A", check_overflow=True, quiet=True) as chip:
            for _ in range(6):
                optimizer.zero_grad()
                with nt.autocast():
                    loss = F.cross_entropy(mixed(images), labels)
                with scaler.scale(loss, optimizer) as scaled:
                    scaled.backward()
                optimizer.step()
                chip.step()
                losses[1].append(float(loss.detach()))
                self.assertTrue(scaler.last_finite)
        self.assertEqual(chip.overflows, [])
        np.testing.assert_allclose(losses[1], losses[0], rtol=3e-2)

    def test_too_large_a_scale_names_op_and_step(self) -> None:
        model, (images, labels) = seeded(SmallResNet), batch(16)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        told = io.StringIO()
        with contextlib.redirect_stdout(told), nt.npu(
            "910A", check_overflow=True, quiet=True
        ) as chip:
            for scale in (1.0, 2.0**24):
                scaler = nt.LossScale(scale)
                optimizer.zero_grad()
                with nt.autocast():
                    loss = F.cross_entropy(model(images), labels)
                with scaler.scale(loss, optimizer) as scaled:
                    scaled.backward()
                chip.step()
        self.assertTrue(chip.overflows)
        self.assertEqual({record["step"] for record in chip.overflows}, {1})
        first = chip.overflows[0]
        self.assertEqual(first["kind"], "introduced")
        self.assertTrue(first["autograd"])
        self.assertIn(f"IR: {first['op']}  SeqId: {first['seqid']}  is overflow!  step 1", told.getvalue())

    def test_rejects_levels_dtypes_and_scales(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "O1 and O2"):
            nt.autocast("O3")
        with self.assertRaisesRegex(npuscope.UsageError, "bfloat16"):
            nt.autocast("O1", torch.float64)
        with self.assertRaisesRegex(npuscope.UsageError, "positive"):
            nt.LossScale(0)


class Watching(Folder):
    def test_records_modules_gradients_and_statistics_by_step(self) -> None:
        model, (images, labels) = seeded(SmallResNet), batch()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with nt.watch(model, optimizer) as watch:
            losses = [train_step(model, optimizer, images, labels) for _ in range(2)]
        arrays = watch.arrays()
        np.testing.assert_array_equal(arrays["0/stem/forward_input/0"], images.numpy())
        self.assertEqual(arrays["1/block.conv/backward_output/0"].shape, (8, 8, 8, 8))
        self.assertEqual(arrays["1/fc/parameter_gradient/weight"].shape, (10, 8))
        self.assertIn("0/norm/buffer/running_mean", arrays)
        self.assertIn("1/norm/buffer/running_var", arrays)
        np.testing.assert_array_equal(
            arrays["1/fc/parameter_gradient/weight"], model.fc.weight.grad.numpy()
        )
        self.assertIn("0/fc/forward_output/0", watch.table())
        again = seeded(SmallResNet)
        other = torch.optim.SGD(again.parameters(), lr=0.1)
        self.assertEqual([train_step(again, other, images, labels) for _ in range(2)], losses)
        self.assertNotIn("step", vars(optimizer))

    def test_two_saved_watches_are_compared(self) -> None:
        images, labels = batch()
        for name, chip in (("cpu", None), ("npu", "910A")):
            model = seeded(SmallResNet)
            with nt.npu(chip, quiet=True) if chip else contextlib.nullcontext():
                with nt.watch(model) as watch:
                    F.cross_entropy(model(images), labels).backward()
                    watch.gradients()
            watch.save(self.folder / f"{name}.npz")
        result = npuscope.compare(self.folder / "npu.npz", self.folder / "cpu.npz")
        self.assertGreater(len(result.columns["verdict"]), 20)
        self.assertEqual(result.exit_code, 0, result.text)
        # The other way round the chip is the golden side, and what it computed in is not asked for.
        same = npuscope.compare(self.folder / "cpu.npz", self.folder / "npu.npz")
        self.assertEqual(same.exit_code, 1)

    def test_a_watch_tells_the_coarsest_precision_before_each_tensor(self) -> None:
        model = nn.Sequential(nn.ReLU(), nn.Linear(4, 4), nn.ReLU())
        with nt.npu("910A", quiet=True), nt.watch(model) as watch:
            model(torch.ones(2, 4))
        seen = {(r.module, r.what): r.compute_type for r in watch.records}
        self.assertEqual(seen["0", "forward_output"], "float32")
        self.assertEqual(seen["1", "forward_output"], "float16")
        self.assertEqual(seen["2", "forward_output"], "float16")
        with nt.watch(model) as watch:
            model(torch.ones(2, 4))
        self.assertEqual({r.compute_type for r in watch.records}, {""})

    def test_models_side_by_side(self) -> None:
        model, (images, _) = seeded(SmallResNet), batch()
        model.eval()
        result = nt.compare_models(model, model, images)
        self.assertEqual([row.module for row in result.rows][:2], ["stem", "norm"])
        self.assertEqual(result.rows[-1].module, "")
        for row in result.rows:
            self.assertGreaterEqual(row.mean_absolute_difference, 0)
        self.assertGreater(result.rows[0].mean_absolute_difference, 1e-6)
        strict = nt.compare_models(model, model, images, tolerance=1e-9)
        self.assertFalse(strict.ok)
        self.assertEqual(strict.first.module, "stem")
        self.assertIn("! stem (Conv2d)", str(strict))

    def test_models_side_by_side_against_a_hand_calculation(self) -> None:
        layer = nn.Linear(2, 1, bias=False)
        layer.weight.data = torch.tensor([[1.0, 1.0]])
        x = torch.tensor([[1.0, 2.0**-12], [1.0, 1.0]])
        # 2^-12 is no problem by itself; 1 + 2^-12 as an input is: half keeps 11 bits.
        x[0, 0] += 2.0**-12
        result = nt.compare_models(layer, layer, x)
        self.assertAlmostEqual(result.rows[0].mean_absolute_difference, 2.0**-12 / 2, places=12)

    def test_rejects_models_of_other_modules(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "same modules"):
            nt.compare_models(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2)), torch.ones(1, 2))


class Profiling(Folder):
    def test_ops_of_a_step_with_what_the_chip_has(self) -> None:
        model, (images, labels) = seeded(SmallResNet), batch()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step() -> None:
            train_step(model, optimizer, images, labels)
            torch.linalg.matrix_exp(torch.eye(2))

        profile = nt.profile_ops(step)
        rows = {row.name: row for row in profile.rows}
        self.assertEqual(rows["convolution"].count, 2)
        self.assertEqual(rows["convolution"].where, "native")
        self.assertIn("float32[8, 1, 8, 8]", rows["convolution"].inputs[0])
        self.assertEqual(rows["linalg_matrix_exp"].where, "fallback")
        self.assertEqual(rows["t"].where, "view")
        self.assertEqual(rows["eye"].where, "host")
        self.assertIn("convolution_backward", profile.names("native"))
        self.assertIn("native    convolution ", str(profile))
        with nt.npu("910A", quiet=True) as chip:
            step()
        computed = set(chip.native) | set(chip.fallbacks)
        expected = profile.names("native") | profile.names("fallback")
        self.assertEqual(expected - computed, set())

    def test_times_of_kernels_as_table_and_trace(self) -> None:
        with nt.npu("910A") as chip, npuscope.Profile(chip) as profile:
            torch.ones(2).exp()
        self.assertIn("Exp", profile.table)
        path = self.folder / "trace.json"
        profile.export_chrome_trace(path)
        events = json.loads(path.read_text())["traceEvents"]
        self.assertIn("exp", {event["name"] for event in events})

    def test_rejects_an_unknown_chip(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "910A"):
            nt.profile_ops(lambda: None, chip="1910")


if __name__ == "__main__":
    unittest.main()
