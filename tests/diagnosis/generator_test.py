"""The generator of planted faults itself: formats, honest arithmetic, the decision what counts, files."""

import math
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import h5py
import numpy as np
import torch

from diagnosis import pairs
from diagnosis.another_order import in_another_order
from diagnosis.arithmetic import HABITS, Arithmetic, reference
from diagnosis.call import MOVES, bind
from diagnosis.classes import CLASSES, Draw
from diagnosis.digits import RECORDING, Digits
from diagnosis.effectiveness import SEEN, effect
from diagnosis.formulas import FORMULAS
from diagnosis.given_recording import calls_in
from diagnosis.models import PROGRAMS
from diagnosis.products import PRODUCTS, Recipe
from diagnosis.recording import Recorder, Run
from diagnosis.rounding import FORMATS
from diagnosis.scene import Scene, is_hidden
from diagnosis.steps import Steps

torch.set_num_threads(1)
aten = torch.ops.aten


def numbers(count, seed=3):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(count) * 10.0 ** rng.integers(-9, 6, count)).astype("f4")


def one(value):
    return torch.tensor([value], dtype=torch.float32)


def elements_of(values):
    """Of each tensor of more than one element, as bytes."""
    return [value.numpy().tobytes() for value in values if isinstance(value, torch.Tensor) and value.numel() > 1]


class Formats(unittest.TestCase):
    def rounded(self, name, x):
        return FORMATS[name].round(torch.from_numpy(np.asarray(x, "f4"))).numpy()

    def test_float16_is_numpys(self):
        x = np.concatenate([numbers(2000), [65519.0, 65520.0, 2.0**-25, 3 * 2.0**-26, np.nan, -np.inf]]).astype("f4")
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(self.rounded("float16", x), x.astype("f2").astype("f4"))

    def test_flushed_float16_has_no_subnormals(self):
        got = self.rounded("float16 flushed", [2.0**-14, 2.0**-15, -(2.0**-24), 1.0])
        np.testing.assert_array_equal(got, [2.0**-14, 0, 0, 1])

    def test_tf32_keeps_ten_bits_and_rounds_ties_to_even(self):
        x = [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-11 + 2.0**-20, -(1 + 2.0**-11), 1e30]
        got = self.rounded("tf32", x)
        np.testing.assert_array_equal(got[:4], [1, 1 + 2.0**-9, 1 + 2.0**-10, -1])
        self.assertLess(abs(got[4] / np.float32(1e30) - 1), 2.0**-11)

    def test_hf32_keeps_eleven_bits(self):
        np.testing.assert_array_equal(self.rounded("hf32", [1 + 2.0**-11, 1 + 2.0**-12]), [1 + 2.0**-11, 1])

    def test_truncation_goes_towards_zero(self):
        x = [1 + 2.0**-10 - 2.0**-20, -(1 + 2.0**-10 - 2.0**-20)]
        np.testing.assert_array_equal(self.rounded("tf32 truncated", x), [1, -1])

    def test_bfloat16_keeps_seven_bits(self):
        x = [1 + 2.0**-8, 1 + 3 * 2.0**-8, 3e38]
        np.testing.assert_array_equal(self.rounded("bfloat16", x)[:2], [1, 1 + 2.0**-6])

    def test_int8_has_127_steps_to_the_largest(self):
        np.testing.assert_allclose(self.rounded("int8", [127.0, 1.4, -0.6]), [127, 1, -1])

    def test_no_format_loses_nan_and_infinity(self):
        for name in set(FORMATS) - {"int8"}:
            got = self.rounded(name, [np.nan, np.inf, -np.inf])
            self.assertTrue(np.isnan(got[0]), name)
            np.testing.assert_array_equal(got[1:], [np.inf, -np.inf])


