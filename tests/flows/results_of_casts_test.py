"""A target of results alone that casts to 16 bits what products take in, beside a golden with all inputs: other ops take in
what was cast."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared

LAYERS, WIDTH = 4, 16


class Program:
    """A residual network, its weights' decay; `mixed` casts operands of products, and records results alone."""

    def __init__(self, path, mixed=False, fault="", swapped=None, scale=1.0):
        self.file, self.seqid, self.mixed, self.fault = h5py.File(path, "w"), 0, mixed, fault
        chance = np.random.default_rng(7)
        x = self.op("tanh", {"self": chance.standard_normal((12, WIDTH)).astype("f4")}, np.tanh)
        weights = [(chance.standard_normal((WIDTH, WIDTH)) / 4).astype("f4") for _ in range(LAYERS)]
        biases = [chance.standard_normal(WIDTH).astype("f4") for _ in range(LAYERS)]
        for layer, weight in enumerate(weights):
            bias = biases[layer if layer != swapped else layer - 1]
            turned = self.op("t", {"self": self.cast(weight)}, lambda w: np.ascontiguousarray(w.T))
            rows = self.op("view", {"self": self.cast(x)}, lambda a: a.copy())
            y = self.op("addmm", {"self": bias, "mat1": rows, "mat2": turned}, self.product)
            x = self.op("add_Tensor", {"self": x, "other": y, "alpha": 1.0}, lambda a, b, _: a + b)
        one = np.float32(1)
        if scale != 1:
            one = self.op("mul_Tensor", {"self": one, "other": scale}, lambda a, b: np.float32(a * b))
        self.op("mse_loss_backward", {"grad_output": one, "self": x, "target": np.zeros_like(x), "reduction": 2}, lambda g, a, b, _: g * 2 * (a - b))
        for weight in weights:
            gradient = np.float32(weight * 3)
            self.op("add_Tensor", {"self": gradient, "other": weight, "alpha": 0.01}, lambda a, b, alpha: a + np.float32(alpha) * b)
        self.file.close()

    def product(self, bias, a, b):
        made = (a.astype("f8") @ b.astype("f8") + bias).astype("f4")
        return made.astype("f2").astype("f4") if self.mixed else made

    def cast(self, x):
        return self.op("_to_copy", {"self": x}, lambda a: a.astype("f2").astype("f4")) if self.mixed else x

    def op(self, name, inputs, compute):
        self.seqid += 1
        made = np.float32(compute(*inputs.values()))
        if f"{name}/{self.seqid}" == self.fault:
            made = made.copy()
            made[2] *= np.float32(1.01)
        group = self.file.create_group(f"{name}/{self.seqid}")
        for argument, value in inputs.items():
            if not self.mixed:
                group[f"input/{argument}"] = value
        group["output/result"] = made
        return made


class ResultsOfCasts(InFolder):
    def said(self, **target):
        Program(self.folder / "t.h5", **target)
        Program(self.folder / "g.h5")
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def test_what_was_cast_is_what_other_ops_take_in(self):
        self.assertEqual(self.said(mixed=True)[:2], (0, None))

    def test_faults_beside_casts_are_found(self):
        for fault in ("addmm/12", "add_Tensor/19"):
            with self.subTest(fault):
                self.assertEqual(self.said(mixed=True, fault=fault)[:2], (1, f"/{fault}"))

    def test_the_scale_of_a_loss_is_no_fault(self):
        code, _, report = self.said(mixed=True, scale=1024.0)
        self.assertEqual(code, 0)
        self.assertIn("gradients: 1024 times the golden's from /mse_loss_backward/", " ".join(report["arithmetic"]))

    def test_the_bias_of_another_layer_is_told(self):
        code, path, report = self.said(swapped=2)
        self.assertEqual((code, path.split("/")[1]), (1, "addmm"))
        self.assertRegex(report["first_culprit"]["why"], "bias `self` of /addmm/.* it is the golden's /addmm/")


if __name__ == "__main__":
    unittest.main()
