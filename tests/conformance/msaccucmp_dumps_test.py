"""msaccucmp against recorded runs of the reference tool on binary dumps (tests/golden/msaccucmp_dumps/README.md)."""

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

CASES = Path(os.environ["NPUSCOPE_SOURCE_DIR"]) / "tests/golden/msaccucmp_dumps"
PROGRAM = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "msaccucmp"
STAMP = re.compile(r"_\d{14}(?=[._])")


def run(case, args, out):
    """The command in the case's folder, `OUT` replaced. Returns the exit code and what it printed."""
    done = subprocess.run(
        [PROGRAM, *(str(out) if word == "OUT" else word for word in args)],
        cwd=case, capture_output=True, timeout=300, check=False)
    return done.returncode, done.stderr.decode("utf-8", "replace")


def files_of(folder):
    if not folder.is_dir():
        return {}
    return {STAMP.sub("_STAMP", path.name): path for path in folder.iterdir()}


def without_paths(text, case, out):
    return text.replace(str((case / "in").resolve()), "IN").replace(str(out.resolve()), "OUT")


class Recorded(unittest.TestCase):
    maxDiff = None

    def check_npy(self, name, ours, wanted):
        ours, wanted = np.load(ours), np.load(wanted)
        self.assertEqual((ours.dtype, ours.shape), (wanted.dtype, wanted.shape), name)
        np.testing.assert_array_equal(ours, wanted, err_msg=name)

    def check_file(self, case, out, name, kind, path):
        recorded = case / "out" / name
        if kind == "npy":
            self.check_npy(name, path, recorded)
        elif kind.startswith("sha256:"):
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), kind[len("sha256:"):], name)
        elif kind in ("list", "csv"):
            ours = without_paths(path.read_text(encoding="utf-8"), case, out)
            wanted = recorded.read_text(encoding="utf-8")
            if kind == "list":
                self.assertEqual(sorted(ours.splitlines()), sorted(wanted.splitlines()), name)
            else:
                self.assertEqual(list(csv.reader(io.StringIO(ours))), list(csv.reader(io.StringIO(wanted))), name)
        else:
            self.assertIn(kind, ("bin", "json", "text"))
            self.assertEqual(path.read_bytes(), recorded.read_bytes(), name)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600, name)

    def check_exact(self, case, recorded):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            code, err = run(case, recorded["args"], out)
            self.assertEqual(code, recorded["exit_code"], err)
            self.assertNotIn("Traceback", err)
            found = files_of(out)
            self.assertEqual(sorted(found), sorted(recorded["outputs"]), err)
            for name, kind in recorded["outputs"].items():
                self.check_file(case, out, name, kind, found[name])
            if out.is_dir():
                self.assertEqual(out.stat().st_mode & 0o777, 0o700)

    def check_improved(self, case, recorded):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            code, err = run(case, recorded["args"], out)
            self.assertNotIn("Traceback", err)
            check = getattr(self, "improved_" + case.name, None)
            self.assertIsNotNone(check, f"nothing here says what is wanted of {case.name}")
            check(case, code, err, files_of(out))

    # What `wanted` says, case by case.

    def improved_convert_bf16(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        self.assertEqual(list(found), ["Op.b.1.2.1700000000000001.output.0.npy"])
        array = np.load(found["Op.b.1.2.1700000000000001.output.0.npy"])
        self.assertEqual((array.dtype, array.shape), (np.float32, (2, 3)))
        stored = np.frombuffer(next((case / "in").iterdir()).read_bytes()[-12:], "<u2")
        np.testing.assert_array_equal(array.view(np.uint32).ravel(), stored.astype(np.uint32) << 16)

    def improved_convert_fp8_bin(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        base = "Op.fp8.1.2.1700000000000001.output"
        names = [f"{base}.0.256.hifloat8.ND.bin", f"{base}.1.256.float8_e5m2.ND.bin", f"{base}.2.256.float8_e4m3fn.ND.bin"]
        self.assertEqual(sorted(found), names)
        for index, name in enumerate(names):
            wanted = np.load(CASES / f"convert_fp8_all_codes/out/{base}.{index}.npy")
            np.testing.assert_array_equal(np.fromfile(found[name], "<f8"), wanted.ravel(), err_msg=name)

    def improved_convert_nano_msnpy(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        recorded = {path.name.replace("Add.1700000000000001.", "Add.nano."): path for path in (case / "out").iterdir()}
        self.assertEqual(sorted(found), sorted(recorded))
        for name, path in found.items():
            self.check_npy(name, path, recorded[name])

    def improved_convert_shape_too_big(self, case, code, err, found):
        self.assertNotEqual(code, 0, err)
        self.assertRegex(err, r"\[ERROR\].*input:0")
        name = "Op.s.1.2.1700000000000001.output.0.npy"
        self.assertEqual(list(found), [name])
        self.check_npy(name, found[name], case / "out" / name)

    def improved_convert_to_FRACTAL_Z_groups(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        shapes = {path.name: np.load(path).shape for path in (case / "out").iterdir()}
        self.assertEqual(sorted(found), sorted(shapes))
        for name, path in found.items():
            self.assertEqual(np.load(path).shape, shapes[name])
            self.check_groups(case, int(name.split(".")[6]), np.load(path), name)

    def check_groups(self, case, index, result, name):
        """Each element of the source once, group k in block k / E, by the formula of the recorded spec."""
        header, payloads = tensors_of(next((case / "in").iterdir()))
        tensor, data = header[index], payloads[index]
        order = {0: "NCHW", 1: "NHWC", 16: "HWCN"}[tensor["format"]]
        source = data.reshape(tensor["shape"]).transpose([order.index(axis) for axis in "NCHW"])
        groups = tensor["groups"]
        own, channels = source.shape[0] // groups, source.shape[1]
        enlarge = min(np.lcm(np.lcm(channels, 16) // channels, np.lcm(own, 16) // own), groups)
        blocks = -(-enlarge * channels // 16)
        height, width = source.shape[2:]
        wanted = np.zeros(result.shape, source.dtype)
        for (n, c, h, w), value in np.ndenumerate(source):
            group = n // own
            dst_c, dst_n = group % enlarge * channels + c, group % enlarge * own + n % own
            row = ((group // enlarge * blocks + dst_c // 16) * height + h) * width + w
            wanted[row, dst_n // 16, dst_n % 16, dst_c % 16] = value
        np.testing.assert_array_equal(result, wanted, err_msg=name)

    def improved_convert_uint1(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        name = "Op.u.1.2.1700000000000001.output.0.npy"
        self.assertEqual(list(found), [name])
        array = np.load(found[name])
        self.assertEqual((array.dtype, array.shape), (np.uint8, (4, 4)))
        stored = np.frombuffer(next((case / "in").iterdir()).read_bytes()[-2:], np.uint8)
        np.testing.assert_array_equal(array.ravel(), np.unpackbits(stored))

    def improved_overflow_empty_tensor(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        base = "Mul.mul0.5.3.1700000000000050"
        self.assertEqual(
            found["overflow_summary_STAMP.txt"].read_text(encoding="utf-8").splitlines()[1:],
            ["[Mul] scope/mul0",
             " [AIC][TaskId:5][StreamId:3][Status:8]",
             " [timestamp:1700000000000100]",
             f" {base}.input.0.npy",
             " -[Format: ND] [Shape: (0, 3)] [Dtype: float64]",
             f" {base}.output.0.npy",
             " -[Format: ND] [Shape: (3,)] [Dtype: float32] " + numbers_of(case / f"out/{base}.output.0.npy")])
        for name in (f"{base}.input.0.npy", f"{base}.output.0.npy"):
            self.check_npy(name, found[name], case / "out" / name)

    def improved_overflow_no_stream(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        summary = found["overflow_summary_STAMP.txt"].read_text(encoding="utf-8").splitlines()
        self.assertEqual(summary[1:4], [
            "[Mul] scope/mul0", " [AIC][TaskId:5][StreamId:3][Status:8]", " [timestamp:1700000000000100]"])
        self.assertIn("Mul.mul0.5.3.1700000000000050.output.0.npy", found)

    def improved_overflow_same_name(self, case, code, err, found):
        self.assertEqual(code, 0, err)
        summary = found["overflow_summary_STAMP.txt"].read_text(encoding="utf-8")
        self.assertEqual(summary.count("[timestamp:1700000000000100]"), 2)
        self.assertRegex(summary, r"=\[1\]=[^\0]*=\[2\]=")
        # Neither's arrays overwrite the other's.
        arrays = [name.strip() for name in summary.splitlines() if name.endswith(".npy")]
        self.assertEqual(len(arrays), 8)
        self.assertEqual(len(set(arrays)), 8)
        self.assertEqual(set(arrays), {name for name in found if name.endswith(".npy")})


def numbers_of(path):
    array = np.load(path)
    return f"[Max: {np.max(array)!s}] [Min: {np.min(array)!s}] [Mean: {array.mean()!s}]"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields_of(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def tensors_of(path):
    """Shape, format and groups of each output, and its float16 or float32 elements."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    outputs, payloads = [], []
    for number, value in fields_of(data[8:start]):
        if number != 3:
            continue
        fields = dict(fields_of(value))
        shape = [dim for number, packed in fields_of(fields[3]) for dim in packed_numbers(packed)]
        outputs.append({"format": fields.get(2, 0), "shape": shape, "groups": fields.get(8, 0), "type": fields[1]})
        payloads.append(fields.get(6, 0))
    arrays = []
    for output, size in zip(outputs, payloads):
        dtype = {1: "<f4", 2: "<f2", 7: "<i4", 8: "<i8"}[output["type"]]
        arrays.append(np.frombuffer(data[start:start + size], dtype))
        start += size
    return outputs, arrays


def packed_numbers(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def add_case(case):
    def test(self):
        recorded = json.loads((case / "case.json").read_text(encoding="utf-8"))
        for command in recorded.get("also", []):
            with self.subTest(command=command["command"]), tempfile.TemporaryDirectory() as folder:
                code, err = run(case, command["args"], Path(folder) / "out")
                self.assertEqual(code, command["exit_code"], err)
                self.assertNotIn("Traceback", err)
        (self.check_exact if recorded["policy"] == "exact" else self.check_improved)(case, recorded)

    setattr(Recorded, "test_" + case.name, test)


for _case in sorted(CASES.iterdir()):
    if _case.is_dir():
        add_case(_case)

if __name__ == "__main__":
    unittest.main()
