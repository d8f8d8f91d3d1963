"""Random runs with L1 fusion: ops that share _L1_fusion_sub_graph_no, cut into parts that ran one after the other."""

import numpy as np

from random_folders import TIME, Maker, Op
from random_rules import attribute, op_entry, output_entry, write_golden, write_rule

TYPES = ["Conv2D", "Add", "Relu", "Pooling", "Cast"]


class Chain:
    """Ops of a rule file, their dumps and their golden files, each fed by the one before."""

    def __init__(self, maker, folder):
        self.maker = maker
        self.folder = folder
        self.entries = []
        self.names = []
        self.before = None  # (name, array, the NPU's format)
        self.with_ids = maker.chance(0.7)
        self.tied = maker.chance(0.1)

    def time(self):
        # Parts may have run at the same time, or without a time that counts.
        number = len(self.names)
        return TIME + (0 if self.tied else int(self.maker.rng.integers(0, 30)) * 100 + number)

    def add(self, name, type, originals, more=(), follow=True):
        maker = self.maker
        array, rule_format, format = maker.logical()
        if type == "Cast" and self.before:
            array, rule_format, format = self.before[1:]
        origin = maker.pick(originals[-1], originals[-1], originals[-1], "") if originals else ""
        known = maker.chance(0.85)
        output = output_entry(origin, 0, rule_format if known else "", array.shape if known else None,
                              maker.pick("DT_FLOAT16", "DT_FLOAT16", "DT_INT8"))
        if maker.chance(0.05):
            output = output_entry("", None)
        inputs = [f"{self.before[0]}:0"] if self.before else []
        self.entries.append(op_entry(name, type, inputs, originals, [output],
                                     len(self.entries) + 1 if self.with_ids else None, more))
        op = Op(name, type, len(self.names), self.time())
        if self.before and maker.chance(0.8):
            op.inputs.append(maker.stored(self.before[1], self.before[3], maker.chance(0.5)))
        if maker.chance(0.9):
            op.outputs.append(maker.stored(array, format, maker.chance(0.5)))
        if maker.chance(0.03):
            op.suffix = f".{maker.pick(0, 1, 2)}.5.0.0"
        if not self.names or not maker.chance(0.15):
            op.write(self.folder / "npu")
        golden = self.folder / "cpu"
        if originals and originals[-1] and (not self.names or not maker.chance(0.08)):
            wanted = maker.changed(array)
            write_golden(golden, originals[-1], 0, wanted.astype("f4") if wanted.dtype == np.float16 else wanted)
        self.names.append(name)
        if follow:
            self.before = (name, array, rule_format, format)


def sub_graph(maker, chain, number):
    """The ops of one L1 group: one or more originals, each in one part or in several."""
    mark = [attribute("_L1_fusion_sub_graph_no", "s", maker.pick(f"{number}", f"{number}_x", f"_L1_{number}"))]
    parts = int(maker.rng.integers(1, 5))
    shared = maker.pick([f"l1_{number}"], [f"l1_{number}", f"l1_{number}_b"])
    for part in range(parts):
        name = f"{maker.pick('part', 'a/part', 'x.part')}{number}_{part}"
        originals = maker.pick(shared, shared, [f"{name}_o"], [""], [])
        if part == 0 and maker.chance(0.1):
            name += "_quant_layer"
        more = mark if part == 0 or not maker.chance(0.08) else []
        if maker.chance(0.06):
            more = [*more, attribute("_datadump_is_multiop", "b", True)]
        chain.add(name, maker.pick(*TYPES), originals, more, follow=maker.chance(0.7))


def make_run(seed, case):
    """Writes case/in and returns the arguments; OUT stands for the output folder."""
    maker = Maker(seed)
    folder = case / "in"
    for name in ("npu", "cpu"):
        (folder / name).mkdir(parents=True)
    chain = Chain(maker, folder)
    chain.add("data", "Data", ["data"])
    for number in range(1, int(maker.rng.integers(2, 5))):
        if maker.chance(0.35):
            name = f"{maker.pick('conv', 'a/b')}{number}"
            chain.add(name, maker.pick(*TYPES), maker.pick([name], [name, name + "_x"], [""]))
        else:
            sub_graph(maker, chain, number)
    if maker.chance(0.2):
        maker.rng.shuffle(chain.entries)
    write_rule(folder / "model.json", chain.entries)
    arguments = ["compare", "-m", "in/npu", "-g", "in/cpu", "-f", "in/model.json", "-out", "OUT"]
    if maker.chance(0.2):
        arguments += ["-op", maker.pick(*chain.names), "-n", str(maker.pick(1, 3, 5))]
        return arguments + maker.pick([], [], ["-o", "0"], ["-i", "0"])
    arguments += maker.pick([], [], [], [], ["-r", "1,-1,1"], ["-s", "1,2,4"], ["-max", "5"], ["-map"])
    return arguments + maker.pick([], [], ["-overflow_detection"]) + maker.pick([], [], [], ["-alg", "0,1,5"])
