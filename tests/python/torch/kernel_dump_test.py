"""Kernel dumps of PyTorch programs: the three calls of torch.npu, and load_with_acl_dump."""

import contextlib
import io
import json
import os
import unittest
from pathlib import Path
from unittest import mock

import torch

import npuscope
import npuscope.torch as nt
from dumper_test import Folder


class KernelDumps(Folder):
    def setUp(self) -> None:
        super().setUp()
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder)
        self.acl = self.folder / "acl.json"
        self.acl.write_text(
            json.dumps(
                {
                    "dump": {
                        "dump_list": [],
                        "dump_path": "./output",
                        "dump_mode": "all",
                        "dump_op_switch": "on",
                    }
                }
            )
        )
        self.addCleanup(nt.uninstall)

    def files(self) -> list:
        return sorted(path.name for path in self.folder.glob("output/*/0/*"))

    def test_the_guides_single_operator_dump(self) -> None:
        nt.install("910A")
        torch.npu.set_device("npu:0")
        torch.npu.init_dump()
        torch.npu.set_dump(str(self.acl))
        a = torch.tensor([2, 2]).to("npu:0")
        a.add_(1)
        torch.npu.finalize_dump()
        a.mul_(2)
        names = self.files()
        self.assertEqual([name.split(".")[0] for name in names], ["Add"], names)
        self.assertRegex(names[0], r"^Add\.add__Tensor_\d+_0\.\d+\.0\.\d{16}$")

    def test_options_switch_the_same(self) -> None:
        nt.install("910A")
        torch.npu.set_option({"mdldumpswitch": "enable", "mdldumpconfigpath": str(self.acl)})
        torch.ones(2).npu().exp()
        torch.npu.set_option({"mdldumpswitch": "disable"})
        torch.ones(2).npu().neg()
        self.assertEqual([name.split(".")[0] for name in self.files()], ["Exp"])
        with self.assertRaisesRegex(npuscope.UsageError, "enable or disable"):
            torch.npu.set_option({"mdldumpswitch": "maybe"})

    def test_acl_dump_data_dumps_the_whole_process(self) -> None:
        with mock.patch.dict(os.environ, {"ACL_DUMP_DATA": "1"}):
            nt.install("910A")
        torch.ones(2).npu().exp()
        nt.uninstall()
        self.assertEqual([name.split(".")[0] for name in self.files()], ["Exp"])

    def test_the_guides_mapping_of_ir_to_tbe(self) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
        x = torch.randn(2, 4)
        with nt.npu("910A"), nt.dumper(use_dump=True, dump_path="./input.h5"):
            model(x).sum().backward()
        (run,) = npuscope.open_dump("input.h5").ops("addmm")
        path = f"/addmm/{run.seqid}"
        npuscope.extract("input.h5", "output.h5", [path])
        with nt.npu("910A"), contextlib.redirect_stderr(io.StringIO()):
            with nt.dumper(
                use_load=True, dump_path="./", load_file_path="./output.h5", load_with_acl_dump=True
            ) as dump:
                model(x).sum().backward()
        kernels = dump.kernels.kernels
        self.assertEqual(
            [kernel.type for kernel in kernels],
            ["Muls", "Cast", "Cast", "TransData", "TransData", "MatMul", "TransData", "Add"],
        )
        self.assertEqual({kernel.op for kernel in kernels}, {"addmm"})
        self.assertEqual(self.files(), sorted(file for kernel in kernels for file in kernel.files))
        self.assertEqual(Path(dump.kernels.folder).name, "0")

    def test_rejects_another_order_and_other_devices(self) -> None:
        nt.install("910A")
        with self.assertRaisesRegex(npuscope.UsageError, "after init_dump"):
            torch.npu.set_dump(str(self.acl))
        torch.npu.init_dump()
        with self.assertRaisesRegex(npuscope.UsageError, "already"):
            torch.npu.init_dump()
        with self.assertRaises(AssertionError):
            torch.npu.set_dump("none.json")
        torch.npu.finalize_dump()
        nt.uninstall()
        with nt.dumper(use_dump=True, dump_path="a.h5"):
            torch.ones(2).exp()
        loading = dict(use_load=True, load_file_path="a.h5", dump_path="b.h5")
        with self.assertRaisesRegex(npuscope.UsageError, "npu"):
            nt.dumper(load_with_acl_dump=True, **loading).__enter__()
        with mock.patch.dict(os.environ, {"ACL_DUMP_DATA": "1"}), nt.npu("910A"):
            with self.assertRaisesRegex(npuscope.UsageError, "ACL_DUMP_DATA=0"):
                nt.dumper(load_with_acl_dump=True, **loading).__enter__()
        x = torch.zeros(2)
        with nt.npu("910A"), nt.dumper(**loading, quiet=True) as dump:
            x.exp()
        self.assertEqual(dump.summary.replaced_tensors, 1)


if __name__ == "__main__":
    unittest.main()
