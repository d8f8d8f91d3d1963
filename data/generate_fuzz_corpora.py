#!/usr/bin/python3
"""Writes the small files in data/fuzz that fuzzing begins with.

    data/generate_fuzz_corpora.py [PROGRAM]

PROGRAM (default build/release/bin/npuscope) writes our own dumps from tiny models; h5py, NumPy, pickle and
PyTorch write those of other writers, in the layouts and with the oddities that a reader meets. Needs
python3-h5py and python3-torch.
"""

import io
import json
import pickle
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections import OrderedDict
from pathlib import Path

import h5py
import numpy as np
import torch

ROOT = Path(__file__).resolve().parent.parent
H5 = ROOT / "data" / "fuzz" / "h5"
BINARY = ROOT / "data" / "fuzz" / "binary"
ARRAYS = ROOT / "data" / "fuzz" / "arrays"


def ours(program: str) -> None:
    models = ROOT / "data" / "onnx_cases"
    for name, model, options in (
        ("ours", "relu", []),
        ("ours_two_ops", "celu", ["--device", "cpu"]),
        ("ours_stats", "softmax", ["--stats-only"]),
    ):
        path = H5 / f"{name}.h5"
        command = [program, "run", str(models / f"{model}.onnx"), "--dump", str(path), "-q", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    # What a killed process leaves: bytes behind those that the last commit made count.
    data = (H5 / "ours.h5").read_bytes()
    (H5 / "ours_killed.h5").write_bytes(data + data[100:700])


def put(file: h5py.File, path: str, data, dtype_code: int = 1, **attributes) -> None:
    dataset = file.create_dataset(path, data=data, **attributes)
    dataset.attrs["Type"] = np.int32(0)
    dataset.attrs["DataType"] = np.int32(dtype_code)
    dataset.attrs["DeviceType"] = np.int32(1)


def layouts() -> None:
    options = {
        "earliest": {"libver": "earliest"},
        "latest": {"libver": "latest"},
        "v108": {"libver": ("v108", "v108")},
        "ordered": {"libver": "latest", "track_order": True},
        "user_block": {"libver": "earliest", "userblock_size": 512},
    }
    for name, how in options.items():
        with h5py.File(H5 / f"{name}.h5", "w", **how) as file:
            for run in (3, 20):
                put(file, f"relu/{run}/input/self", np.float32([[1, -2], [3, 4]]))
                put(file, f"relu/{run}/output/result", np.float32([[1, 0], [3, 4]]))
            file["again"] = file["relu"]
            file.attrs["FormatVersion"] = np.bytes_(b"1.0")


def dtypes() -> None:
    with h5py.File(H5 / "dtypes.h5", "w", libver="earliest") as file:
        for code, text in enumerate(("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4")):
            put(file, f"cast/1/output/{text.replace('>', 'b')}", np.array([1, 2], text), code)
        put(file, "cast/1/output/half", np.float32([0.5]), 10)
        put(file, "cast/1/output/flag", np.array([True, False]), 9)
        put(file, "cast/1/output/none", np.zeros((0, 3), np.float32))
        put(file, "cast/1/output/scalar", np.float32(7))


def oddities() -> None:
    with h5py.File(H5 / "odd.h5", "w", libver="latest") as file:
        put(file, "op/1/output/packed", np.zeros((8, 8), np.float32), chunks=(4, 4), compression="gzip")
        file["op/1/npuscope"] = np.bytes_(b'{"node": "n"}')
        file["op/1/input/soft"] = h5py.SoftLink("/op/1/output/packed")
        file["op/2/output/text"] = "a string of any length"
        file["op/2/output/pair"] = np.zeros(2, np.complex64)
        file["op/x/output/no_run"] = 1
        file["op/3/output/list/list_0"] = np.int64([1])
        file["op/4/output/nothing"] = h5py.Empty("f4")
        file["op/5"] = file["op"]
        file.attrs["Complete"] = "no"


def binary(program: str) -> None:
    """The dumps of two kernels: CANN's binary format, whatever names it has for them."""
    for name, model in ("one_input", "relu"), ("two_inputs", "add"):
        with tempfile.TemporaryDirectory() as scratch:
            acl = Path(scratch, "acl.json")
            switches = {"dump_mode": "all", "dump_op_switch": "on", "dump_list": [], "dump_path": scratch + "/out"}
            acl.write_text(json.dumps({"dump": switches}))
            command = [program, "run", str(ROOT / f"data/onnx_cases/{model}.onnx"), "--acl", str(acl), "-q"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            dumps = sorted(path for path in Path(scratch, "out").rglob("*") if path.is_file())
            (BINARY / name).write_bytes(min(dumps, key=lambda path: path.stat().st_size).read_bytes())


def arrays() -> None:
    for name, array in (
        ("c", np.arange(6, dtype=np.float32).reshape(2, 3)),
        ("fortran", np.asfortranarray(np.arange(6.0).reshape(2, 3))),
        ("big_endian", np.arange(3, dtype=">i2")),
        ("flags", np.array([True, False])),
        ("complex", np.zeros(2, np.complex64)),
    ):
        np.save(ARRAYS / f"{name}.npy", array)
    module = OrderedDict(weight=torch.ones(2, 3), bias=torch.nn.Parameter(torch.zeros(2, dtype=torch.bfloat16)))
    saved = io.BytesIO()
    torch.save({"model": module, "steps": [1, 2.5, None, True], "name": "x"}, saved)
    with zipfile.ZipFile(saved) as archive:
        (data,) = (name for name in archive.namelist() if name.endswith("data.pkl"))
        (ARRAYS / "torch.pkl").write_bytes(archive.read(data))
    (ARRAYS / "plain.pkl").write_bytes(pickle.dumps({"a": (1, -(2**40), "t"), "b": [b"x", {3.5}]}, protocol=4))
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "b": {"dtype": "BOOL", "shape": [1, 3], "data_offsets": [8, 11]},
        }
    ).encode()
    (ARRAYS / "two.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(range(11)))


def main() -> None:
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/bin/npuscope")
    for folder in H5, BINARY, ARRAYS:
        folder.mkdir(parents=True, exist_ok=True)
    ours(program)
    layouts()
    dtypes()
    oddities()
    binary(program)
    arrays()


if __name__ == "__main__":
    main()
