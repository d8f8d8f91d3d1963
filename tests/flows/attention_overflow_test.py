"""Ten vision transformers, each with another attention weight scaled until float16 no longer holds a Cube input.

Where the overflow is comes from data/scale_attention.py, which computes the network with NumPy.

usage: attention_overflow_test.py PROGRAM SOURCE_DIR
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
DATA = pathlib.Path(sys.argv[2]) / "data"
SEEDS = range(10)


def scaled_model(folder, seed, *options):
    model = folder / f"vit_{seed}{''.join(options)}.onnx"
    told = subprocess.run(
        ["/usr/bin/python3", str(DATA / "scale_attention.py"), str(DATA / "models/digits_vit.onnx"),
         "--input", str(DATA / "models/digits_vit.io.npz"), "--seed", str(seed), "-o", str(model), *options],
        check=True, capture_output=True, text=True).stdout
    return model, json.loads(told)


def check(model, chip, out):
    done = subprocess.run([PROGRAM, "check", str(model), "--input", str(model.with_suffix(".io.npz")), "--chip", chip,
                           "--json", "-o", str(out)], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


class AttentionOverflow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="npuscope-attention-"))
        cls.models = {seed: scaled_model(cls.folder, seed) for seed in SEEDS}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def test_910A_names_the_op_whose_cube_input_exceeds_65504(self):
        named = set()
        for seed, (model, told) in self.models.items():
            with self.subTest(seed=seed):
                code, verdict, errors = check(model, "910A", self.folder / f"a{seed}")
                self.assertEqual(code, 1, errors)
                culprit = verdict["first_culprit"]
                self.assertEqual(culprit["node"], told["first"]["node"])
                self.assertEqual(culprit["why"]["fingerprint"], "cube-demotion-saturation")
                overflow = verdict["overflow"]
                self.assertEqual(overflow[0]["node"], told["first"]["node"])
                self.assertEqual(overflow[0]["kind"], "introduced")
                named.add(culprit["node"])
        self.assertGreaterEqual(len(named), 2, "two seeds name two different ops")

    def test_910A_tells_apart_the_ops_that_only_received_it(self):
        model, told = self.models[1]
        _, verdict, _ = check(model, "910A", self.folder / "received")
        # The 910A takes a softmax's row maximum in float16, so scores beyond its range overflow there on their own.
        places = [told["first"]["node"], *told["later"], "/b/b.0/Softmax"]
        for op in verdict["overflow"]:
            if op["kind"] == "received":
                self.assertIn(" from ", op["note"])
            else:
                self.assertIn(op["node"], places)
        self.assertGreaterEqual(sum(op["kind"] == "received" for op in verdict["overflow"]), 1)

    def test_910B_computes_the_same_models_cleanly(self):
        for seed, (model, _) in self.models.items():
            with self.subTest(seed=seed):
                code, verdict, errors = check(model, "910B", self.folder / f"b{seed}")
                self.assertEqual(code, 0, errors + json.dumps(verdict.get("headline")))
                self.assertEqual(verdict["overflow"], [])

    def test_a_float16_model_gives_inf_on_910B_and_saturates_on_910A(self):
        model, told = scaled_model(self.folder, 0, "--float16")
        for chip, largest in (("910B", "inf"), ("910A", "65504")):
            with self.subTest(chip=chip):
                out = self.folder / f"half{chip}"
                code, verdict, errors = check(model, chip, out)
                self.assertEqual(code, 1, errors)
                self.assertEqual(verdict["first_culprit"]["node"], told["first"]["node"])
                seen = subprocess.run(
                    ["/usr/bin/python3", "-c",
                     "import h5py,sys,numpy as np\n"
                     "f=h5py.File(sys.argv[1]); print('%g' % np.abs(f[sys.argv[2]+'/output/result'][()]).max())",
                     str(out / "npu.h5"), verdict["first_culprit"]["path"]],
                    check=True, capture_output=True, text=True).stdout.strip()
                self.assertEqual(seen, largest)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
