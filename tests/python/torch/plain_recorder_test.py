"""What somebody writes in ten minutes to record a step: PyTorch's names, arguments by their number, `self` after the op."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict

import numpy as np

try:
    import h5py
    import torch
    from torch import nn
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:
    torch = None
    TorchDispatchMode = object

NPUSCOPE = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"


class Recorder(TorchDispatchMode):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.file = h5py.File(path, "w")
        self.count = 0

    def put(self, group: Any, name: str, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            narrow = value.dtype == torch.bfloat16  # NumPy has none
            group.create_dataset(name, data=(value.float() if narrow else value).detach().numpy())
        elif isinstance(value, (list, tuple)) and value and not isinstance(value[0], (int, float)):
            for i, each in enumerate(value):
                self.put(group, f"{name}/{i}", each)
        elif isinstance(value, (int, float, list, tuple)):
            group.create_dataset(name, data=np.array(value))

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        results = op(*args, **(kwargs or {}))
        self.count += 1
        group = self.file.create_group(f"{op}/{self.count}")
        for name, value in [*enumerate(args), *(kwargs or {}).items()]:
            self.put(group, f"input/{name}", value)
        for i, result in enumerate(results if isinstance(results, (tuple, list)) else [results]):
            self.put(group, f"output/{i}", result)
        return results


def record(path: Path, change=None, autocast: bool = False) -> Path:
    class Halves(nn.Module):
        def forward(self, x: Any) -> Any:
            first, second = x.chunk(2, -1)
            return torch.cat([second, first], -1)

    class Norm(nn.LayerNorm):
        def forward(self, x: Any) -> Any:
            return super().forward(x.float())  # PyTorch 1 takes one dtype

    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3), nn.GELU(), nn.Flatten(),
        nn.Linear(288, 32), Norm(32), Halves(), nn.Linear(32, 10),
    )  # fmt: skip
    images, labels = torch.randn(4, 3, 16, 16), torch.tensor([1, 2, 3, 4])
    steps = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    if change is not None:
        with torch.no_grad():
            change(net)
    with Recorder(path) as recorder:
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = torch.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        steps.step()
    recorder.file.close()
    return path


@unittest.skipIf(torch is None, "needs PyTorch and h5py")
class PlainRecorder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.golden = record(self.folder / "golden.h5")

    def told(self, *words: Any) -> Dict[str, Any]:
        done = subprocess.run([NPUSCOPE, *map(str, words), "--json"], capture_output=True, text=True, check=False)
        self.assertTrue(done.stdout, done.stderr)
        return {"code": done.returncode, **json.loads(done.stdout)}

    def test_its_ops_are_computed_again_but_for_those_in_place(self):
        report = self.told("recompute", self.golden, "--device", "cpu")
        self.assertEqual(report["failed"], 0)
        skipped = {op["path"].split("/")[1] for op in report["ops"] if op["skipped"]}
        known = {"aten.add_.Tensor", "aten.mul_.Tensor", "aten.empty.memory_format", "aten.zeros.default", "aten.new_empty_strided.default"}
        self.assertLessEqual({name for name in skipped if name.startswith("aten.")}, known)

    def test_a_wrong_weight_is_all_that_is_told(self):
        target = record(self.folder / "target.h5", lambda net: net[7].weight[3].zero_())
        report = self.told("compare", "-q", "-m", target, "-g", self.golden)
        self.assertEqual((report["code"], len(report["culprits"])), (1, 1))
        self.assertIn("all at 3 along axis 0", report["first_culprit"]["why"])

    def test_a_run_with_itself_has_no_finding(self):
        report = self.told("compare", "-q", "-m", record(self.folder / "again.h5"), "-g", self.golden)
        self.assertEqual((report["code"], report["culprits"]), (0, []))

    def test_bfloat16_that_was_written_as_float32_is_told(self):
        report = self.told("compare", "-q", "-m", record(self.folder / "target.h5", autocast=True), "-g", self.golden)
        self.assertEqual((report["code"], report["culprits"]), (0, []))
        self.assertTrue(any("products (bfloat16)" in line for line in report["arithmetic"]), report["arithmetic"])


if __name__ == "__main__":
    unittest.main()
