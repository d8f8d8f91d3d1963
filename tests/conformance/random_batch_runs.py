"""Random runs over a batch of dumps: devices, models, ids and steps below one folder, and a folder of rule files."""

import numpy as np

from random_folders import TIME, Maker, Op
from random_rules import op_entry, output_entry, spelled, write_golden, write_rule

TYPES = ["Add", "Relu", "Conv2D", "MatMul"]


class Model:
    """A graph: its rule file and, as often as wanted, its dumps."""

    def __init__(self, maker, number):
        self.maker = maker
        self.ops = []
        for at in range(int(maker.rng.integers(1, 4))):
            name = f"m{number}{maker.pick('conv', '/a/b', '.relu')}{at}"
            self.ops.append((name, "Data" if at == 0 else maker.pick(*TYPES), *maker.logical()))

    def write_rule(self, path, graph):
        before = []
        entries = []
        for name, type, array, format, _ in self.ops:
            output = output_entry(name, 0, format, array.shape)
            entries.append(op_entry(name, type, before, [name], [output], len(entries) + 1))
            before = [f"{name}:0"]
        write_rule(path, entries, graph)

    def write_golden(self, folder):
        for name, _, array, _, _ in self.ops:
            if not self.maker.chance(0.1):
                wanted = self.maker.changed(array)
                write_golden(folder, name, 0, wanted.astype("f4") if wanted.dtype == np.float16 else wanted)

    def write_dumps(self, folder):
        folder.mkdir(parents=True)
        for number, (name, type, array, _, format) in enumerate(self.ops):
            op = Op(name, type, number, TIME + number)
            op.outputs.append(self.maker.stored(self.maker.changed(array), format, self.maker.chance(0.5)))
            if not self.maker.chance(0.1):
                op.write(folder)


def make_run(seed, case):
    """Writes case/in and returns the arguments; OUT stands for the output folder.

    The reference goes through folders in the order in which the file system lists them, and its exit code is that
    of the last comparison; so is which of two files with one graph's name counts.
    """
    maker = Maker(seed)
    folder = case / "in"
    time = maker.pick("20230101120005", "20230101120005", "20230101120005", "20230101120005_x")
    root, golden, rules = folder / time, folder / "cpu", folder / "json"
    golden.mkdir(parents=True)
    rules.mkdir()
    np.save(golden / f"other.0.{TIME}.npy", np.ones(3, "f4"))
    devices = maker.pick(["0"], ["0"], ["0", "1"])
    for number in range(71, 71 + int(maker.rng.integers(1, 4))):
        model = Model(maker, number)
        graph = f"ge_default_20230101120000_{number}"
        dumped = maker.pick(graph, graph, graph, f"ge_default_20230101120001_{number}")
        if maker.chance(0.05):
            dumped = maker.pick("ge_default", f"ge_default_20230101120000_{number + 7}", "a_1_b_2_c_3")
        model.write_golden(golden)
        if not maker.chance(0.06):
            model.write_rule(rules / f"{spelled(graph)}.json", graph)
        for device in devices:
            for model_id in maker.pick(["11"], ["11"], ["11", "12"]):
                # The id is no part of a result's name.
                for step in maker.pick(["0"], ["0", "2"], ["2", "10"], []) if model_id == "11" else ["7"]:
                    model.write_dumps(root / device / dumped / model_id / step)
    root.mkdir(exist_ok=True)
    if maker.chance(0.1):
        (rules / "notes.txt").write_text("not a rule")
    if maker.chance(0.03):
        (root / "file").write_text("not a folder")
    if maker.chance(0.03):
        (rules / "bad.json").write_text(maker.pick("{", "{}", '{"graph": [{}]}'))
    arguments = ["compare", "-m", f"in/{time}", "-g", "in/cpu", "-f", "in/json", "-out", "OUT"]
    arguments += maker.pick([], [], [], [], [], ["-r", "1,-1,1"], ["-s", "1,2"], ["-max", "5"])
    if maker.chance(0.05):
        arguments += ["-op", "m71conv0"]
    return arguments + maker.pick([], [], ["-overflow_detection"]) + maker.pick([], [], [], ["-alg", "0,1,5"])
