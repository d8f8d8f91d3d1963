"""Sizes that a dump records are no order to compute so much."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")


def put(file, name, data, kind=0, dtype=1):
    dataset = file.create_dataset(name, data=data)
    for key, number in (("DeviceType", 0), ("DataType", dtype), ("FormatType", 0), ("Type", kind)):
        dataset.attrs[key] = np.int32(number)
    if kind == 0:
        dataset.attrs["Stride"] = np.array([s // data.itemsize for s in data.strides], "i8")


class HostileDumps(unittest.TestCase):
    def test_an_op_that_would_make_far_more_than_it_was_given_is_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "d.h5"
            with h5py.File(path, "w") as file:
                op = "upsample_nearest2d/1"
                put(file, f"{op}/input/self", np.ones((1, 1, 2, 2), "f4"))
                put(file, f"{op}/input/output_size", np.array([30000, 30000], "i8"), 16, 9)
                put(file, f"{op}/output/result", np.ones((1, 1, 4, 4), "f4"))
                put(file, "relu/2/input/self", np.ones(4, "f4"))
                put(file, "relu/2/output/result", np.ones(4, "f4"))
            done = subprocess.run(
                [NPUSCOPE, "recompute", str(path), "--json"], capture_output=True, text=True, check=False, timeout=20
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        ops = {op["path"]: op for op in json.loads(done.stdout)["ops"]}
        self.assertIn("[1,1,30000,30000] has 900000000 elements", ops["/upsample_nearest2d/1"]["skipped"])
        self.assertEqual(len(ops["/relu/2"]["results"]), 1)


if __name__ == "__main__":
    unittest.main()
