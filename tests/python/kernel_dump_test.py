"""npuscope.kernel_dump, load_with_acl_dump and map_ops; the files are read here byte by byte."""

import json
import os
import struct
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import npuscope


def payloads(path: Path) -> bytes:
    """What follows the header of a CANN dump."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return data[8 + length :]


class KernelDumps(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.acl = self.folder / "acl.json"
        self.write_acl(dump_op_switch="on")

    def write_acl(self, **fields: str) -> None:
        dump = {"dump_path": str(self.folder / "kernels"), "dump_mode": "output", **fields}
        self.acl.write_text(json.dumps({"dump": dump}))

    def mm(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return npuscope.ops.mm(x, y)

    def test_a_block_dumps_the_kernels_of_its_ops(self) -> None:
        x = np.arange(6, dtype=np.float16).reshape(2, 3)
        with npuscope.chip("910A"), npuscope.kernel_dump(self.acl) as dump:
            self.mm(x, x.T.copy())
        npuscope.ops.exp(x)
        self.assertEqual(
            [kernel.type for kernel in dump.summary.kernels],
            ["TransData", "TransData", "MatMul", "TransData"],
        )
        first = dump.summary.kernels[0]
        self.assertEqual((first.op, first.op_name), ("mm", f"mm_{first.seqid}_0"))
        stored = np.frombuffer(
            payloads(Path(dump.summary.folder) / first.files[0]), np.float16
        ).reshape(1, 1, 16, 16)
        expected = np.zeros((1, 1, 16, 16), np.float16)
        for row in range(2):
            for column in range(3):
                expected[column // 16, row // 16, row % 16, column % 16] = x[row, column]
        np.testing.assert_array_equal(stored, expected)

    def test_while_loading_only_ops_of_the_file_are_dumped(self) -> None:
        golden = self.folder / "golden.h5"
        x = np.ones((2, 2), np.float32)
        with npuscope.chip("cpu"), npuscope.dumper(use_dump=True, dump_path=golden, ops=["exp"]):
            npuscope.ops.exp(2 * x)
        with mock.patch.dict(os.environ, {"ACL_DUMP_DATA": "0"}), npuscope.chip("910A"):
            with npuscope.dumper(
                use_load=True,
                load_file_path=golden,
                dump_path=self.folder / "out.h5",
                load_with_acl_dump=True,
                acl_json=self.acl,
            ) as dump:
                self.mm(x, x)
                npuscope.ops.exp(x)
                self.mm(x, x)
        self.assertEqual([kernel.type for kernel in dump.kernels.kernels], ["Exp"])
        (file,) = dump.kernels.kernels[0].files
        values = np.frombuffer(payloads(Path(dump.kernels.folder) / file), np.float32)
        np.testing.assert_allclose(values, np.exp(2), rtol=1e-6)

    def test_acl_dump_data_must_be_off_while_loading(self) -> None:
        golden = self.folder / "golden.h5"
        with npuscope.dumper(use_dump=True, dump_path=golden):
            npuscope.ops.exp(np.ones(2, np.float32))
        options = dict(
            use_load=True,
            load_file_path=golden,
            dump_path=self.folder / "out.h5",
            load_with_acl_dump=True,
            acl_json=self.acl,
        )
        with mock.patch.dict(os.environ, {"ACL_DUMP_DATA": "1"}):
            with self.assertRaisesRegex(npuscope.UsageError, "export ACL_DUMP_DATA=0"):
                npuscope.dumper(**options).__enter__()
        with self.assertRaisesRegex(npuscope.UsageError, "this is a reference"):
            with npuscope.chip("cpu"), npuscope.dumper(**options):
                pass
        # Nothing is left on: the next load mode may begin.
        with npuscope.dumper(use_load=True, load_file_path=golden, dump_path=self.folder / "b.h5"):
            npuscope.ops.exp(np.ones(2, np.float32))

    def test_the_h5_is_finished_although_the_kernels_are_not(self) -> None:
        golden, out = self.folder / "golden.h5", self.folder / "out.h5"
        with npuscope.dumper(use_dump=True, dump_path=golden):
            npuscope.ops.exp(np.ones(2, np.float32))
        full = OSError("the disk is full")
        for own in (None, KeyError("the block's")):
            with self.assertRaises(type(own or full)):
                with npuscope.dumper(
                    use_load=True,
                    load_file_path=golden,
                    dump_path=out,
                    load_with_acl_dump=True,
                    acl_json=self.acl,
                ) as dump:
                    npuscope.ops.exp(np.ones(2, np.float32))
                    self.enterContext(mock.patch.object(dump._kernels, "close", side_effect=full))
                    if own is not None:
                        raise own
            self.assertEqual(dump.summary.complete, own is None)
            self.assertEqual(len(npuscope.Dump(out)), 1)
            out.unlink()

    def test_map_ops_names_the_kernels_and_the_verdicts(self) -> None:
        golden = self.folder / "golden.h5"
        x = np.full((2, 2), 1e5, np.float32)
        with npuscope.chip("cpu"), npuscope.dumper(use_dump=True, dump_path=golden):
            self.mm(x, np.ones((2, 2), np.float32))
        mapping = npuscope.map_ops(golden, chip="910A", output=self.folder / "map")
        (op,) = mapping["ops"]
        self.assertEqual(op["kernels"][op["first_culprit"]]["type"], "Cast")
        self.assertEqual(op["kernels"][op["first_culprit"]]["verdict"], "out_of_range")
        self.assertTrue(op["kernels"][0]["overflow"])
        written = json.loads((self.folder / "map" / "mapping.json").read_text())
        self.assertEqual(written, mapping)
        (record,) = mapping["debug_files"]
        words = np.frombuffer(payloads(Path(mapping["folder"]) / record), "<u8")
        self.assertEqual(len(words) * 8, 2048)
        self.assertEqual(words[(1024 + 16) // 8], 32)  # status of the AI Core: bit 5
        self.assertEqual(words[(256 + 16) // 8], op["kernels"][0]["task_id"])

    def test_rejects_what_is_no_acl_json(self) -> None:
        self.acl.write_text('{"dump": {"dump_path": "x" "dump_mode": "all"}}')
        with self.assertRaisesRegex(npuscope.FormatError, 'write: {"dump":{"dump_path":"x",'):
            npuscope.kernel_dump(self.acl).__enter__()
        self.write_acl(dump_op_switch="off")
        with self.assertRaisesRegex(npuscope.UsageError, "dump_op_switch is off"):
            npuscope.kernel_dump(self.acl).__enter__()
        with self.assertRaises(npuscope.IoError):
            npuscope.kernel_dump(self.folder / "none.json").__enter__()


if __name__ == "__main__":
    unittest.main()
