"""Random scenes of two dump folders: NPU against NPU, and NPU against the original model with a rule file."""

import json

import numpy as np

from random_folders import TIME, Maker, Op
from random_rules import attribute, spelled

TYPES = ["Conv2D", "Add", "Relu", "MatMul", "Mul"]


def npu_against_npu(maker, folder):
    mine, golden = folder / "npu", folder / "npu2"
    suffixed = False
    for number in range(int(maker.rng.integers(1, 9))):
        name = maker.pick("conv", "a/b", "block.relu", "fc_1") + str(number)
        op = Op(name, maker.pick(*TYPES), number, TIME + int(maker.rng.integers(0, 1000)) * 10 + number)
        twin = Op(op.name, op.type, op.task, op.time)
        for side in ("inputs", "outputs"):
            for _ in range(int(maker.rng.integers(0 if side == "inputs" else 1, 3))):
                array, _, format = maker.logical()
                with_original = maker.chance(0.6)
                getattr(op, side).append(maker.stored(array, format, with_original))
                getattr(twin, side).append(maker.stored(maker.changed(array), format, with_original))
        # Such names have no time, and of two the reference leaves to chance which comes first.
        if maker.chance(0.1) and not suffixed:
            suffixed = True
            op.suffix = twin.suffix = f".{maker.pick(0, 1, 2)}.5.0.0"
        if not maker.chance(0.08):
            op.write(mine)
        if not maker.chance(0.08):
            twin.write(golden)
    # Each folder needs a dump, and the two an op in common.
    array, _, format = maker.logical()
    last = Op("last", "Add", 99, TIME + 10**6, outputs=[maker.stored(array, format, True)])
    last.write(mine)
    last.write(golden)
    return ["-m", "in/npu", "-g", "in/npu2"], ["last"]


def fusion(maker, folder):
    """A chain of ops, each fed by the one before; some are fused, new, or without a dump."""
    mine, golden = folder / "npu", folder / "cpu"
    ops, names = [], []
    before = None
    for number in range(int(maker.rng.integers(2, 9))):
        name = maker.pick("conv", "a/b", "relu") + str(number)
        type = maker.pick("Cast", "TransData", *TYPES, *TYPES) if before else "Data"
        array, rule_format, format = maker.logical()
        follows = before is not None and type in ("Cast", "TransData")
        if follows:
            array, rule_format, format = before[1]
        originals = maker.pick([name], [name], [name], [name + "_x", name + "_y"], [""])
        attributes = []
        if originals != [name] or maker.chance(0.5):
            attributes.append({"key": "_datadump_original_op_names", "value": {"list": {"s": originals}}})
        output = [attribute("_datadump_origin_name", "s", originals[-1])]
        output.append(attribute("_datadump_origin_output_index", "i", 0))
        if maker.chance(0.9):
            output.append(attribute("_datadump_origin_format", "s", rule_format))
            output.append({"key": "origin_shape", "value": {"list": {"i": list(array.shape)}}})
        entry = {"name": name, "type": type, "id": number + 1, "attr": attributes,
                 "output_desc": [{"dtype": "DT_FLOAT16", "attr": output}],
                 "input": [f"{before[0]}:0"] if before else [""]}
        ops.append(entry)
        op = Op(name, type, number, TIME + number)
        if before:
            was, _, was_format = before[1]
            op.inputs.append(maker.stored(was, was_format, maker.chance(0.5)))
        op.outputs.append(maker.stored(array, format, maker.chance(0.5)))
        if number == 0 or not maker.chance(0.1):
            op.write(mine)
        if originals[-1] and (number == 0 or not maker.chance(0.1)):
            wanted = maker.changed(array)
            if wanted.dtype == np.float16 and maker.chance(0.7):
                wanted = wanted.astype(np.float32)
            np.save(golden / f"{spelled(originals[-1])}.0.{TIME}.npy", wanted)
        before = (name, (array, rule_format, format))
        names.append(name)
    (folder / "model.json").write_text(json.dumps({"graph": [{"name": "g", "op": ops}]}))
    return ["-m", "in/npu", "-g", "in/cpu", "-f", "in/model.json"], names


def make_run(seed, case):
    """Writes case/in and returns the arguments; OUT stands for the output folder."""
    maker = Maker(seed)
    folder = case / "in"
    for name in ("npu", "npu2", "cpu"):
        (folder / name).mkdir(parents=True)
    with_rule = maker.chance(0.6)
    sides, names = (fusion if with_rule else npu_against_npu)(maker, folder)
    arguments = ["compare", *sides, "-out", "OUT"]
    if maker.chance(0.25):
        arguments += ["-op", maker.pick(*names), "-n", str(maker.pick(1, 3, 5))]
        arguments += maker.pick([], [], ["-o", "0"], ["-i", "0"], ["-i", "1"])
        return arguments
    if with_rule:
        arguments += maker.pick([], [], [], ["-r", "1,-1,1"], ["-r", f"1,{len(names)},1"], ["-s", "1,2"],
                                ["-max", "5"], ["-map"])
    arguments += maker.pick([], [], ["-overflow_detection"])
    arguments += maker.pick([], [], [], ["-alg", "0,1,5"], ["-alg", "CosineSimilarity,NoSuch"])
    return arguments