class Sums(unittest.TestCase):
    def test_order_matters_as_worked_out_by_hand(self):
        # Behind 2048 float16 counts in twos: 2048 + 1 is a tie and stays.
        x = torch.tensor([[2048.0, 1, 1, 1]])
        half = FORMATS["float16"]
        self.assertEqual(float(Steps(half, "sequential").sum(x, [1])), 2048)
        self.assertEqual(float(Steps(half, "tree").sum(x, [1])), 2050)  # (2048 + 1) + (1 + 1)
        self.assertEqual(float(Steps(half, "wide").sum(x, [1])), 2052)  # 2051 is a tie, to even

    def test_all_orders_keep_shapes(self):
        x = torch.randn(3, 17, 5)
        for order in ("tree", "blocks", "sequential", "wide"):
            got = Steps(FORMATS["float32"], order).sum(x, [0, 2])
            self.assertEqual(tuple(got.shape), (1, 17, 1))
            torch.testing.assert_close(got, x.sum((0, 2), keepdim=True))


class Products(unittest.TestCase):
    def test_every_order_is_near_float64(self):
        a, b = torch.randn(1, 5, 70), torch.randn(1, 70, 6)
        exact = a.double() @ b.double()
        bound = 70 * 2.0**-23 * (a.abs().double() @ b.abs().double())
        for order in ("kernel", "exact", "split", "blocks", "truncated blocks", "sequential"):
            error = (Recipe(order=order, parts=3).multiply(a, b).double() - exact).abs()
            self.assertTrue(bool((error <= bound).all()), order)

    def test_float16_sums_stop_where_float16_does(self):
        ones = torch.ones(1, 1, 4096)
        recipe = Recipe(order="sequential", accumulator="float16")
        self.assertEqual(float(recipe.multiply(ones, torch.ones(1, 4096, 1))), 2048)

    def test_truncated_sums_never_round_away_from_zero(self):
        a, b = torch.rand(1, 4, 64), torch.rand(1, 64, 4)
        got = Recipe(order="truncated blocks").multiply(a, b).double()
        self.assertTrue(bool((got <= a.double() @ b.double()).all()))

    def test_convolutions_by_columns_and_by_winograd_are_convolutions(self):
        for groups, stride, side in ((1, 1, 7), (2, 2, 8), (4, 1, 6)):
            x, w, bias = torch.randn(2, 4, side, side), torch.randn(4, 4 // groups, 3, 3), torch.randn(4)
            call = bind(aten.convolution.default, (x, w, bias, [stride] * 2, [1, 1], [1, 1], False, [0, 0], groups), {})
            for way in ("matrix", "winograd"):
                got = Recipe(order="blocks", convolution=way).products(call)[0]
                torch.testing.assert_close(got, call.run()[0], rtol=1e-4, atol=1e-4)

    def test_gradients_of_convolutions_by_columns(self):
        x, w = torch.randn(2, 4, 8, 8), torch.randn(6, 2, 3, 3)
        y = torch.conv2d(x, w, None, 2, 1, 1, 2)
        call = bind(aten.convolution_backward.default,
                    (torch.randn_like(y), x, w, [6], [2, 2], [1, 1], [1, 1], False, [0, 0], 2, [True] * 3), {})
        for got, expected in zip(Recipe(order="split").products(call), call.run()):
            torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)


