"""Random runs of one model compiled twice, with fusion (-f) and without (-cf), matched by their original ops."""

from dataclasses import dataclass

import numpy as np

from random_folders import TIME, Maker, Op
from random_rules import attribute, op_entry, output_entry, write_rule

TYPES = ["Conv2D", "Add", "Relu", "MatMul", "Split"]


@dataclass
class Original:
    name: str
    outputs: list  # (array, its format in the original model, the NPU's format)


@dataclass
class Compiled:
    name: str
    type: str
    originals: list  # of Original, in order; the last one's outputs are the op's
    entry: dict


def original_ops(maker):
    ops = []
    for number in range(int(maker.rng.integers(2, 7))):
        name = maker.pick("conv", "a/b", "relu", "block.fc") + str(number)
        ops.append(Original(name, [maker.logical() for _ in range(maker.pick(1, 1, 1, 2))]))
    return ops


def groups_of(maker, ops, probability):
    """Neighbours that are compiled into one op."""
    groups = []
    for op in ops:
        if groups and maker.chance(probability):
            groups[-1].append(op)
        else:
            groups.append([op])
    return groups


def outputs_of(maker, group):
    last = group[-1]
    entries = []
    for index, (array, format, _) in enumerate(last.outputs):
        origin = "" if maker.chance(0.04) else last.name
        place = None if maker.chance(0.1) else index
        known = maker.chance(0.85)
        entries.append(output_entry(origin, place, format if known else "", array.shape if known else None))
    return entries[:-1] if len(entries) > 1 and maker.chance(0.1) else entries


def compiled_model(maker, ops, fusing, naming):
    """(compiled ops in order, the ops of the rule file)"""
    model = []
    before = []
    with_ids = maker.chance(0.5)
    for number, group in enumerate(groups_of(maker, ops, fusing), 1):
        name = naming(group)
        type = "Data" if number == 1 else maker.pick("Cast", "TransData", *TYPES, *TYPES, *TYPES)
        originals = [each.name for each in group]
        if maker.chance(0.05):
            originals = maker.pick([], [""], ["unknown"], None)
        more = [attribute("_datadump_is_multiop", "b", True)] if maker.chance(0.04) else []
        entry = op_entry(name, type, before, originals, outputs_of(maker, group), number if with_ids else None, more)
        model.append(Compiled(name, type, group, entry))
        before = [f"{name}:{int(maker.rng.integers(0, len(group[-1].outputs)))}"]
        if maker.chance(0.12):
            twin = op_entry(name + "_twin", type, before, originals, outputs_of(maker, group),
                            number if with_ids else None)
            model.append(Compiled(name + "_twin", type, group, twin))
    return model


def write_dumps(maker, model, folder):
    """The same layouts on both sides, as long as the tensors' formats are."""
    by_name = {op.name: op for op in model}
    for number, compiled in enumerate(model):
        op = Op(compiled.name, compiled.type, number, TIME + int(maker.rng.integers(0, 20)) * 100 + number)
        for each in compiled.entry["input"]:
            name, _, index = each.rpartition(":")
            array, _, format = by_name[name].originals[-1].outputs[int(index)]
            op.inputs.append(maker.stored(maker.changed(array), format, maker.chance(0.5)))
        for array, _, format in compiled.originals[-1].outputs:
            if maker.chance(0.1):
                format = maker.pick("ND", format)
            op.outputs.append(maker.stored(maker.changed(array), format, maker.chance(0.5)))
        if number == 0 or not maker.chance(0.08):
            op.write(folder)


def make_run(seed, case):
    """Writes case/in and returns the arguments; OUT stands for the output folder."""
    maker = Maker(seed)
    folder = case / "in"
    for name in ("npu", "npu2", "cpu"):
        (folder / name).mkdir(parents=True)
    ops = original_ops(maker)
    opened = compiled_model(maker, ops, maker.pick(0.2, 0.5), lambda group: "_".join(each.name for each in group))
    closed = compiled_model(maker, ops, maker.pick(0, 0, 0.2), lambda group: maker.pick("c_", "") + group[-1].name)
    write_rule(folder / "open.json", [op.entry for op in opened])
    write_rule(folder / "close.json", [op.entry for op in closed])
    write_dumps(maker, opened, folder / "npu")
    write_dumps(maker, closed, folder / "npu2")
    rules = ["-f", "in/open.json", "-cf", "in/close.json"]
    golden = "in/npu2"
    if maker.chance(0.05):
        swapped = ["-f", "in/close.json", "-cf", "in/open.json"]
        rules = maker.pick(rules[:2], rules[2:], swapped, [*rules, "-q", "in/open.json"])
    if maker.chance(0.03):
        np.save(folder / "cpu" / f"x.0.{TIME}.npy", np.ones(3, "f4"))
        golden = "in/cpu"
    arguments = ["compare", "-m", "in/npu", "-g", golden, *rules, "-out", "OUT"]
    if maker.chance(0.25):
        arguments += ["-op", maker.pick(*(op.name for op in opened)), "-n", str(maker.pick(1, 3, 5))]
        return arguments + maker.pick([], [], ["-o", "0"], ["-o", "1"], ["-i", "0"])
    if "-f" in rules:
        arguments += maker.pick([], [], [], ["-r", "1,-1,1"], ["-s", "1,2"], ["-max", "5"], ["-map"])
    return arguments + maker.pick([], [], ["-overflow_detection"]) + maker.pick([], [], [], ["-alg", "0,1,5"])
