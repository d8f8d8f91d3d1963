"""msaccucmp convert on dumps made here: large ones, PyTorch files, scripts of the user, hostile files."""

import json
import os
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import torch

PROGRAM = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "msaccucmp")
NAME = "Add.op.1.2.1700000000000001"
CODES = {"float32": 1, "float16": 2, "int8": 3, "uint8": 4, "int16": 5, "uint16": 6, "int32": 7, "int64": 8,
         "uint32": 9, "uint64": 10, "bool": 11, "float64": 12, "complex64": 16, "complex128": 17}
NCHW, NHWC, ND, NC1HWC0, FRACTAL_NZ = 0, 1, 2, 3, 29


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def shape(field, dims):
    return block(field, block(1, b"".join(varint(dim) for dim in dims)))


def output(code, layout, dims, size, original=()):
    body = number(1, code) + number(2, layout) + shape(3, dims) + number(6, size)
    return block(3, body + (shape(7, original) if original else b""))


def dump(header, payload=b""):
    return len(header).to_bytes(8, "little") + header + payload


def array_dump(array, layout=ND, original=(), op_name=""):
    header = output(CODES[array.dtype.name], layout, array.shape, array.nbytes, original)
    if op_name:
        header += block(6, op_name.encode())
    return dump(header, array.tobytes())


