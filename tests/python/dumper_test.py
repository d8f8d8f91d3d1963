"""npuscope.dumper: what it writes is read by h5py, what goes wrong says so."""

import os
import resource
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import h5py
import numpy as np

import npuscope
from npuscope import ops


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        values = np.random.default_rng(11)
        self.x = values.standard_normal((4, 8)).astype(np.float32)
        self.weight = values.standard_normal((8, 3)).astype(np.float32)
        self.bias = values.standard_normal(3).astype(np.float32)


class Dumper(Folder):
    def test_writes_inputs_and_outputs_that_h5py_reads(self) -> None:
        path = self.folder / "npu.h5"
        with npuscope.dumper(use_dump=True, dump_path=path) as dump:
            y = ops.addmm(self.bias, self.x, self.weight)
        self.assertEqual(dump.summary.path, str(path))
        self.assertEqual(dump.summary.ops_written, 1)
        with h5py.File(path) as file:
            (seqid,) = file["addmm"]
            run = file["addmm"][seqid]
            np.testing.assert_array_equal(run["input/mat1"][()], self.x)
            np.testing.assert_array_equal(run["output/result"][()], y)
            self.assertEqual(run["input/mat1"].attrs["DeviceType"], 10)
            self.assertEqual(file.attrs["Chip"].decode(), "910A")

    def test_the_chip_computes_in_half_what_numpy_computes_in_float(self) -> None:
        y = ops.addmm(self.bias, self.x, self.weight)
        half = self.x.astype(np.float16).astype(np.float64), self.weight.astype(np.float16)
        expected = half[0] @ half[1].astype(np.float64) + self.bias
        np.testing.assert_allclose(y, expected, rtol=2e-6, atol=2e-6)
        self.assertGreater(np.abs(y - (self.x @ self.weight + self.bias)).max(), 1e-5)

    def test_an_error_of_the_block_rises_and_the_file_up_to_there_is_readable(self) -> None:
        path = self.folder / "part.h5"
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            with npuscope.dumper(use_dump=True, dump_path=path):
                ops.relu(self.x)
                raise ZeroDivisionError("mine")
        dump = npuscope.open_dump(path)
        self.assertFalse(dump.complete)
        self.assertIn("ZeroDivisionError", dump.facts["Note"])
        self.assertEqual([op.name for op in dump.ops()], ["relu"])

    def test_an_estimate_writes_nothing_and_tells_the_size(self) -> None:
        sizes = []
        for estimate in (True, False):
            path = self.folder / "sized.h5"
            with npuscope.dumper(use_dump=True, dump_path=path, estimate=estimate) as dump:
                ops.relu(np.arange(100000, dtype=np.float32))
            self.assertEqual(path.exists(), not estimate)
            sizes.append(dump.summary.bytes)
        self.assertEqual(sizes[1], path.stat().st_size)
        self.assertAlmostEqual(sizes[0] / sizes[1], 1, delta=0.01)

    def test_a_compressed_sample_is_read_by_h5py(self) -> None:
        path = self.folder / "sample.h5"
        x = np.arange(100000, dtype=np.float32) // 1000
        with npuscope.dumper(use_dump=True, dump_path=path, sample=2, compress=1, sync=True):
            for i in range(3):
                ops.relu(x + i)
        with h5py.File(path) as file:
            self.assertEqual(len(file["relu"]), 2)
            for i, seqid in zip((0, 2), sorted(file["relu"], key=int)):
                stored = file["relu"][seqid]["input/self"]
                self.assertEqual((stored.compression, stored.shuffle), ("gzip", True))
                np.testing.assert_array_equal(stored[()], x + i)
        self.assertLess(path.stat().st_size, 100000)

    def test_bad_options_are_usage_errors(self) -> None:
        for options in ({"sample": 0}, {"compress": 10}):
            with self.assertRaises(npuscope.UsageError):
                with npuscope.dumper(use_dump=True, dump_path=self.folder / "a.h5", **options):
                    pass

    def test_a_block_without_ops_makes_no_file(self) -> None:
        path = self.folder / "none.h5"
        with npuscope.dumper(use_dump=True, dump_path=path) as dump:
            pass
        self.assertIsNone(dump.summary.path)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_nested_blocks_both_record(self) -> None:
        with npuscope.dumper(use_dump=True, dump_path=self.folder / "outer.h5"):
            ops.relu(self.x)
            with npuscope.dumper(use_dump=True, dump_path=self.folder / "inner.h5"):
                ops.tanh(self.x)
            ops.exp(self.x)
        outer = npuscope.open_dump(self.folder / "outer.h5")
        inner = npuscope.open_dump(self.folder / "inner.h5")
        self.assertEqual([op.name for op in outer.ops()], ["relu", "tanh", "exp"])
        self.assertEqual([op.name for op in inner.ops()], ["tanh"])

    def test_keeps_named_ops_and_statistics_only(self) -> None:
        path = self.folder / "few.h5"
        with npuscope.dumper(
            use_dump=True, dump_path=path, ops=["re:^ta", "exp"], statistics=True
        ):
            for name in ("relu", "tanh", "exp"):
                getattr(ops, name)(self.x)
        dump = npuscope.open_dump(path)
        self.assertEqual([op.name for op in dump.ops()], ["tanh", "exp"])
        told = dump.ops("tanh")[0].facts["statistics"]["input/self"]
        self.assertEqual(told["count"], 32)
        self.assertAlmostEqual(told["mean"], float(self.x.astype(np.float64).mean()), places=12)
        self.assertAlmostEqual(told["max"], float(self.x.max()), places=12)
        self.assertEqual(dump.ops("tanh")[0].outputs.tensors(), [])

    def test_load_runs_on_the_golden_inputs(self) -> None:
        golden, path = self.folder / "golden.h5", self.folder / "loaded.h5"
        with npuscope.chip("cpu"), npuscope.dumper(use_dump=True, dump_path=golden):
            ops.tanh(self.x)
        other = np.zeros_like(self.x)
        with npuscope.dumper(use_load=True, load_file_path=golden, dump_path=path) as dump:
            y = ops.tanh(other)
        self.assertEqual(dump.summary.replaced_tensors, 1)
        np.testing.assert_allclose(y, np.tanh(self.x), atol=1e-6)

    def test_check_overflow_keeps_only_the_op_that_overflows(self) -> None:
        path = self.folder / "overflow.h5"
        big = np.full((4, 4), 300.0, np.float16)
        with npuscope.dumper(check_overflow=True, dump_path=path):
            ops.relu(big)
            y = ops.mul_Tensor(big, big)
        self.assertEqual([op.name for op in npuscope.open_dump(path).ops()], ["mul_Tensor"])
        self.assertTrue(np.all(y == np.float16(65504)))

    def test_rejects_two_modes(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "use_dump and use_load cannot"):
            npuscope.dumper(use_dump=True, use_load=True)

    def test_rejects_a_flag_that_is_no_bool(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "use_dump must be True or False, not 1"):
            npuscope.dumper(use_dump=1)

    def test_rejects_a_second_block_of_one_object(self) -> None:
        dump = npuscope.dumper(use_dump=True, dump_path=self.folder / "a.h5")
        with dump:
            pass
        with self.assertRaisesRegex(npuscope.UsageError, "serves one with-block"):
            with dump:
                pass

    def test_rejects_a_folder_that_does_not_exist(self) -> None:
        with self.assertRaisesRegex(npuscope.Error, "nowhere"):
            with npuscope.dumper(use_dump=True, dump_path=self.folder / "nowhere" / "a.h5"):
                pass

    def test_rejects_a_bad_regular_expression(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "no regular expression"):
            with npuscope.dumper(use_dump=True, dump_path=self.folder / "a.h5", ops=["re:("]):
                pass

    def test_a_full_disk_warns_at_once_and_keeps_what_was_committed(self) -> None:
        path = self.folder / "full.h5"
        part = self.folder / "full.h5.part.h5"
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limits)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, limits[1]))
        with self.assertRaisesRegex(npuscope.IoError, "ops are kept in .*full.h5.part.h5"):
            with npuscope.dumper(use_dump=True, dump_path=path):
                ops.relu(self.x)
                while not (part.exists() and npuscope.open_dump(part).ops()):
                    pass  # the pause commits
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    while not caught:
                        self.x = self.x + 1
                        ops.relu(self.x)
                ops.relu(self.x)
        self.assertEqual([row.category for row in caught], [RuntimeWarning])
        self.assertRegex(str(caught[0].message), "File too large; its .* are kept in .*full.h5.part.h5")
        with h5py.File(part) as file:
            self.assertGreater(len(file["relu"]), 0)
            self.assertIn(b"not closed", file.attrs["Note"])
        self.assertFalse(path.exists())

    def test_a_program_that_makes_errors_of_warnings_goes_on_too(self) -> None:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limits)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, limits[1]))
        seen = []
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = lambda row: seen.append(str(row.exc_value))
        with self.assertRaises(npuscope.IoError):
            with npuscope.dumper(use_dump=True, dump_path=self.folder / "full.h5"):
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    while not seen:
                        self.x = self.x + 1
                        ops.relu(self.x)
        self.assertRegex(seen[0], "dumping has stopped")

    def test_another_current_folder_does_not_move_the_file(self) -> None:
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        (self.folder / "below").mkdir()
        with npuscope.dumper(use_dump=True, dump_path="here.h5") as here:
            ops.relu(self.x)
        with npuscope.dumper(use_dump=True, dump_path="there.h5") as there:
            os.chdir("below")
            ops.relu(self.x)
        self.assertEqual(here.summary.path, "here.h5")
        self.assertEqual(Path(there.summary.path).resolve(), (self.folder / "there.h5").resolve())
        self.assertEqual(len(npuscope.open_dump(there.summary.path).ops()), 1)

    def test_a_forked_child_leaves_the_file_to_the_parent(self) -> None:
        path = self.folder / "fork.h5"
        with npuscope.dumper(use_dump=True, dump_path=path):
            ops.relu(self.x)
            child = os.fork()
            if child == 0:
                ops.tanh(self.x)
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            ops.exp(self.x)
        names = [op.name for op in npuscope.open_dump(path).ops()]
        self.assertEqual(names, ["relu", "exp"])


if __name__ == "__main__":
    unittest.main()