class Recordings(unittest.TestCase):
    def recorded(self, kind, seed, low=None):
        recorder = Recorder(Arithmetic("fp32"))
        PROGRAMS[kind](seed, low).step(recorder)
        return recorder.runs

    def test_a_recorded_float32_run_is_pytorchs(self):
        runs = self.recorded("mlp", 4)
        program = PROGRAMS["mlp"](4)

        class Silent(Recorder):
            def __torch_dispatch__(self, op, types, args=(), kwargs=None):
                out = op(*args, **(kwargs or {}))
                seen.append((op._schema.name, out))
                return out

        seen = []
        program.step(Silent(Arithmetic("fp32")))
        own = [y for run in runs if run.call.base == "addmm" for y in run.outputs]
        theirs = [y for name, y in seen if name == "aten::addmm"]
        self.assertEqual(len(own), len(theirs))
        for a, b in zip(own, theirs):
            torch.testing.assert_close(a, b.detach(), rtol=1e-5, atol=1e-6)  # another order, for another layout

    def test_every_formula_computes_its_op(self):
        seen = set()
        for kind in PROGRAMS:
            for seed in range(8):
                for run in self.recorded(kind, seed):
                    base = run.call.base
                    if base not in FORMULAS:
                        continue
                    seen.add(base)
                    got = []
                    for habits in ((), HABITS):
                        got += Arithmetic("steps", vector="steps", habits=habits).compute(run.call)
                    for y, expected in zip(got, 2 * reference(run.call)):
                        if y is not None:
                            torch.testing.assert_close(y.double(), expected, rtol=2e-3, atol=2e-5, msg=lambda m: f"{base}: {m}")
        self.assertGreater(len(seen), 25)

    def test_half_programs_store_half_results(self):
        runs = self.recorded("transformer", 1, torch.float16)
        products = [run for run in runs if run.call.base in PRODUCTS]
        self.assertTrue(all(run.outputs[0].dtype == torch.float16 for run in products))

    def test_honest_arithmetic_never_counts_as_a_fault(self):
        for number, name in enumerate(CLASSES):
            arithmetic = CLASSES[name](Draw(np.random.default_rng(number)))
            for run in self.recorded(list(PROGRAMS)[number % 4], 2)[:40]:
                if run.call.base in ("ones_like", "zeros_like") or not run.call.floats():
                    continue
                found = effect(run.call, arithmetic, arithmetic.compute(run.call))
                self.assertFalse(found.counts, f"{name} {run.path} {found}")


    def test_the_gpus_step_is_run_again_from_the_same_tensors(self):
        recorder = Recorder(Arithmetic("fp32"))
        Digits(0).step(recorder)
        own = [run for run in recorder.runs if run.call.base == "native_batch_norm"]
        with h5py.File(RECORDING, "r") as file:
            theirs = file["cudnn_batch_norm"]
            self.assertEqual(len(own), len(theirs))
            for run, seqid in zip(own, sorted(theirs, key=int)):
                for name in ("weight", "bias", "running_mean", "running_var"):
                    np.testing.assert_array_equal(run.call.values[name].numpy(), theirs[seqid]["input"][name][()])
                np.testing.assert_allclose(run.outputs[0].numpy(), theirs[seqid]["output"]["result0"][()], atol=1e-4)

    def test_a_parameter_rounded_as_the_class_rounds_it_is_no_fault(self):
        weight = torch.randn(8, 8, generator=torch.Generator().manual_seed(5))
        x = torch.randn(4, 8, generator=torch.Generator().manual_seed(6))
        arithmetic = Arithmetic("fp16 inputs", Recipe(FORMATS["float16"]))
        rounded = arithmetic.compute(bind(aten.mm.default, (x, weight.half().float()), {}))
        self.assertFalse(effect(bind(aten.mm.default, (x, weight), {}), arithmetic, rounded).counts)


