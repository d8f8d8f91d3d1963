"""Recordings of torch_npu's fused ops: each is computed again, and pairs with the ops it stands for."""

import json
import subprocess
import unittest

import numpy as np
from compared import NPUSCOPE, InFolder, compared
from recording import Recording


def normed(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def record(path, fused, factor=1.0):
    """A norm, a SwiGLU and a product of batches; the fused gate is `factor` times what it is."""
    chance = np.random.default_rng(3)
    recording = Recording(path)
    x = chance.standard_normal((2, 5, 8)).astype("f4")
    y = normed(x.astype("f8")).astype("f4")
    shape = np.array([8])
    if fused:
        recording.op("npu_layer_norm_eval", {"input": x, "normalized_shape": shape}, result=y)
    else:
        mean = x.mean(-1, keepdims=True)
        rstd = (1 / np.sqrt(x.astype("f8").var(-1, keepdims=True) + 1e-5)).astype("f4")
        recording.op("native_layer_norm", {"input": x, "normalized_shape": shape, "eps": 1e-5},
                     result0=y, result1=mean, result2=rstd)
    gate, up = y[..., :4], y[..., 4:]
    silu = (gate / (1 + np.exp(-gate.astype("f8")))).astype("f4")
    if fused:
        h = (silu.astype("f8") * up * factor).astype("f4")
        recording.op("npu_swiglu", {"self": y, "dim": np.int64(-1)}, result=h)
    else:
        recording.op("silu", {"self": np.ascontiguousarray(gate)}, result=silu)
        h = silu * up
        recording.op("mul_Tensor", {"self": silu, "other": np.ascontiguousarray(up)}, result=h)
    weight = chance.standard_normal((2, 4, 3)).astype("f4")
    product = (h.astype("f8") @ weight).astype("f4")
    name, more = ("npu_bmmV2", {"output_sizes": np.array([], "i8")}) if fused else ("bmm", {})
    recording.op(name, {"self": h, "mat2": weight, **more}, result=product)
    recording.close()


class FusedOps(InFolder):
    def test_each_is_computed_again(self):
        record(self.folder / "t.h5", True)
        done = subprocess.run([NPUSCOPE, "recompute", self.folder / "t.h5", "-q", "--json"], capture_output=True, text=True,
                              check=False)
        ops = json.loads(done.stdout)["ops"]
        self.assertEqual([op["skipped"] for op in ops], ["", "", ""])
        self.assertTrue(all(result["within"] for op in ops for result in op["results"]))

    def test_no_default_of_theirs_is_taken_for_another_ops(self):
        recording = Recording(self.folder / "t.h5")
        x, ones = np.arange(24, dtype="f4").reshape(2, 3, 4), np.ones(3, "f4")
        recording.op("miopen_batch_norm",
                     {"input": x, "weight": ones, "bias": 0 * ones, "running_mean": 0 * ones, "running_var": ones,
                      "training": np.bool_(False), "exponential_average_factor": 0.1}, result0=x)
        recording.op("relu", {"self": x}, result=x)
        recording.close()
        done = subprocess.run([NPUSCOPE, "recompute", self.folder / "t.h5", "-q", "--json"], capture_output=True, text=True,
                              check=False)
        self.assertIn("'eps' is missing", json.loads(done.stdout)["ops"][0]["skipped"])

    def test_what_one_side_fuses_is_no_parting(self):
        record(self.folder / "t.h5", True)
        record(self.folder / "g.h5", False)
        for target, golden in (("t.h5", "g.h5"), ("g.h5", "t.h5")):
            code, culprit, _ = compared(self.folder / target, self.folder / golden)
            self.assertEqual((code, culprit), (0, None))

    def test_a_fault_inside_is_told(self):
        record(self.folder / "t.h5", True, factor=1.01)
        record(self.folder / "g.h5", False)
        code, culprit, _ = compared(self.folder / "t.h5", self.folder / "g.h5")
        self.assertEqual((code, culprit), (1, "/npu_swiglu/2"))


if __name__ == "__main__":
    unittest.main()
