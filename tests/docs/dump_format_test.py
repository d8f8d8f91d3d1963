"""Dumps are what docs/dump_format.md says, as h5py (another library) reads them."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

MODELS = Path(os.environ["NPUSCOPE_SOURCE_DIR"]) / "data" / "models"
NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
STORED = {1: "float32", 2: "int8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "int8"}
STORED.update({10: "float32", 11: "float64"})
NUMBERS = {3: "int64", 4: "int8", 5: "float64", 14: "int32"}
LISTS = {16: "int64", 102: "int8"}
TENSOR_ATTRIBUTES = ["DeviceType", "DataType", "FormatType", "Type", "Stride"]


def run(*options: str) -> None:
    model, arrays = str(MODELS / "digits_vit.onnx"), str(MODELS / "digits_vit.io.npz")
    command = [NPUSCOPE, "run", model, "--input", arrays, "-q", *options]
    subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)


def runs(file: h5py.File):
    """(seqid, op, group), by seqid."""
    return sorted((int(seqid), op, file[op][seqid]) for op in file for seqid in file[op])


def text(value) -> str:
    """An attribute of text: h5py gives texts of fixed length as bytes."""
    return value.decode() if isinstance(value, bytes) else value


def datasets(group: h5py.Group, below: str) -> dict:
    found = {}

    def visit(name: str, item) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item

    if below in group:
        group[below].visititems(visit)
    return found


class DumpFormat(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        run("--device", "cpu", "--dump", str(cls.folder / "golden.h5"))
        run("--chip", "910A", "--dump", str(cls.folder / "npu.h5"))
        load = ("--load", str(cls.folder / "golden.h5"), "--dump", str(cls.folder / "isolated.h5"))
        run("--chip", "910A", *load)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.scratch.cleanup()

    def each(self):
        for name in ("golden.h5", "npu.h5", "isolated.h5"):
            with h5py.File(self.folder / name, "r") as file:
                yield name, file

    def test_only_the_final_names_are_left(self) -> None:
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, ["golden.h5", "isolated.h5", "npu.h5"])

    def test_the_root_describes_the_run(self) -> None:
        for name, file in self.each():
            facts = {key: text(value) for key, value in file.attrs.items()}
            self.assertEqual((facts["FormatVersion"], facts["Complete"]), ("1.0", "yes"))
            self.assertEqual(facts["Device"], "cpu fp64" if name == "golden.h5" else "npu 910A")
            self.assertEqual(facts["Mode"], "load" if name == "isolated.h5" else "dump")

    def test_seqids_count_the_ops(self) -> None:
        for _, file in self.each():
            numbers = [seqid for seqid, _, _ in runs(file)]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
            for op in file:
                self.assertTrue(all(re.fullmatch(r"[1-9]\d*", seqid) for seqid in file[op]))

    def test_no_group_below_the_root_has_attributes(self) -> None:
        for _, file in self.each():
            bad = []
            file.visititems(
                lambda path, item: bad.append(path)
                if isinstance(item, h5py.Group) and len(item.attrs)
                else None
            )
            self.assertEqual(bad, [])

    def test_a_run_holds_input_output_and_facts_only(self) -> None:
        for name, file in self.each():
            wanted = {"output", "npuscope"} | ({"input"} if name != "isolated.h5" else set())
            for _, op, group in runs(file):
                self.assertEqual(set(group), wanted, op)

    def test_every_dataset_is_a_tensor_a_number_or_a_list(self) -> None:
        for name, file in self.each():
            device = 0 if name == "golden.h5" else 10
            for _, _, group in runs(file):
                for below in ("input", "output"):
                    for item in datasets(group, below).values():
                        self.check_dataset(item, device)

    def check_dataset(self, item: h5py.Dataset, device: int) -> None:
        kind = int(item.attrs["Type"])
        if kind in (0, 101):
            self.check_tensor(item, device)
            return
        self.assertEqual(list(item.attrs), ["Type"], item.name)
        if kind in LISTS:
            self.assertEqual((item.dtype.name, item.ndim), (LISTS[kind], 1), item.name)
        elif kind == 7:
            self.assertIn(item.dtype.name, ("float64", "int64", "int8"))
            self.assertEqual(item.shape, ())
        else:
            self.assertEqual((item.dtype.name, item.shape), (NUMBERS[kind], ()), item.name)

    def check_tensor(self, item: h5py.Dataset, device: int) -> None:
        attributes = dict(item.attrs)
        code = int(attributes["DataType"])
        self.assertEqual(set(attributes) - {"ComputeType", "StoredFrom"}, set(TENSOR_ATTRIBUTES))
        for name in ("DeviceType", "DataType", "FormatType", "Type"):
            self.assertEqual((attributes[name].dtype, attributes[name].shape), (np.int32, ()))
        self.assertEqual((attributes["DeviceType"], attributes["FormatType"]), (device, 0))
        self.assertEqual(item.dtype.name, STORED[code], item.name)
        self.assertIsNone(item.chunks)
        strides = [n // item.dtype.itemsize for n in np.empty(item.shape, item.dtype).strides]
        self.assertEqual(attributes["Stride"].dtype, np.int64)
        self.assertEqual(list(attributes["Stride"]), strides, item.name)

    def test_float_results_tell_the_precision_they_were_computed_in(self) -> None:
        for name, file in self.each():
            found = set()
            for _, op, group in runs(file):
                for item in datasets(group, "output").values():
                    found.add((op, text(item.attrs["ComputeType"])))
                for item in datasets(group, "input").values():
                    self.assertNotIn("ComputeType", item.attrs)
            if name == "golden.h5":
                self.assertEqual({kind for _, kind in found}, {"float64"})
            else:
                products = {kind for op, kind in found if op in ("mm", "bmm", "addmm", "matmul")}
                self.assertEqual(products, {"float16"})

    def test_facts_are_json_with_type_100(self) -> None:
        for name, file in self.each():
            for _, op, group in runs(file):
                item = group["npuscope"]
                self.assertEqual((item.shape, int(item.attrs["Type"])), ((), 100))
                facts = json.loads(item.asstr()[()])
                self.assertEqual(set(facts["status"]), {"bits", "overflow"}, op)
                self.assertTrue(facts["node"])
                self.assertEqual("golden" in facts, name == "isolated.h5")

    def test_the_dumped_outputs_are_those_of_the_model(self) -> None:
        with np.load(MODELS / "digits_vit.io.npz") as arrays, h5py.File(
            self.folder / "golden.h5", "r"
        ) as file:
            last = datasets(runs(file)[-1][2], "output")
            self.assertEqual(len(last), 1)
            ours = next(iter(last.values()))[()]
            np.testing.assert_allclose(ours, arrays["out_logits"], rtol=0, atol=2e-5)


if __name__ == "__main__":
    unittest.main()
