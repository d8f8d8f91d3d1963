"""A model's intermediate tensors live no longer than they are used."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

BIN = Path(os.environ["NPUSCOPE_BIN_DIR"])
LAYERS = 40
ELEMENTS = 4_000_000  # 16 MB of float32; all layers together 640 MB

# In a process of its own: a child's peak memory begins with its parent's.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024)
"""


class ModelMemory(unittest.TestCase):
    def test_does_not_grow_with_the_number_of_layers(self) -> None:
        names = [f"x{i}" for i in range(LAYERS + 1)]
        nodes = [helper.make_node("Relu" if i % 2 else "Neg", [names[i]], [names[i + 1]]) for i in range(LAYERS)]
        ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [ELEMENTS]) for n in (names[0], names[-1])]
        model = helper.make_model(
            helper.make_graph(nodes, "chain", ends[:1], ends[1:]), opset_imports=[helper.make_opsetid("", 13)]
        )
        model.ir_version = 8
        for device in (["--device", "cpu", "--reference", "fp32"], ["--chip", "910A"]):
            with self.subTest(device=device), tempfile.TemporaryDirectory() as folder:
                onnx.save(model, f"{folder}/chain.onnx")
                np.savez(f"{folder}/in.npz", in_x0=np.linspace(-1, 1, ELEMENTS, dtype=np.float32))
                command = [BIN / "npuscope", "run", f"{folder}/chain.onnx", "--input", f"{folder}/in.npz", *device]
                printed = subprocess.check_output([sys.executable, "-c", MEASURE, *map(str, command)], text=True)
                code, megabytes = map(int, printed.split())
                self.assertEqual(code, 0)
                # The program, the input and its file, two tensors of a layer and the output.
                self.assertLess(megabytes, 200)


if __name__ == "__main__":
    unittest.main()
