"""Per op of the step, the largest error of any run: max|t - g| / max|g| of one of its tensors."""

import numpy as np

import npuscope

SIDES = ("cpu", "910A")
golden = npuscope.open_dump("resnet_step_gpu.h5")
worst = {}
for side in SIDES:
    columns = npuscope.compare(f"step_{side}.h5", "resnet_step_gpu.h5").columns
    for path, argument, verdict, error in zip(
        columns["golden"], columns["argument"], columns["verdict"], columns["max_absolute_error"]
    ):
        if verdict != "pass":
            continue
        run = golden[path[: path.index("/output/")]]
        scale = np.abs(run.outputs[argument]).max() or 1
        runs, errors = worst.setdefault(run.name, (set(), dict.fromkeys(SIDES, 0.0)))
        runs.add(run.seqid)
        errors[side] = max(errors[side], error / scale)
print(f"{'op':28}{'runs':>5}{'cpu':>10}{'910A':>10}")
for op, (runs, errors) in sorted(worst.items(), key=lambda item: -item[1][1]["910A"]):
    print(f"{op:28}{len(runs):5}" + "".join(f"{errors[side]:10.1e}" for side in SIDES))
