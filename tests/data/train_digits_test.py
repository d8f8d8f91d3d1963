"""data/train_digits.py: one epoch of each network gives a valid model and matching outputs."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "data"))

import graph_values  # noqa: E402
import train_digits  # noqa: E402


class TrainDigits(unittest.TestCase):
    def train_one_epoch(self, network: str, folder: str):
        command = [sys.executable, "-B", str(SOURCE / "data" / "train_digits.py"), network]
        command += ["-o", folder, "--epochs", "1", "--seed", "3"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        model = onnx.load(f"{folder}/digits_{network}.onnx")
        onnx.checker.check_model(model, full_check=True)
        with np.load(f"{folder}/digits_{network}.io.npz") as arrays:
            return done.stdout, model, dict(arrays)

    def test_exports_a_resnet_with_folded_batch_norms(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            printed, model, arrays = self.train_one_epoch("resnet", folder)
        self.assertRegex(printed.splitlines()[-1], r"^accuracy \d+/397 \d+\.\d\d %$")
        self.assertEqual([(o.domain, o.version) for o in model.opset_import], [("", 17)])
        self.assertEqual(
            {n.op_type for n in model.graph.node},
            {"Conv", "Relu", "Add", "GlobalAveragePool", "Flatten", "Gemm"},
        )
        self.assertEqual([i.name for i in model.graph.input], ["input"])
        self.assertEqual(arrays["in_input"].shape, (64, 1, 8, 8))
        self.assertEqual(arrays["out_logits"].shape, (64, 10))

    def test_exports_a_transformer_that_computes_its_recorded_outputs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            printed, model, arrays = self.train_one_epoch("vit", folder)
        self.assertTrue(re.search(r"^accuracy ", printed, re.M))
        again = graph_values.outputs(model, {"input": arrays["in_input"]})["logits"]
        np.testing.assert_allclose(again, arrays["out_logits"], rtol=0, atol=2e-5)

    def test_keeps_the_test_images_out_of_training(self) -> None:
        images, labels, test_images, test_labels = train_digits.load_images(train_digits.TEST_FILE)
        self.assertEqual((len(images), len(labels)), (1400, 1400))
        self.assertEqual((len(test_images), len(test_labels)), (397, 397))
        held_out = {image.tobytes() for image in test_images}
        self.assertFalse(any(image.tobytes() in held_out for image in images))


if __name__ == "__main__":
    unittest.main()
