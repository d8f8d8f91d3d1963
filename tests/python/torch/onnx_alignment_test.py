"""A PyTorch model and what torch.onnx.export makes of it are one program in two forms: all pairs, no finding."""

import json
import os
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any, Dict, Tuple

import numpy as np

try:
    import onnx.numpy_helper  # the exporter needs onnx as well
    import torch
    from torch import nn

    import npuscope.torch
except ImportError:
    torch = None

NPUSCOPE = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"


def convolutions() -> Any:
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 12, 3, stride=2, bias=False),
        nn.BatchNorm2d(12), nn.ReLU(), nn.Flatten(), nn.Linear(300, 10), nn.LogSoftmax(-1),
    )  # fmt: skip
    for norm in (net[1], net[4]):
        for parameter in (norm.running_mean, norm.weight, norm.bias):
            nn.init.normal_(parameter)
        nn.init.uniform_(norm.running_var, 0.5, 2)
    return net


def transformer() -> Any:
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(32), nn.LayerNorm(32)
            self.qkv, self.out, self.up, self.down = nn.Linear(32, 96), nn.Linear(32, 32), nn.Linear(32, 80), nn.Linear(80, 32)
            for norm in (self.norm1, self.norm2):
                nn.init.normal_(norm.weight)
                nn.init.normal_(norm.bias)

        def forward(self, x: Any) -> Any:
            batch, tokens, hidden = x.shape
            q, k, v = self.qkv(self.norm1(x)).view(batch, tokens, 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
            probs = torch.softmax(q @ k.transpose(-1, -2) / 8**0.5, -1)
            x = x + self.out((probs @ v).transpose(1, 2).reshape(batch, tokens, hidden))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    return nn.Sequential(nn.Embedding(50, 32), Block(), Block(), nn.LayerNorm(32), nn.Linear(32, 50, bias=False))


def recurrent() -> Any:
    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cells, self.last = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 3)

        def forward(self, x: Any) -> Any:
            return torch.tanh(self.last(self.cells(x)[0]))

    return Recurrent()


@unittest.skipIf(torch is None, "no PyTorch with its exporter")
class OnnxExport(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        torch.manual_seed(0)

    def record(self, model: Any, x: Any) -> None:
        model.eval()
        with torch.no_grad(), npuscope.torch.dumper(use_dump=True, dump_path=str(self.folder / "torch.h5")):
            model(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(model, x, str(self.folder / "m.onnx"), input_names=["x"], opset_version=13)
        np.savez(self.folder / "x.npz", x=x.numpy())
        words = ["run", "m.onnx", "--device", "cpu", "--input", "x.npz", "--dump", "onnx.h5"]
        subprocess.run([NPUSCOPE, *words], cwd=self.folder, check=True, capture_output=True)

    def compared(self, target: str, golden: str) -> Tuple[int, Dict[str, Any]]:
        sides = ["-m", self.folder / target, "-g", self.folder / golden]
        done = subprocess.run([NPUSCOPE, "compare", "-q", "--json", "--align", *sides], capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout)

    def check(self, model: Any, x: Any) -> Dict[str, Any]:
        self.record(model, x)
        for sides in (("onnx.h5", "torch.h5"), ("torch.h5", "onnx.h5")):
            code, report = self.compared(*sides)
            self.assertEqual((code, report["culprits"]), (0, []), sides)
            spanned = {path for span in report["spans"] for path in span["only_target"] + span["only_golden"]}
            alone = {op["path"] for op in report["ops"] if op["verdict"] in ("missing_target", "missing_golden")}
            self.assertEqual(alone - spanned, set())
        return report

    def test_convolutions_with_folded_norms(self) -> None:
        self.check(convolutions(), torch.randn(2, 3, 12, 12))

    def test_a_transformer(self) -> None:
        self.check(transformer(), torch.randint(0, 50, (2, 9)))

    def test_a_recurrent_network(self) -> None:
        self.check(recurrent(), torch.randn(2, 5, 6))

    def test_another_weight_of_an_export_is_told_as_the_weight(self) -> None:
        model = transformer()
        self.record(model, torch.randint(0, 50, (2, 9)))
        changed = onnx.load(str(self.folder / "m.onnx"))
        for tensor in changed.graph.initializer:
            if list(tensor.dims) == [80, 32] or list(tensor.dims) == [32, 80]:
                values = onnx.numpy_helper.to_array(tensor).copy()
                values[3, 5] += 0.5
                tensor.CopyFrom(onnx.numpy_helper.from_array(values, tensor.name))
                break
        onnx.save(changed, str(self.folder / "m.onnx"))
        words = ["run", "m.onnx", "--device", "cpu", "--input", "x.npz", "--dump", "onnx.h5"]
        subprocess.run([NPUSCOPE, *words], cwd=self.folder, check=True, capture_output=True)
        for sides in (("onnx.h5", "torch.h5"), ("torch.h5", "onnx.h5")):
            code, report = self.compared(*sides)
            culprit = report["first_culprit"]
            self.assertEqual((code, culprit["kind"], culprit["tensor"].rsplit("/", 1)[1]), (1, "tensor", "mat2"), sides)
            self.assertIn("is not the golden's", culprit["why"])
            # The third product with a bias: qkv, out, and the first block's `up`. Runs are counted over a process.
            paths = {op["golden" if sides[0] == "onnx.h5" else "path"] for op in report["ops"]}
            products = sorted((path for path in paths if path.startswith("/addmm/")), key=lambda path: int(path[7:]))
            mine = culprit["golden"] if sides[0] == "onnx.h5" else culprit["path"]
            self.assertEqual(mine, products[2])


if __name__ == "__main__":
    unittest.main()
