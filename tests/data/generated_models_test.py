"""The small models that generators write: PyTorch computes the same from the stored weights."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
MODELS = SOURCE / "data" / "models"


def weights(name: str) -> dict:
    graph = onnx.load(MODELS / f"{name}.onnx").graph
    return {
        i.name: torch.from_numpy(numpy_helper.to_array(i).copy()).double() for i in graph.initializer
    }


def stored(name: str) -> dict:
    with np.load(MODELS / f"{name}.io.npz") as arrays:
        return {key: torch.from_numpy(arrays[key].copy()) for key in arrays}


def generated(script: str, name: str, folder: str) -> bytes:
    subprocess.run([sys.executable, "-B", SOURCE / "data" / script, "-o", folder], check=True)
    return (Path(folder) / name).read_bytes()


class GeneratedModels(unittest.TestCase):
    def same(self, given: torch.Tensor, expected: torch.Tensor, name: str) -> None:
        error = (given.double() - expected.double()).abs().max() / expected.abs().max()
        self.assertLess(float(error), 1e-6, name)

    def test_the_pyramid_gives_what_pytorch_gives(self) -> None:
        w, io = weights("pyramid"), stored("pyramid")
        f = torch.nn.functional
        x = torch.relu(f.conv2d(io["in_image"].double(), w["stem"], w["stem_bias"], 2, 1))
        level0 = torch.relu(f.conv2d(x, w["trunk"], w["trunk_bias"], 1, 1))
        level1 = f.conv_transpose2d(level0, w["up1"], w["up1_bias"], 2)
        level2 = f.conv_transpose2d(f.gelu(level1), w["up2"], w["up2_bias"], 2)
        self.assertGreater(float(level2.abs().max()), 65504)
        self.assertLess(float(level1.abs().max()), 65504)
        for i, level in enumerate((level0, level1, level2)):
            self.same(io[f"out_p{i}"], f.conv2d(level, w[f"neck{i}"]), f"p{i}")

    def test_the_pyramid_is_what_its_generator_writes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fresh = generated("generate_pyramid.py", "pyramid.onnx", folder)
        self.assertEqual(fresh, (MODELS / "pyramid.onnx").read_bytes())

    def test_the_training_step_gives_the_gradients_of_autograd(self) -> None:
        w, io = weights("digits_step"), stored("digits_step")
        names = ("w1", "b1", "w2", "b2")
        for name in names:
            w[name].requires_grad_()
        hidden = torch.tanh(io["in_x"].double() @ w["w1"] + w["b1"])
        scores = hidden @ w["w2"] + w["b2"]
        loss = 1e-4 * torch.nn.functional.cross_entropy(scores, io["in_y"].argmax(1))
        loss.backward()
        self.same(io["out_loss"], loss.detach(), "loss")
        for name in names:
            self.same(io["out_grad_" + name], w[name].grad, name)

    def test_the_training_step_keeps_the_form_that_its_generator_writes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            generated("generate_training_step.py", "digits_step.onnx", folder)
            fresh = onnx.load(Path(folder) / "digits_step.onnx").graph
        kept = onnx.load(MODELS / "digits_step.onnx").graph
        # The weights depend on the machine's sums, the graph does not.
        self.assertEqual([str(n) for n in fresh.node], [str(n) for n in kept.node])
        self.assertEqual([str(i) for i in fresh.input], [str(i) for i in kept.input])


if __name__ == "__main__":
    unittest.main()
