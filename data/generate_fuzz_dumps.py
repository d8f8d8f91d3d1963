#!/usr/bin/python3
"""Writes the small dumps in data/fuzz_dumps that fuzzing begins with.

    data/generate_fuzz_dumps.py [PROGRAM]

PROGRAM (default build/release/bin/npuscope) writes our own dumps from tiny models; h5py writes those of
other writers, in the layouts and with the oddities that a reader meets. Needs python3-h5py.
"""

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "data" / "fuzz_dumps"


def ours(program: str) -> None:
    models = ROOT / "data" / "onnx_cases"
    for name, model, options in (
        ("ours", "relu", []),
        ("ours_two_ops", "celu", ["--device", "cpu"]),
        ("ours_stats", "softmax", ["--stats-only"]),
    ):
        path = FOLDER / f"{name}.h5"
        command = [program, "run", str(models / f"{model}.onnx"), "--dump", str(path), "-q", *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    # What a killed process leaves: bytes behind those that the last commit made count.
    data = (FOLDER / "ours.h5").read_bytes()
    (FOLDER / "ours_killed.h5").write_bytes(data + data[100:700])


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
        with h5py.File(FOLDER / f"{name}.h5", "w", **how) as file:
            for run in (3, 20):
                put(file, f"relu/{run}/input/self", np.float32([[1, -2], [3, 4]]))
                put(file, f"relu/{run}/output/result", np.float32([[1, 0], [3, 4]]))
            file["again"] = file["relu"]
            file.attrs["FormatVersion"] = np.bytes_(b"1.0")


def dtypes() -> None:
    with h5py.File(FOLDER / "dtypes.h5", "w", libver="earliest") as file:
        for code, text in enumerate(("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f4")):
            put(file, f"cast/1/output/{text.replace('>', 'b')}", np.array([1, 2], text), code)
        put(file, "cast/1/output/half", np.float32([0.5]), 10)
        put(file, "cast/1/output/flag", np.array([True, False]), 9)
        put(file, "cast/1/output/none", np.zeros((0, 3), np.float32))
        put(file, "cast/1/output/scalar", np.float32(7))


def oddities() -> None:
    with h5py.File(FOLDER / "odd.h5", "w", libver="latest") as file:
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


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    ours(sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/bin/npuscope"))
    layouts()
    dtypes()
    oddities()


if __name__ == "__main__":
    main()
