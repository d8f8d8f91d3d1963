"""A dump, a comparison, a hook: NumPy only."""

import numpy as np

import npuscope
from npuscope import ops

rng = np.random.default_rng(1)
x, weight = rng.standard_normal((2, 64, 64)).astype(np.float32)
bias = np.zeros(64, np.float32)


def network() -> np.ndarray:
    hidden = ops.relu(ops.addmm(bias, x, weight))
    return ops._softmax(ops.mm(hidden, weight), -1, False)


with npuscope.chip("cpu"), npuscope.dumper(use_dump=True, dump_path="golden.h5"):
    network()
with npuscope.dumper(use_dump=True, dump_path="npu.h5") as dump:  # the default chip, a 910A
    network()
print(f"{dump.summary.path}: {dump.summary.ops_written} ops")

golden = npuscope.open_dump("golden.h5")
for path in golden:
    print(path, golden[path].outputs)

result = npuscope.compare("npu.h5", "golden.h5")
worst = int(np.nanargmax(result.columns["max_absolute_error"]))
print(f"{result.verdict}; the largest difference is in {result.columns['target'][worst]}")

# The same network with a product in float32: which op makes the difference?
executor = npuscope.Executor("910A")


def in_float32(call: npuscope.HookCall) -> None:
    call.outputs["result"] = call.inputs["self"] @ call.inputs["mat2"]


with executor.hook("after_op", "mm", in_float32):
    hidden = executor.call("relu", executor.call("addmm", bias, x, weight))
    exact = executor.call("mm", hidden, weight)
print("mm in half moves results by up to", np.abs(exact - ops.mm(hidden, weight)).max().round(3))

outputs = npuscope.run("digits_resnet.onnx", chip="910A", seed=3)
print({name: array.shape for name, array in outputs.items()})