class Convert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "out"

    def write(self, content, name=NAME):
        (self.folder / name).write_bytes(content)
        return name

    def run_it(self, *args, **more):
        done = subprocess.run([PROGRAM, "convert", *args, "-out", "out"], cwd=self.folder, capture_output=True,
                              timeout=300, check=False, **more)
        err = done.stderr.decode("utf-8", "replace")
        self.assertGreaterEqual(done.returncode, 0, err)
        self.assertNotIn("Traceback", err)
        return done.returncode, err

    def convert(self, *args, code=0):
        got, err = self.run_it(*args)
        self.assertEqual(got, code, err)
        return err

    def names(self):
        return sorted(path.name for path in self.out.iterdir()) if self.out.is_dir() else []

    def refused(self, content, code, says, *args, name=NAME):
        """Exit code, one clear line, nothing written."""
        self.write(content, name)
        err = self.convert("-d", name, *args, code=code)
        self.assertRegex(err, rf"\[ERROR\].*{says}")
        self.assertEqual(len([line for line in err.splitlines() if "[ERROR]" in line]), 1, err)
        self.assertEqual(self.names(), [])

    # What comes out is what NumPy and PyTorch read.

    def test_pt_files_are_loaded_by_torch(self):
        for dtype in ("float16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "bool", "complex64"):
            array = np.arange(24).reshape(2, 3, 4).astype(dtype)
            name = self.write(array_dump(array), f"Add.{dtype}.1.2.1700000000000001")
            self.convert("-d", name, "-t", "pt")
            path = self.out / f"{name}.output.0.pt"
            np.testing.assert_array_equal(torch.load(path).numpy(), array)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_pt_says_which_dtypes_it_lacks(self):
        self.write(array_dump(np.arange(6, dtype="uint16")))
        self.assertIn("PyTorch has no dtype uint16", self.convert("-d", NAME, "-t", "pt", code=21))

    def test_pt_takes_a_name_as_long_as_names_can_be(self):
        name = self.write(array_dump(np.arange(6, dtype="f4")), "Add." + "n" * 212 + ".1.2.1700000000000001")
        self.convert("-d", name, "-t", "pt")
        self.assertEqual(self.names(), [f"{name}.output.0.pt"])
        self.assertEqual(torch.load(self.out / self.names()[0]).tolist(), [0, 1, 2, 3, 4, 5])

    def large(self):
        """48 MB of NC1HWC0, more than is held in memory."""
        array = np.random.default_rng(4).integers(0, 30000, (2, 3, 500, 500, 16), np.uint16).view(np.float16)
        self.write(array_dump(array, NC1HWC0, (2, 41, 500, 500)))
        return array.transpose(0, 1, 4, 2, 3).reshape(2, 48, 500, 500)[:, :41]

    def test_large_tensors_are_converted_piece_by_piece(self):
        wanted = self.large()
        self.convert("-d", NAME, "-f", "NCHW")
        np.testing.assert_array_equal(np.load(self.out / f"{NAME}.output.0.2x41x500x500.npy", mmap_mode="r"), wanted)
        self.convert("-d", NAME, "-f", "NHWC", "-t", "bin", "-s", "2,500,500,41")
        ours = np.fromfile(self.out / f"{NAME}.output.0.2_500_500_41.float16.NHWC.bin", "f2")
        np.testing.assert_array_equal(ours.reshape(2, 500, 500, 41), wanted.transpose(0, 2, 3, 1))
        self.convert("-d", NAME, "-f", "NCHW", "-t", "pt")
        np.testing.assert_array_equal(torch.load(self.out / f"{NAME}.output.0.2x41x500x500.pt").numpy(), wanted)
        self.assertEqual(len(self.names()), 3)

    def test_large_bfloat16_is_widened_and_converted(self):
        array = np.random.default_rng(5).integers(0, 1 << 14, (1, 2, 700, 701, 16), dtype=np.uint16)
        self.write(dump(output(27, NC1HWC0, array.shape, array.nbytes, (1, 20, 700, 701)), array.tobytes()))
        self.convert("-d", NAME, "-f", "NHWC", "-s", "1,700,701,20")
        wanted = (array.astype(np.uint32) << 16).view(np.float32).transpose(0, 2, 3, 1, 4).reshape(1, 700, 701, 32)
        np.testing.assert_array_equal(np.load(self.out / f"{NAME}.output.0.1x700x701x20.npy"), wanted[..., :20])

    def test_links_and_old_files_are_replaced(self):
        self.write(array_dump(np.arange(6, dtype="f4")))
        self.out.mkdir(mode=0o700)
        precious = self.folder / "precious"
        precious.write_text("mine")
        target = self.out / f"{NAME}.output.0.npy"
        target.symlink_to(precious)
        self.convert("-d", NAME)
        self.assertEqual(precious.read_text(), "mine")
        self.assertFalse(target.is_symlink())
        target.write_bytes(b"x" * 5000)
        self.convert("-d", NAME)
        self.assertEqual(np.load(target).tolist(), [0, 1, 2, 3, 4, 5])

    # Scripts of the user.

    def script(self, name, body):
        folder = self.folder / "scripts/format_convert"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text("import numpy as np\n" + body)

    def test_scripts_convert_what_is_not_built_in(self):
        self.script("convert_ND_to_NHWC",
                    "def convert(shape_from, shape_to, array):\n    print('hello')\n    return array.reshape(shape_from)[::-1] * 2\n")
        array = np.arange(6, dtype="i4").reshape(2, 3)
        self.write(array_dump(array))
        self.convert("-d", NAME, "-f", "NHWC", "-c", "scripts")
        np.testing.assert_array_equal(np.load(self.out / f"{NAME}.output.0.2x3.npy"), array[::-1] * 2)

    def test_modules_of_the_current_folder_are_not_run(self):
        self.script("convert_ND_to_NHWC", "def convert(a, b, array):\n    return array.reshape(a)\n")
        self.write(array_dump(np.arange(6, dtype="i4").reshape(2, 3)))
        for module in ("json", "importlib", "os", "re", "numpy"):
            (self.folder / f"{module}.py").write_text(f"open({str(self.folder / 'was_run')!r}, 'w')\n")
        self.convert("-d", NAME, "-f", "NHWC", "-c", "scripts")
        self.assertFalse((self.folder / "was_run").exists())
        self.assertTrue((self.out / f"{NAME}.output.0.2x3.npy").exists())

    def test_scripts_go_before_what_is_built_in(self):
        self.script("convert_NCHW_to_NHWC", "def convert(a, b, array):\n    return np.zeros((1, 2), '>f8')\n")
        self.write(array_dump(np.ones((1, 2, 3, 4), "f4"), NCHW))
        self.convert("-d", NAME, "-f", "NHWC", "-c", "scripts")
        array = np.load(self.out / f"{NAME}.output.0.1x2.npy")
        self.assertEqual((array.dtype, array.tolist()), (np.float64, [[0, 0]]))

    def test_scripts_that_fail_say_so(self):
        self.write(array_dump(np.ones((1, 2, 3, 4), "f4"), NCHW))
        for body, says in (("def convert(a, b, c):\n    raise ValueError('not today')\n", "ValueError: not today"),
                           ("def convert(a, b, c):\n    return [1]\n", "did not return a numpy.ndarray"),
                           ("def convert(a, b, c):\n    return np.array(['x'])\n", "dtype <U1"),
                           ("def convert(a, b, c):\n    import os; os._exit(3)\n", "exit code 3")):
            self.script("convert_NCHW_to_NHWC", body)
            self.assertIn(says, self.convert("-d", NAME, "-f", "NHWC", "-c", "scripts", code=26))
        for body, says in (("def convert(a, b):\n    pass\n", "takes 2 arguments instead of 3"),
                           ("x = 1\n", "has no function convert"), ("1 +\n", "cannot be loaded")):
            self.script("convert_NCHW_to_NHWC", body)
            self.assertIn(says, self.convert("-d", NAME, "-f", "NHWC", "-c", "scripts"))
        self.assertIn("does not exist", self.convert("-d", NAME, "-f", "NHWC", "-c", "none", code=3))

    # Hostile files: one clear line, the right code, nothing outside the output folder.

    def test_refuses_damaged_headers(self):
        sound = array_dump(np.arange(6, dtype="f4"))
        self.refused(sound[:-1], 11, "24 bytes, 23 are left")
        self.refused(sound[:12], 11, "longer than the file")
        self.refused(b"\xff" * 30, 11, "longer than the file")
        self.refused(dump(b"\x1a\x7f"), 11, "header is damaged")
        self.refused(dump(output(1, ND, [1], 2**63) * 2), 11, "9223372036854775808 bytes")
        self.refused(dump(output(1, ND, [1] * 65, 4), b"1234"), 11, "more than 64 dimensions")
        self.refused(dump(output(1, ND, [2**64 - 1], 4), b"1234"), 11, "a dimension is 18446744073709551615")

    def test_refuses_shapes_beyond_the_bytes(self):
        for dims in ([7], [2**40], [2**40, 2**40, 2**40], [2**62], [2**61, 2]):
            for args in ([], ["-t", "bin"], ["-f", "ND"]):
                self.refused(dump(output(1, ND, dims, 24), b"x" * 24), 40, "shape ", *args)

    def test_refuses_private_formats_of_impossible_shapes(self):
        for layout, dims in ((NC1HWC0, [2, 3]), (4, [2, 3]), (32, [6]), (4, [6, 1, 1, 1])):
            self.refused(dump(output(1, layout, dims, 24, (1, 1, 4, 1)), b"x" * 24), 26, "", "-f", "NCHW" if layout != 32 else "NCDHW")
        self.refused(dump(output(1, FRACTAL_NZ, [6], 24, (6,)), b"x" * 24), 26, "FRACTAL_NZ needs 4", "-f", "ND")

    def test_op_names_cannot_lead_out_of_the_folder(self):
        for op_name in ("../../../../tmp/evil", "..", "a/../..", "x\0y", "a\nb", "/etc/passwd"):
            self.write(array_dump(np.arange(2, dtype="f4"), op_name=op_name))
            self.convert("-d", NAME, "-t", "msnpy")
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted([NAME, "out"]))
        for name in self.names():
            self.assertRegex(name, r"^Add\.[^/\n]*\.1\.2\.1700000000000001\.output\.0\.ND\.npy$")

    def test_refuses_what_is_no_file(self):
        os.mkfifo(self.folder / NAME)
        self.assertIn("neither a file nor a folder", self.convert("-d", NAME, code=3))
        (self.folder / "empty").mkdir()
        self.assertIn("empty", self.convert("-d", "empty", code=6))
        self.assertIn("no valid file", self.convert("-d", "nosuch,neither", code=3))

    def test_bad_ffts_attributes_are_refused(self):
        tensor = output(1, ND, [2], 8)
        for value, code, says in (("{", 11, "is not the JSON"), ('{"threadMode": 1}', 11, "is not the JSON"),
                                  (json.dumps({"threadMode": 1, "input_tensor_slice": [], "output_tensor_slice": [[]]}), 42, "0 slices"),
                                  (json.dumps({"threadMode": 1, "input_tensor_slice": [],
                                               "output_tensor_slice": [[[{"lower": 0, "higher": 2**40}]]]}), 40, "needs more"),
                                  (json.dumps({"threadMode": 1, "input_tensor_slice": [],
                                               "output_tensor_slice": [[[{"lower": 5, "higher": 2}]]]}), 40, "negative")):
            attribute = block(7, block(1, b"ffts") + block(2, value.encode()))
            self.refused(dump(tensor + attribute, b"x" * 8), code, says, name="Add.op.1.2.3.4.5.0.0")

    def test_a_full_disk_leaves_no_piece_behind(self):
        self.write(array_dump(np.zeros((1, 4, 512, 512, 16), "f2"), NC1HWC0, (1, 64, 512, 512)))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        for args in ([], ["-f", "NCHW"], ["-t", "pt"]):
            code, err = self.run_it("-d", NAME, *args, preexec_fn=limit)
            self.assertEqual(code, 19, err)
            self.assertIn("File too large", err)
            self.assertEqual(self.names(), [])

    def test_one_bad_file_does_not_stop_a_folder(self):
        folder = self.folder / "dumps"
        folder.mkdir()
        for index in range(30):
            content = array_dump(np.full(3, index, "i4"))
            (folder / f"Add.op{index:02}.1.2.17").write_bytes(content if index % 7 else content[:20])
        self.convert("-d", "dumps", code=11)
        bad = [index for index in range(30) if index % 7 == 0]
        self.assertEqual((self.out / "convert_failed_file_list.txt").read_text().splitlines(),
                         [str((folder / f"Add.op{index:02}.1.2.17").resolve()) for index in bad])
        for index in range(30):
            path = self.out / f"Add.op{index:02}.1.2.17.output.0.npy"
            self.assertEqual(path.exists(), index not in bad)
            if path.exists():
                self.assertEqual(np.load(path).tolist(), [index] * 3)


if __name__ == "__main__":
    unittest.main()
