"""Random runs with FFTS+ dumps: ops cut into threads (automatic mode) or slices (manual mode), a file for each."""

from dataclasses import dataclass

import numpy as np

from random_folders import TIME, Maker, Op, Stored
from random_rules import op_entry, output_entry, write_golden, write_rule

TYPES = ["Add", "Relu", "Conv2D", "MatMul"]


@dataclass
class Cut:
    """How an op is made of its parts."""

    manual: bool
    axis: int
    parts: int


def ranges_of(array, axis, parts):
    """For each part, the bounds of each dim."""
    edges = [len(each) for each in np.array_split(np.arange(array.shape[axis]), parts)]
    starts = np.cumsum([0, *edges])
    return [[(int(starts[part]), int(starts[part + 1])) if dim == axis else (0, size)
             for dim, size in enumerate(array.shape)] for part in range(parts)]


def slices_json(tensors, cut):
    """[part][tensor][dim] as the dumps' attributes have it."""
    bounds = [ranges_of(each, cut.axis, cut.parts) for each in tensors]
    return [[[{"lower": low, "higher": high} for low, high in each[part]] for each in bounds]
            for part in range(cut.parts)]


def part_of(array, cut, part):
    return np.array_split(array, cut.parts, cut.axis)[part]


def attributes_of(maker, inputs, outputs, cut):
    cuts = [[cut.parts if dim == cut.axis else 1 for dim in range(each.ndim)] for each in outputs]
    odd = maker.rng.integers(16)
    if odd == 0:
        cuts = [[1] * each.ndim for each in outputs]
    elif odd == 1:
        cuts = []
    elif odd == 2:
        cuts[0] = [2] * outputs[0].ndim
    elif odd == 3:
        cuts[-1] = [1] * outputs[-1].ndim
    return {"threadMode": maker.pick(0, 1) if odd == 4 else int(not cut.manual),
            "slice_instance_num": cut.parts + int(odd == 5), "outputCutList": cuts,
            "input_tensor_slice": slices_json(inputs, cut), "output_tensor_slice": slices_json(outputs, cut)}


def stored(array, shape, with_original):
    return Stored(np.ascontiguousarray(array).ravel(), tuple(shape), "ND", with_original)


def write_parts(maker, folder, name, type, number, arrays, cut, known):
    """The files of one op, some of them lost, written twice, or of a thread that is not there."""
    inputs, outputs = arrays
    attributes = attributes_of(maker, inputs, outputs, cut)
    whole_shape = maker.chance(0.5) and not cut.manual
    original = outputs[0].shape if known else None
    for part in range(cut.parts):
        if part > 0 and maker.chance(0.06):
            continue
        for _ in range(maker.pick(1, 1, 1, 1, 1, 1, 1, 1, 1, 2)):
            spelling = f"{name}_lxslice{part}" if cut.manual else name
            time = TIME + int(maker.rng.integers(0, 9)) * 1000 + number * 10 + part
            op = Op(spelling, type, 0, time, f".4.12.{0 if cut.manual else part}.0", attributes=attributes)
            for array in inputs:
                piece = part_of(array, cut, part)
                op.inputs.append(stored(piece, piece.shape, None))
            for array in outputs:
                piece = part_of(array, cut, part)
                op.outputs.append(stored(piece, array.shape if whole_shape else piece.shape, original))
            if maker.chance(0.02):
                op.attributes = None
            op.write(folder)


def write_plain(maker, folder, name, type, number, arrays, may_lack_time):
    """Names of four fields more have no time; of two such ops the reference leaves to chance which comes first."""
    inputs, outputs = arrays
    op = Op(name, type, 1, TIME + int(maker.rng.integers(0, 9)) * 1000 + number * 10)
    op.inputs = [stored(each, each.shape, None) for each in inputs]
    op.outputs = [stored(each, each.shape, None) for each in outputs]
    if maker.chance(0.15):
        op.attributes = {"threadMode": 1, "slice_instance_num": 1, "outputCutList": [], "input_tensor_slice": [],
                         "output_tensor_slice": []}
    if may_lack_time and maker.chance(0.1):
        op.suffix = ".0.12.0.0"
    op.write(folder)