class Effectiveness(unittest.TestCase):
    def setUp(self):
        generator = torch.Generator().manual_seed(1)
        a, b = torch.randn(6, 40, generator=generator), torch.randn(40, 8, generator=generator)
        self.call = bind(aten.mm.default, (a, b), {})
        self.arithmetic = Arithmetic("fp16 inputs", Recipe(FORMATS["float16"]))
        self.honest = self.arithmetic.compute(self.call)
        # An honest error here is about 2^-11 of the root of the sum of squares.
        self.usual = 2.0**-11 * float((a.square() @ b.square()).sqrt().mean())

    def decided(self, change, call=None):
        y = self.honest[0].clone()
        change(y)
        return effect(call or self.call, self.arithmetic, [y])

    def test_an_element_off_by_a_usual_error_does_not_count(self):
        self.assertFalse(self.decided(lambda y: y[0, 0].add_(0.5 * self.usual)).counts)

    def test_an_element_off_by_hundred_usual_errors_is_gross(self):
        self.assertTrue(self.decided(lambda y: y[0, 0].add_(100 * self.usual)).gross)

    def test_between_them_a_fault_counts_and_is_subtle(self):
        ratio = self.decided(lambda y: y[0, 0].add_(100 * self.usual)).ratio
        found = self.decided(lambda y: y[0, 0].add_(100 * self.usual * 6 / ratio))
        self.assertTrue(found.counts and not found.gross, found)

    def test_nan_is_gross(self):
        self.assertEqual(self.decided(lambda y: y[1, 1].fill_(math.nan)).ratio, math.inf)

    def test_a_small_error_in_one_direction_counts_by_its_bias(self):
        generator = torch.Generator().manual_seed(2)
        call = bind(aten.mul.Tensor, (torch.rand(5000, generator=generator), torch.rand(5000, generator=generator)), {})
        self.arithmetic = Arithmetic("fp32")
        self.honest = self.arithmetic.compute(call)
        found = self.decided(lambda y: y.copy_(torch.nextafter(y, torch.zeros_like(y))), call)
        self.assertLess(found.ratio, 3)
        self.assertGreater(found.z, 8)

    def test_a_cast_may_round_in_any_way(self):
        call = bind(aten._to_copy.default, (one(1.0 + 2.0**-20),), {"dtype": torch.float16})
        for value, counts in ((1.0, False), (1.0 + 2.0**-10, False), (1.0 + 2.0**-8, True)):
            self.assertEqual(effect(call, Arithmetic("fp32"), [one(value).half()]).counts, counts)

    def test_a_move_off_by_one_bit_counts(self):
        call = bind(aten.clone.default, (one(1.0),), {})
        self.assertTrue(effect(call, Arithmetic("fp32"), [one(1.0 + 2.0**-23)]).counts)


class RealDevices(unittest.TestCase):
    """What a GPU made honestly is no fault by the yardstick."""

    def worst(self, file, inputs):
        arithmetic, worst = Arithmetic("a GPU's", Recipe(FORMATS[inputs])), {}
        for path, call, outputs in calls_in(file):
            if call.base not in MOVES and not call.base.startswith(("cudnn", "native_dropout")):
                worst[path] = effect(call, arithmetic, outputs).ratio
        return worst

    def test_a_float32_step_of_an_h200(self):
        worst = self.worst(RECORDING, "float32")
        self.assertGreater(len(worst), 40)
        self.assertLess(max(worst.values()), SEEN)

    def test_tf32_steps_of_a_gpu(self):
        steps = RECORDING.parent / "device_steps.tar.xz"
        with tempfile.TemporaryDirectory() as name, tarfile.open(steps) as archive:
            for step, fewest in (("unet_tf32", 80), ("dropout_tf32", 25)):
                archive.extract(f"{step}/t.h5", name)
                worst = self.worst(Path(name) / step / "t.h5", "tf32")
                self.assertGreater(len(worst), fewest)
                self.assertLess(max(worst.values()), SEEN, max(worst, key=worst.get))


class Edits(unittest.TestCase):
    """A linear layer and a relu, and an edit between them."""

    def program(self, edit=None):
        x = torch.tensor([[-2.0, -1.0, 1.0, 2.0]])
        rows = [("fc", "mm", x)]
        if edit:
            rows.append(("fc edited", "relu", x := edit(x)))
        rows.append(("act", "relu", torch.relu(x)))
        return [Run(i, i, SimpleNamespace(base=base), [y], tag, {}) for i, (tag, base, y) in enumerate(rows)]

    def test_what_nothing_shows_behind_it_does_not_count(self):
        self.assertTrue(is_hidden("fc", self.program(torch.relu), self.program()))
        self.assertTrue(is_hidden("fc", self.program(lambda x: torch.where(x < 0, x - 1, x)), self.program()))

    def test_what_shows_behind_it_counts(self):
        self.assertFalse(is_hidden("fc", self.program(torch.tanh), self.program()))

    def test_a_program_without_an_edit_hides_nothing(self):
        self.assertFalse(is_hidden("fc", self.program(), self.program()))


