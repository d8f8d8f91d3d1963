"""npuscope.run, check, compare, overflow, extract, open_dump."""

import json
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

import npuscope

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
RESNET = SOURCE / "data" / "models" / "digits_resnet.onnx"
ARRAYS = np.load(SOURCE / "data" / "models" / "digits_resnet.io.npz")
INPUTS = {k[3:]: ARRAYS[k] for k in ARRAYS if k.startswith("in_")}
EXPECTED = {k[4:]: ARRAYS[k] for k in ARRAYS if k.startswith("out_")}


class Flows(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = Path(cls.holder.name)
        cls.golden, cls.target = cls.folder / "golden.h5", cls.folder / "npu.h5"
        cls.reference = npuscope.run(RESNET, INPUTS, chip="cpu", dump=cls.golden)
        cls.outputs = npuscope.run(RESNET, INPUTS, chip="910A", dump=cls.target)

    def test_the_reference_agrees_with_onnxruntime(self) -> None:
        for name, values in EXPECTED.items():
            np.testing.assert_allclose(
                self.reference[name], values, rtol=0, atol=2e-5 * np.abs(values).max()
            )

    def test_the_chip_differs_from_the_reference_by_half_precision(self) -> None:
        (name,) = self.outputs
        error = np.abs(self.outputs[name] - self.reference[name]).max()
        largest = np.abs(self.reference[name]).max()
        self.assertGreater(error, 1e-6 * largest)
        self.assertLess(error, 2e-2 * largest)

    def test_compare_gives_columns_of_one_length(self) -> None:
        result = npuscope.compare(self.target, self.golden)
        lengths = {len(column) for column in result.columns.values()}
        self.assertEqual(len(lengths), 1)
        self.assertEqual(result.columns["verdict"].dtype, object)
        self.assertEqual(result.columns["cosine_similarity"].dtype, np.float64)
        self.assertIn(result.verdict, result.text)

    def test_compare_expects_a_class_and_judges_as_much_as_it_is_told(self) -> None:
        vit = RESNET.with_name("digits_vit.onnx")
        target, golden = self.folder / "vit_npu.h5", self.folder / "vit.h5"
        inputs = {
            name: np.random.default_rng(1).standard_normal(shape).astype(np.float32)
            for name, _, shape in npuscope._core.model_inputs(str(vit))
        }
        npuscope.run(vit, inputs, chip="910A", dump=target)
        npuscope.run(vit, inputs, chip="cpu", dump=golden)
        result = npuscope.compare(target, golden, chip="950")
        self.assertEqual((result.verdict, result.first_fail), ("fail", "/mm/1"))
        (sentence,) = result.contradictions
        self.assertIn("expected fp32 of 950", sentence)
        self.assertEqual(npuscope.compare(target, golden, target_class="bf16 throughout").contradictions, [])
        self.assertEqual(npuscope.compare(golden, golden, judge="quick").exit_code, 0)
        self.assertEqual(npuscope.compare(target, golden, judge="off").verdict, "fail")
        self.assertEqual(npuscope.compare(target, golden, allow_golden_at_fault=True).exit_code, 0)
        for bad in ({"judge": "slow"}, {"chip": "V100"}, {"target_class": "fp17"}, {"judge": "off", "chip": "910A"}):
            with self.assertRaises(npuscope.UsageError):
                npuscope.compare(target, golden, **bad)

    def test_compare_takes_what_the_command_takes(self) -> None:
        wrong = self.folder / "wrong.h5"
        shutil.copy(self.target, wrong)
        with h5py.File(wrong, "r+") as file:
            file["/convolution/1/output/result"][0, 1, 2, 3] += 3.0
        tensor = "/convolution/1/output/result"
        plain = npuscope.compare(wrong, self.golden)
        self.assertEqual((plain.exit_code, plain.first_fail), (1, "/convolution/1"))
        self.assertEqual((plain.standard, plain.gate), (None, None))
        self.assertNotIn("standard", plain.columns)

        ignored = npuscope.compare(wrong, self.golden, ignore=f"{tensor}[0, 1, 2, 3]")
        self.assertEqual((ignored.exit_code, int(ignored.columns["ignored"].sum())), (0, 1))
        none = npuscope.compare(wrong, self.golden, ignore=["/none/[...]"])
        self.assertIn("the region '/none/[...]' to ignore is of no tensor here", none.notes)

        tolerances = self.folder / "tolerances.json"
        tolerances.write_text(json.dumps({"tolerances": [{"tensor": tensor, "tolerance": 10}]}))
        self.assertEqual(npuscope.compare(wrong, self.golden, tolerances=tolerances).exit_code, 0)

        standard = npuscope.compare(wrong, self.golden, standard="cann-L1", third="emulated").standard
        self.assertEqual((standard["name"], standard["level"]), ("cann-L1", "fail"))
        self.assertEqual(
            set(npuscope.compare(self.golden, self.golden, standard="torch").columns["standard"]), {"", "close"}
        )

        repeat, noise = self.folder / "repeat.h5", self.folder / "noise.json"
        shutil.copy(self.golden, repeat)
        with h5py.File(repeat, "r+") as file:
            file[tensor][0, 1, 2, 3] += 2.0
        found = npuscope.compare(wrong, self.golden, repeats=[repeat], noise_out=noise)
        self.assertEqual((found.exit_code, npuscope.compare(wrong, self.golden, noise=noise).exit_code), (0, 0))

        waivers = self.folder / "waivers.json"
        row = {"op": "^/convolution/1$", "reason": "known", "owner": "kim", "expires": "9999-12-31"}
        waivers.write_text(json.dumps({"waivers": [row]}))
        waived = npuscope.compare(wrong, self.golden, waivers=waivers)
        self.assertEqual((waived.exit_code, waived.verdict), (0, "pass"))
        self.assertEqual([each["status"] for each in waived.gate["findings"]], ["waived"])
        npuscope.compare(wrong, self.golden, output=self.folder / "old")
        known = npuscope.compare(wrong, self.golden, baseline=self.folder / "old" / "verdicts.json")
        self.assertEqual((known.exit_code, known.gate["findings"][0]["status"]), (0, "known"))
        for bad in ({"ignore": ["x"]}, {"standard": "iso"}, {"third": "emulated"}, {"noise_out": noise}):
            with self.assertRaises(npuscope.UsageError):
                npuscope.compare(wrong, self.golden, **bad)
        for bad in ({"waivers": tolerances}, {"baseline": tolerances}, {"noise": tolerances}, {"tolerances": noise}):
            with self.assertRaises(npuscope.FormatError):
                npuscope.compare(wrong, self.golden, **bad)

    def test_compare_pairs_by_what_tensors_hold_where_it_is_told_to(self) -> None:
        chance = np.random.default_rng(7)
        weights = {f"layers.{i}.weight": chance.standard_normal((4, 6)).astype("f4") for i in range(12)}
        target, golden = self.folder / "other_names.npz", self.folder / "weights.npz"
        np.savez(golden, **weights)
        np.savez(target, **{f"h{11 - i}": value.T for i, value in enumerate(weights.values())})
        for align, expected in ((True, "pass"), (None, "pass"), (False, "nothing compared")):
            result = npuscope.compare(target, golden, align=align)
            self.assertEqual(result.verdict, expected, f"align={align}")

    def test_a_dump_compared_with_itself_passes(self) -> None:
        result = npuscope.compare(self.golden, self.golden)
        self.assertEqual((result.verdict, result.exit_code, result.first_fail), ("pass", 0, None))

    def test_compare_tells_of_arguments_and_overflow(self) -> None:
        x = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)
        big = np.array([[65700.0, 1.0]], np.float32)

        def record(chip: str, eps: float) -> Path:
            path = self.folder / f"{chip}_told.h5"
            with npuscope.chip(chip), npuscope.dumper(use_dump=True, dump_path=path):
                npuscope.ops.native_layer_norm(x, [2], None, None, eps)
                npuscope.ops.mm(big, np.full((2, 2), 0.25, np.float32))
            return path

        result = npuscope.compare(record("910A", 0.001), record("cpu", 1e-5))
        columns = result.columns
        told = dict(zip(columns["op"], columns["arguments"]))
        self.assertEqual(told["native_layer_norm"], "eps 0.001, golden 1e-05")
        self.assertEqual(told["mm"], "")
        self.assertEqual(dict(zip(columns["op"], columns["overflow"]))["mm"], "introduced")
        self.assertEqual(set(columns["module"]), {""})
        (overflow,) = result.overflow
        self.assertEqual((overflow["path"], overflow["kind"]), ("/mm/2", "introduced"))
        self.assertIn("arguments: eps 0.001, golden 1e-05", result.text)

    def test_load_gives_the_isolated_run(self) -> None:
        path = self.folder / "isolated.h5"
        npuscope.run(RESNET, INPUTS, chip="910A", dump=path, load=self.golden)
        self.assertTrue(npuscope.compare(path, self.golden).load_mode)

    def test_open_dump_reads_what_h5py_reads(self) -> None:
        dump = npuscope.open_dump(self.golden)
        self.assertEqual(dump.facts["Reference"], "fp64")
        # HDF5 refuses to open one file twice in different ways.
        copied = shutil.copy(self.golden, self.folder / "copied.h5")
        with h5py.File(copied) as file:
            for path in list(dump)[:5]:
                op = dump[path]
                for name in op.outputs.tensors():
                    stored = file[f"{path}/output/{name}"]
                    np.testing.assert_array_equal(op.outputs[name], stored[()])
                    self.assertEqual(op.outputs.describe(name).shape, stored.shape)
        run = dump.ops("convolution")[0]
        self.assertEqual(run.inputs["stride"], [1, 1])
        self.assertIs(run.inputs["transposed"], False)
        self.assertEqual(run.inputs["groups"], 1)
        self.assertIn("/", run.facts["node"] + "/")

    def test_arrays_of_a_dump_are_read_only(self) -> None:
        (name, *_) = npuscope.open_dump(self.golden)
        array = npuscope.open_dump(self.golden)[name].outputs["result"]
        with self.assertRaises(ValueError):
            array[...] = 0

    def test_an_unknown_path_names_the_nearest(self) -> None:
        dump = npuscope.open_dump(self.golden)
        with self.assertRaisesRegex(KeyError, "nearest"):
            dump["/convolutio/1"]
        self.assertNotIn("/convolutio/1", dump)
        with self.assertRaisesRegex(KeyError, "self"):
            dump[next(p for p in dump if "relu" in p)].inputs["weight"]

    def test_extract_copies_ops(self) -> None:
        path = self.folder / "some.h5"
        count = npuscope.extract(self.golden, path, "/convolution/*")
        self.assertEqual(count, len(npuscope.open_dump(self.golden).ops("convolution")))
        self.assertEqual({op.name for op in npuscope.open_dump(path).ops()}, {"convolution"})
        with self.assertRaisesRegex(npuscope.UsageError, "matches nothing|nearest|no "):
            npuscope.extract(self.golden, self.folder / "no.h5", ["/nothing/1"])

    def test_overflow_scans_a_dump(self) -> None:
        self.assertFalse(npuscope.overflow(self.target)["found"])
        path = self.folder / "big.h5"
        big = np.full((2, 2), 60000, np.float16)
        with npuscope.chip("910A"), npuscope.dumper(use_dump=True, dump_path=path):
            npuscope.ops.add_Tensor(big, big)
        report = npuscope.overflow(path)
        self.assertTrue(report["found"])
        self.assertIn("/add_Tensor/", str(report["first"]))

    def test_loss_compares_training_logs(self) -> None:
        for name, rate in (("gpu", 0.1003), ("npu", 0.1207)):
            rows = [f"{step},{9 - rate * step:.4f}\n" for step in range(40)]
            (self.folder / f"{name}.csv").write_text("step,loss\n" + "".join(rows))
        gpu, npu = self.folder / "gpu.csv", self.folder / "npu.csv"
        self.assertFalse(npuscope.loss(gpu, gpu)["found"])
        report = npuscope.loss(gpu, gpu, npu, precision="float32")
        self.assertTrue(report["found"])
        self.assertEqual([t["class"] for t in report["targets"]], ["identical", "update"])
        self.assertEqual(npuscope.loss(gpu, npu, like=[npu])["targets"][0]["class"], "noise")
        with self.assertRaisesRegex(npuscope.UsageError, "no precision is called 'int8'"):
            npuscope.loss(gpu, npu, precision="int8")
        with self.assertRaisesRegex(npuscope.UsageError, "no log to judge"):
            npuscope.loss(gpu)

    def test_check_judges_a_model(self) -> None:
        report = npuscope.check(
            RESNET, chip="910A", input=SOURCE / "data/models/digits_resnet.io.npz"
        )
        self.assertEqual(report["verdict"], "pass")
        self.assertTrue(report["ops"])

    def test_inputs_are_seeded_when_none_are_given(self) -> None:
        first = npuscope.run(RESNET, chip="fp32", seed=5)
        again = npuscope.run(RESNET, chip="fp32", seed=5)
        for name in first:
            np.testing.assert_array_equal(first[name], again[name])

    def test_rejects_missing_files_and_wrong_inputs(self) -> None:
        for act in (
            lambda: npuscope.open_dump(self.folder / "none.h5"),
            lambda: npuscope.run(self.folder / "none.onnx", {}),
            lambda: npuscope.compare(self.folder / "none.h5", self.golden),
        ):
            with self.assertRaisesRegex(npuscope.IoError, "none"):
                act()
        with self.assertRaisesRegex(npuscope.UsageError, "input"):
            npuscope.run(RESNET, {"wrong": np.zeros(1, np.float32)})

    def test_ctrl_c_ends_a_run_and_leaves_a_readable_file(self) -> None:
        path = self.folder / "stopped.h5"
        executor = npuscope.Executor("910A")
        count = []

        def interrupt(call: npuscope.HookCall) -> None:
            count.append(1)
            if len(count) == 5:
                os.kill(os.getpid(), signal.SIGINT)

        executor.hook("after_op", "*", interrupt)
        with self.assertRaises(KeyboardInterrupt):
            npuscope.run(RESNET, INPUTS, chip=executor, dump=path)
        dump = npuscope.open_dump(path)
        self.assertFalse(dump.complete)
        self.assertIn("KeyboardInterrupt", dump.facts["Note"])
        self.assertLessEqual(1, len(dump))
        self.assertLess(len(dump), len(npuscope.open_dump(self.golden)))

    def test_ctrl_c_ends_a_check(self) -> None:
        main = threading.main_thread().ident

        def press() -> None:
            time.sleep(0.15)
            signal.pthread_kill(main, signal.SIGINT)

        inputs = self.folder / "many.npz"
        np.savez(inputs, **{f"in_{k}": v for k, v in INPUTS.items()})
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            threading.Thread(target=press).start()
            while True:  # a check takes longer than the wait, or several do
                npuscope.check(RESNET, input=inputs)
        self.assertLess(time.monotonic() - started, 60)


if __name__ == "__main__":
    unittest.main()
