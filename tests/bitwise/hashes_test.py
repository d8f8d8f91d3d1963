"""Dumps of hashes: another library computes the same ones, and they tell where equal runs part."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
import xxhash

BIN = Path(os.environ["NPUSCOPE_BIN_DIR"])
NPUSCOPE = str(BIN / "npuscope")
MODEL = str(Path(os.environ["NPUSCOPE_SOURCE_DIR"]) / "data/models/digits_resnet.onnx")
sys.path.insert(0, str(BIN.parent / "python"))

PYTHON = """
import sys
import numpy as np
import npuscope
from npuscope import ops
path, change = sys.argv[1], float(sys.argv[2])
with npuscope.dumper(use_dump=True, dump_path=path, hashes=True):
    x = npuscope.Tensor(np.arange(6, dtype="f4").reshape(2, 3))
    y = ops.relu(x)
    ops.add_Tensor(y, npuscope.Tensor(np.full((2, 3), change, "f4")))
"""
TORCH = """
import sys, torch, npuscope.torch
with npuscope.torch.dumper(use_dump=True, dump_path=sys.argv[1], hashes=True, quiet=True):
    torch.nn.functional.relu(torch.arange(6.0) - 3)
"""


def hashes_in(path):
    """By the path of the tensor."""
    found = {}
    with h5py.File(path) as file:
        for name, runs in file.items():
            for seqid, run in runs.items():
                text = run["npuscope"][()]
                rows = json.loads(text if isinstance(text, str) else bytes(text).decode())["hashes"]
                for tensor, row in rows.items():
                    found[f"{name}/{seqid}/{tensor}"] = tuple(row[:1]) + (tuple(row[1]), row[2])
    return found


class Hashes(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def dump(self, name, *words):
        path = self.folder / name
        done = subprocess.run(
            [NPUSCOPE, "run", MODEL, "-q", "--dump", str(path), *words], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return str(path)

    def bitwise(self, *paths, code):
        done = subprocess.run(
            [NPUSCOPE, "compare", "-q", "--json", "--bitwise", *paths], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)["runs"][0]

    def test_they_are_those_of_another_library(self):
        whole = self.dump("whole.h5", "--device", "cpu")
        hashed = hashes_in(self.dump("hashed.h5", "--device", "cpu", "--hashes-only"))
        count = 0
        with h5py.File(whole) as file:

            def look(path, item):
                nonlocal count
                if isinstance(item, h5py.Dataset) and item.attrs.get("Type") == 0:
                    data = item[()]
                    self.assertEqual(hashed[path][1], data.shape)
                    if hashed[path][0] == str(data.dtype):
                        self.assertEqual(hashed[path][2], xxhash.xxh3_128_hexdigest(data.tobytes()), path)
                        count += 1

            file.visititems(look)
        self.assertGreater(count, 20)
        self.assertLess(os.path.getsize(self.folder / "hashed.h5"), os.path.getsize(whole) / 4)

    def test_dumps_of_hashes_and_of_elements_are_held_against_each_other(self):
        whole = self.dump("whole.h5")
        hashed = self.dump("hashed.h5", "--hashes-only")
        self.assertEqual(self.bitwise(whole, hashed, code=0)["incomparable_tensors"], 0)
        self.assertEqual(self.bitwise(hashed, whole, code=0)["verdict"], "equal")
        other = self.dump("other.h5", "--hashes-only", "--device", "cpu")
        run = self.bitwise(hashed, other, code=1)
        self.assertEqual((run["parting"]["by"], run["parting"]["manner"]), ("op", "unknown"))
        self.assertEqual(self.bitwise(whole, other, code=1)["parting"]["op"], run["parting"]["op"])

    def test_either_statistics_or_hashes_are_kept(self):
        done = subprocess.run(
            [NPUSCOPE, "run", MODEL, "-q", "--dump", str(self.folder / "d.h5"), "--hashes-only", "--stats-only"],
            capture_output=True, text=True, check=False,
        )
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)

    def run_python(self, text, *words):
        done = subprocess.run(
            ["/usr/bin/python3", "-B", "-c", text, *words], capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(BIN.parent / "python")},
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_python_keeps_them(self):
        paths = [str(self.folder / name) for name in ("a.h5", "b.h5")]
        for path, change in zip(paths, ("1", "2")):
            self.run_python(PYTHON, path, change)
        x = np.arange(6, dtype="f4").reshape(2, 3)
        self.assertEqual(
            hashes_in(paths[0])["relu/1/input/self"], ("float32", (2, 3), xxhash.xxh3_128_hexdigest(x.tobytes()))
        )
        run = self.bitwise(*paths, code=1)
        self.assertEqual((run["parting"]["op"], run["parting"]["by"]), ("/add_Tensor/2", "inputs"))

    def test_pytorch_keeps_them(self):
        path = str(self.folder / "t.h5")
        self.run_python(TORCH, path)
        result = np.maximum(np.arange(6, dtype="f4") - 3, 0)
        self.assertIn(
            ("float32", (6,), xxhash.xxh3_128_hexdigest(result.tobytes())), list(hashes_in(path).values())
        )

    def tree(self, name, hashes):
        """What msprobe writes in its summary mode md5."""

        def tensor(text):
            return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 3], "Max": 1.0, "Min": 0.0,
                    "Mean": 0.5, "Norm": 1.0, "requires_grad": False, "md5": text}

        data = {
            f"Functional.{op}.0.forward": {"input_args": [tensor(given)], "input_kwargs": {}, "output": [tensor(made)]}
            for op, given, made in hashes
        }
        folder = self.folder / name
        folder.mkdir()
        (folder / "dump.json").write_text(
            json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data})
        )
        return str(folder)

    def test_hashes_of_msprobe_are_read(self):
        a = self.tree("a", [("relu", "0a", "1b"), ("dropout", "1b", "2c"), ("linear", "2c", "3d")])
        b = self.tree("b", [("relu", "0a", "1b"), ("dropout", "1b", "ff"), ("linear", "ff", "fe")])
        run = self.bitwise(a, b, code=1)
        self.assertEqual(run["parting"]["op"], "Functional.dropout.0.forward")
        self.assertEqual((run["parting"]["by"], run["parting"]["manner"]), ("op", "random_op"))
        self.assertEqual((run["equal_ops"], run["origins"], run["inherited"]), (1, 1, 1))


if __name__ == "__main__":
    unittest.main()