class Pairs(unittest.TestCase):
    def test_a_seed_gives_the_same_pair_again(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b"):
                pairs.make(2, Path(folder) / name)
            for file in ("golden.h5", "target.h5", "truth.json"):
                self.assertEqual((Path(folder) / "a" / file).read_bytes(), (Path(folder) / "b" / file).read_bytes())

    def test_three_of_eight_are_faulty_and_kinds_come_in_turn(self):
        seeds = range(0, 16 * len(pairs.FAULTS))
        kinds = [pairs.fault_of(s) for s in seeds if pairs.is_faulty(s) and s % 2 == 0]
        self.assertEqual(len(kinds), 3 * len(pairs.FAULTS))
        self.assertEqual(set(kinds), set(pairs.FAULTS))
        self.assertGreaterEqual(len(pairs.FAULTS), 20)

    def test_the_truth_names_ops_of_the_target(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for seed, variant in ((0, "as is"), (2, "split"), (4, "outputs"), (16, "load"), (0, "forward"), (2, "reordered")):
                truth = pairs.make(seed, folder, variant)
                self.assertTrue(truth.paths)
                with h5py.File(folder / "target.h5", "r") as target:
                    self.assertTrue(all(path in target for path in truth.paths))
                    self.assertEqual("input" in target[truth.paths[0]], variant not in ("outputs", "load"))
                    self.assertEqual(any("backward" in name for name in target), variant != "forward")

    def test_casts_are_the_targets_alone(self):
        with tempfile.TemporaryDirectory() as name:
            truth = pairs.make(2, Path(name), "casts")
            with h5py.File(Path(name) / "golden.h5") as golden, h5py.File(Path(name) / "target.h5") as target:
                kinds = []
                golden.visititems(lambda _, item: kinds.append(getattr(item, "dtype", None)))
                self.assertNotIn("_to_copy", golden)
                self.assertFalse({np.dtype("f2")} & set(kinds))
                self.assertIn("_to_copy", target)
                self.assertTrue(all(path in golden for path in truth.golden_paths))
                self.assertEqual({op: len(golden[op]) for op in golden},
                                 {op: len(target[op]) for op in target if op != "_to_copy"})

    def test_another_order_runs_the_same_ops_behind_what_they_take_in(self):
        scene = Scene(9, 0, "as is")
        draft = scene.draw(None)
        ordered, paths = in_another_order(draft.target, 4, np.random.default_rng(1))
        self.assertEqual(sorted(paths), sorted(run.path for run in draft.target))
        self.assertEqual([run.seqid for run in ordered], [run.seqid for run in draft.target])
        self.assertNotEqual([run.position for run in ordered], [run.position for run in draft.target])
        place = {run.position: i for i, run in enumerate(ordered)}
        made = {}
        for run in draft.target:
            for taken in elements_of(run.call.values.values()):
                if taken in made:
                    self.assertLess(place[made[taken]], place[run.position])
            made.update((each, run.position) for each in elements_of(run.outputs))

    def test_tensors_carry_the_attributes_of_dumpers_in_their_order(self):
        with tempfile.TemporaryDirectory() as name:
            pairs.make(6, Path(name))
            with h5py.File(Path(name) / "golden.h5", "r") as golden:
                found = []
                golden.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) and item.ndim else None)
                tensors = [item for item in found if "DataType" in item.attrs]
                self.assertTrue(tensors)
                for item in tensors:
                    self.assertEqual(int(item.attrs["Type"]), 0)
                    strides = [s // item.dtype.itemsize for s in np.empty(item.shape, item.dtype).strides]
                    self.assertEqual(item.attrs["Stride"].tolist(), strides)


if __name__ == "__main__":
    unittest.main()
