"""npuscope compare on files of other frameworks: PyTorch's, safetensors, msprobe's and CANN's folders."""

import json
import os
import struct
import subprocess
import tempfile
import unittest
from collections import OrderedDict
from pathlib import Path

import h5py
import numpy as np
import torch

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
PROGRAM = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"


def compare(target, golden, *more):
    done = subprocess.run(
        [str(PROGRAM), "compare", "-m", str(target), "-g", str(golden), "--json", *more],
        capture_output=True, text=True, check=False, timeout=300)
    result = json.loads(done.stdout) if done.stdout.startswith("{") else None
    return done.returncode, result, done.stderr


def verdicts(result):
    return {tensor["target"] or tensor["golden"]: tensor["verdict"]
            for op in result["ops"] for tensor in op["tensors"]}


def write_safetensors(path, arrays):
    """The public format: u64 length, JSON header, data."""
    codes = {"float32": "F32", "float16": "F16", "int64": "I64", "bool": "BOOL", "float64": "F64"}
    header, data = {"__metadata__": {"by": "hand"}}, b""
    for name, array in arrays.items():
        bytes_of = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": codes[str(array.dtype)], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(bytes_of)]}
        data += bytes_of
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        rng = np.random.default_rng(5)
        self.arrays = {
            "layer.weight": rng.normal(size=(3, 4)).astype("f4"),
            "layer.half": rng.normal(size=(5,)).astype("f2"),
            "count": np.arange(6, dtype="i8").reshape(2, 3),
            "mask": rng.integers(0, 2, (7,)).astype(bool),
            "wide": rng.normal(size=(2, 2, 2)),
        }
        np.savez(self.folder / "arrays.npz", **self.arrays)

    def check_same(self, target, golden):
        code, result, errors = compare(target, golden)
        self.assertEqual(code, 0, errors)
        found = verdicts(result)
        self.assertEqual(len(found), len(self.arrays))
        self.assertEqual(set(found.values()), {"pass"}, found)

    def test_what_torch_saves_is_what_numpy_saves(self):
        state = OrderedDict(
            layer=OrderedDict(weight=torch.from_numpy(self.arrays["layer.weight"]),
                              half=torch.from_numpy(self.arrays["layer.half"])),
            count=torch.from_numpy(self.arrays["count"]),
            mask=torch.from_numpy(self.arrays["mask"]),
            wide=torch.nn.Parameter(torch.from_numpy(self.arrays["wide"])))
        state["step"] = 7
        for protocol in (2, 3, 4):
            torch.save(state, self.folder / "state.pt", pickle_protocol=protocol)
            self.check_same(self.folder / "state.pt", self.folder / "arrays.npz")

    def test_views_of_a_storage_have_their_own_elements(self):
        base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
        torch.save([base.t(), base[1:3, ::2], base[0, 0].expand(3)], self.folder / "views.pt")
        np.savez(self.folder / "views.npz", **{
            "0": base.numpy().T, "1": base.numpy()[1:3, ::2], "2": np.zeros(3, "f4")})
        code, result, errors = compare(self.folder / "views.pt", self.folder / "views.npz")
        self.assertEqual(verdicts(result), {"0": "pass", "1": "pass", "2": "mistrusted"}, errors)
        self.assertEqual(code, 0)

    def test_bfloat16_of_torch(self):
        values = torch.linspace(-2, 2, 33).to(torch.bfloat16)
        torch.save(values, self.folder / "b.pt")
        np.save(self.folder / "b.npy", values.float().numpy())
        code, _, errors = compare(self.folder / "b.pt", self.folder / "b.npy")
        self.assertEqual(code, 0, errors)

    def test_safetensors(self):
        write_safetensors(self.folder / "state.safetensors", self.arrays)
        self.check_same(self.folder / "state.safetensors", self.folder / "arrays.npz")

    def test_a_difference_is_found(self):
        changed = dict(self.arrays)
        changed["wide"] = self.arrays["wide"] * 1.5
        write_safetensors(self.folder / "other.safetensors", changed)
        code, result, _ = compare(self.folder / "other.safetensors", self.folder / "arrays.npz")
        self.assertEqual(code, 1)
        self.assertEqual(verdicts(result)["wide"], "fail")
        self.assertEqual(verdicts(result)["count"], "pass")

    def test_rejects_damaged_files(self):
        torch.save(torch.zeros(100), self.folder / "whole.pt")
        whole = (self.folder / "whole.pt").read_bytes()
        text = b'{"x":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,8]}}'
        overlap = b'{"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},' \
                  b'"b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}}'
        files = {
            "cut.pt": whole[: len(whole) // 2],
            "text.pt": b"no archive",
            "empty.safetensors": b"",
            "long.safetensors": struct.pack("<Q", 1 << 40) + b"{}",
            "huge.safetensors": struct.pack("<Q", len(text)) + text + bytes(8),
            "overlap.safetensors": struct.pack("<Q", len(overlap)) + overlap + bytes(8),
            "list.safetensors": struct.pack("<Q", 2) + b"[]",
        }
        for name, content in files.items():
            with self.subTest(file=name):
                (self.folder / name).write_bytes(content)
                code, _, errors = compare(self.folder / name, self.folder / "arrays.npz")
                self.assertEqual(code, 2, errors)
                self.assertIn(name, errors)
                self.assertEqual(len(errors.strip().splitlines()), 1, errors)

    def test_code_in_a_pickle_is_not_run(self):
        class Evil:
            def __reduce__(self):
                return os.mkdir, (str(marker),)

        marker = self.folder / "marker"
        torch.save({"a": Evil(), "x": torch.ones(3) * 2 + torch.arange(3)}, self.folder / "evil.pt")
        np.savez(self.folder / "x.npz", x=np.array([2, 3, 4], "f4"))
        code, _, errors = compare(self.folder / "evil.pt", self.folder / "x.npz")
        self.assertEqual(code, 0, errors)
        self.assertFalse(marker.exists())

    def msprobe(self, name, scale=1.0, tensors=True):
        """step0/rank0/dump.json as msprobe writes it, with elements or statistics alone."""
        folder = self.folder / name / "step0/rank0"
        (folder / "dump_tensor_data").mkdir(parents=True)
        rng = np.random.default_rng(3)

        def record(op, direction, array):
            file = f"{op}.{direction}.0.pt"
            entry = {"type": "torch.Tensor", "dtype": f"torch.{array.dtype}", "shape": list(array.shape),
                     "Max": float(array.max()), "Min": float(array.min()), "Mean": float(array.mean()),
                     "Norm": float(np.linalg.norm(array)), "requires_grad": False}
            if tensors:
                entry["data_name"] = file
                torch.save(torch.from_numpy(array), folder / "dump_tensor_data" / file)
            return entry

        data = {}
        for op in ("Functional.conv2d.0.forward", "Functional.relu.0.forward"):
            value = rng.normal(size=(2, 3)).astype("f4")
            factor = scale if "relu" in op else 1.0
            data[op] = {"input_args": [record(op, "input", value), None, [{"type": "int", "value": 2}]],
                        "input_kwargs": {},
                        "output": [record(op, "output", (value * 2 * factor).astype("f4"))]}
        text = {"task": "tensor" if tensors else "statistics", "level": "L1", "framework": "pytorch",
                "dump_data_dir": str(folder / "dump_tensor_data") if tensors else None, "data": data}
        (folder / "dump.json").write_text(json.dumps(text))
        return self.folder / name

    def test_msprobe_folders(self):
        golden = self.msprobe("golden")
        code, result, errors = compare(self.msprobe("same"), golden)
        self.assertEqual(code, 0, errors)
        self.assertEqual(len(verdicts(result)), 4)
        code, result, _ = compare(self.msprobe("scaled", scale=1.01), golden)
        self.assertEqual(code, 1)
        failed = [path for path, verdict in verdicts(result).items() if verdict == "fail"]
        self.assertEqual(failed, ["Functional.relu.0.forward.output.0"])

    def test_msprobe_statistics(self):
        golden = self.msprobe("golden")
        code, result, errors = compare(self.msprobe("same", tensors=False), golden)
        self.assertEqual(code, 0, errors)
        self.assertEqual(set(verdicts(result).values()), {"pass"})
        code, result, _ = compare(self.msprobe("scaled", scale=1.01, tensors=False), golden)
        self.assertEqual(code, 1)
        failed = [path for path, verdict in verdicts(result).items() if verdict == "fail"]
        self.assertEqual(failed, ["Functional.relu.0.forward.output.0"])

    def test_msprobe_statistics_that_pytorch_has_none_of(self):
        """What msprobe keeps of bool, int, float64 and empty tensors, with NaN as Python's json writes it."""
        full = {"Max": 2.0, "Min": -1.0, "Mean": 0.5, "Norm": 3.0}
        kinds = {"bool": {"Max": True, "Min": False, "Mean": None, "Norm": None},
                 "int64": {"Max": 7, "Min": 0, "Mean": None, "Norm": None},
                 "float64": {"Max": 2.0, "Min": -1.0, "Mean": None, "Norm": None},
                 "float16": {"Max": None, "Min": None, "Mean": None, "Norm": None},
                 "float32": full}

        def write(name, first):
            def tensor(dtype, **changed):
                shape = [0] if dtype == "float16" else [4]
                return {"type": "torch.Tensor", "dtype": "torch." + dtype, "shape": shape, **kinds[dtype],
                        "requires_grad": False, **changed}

            ops = ["Tensor.where.0.forward", "Functional.relu.0.forward", "Functional.add.0.forward",
                   "Functional.relu.0.backward"]
            data = {op: {"input_args": [tensor(dtype) for dtype in kinds], "input_kwargs": {},
                         "output": [tensor("float32", **(first if i else {}))]} for i, op in enumerate(ops)}
            (self.folder / name).mkdir()
            (self.folder / name / "dump.json").write_text(json.dumps({"task": "statistics", "data": data}, indent=1))
            return self.folder / name

        golden = write("golden", {})
        code, result, errors = compare(golden, golden)
        self.assertEqual((code, result["verdict"]), (0, "pass"), errors)
        self.assertEqual([op["path"].split(".")[1] for op in result["ops"]], ["where", "relu", "add", "relu"])
        self.assertEqual((result["counts"]["not_recorded"], result["counts"]["partly_recorded"]), (4, 12))
        code, result, errors = compare(write("target", {"Max": float("nan")}), golden)
        self.assertEqual(code, 1, errors)
        self.assertEqual(result["first_culprit"]["path"], "Functional.relu.0.forward")

    def test_msprobe_names_stay_in_the_folder(self):
        folder = self.msprobe("evil")
        path = folder / "step0/rank0/dump.json"
        torch.save(torch.ones(2, 3), self.folder / "outside.pt")
        path.write_text(path.read_text().replace("Functional.relu.0.forward.output.0.pt", "../../../../outside.pt"))
        _, result, _ = compare(folder, self.msprobe("golden"))
        rule = [tensor["rule"] for op in result["ops"] for tensor in op["tensors"]
                if tensor["target"] == "Functional.relu.0.forward.output.0"]
        self.assertEqual(len(rule), 1)
        self.assertNotIn("shapes", rule[0])
        self.assertIn("statistics", rule[0])

    def test_rejects_msprobe_nested_too_deeply(self):
        golden = self.msprobe("golden")
        folder = self.msprobe("deep")
        deep = "[" * 200_000 + "]" * 200_000
        (folder / "step0/rank0/dump.json").write_text('{"data": {"a": {"input_args": %s}}}' % deep)
        code, result, errors = compare(folder, golden)
        self.assertEqual((code, result), (2, None))
        self.assertIn("is no dump.json of msprobe: its JSON is damaged at byte 91: it is nested too deep", errors)

    def test_a_cann_folder_against_arrays(self):
        """The outputs that msaccucmp's recorded fusion case holds, against its golden arrays."""
        case = SOURCE / "tests/golden/msaccucmp_folders/fusion/in"
        golden = self.folder / "golden"
        golden.mkdir()
        for file in (case / "cpu").glob("conv1.*.npy"):
            np.save(self.folder / "conv1.npy", np.load(file))
        (one,) = (case / "npu").glob("Conv2D.conv1.*")
        target = self.folder / "npu"
        target.mkdir()
        (target / one.name).write_bytes(one.read_bytes())
        code, result, errors = compare(target, self.folder / "conv1.npy", "--tolerance", "0.01")
        self.assertEqual(code, 0, errors)
        self.assertEqual(list(verdicts(result).values()), ["pass"])

    def test_a_file_of_cann_that_is_cut_is_no_pass(self):
        """Where tensors are paired by what they hold as well."""
        case = SOURCE / "tests/golden/msaccucmp_folders/fusion/in/npu"
        golden, target = self.folder / "whole", self.folder / "cut"
        for folder in (golden, target):
            folder.mkdir()
            for file in case.iterdir():
                (folder / file.name).write_bytes(file.read_bytes())
        (one,) = target.glob("Conv2D.conv1.*")
        one.write_bytes(one.read_bytes()[:60])
        for words in ((), ("--align",), ("--no-align",)):
            code, result, errors = compare(target, golden, *words)
            self.assertEqual(code, 1, errors)
            self.assertIn(one.name, result["first_culprit"]["why"])
            self.assertIn("is no valid dump", result["first_culprit"]["why"])

    def test_a_dump_against_arrays(self):
        path = SOURCE / "data/recordings/gpu_step_fp32.h5"
        arrays = {}

        def collect(name, item):
            if isinstance(item, h5py.Dataset) and item.attrs.get("Type") == 0:
                op, seqid, side, argument = name.split("/", 3)
                arrays[f"{op}.{seqid}.{side}.{argument}"] = item[()]

        with h5py.File(path, "r") as file:
            file.visititems(collect)
        self.assertGreater(len(arrays), 10)
        np.savez(self.folder / "dump.npz", **{name.replace("/", "-"): value for name, value in arrays.items()})
        code, result, errors = compare(path, self.folder / "dump.npz")
        found = verdicts(result)
        # What cuDNN keeps for its gradient, in a layout of its own, is not compared.
        told = [name for name in arrays if not name.endswith((".result3", ".reserveSpace"))]
        self.assertEqual(len(found), len(told), errors)
        self.assertLessEqual(set(found.values()), {"pass", "mistrusted", "undefined"}, found)
        self.assertEqual(code, 0)

    def test_a_dump_is_held_to_what_it_was_computed_in(self):
        golden = np.array([1, 2], "f4")
        with h5py.File(self.folder / "dump.h5", "w") as file:
            for seqid, name in enumerate(("exp", "mm"), 1):
                tensor = file.create_dataset(f"{name}/{seqid}/output/result", data=golden * np.float32(1.001))
                tensor.attrs.update({"Type": np.int32(0), "DataType": np.int32(1)})
            file["mm/2/output/result"].attrs["ComputeType"] = np.bytes_("float16")
        np.savez(self.folder / "golden.npz", **{"exp.1.output.result": golden, "mm.2.output.result": golden})
        _, result, errors = compare(self.folder / "dump.h5", self.folder / "golden.npz")
        self.assertEqual(verdicts(result), {"/exp/1/output/result": "fail", "/mm/2/output/result": "pass"}, errors)

    def test_rejects_what_is_no_source(self):
        (self.folder / "nothing").mkdir()
        (self.folder / "x.txt").write_text("1 2")
        for path in (self.folder / "nothing", self.folder / "x.txt", self.folder / "missing"):
            code, _, errors = compare(path, self.folder / "arrays.npz")
            self.assertEqual(code, 2)
            self.assertIn(path.name, errors)
            self.assertEqual(len(errors.strip().splitlines()), 1, errors)


if __name__ == "__main__":
    unittest.main()