def graph(maker, folder, with_rule):
    """(names, the ops of the rule file); the dumps are written, and their golden ones."""
    shape = maker.pick((4, 6), (6, 4, 2), (8,), (1, 4, 4, 3))
    # One kind for all, or else a dump's parts cannot be laid side by side.
    dtype = maker.pick("f4", "f2", "i4")
    fresh = lambda: maker.values(shape, str(np.dtype(dtype)))
    sides = {"npu": None} if with_rule else {"npu": None, "npu2": None}
    before, entries, names = None, [], []
    for number in range(int(maker.rng.integers(2, 6))):
        name = f"{maker.pick('conv', 'a/b', 'x.relu')}{number}"
        type = "Data" if number == 0 else maker.pick("Cast", *TYPES, *TYPES)
        outputs = [before[1][0]] if type == "Cast" else [fresh() for _ in range(maker.pick(1, 1, 1, 2))]
        inputs = [before[1][0]] if before else []
        axis = int(maker.rng.integers(0, len(shape)))
        cut = Cut(maker.chance(0.5), axis, maker.pick(1, 2, 2, 3))
        if cut.parts > shape[axis] and maker.chance(0.7):
            cut.parts = shape[axis]
        is_plain = number == 0 or maker.chance(0.2)
        known = maker.chance(0.3)
        prefix = maker.pick("", "", "", "sgt_graph_0_", "p_sgt_graph_1_") if not with_rule else ""
        for side in sides:
            if number > 0 and maker.chance(0.05):
                continue
            arrays = (inputs, outputs) if side == "npu" else tuple([maker.changed(each) for each in group]
                                                                   for group in (inputs, outputs))
            if is_plain:
                write_plain(maker, folder / side, prefix + name, type, number, arrays, with_rule)
            else:
                write_parts(maker, folder / side, prefix + name, type, number, arrays, cut, known)
        rule_names = [name] if is_plain or not cut.manual else \
            maker.pick([name], [f"{name}_lxslice{part}" for part in range(cut.parts)])
        for each in rule_names:
            described = [output_entry(name, index, "ND", array.shape) for index, array in enumerate(outputs)]
            entries.append(op_entry(each, type, [f"{before[0]}:0"] if before else [], [name], described))
        for index, array in enumerate(outputs):
            if number == 0 or not maker.chance(0.05):
                write_golden(folder / "cpu", name, index, maker.changed(array))
        before = (rule_names[-1], outputs)
        names += [name, *rule_names]
    return names, entries


def make_run(seed, case):
    """Writes case/in and returns the arguments; OUT stands for the output folder."""
    maker = Maker(seed)
    folder = case / "in"
    for name in ("npu", "npu2", "cpu"):
        (folder / name).mkdir(parents=True)
    with_rule = maker.chance(0.55)
    names, entries = graph(maker, folder, with_rule)
    if not with_rule:
        for side in ("npu", "npu2"):
            write_plain(maker, folder / side, "last", "Add", 99, ([], [np.ones((2, 2), "f4")]), True)
        names.append("last")
    write_rule(folder / "model.json", entries)
    arguments = ["compare", "-m", "in/npu", "-out", "OUT", "-g"]
    arguments += ["in/cpu", "-f", "in/model.json"] if with_rule else ["in/npu2"]
    arguments += maker.pick([], [], ["-ffts"])
    if maker.chance(0.2):
        arguments += ["-op", maker.pick(*names), "-n", str(maker.pick(1, 3, 5))]
        return arguments + maker.pick([], [], ["-o", "0"], ["-o", "1"], ["-i", "0"])
    if with_rule:
        arguments += maker.pick([], [], [], [], ["-r", "1,-1,1"], ["-s", "1,2"], ["-max", "5"], ["-map"])
    return arguments + maker.pick([], [], ["-overflow_detection"]) + maker.pick([], [], [], ["-alg", "0,1,5"])
