"""Models that PyTorch's exporters write, taken by npuscope.check."""

import importlib.util
import unittest
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt
from dumper_test import Folder

HAS_ATTENTION = hasattr(F, "scaled_dot_product_attention")


class Block(nn.Module):
    """What today's networks are of: a norm, attention of two heads, GELU."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (t.reshape(*t.shape[:2], 2, 4).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        if HAS_ATTENTION:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            y = torch.softmax(q @ k.transpose(-2, -1) / 2.0, -1) @ v
        return F.gelu(self.out(y.transpose(1, 2).flatten(2)))


class Exported(Folder):
    def check(self, **options) -> None:
        torch.manual_seed(6)
        model, x = Block().eval(), torch.randn(2, 5, 8)
        path = self.folder / "block.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(model, (x,), str(path), input_names=["x"], **options)
        inputs = self.folder / "x.npz"
        np.savez(inputs, x=x.numpy())
        given = npuscope.run(path, {"x": x.numpy()}, chip="cpu")
        np.testing.assert_allclose(next(iter(given.values())), model(x).detach().numpy(), rtol=1e-5, atol=1e-6)
        for chip in ("910A", "910B"):
            self.assertEqual(npuscope.check(path, input=inputs, chip=chip)["verdict"], "pass")

    def test_by_tracing(self) -> None:
        self.check(opset_version=14)

    @unittest.skipUnless(nt.private.VERSION >= (2, 6), "PyTorch 1.13 knows no such operator set")
    def test_by_tracing_with_a_gelu_of_its_own(self) -> None:
        self.check(opset_version=20)

    @unittest.skipUnless(importlib.util.find_spec("onnxscript"), "the exporter by Dynamo needs onnxscript")
    def test_by_dynamo(self) -> None:
        self.check(dynamo=True)


if __name__ == "__main__":
    unittest.main()
