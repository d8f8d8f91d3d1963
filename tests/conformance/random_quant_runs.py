"""Random runs of quantised models: an original model, its quantised form, and that form compiled for the NPU."""

from dataclasses import dataclass, field, replace

import numpy as np

from random_folders import TIME, Maker, Op
from random_rules import op_entry, output_entry, write_golden, write_rule

TYPES = ["Conv2D", "MatMul", "Add", "Relu", "Pooling"]
SPELLINGS = [("{}_quant_layer", "{}_dequant_layer"), ("{}/AscendQuant", "{}/AscendDequant"),
             ("{}.quant", "{}.dequant"), ("{}_quant", "{}_dequant"),
             ("{}.weight_quant", "{}_anti_quant_layer"), ("{}/AscendWeightQuant", "{}/AntiQuant")]
MARKERS = ("_quant", "_dequant", "AscendQuant", "AscendWeightQuant", "AscendDequant", "AntiQuant")


@dataclass
class Layer:
    """An op of the quantised model."""

    name: str
    type: str
    dtype: str
    before: list
    originals: list
    array: np.ndarray
    rule_format: str
    format: str
    compiled: str = ""  # name after compilation
    others: list = field(default_factory=list)  # of the quantised model, fused into the same compiled op


def wrong_now_and_then(maker, dtype):
    return dtype if maker.chance(0.93) else maker.pick("DT_FLOAT", "DT_INT8", "DT_FLOAT16")


def float_type(maker, array):
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(maker.pick("f2", "f4"))


def quantised_model(maker):
    """A chain of ops, some of them between a quantisation and a dequantisation."""
    array, rule_format, format = maker.logical()
    array = float_type(maker, array)
    layers = [Layer("data", "Data", "DT_FLOAT16", [], ["data"], array, rule_format, format)]
    spellings = maker.pick(*SPELLINGS)
    for number in range(int(maker.rng.integers(1, 5))):
        name = maker.pick("conv", "block/fc", "relu.x") + str(number)
        array, rule_format, format = maker.logical()
        array = float_type(maker, array)
        make = lambda name, type, dtype, originals, array: Layer(
            name, type, wrong_now_and_then(maker, dtype), [layers[-1].name], originals, array, rule_format, format)
        quantised = maker.chance(0.7)
        if not quantised:
            layers.append(make(name, maker.pick(*TYPES), "DT_FLOAT16", [name], array))
            continue
        quant, dequant = (each.format(name) for each in spellings)
        small = maker.rng.integers(-100, 100, array.shape)
        first = layers[-1]
        layers.append(make(quant, "AscendQuant", "DT_INT8", [], small.astype("i1")))
        layers[-1].rule_format, layers[-1].format = first.rule_format, first.format
        layers[-1].array = maker.rng.integers(-100, 100, first.array.shape).astype("i1")
        layers.append(make(name, maker.pick(*TYPES), "DT_INT32", maker.pick([], [], [name]), small.astype("i4")))
        if maker.chance(0.3):
            layers.append(make(name + "_inner", "Relu", "DT_INT32", [], small.astype("i4")))
        if maker.chance(0.92):
            layers.append(make(dequant, maker.pick("AscendDequant", "AscendDequant", "AntiQuant"), "DT_FLOAT16",
                               maker.pick([name], [name], [name], [name, name + "_bias"]), array))
        spellings = spellings if maker.chance(0.7) else maker.pick(*SPELLINGS)
    for layer in layers:
        layer.compiled = layer.name
    return layers


def fuse(maker, layers):
    """The compiler now and then makes one op of two that follow each other, and gives it the last one's place."""
    compiled = [layers[0]]
    for layer in layers[1:]:
        if len(compiled) > 1 and maker.chance(0.12):
            layer.others = [*compiled[-1].others, compiled[-1].name]
            layer.before = compiled[-1].before
            compiled.pop()
        compiled.append(layer)
    return compiled


def quant_rule(maker, layers):
    ops = []
    for layer in layers:
        index = maker.pick(0, 0, 0, None)
        with_layout = maker.chance(0.8)
        outputs = [output_entry(layer.originals[-1] if layer.originals else "", index,
                                layer.rule_format if with_layout else "",
                                layer.array.shape if with_layout else None, layer.dtype)]
        if maker.chance(0.1):
            outputs.append(output_entry(layer.originals[-1] if layer.originals else "", 1, "ND", (3, 4), layer.dtype))
        if layer.name != "data" and maker.chance(0.05):
            continue
        ops.append(op_entry(layer.name, layer.type, [f"{each}:0" for each in layer.before],
                            layer.originals, outputs))
    return ops


def compiled_rule(maker, compiled):
    ops = []
    with_ids = maker.chance(0.8)
    for number, layer in enumerate(compiled, 1):
        originals = [*layer.others, layer.name]
        if maker.chance(0.05):
            originals = []
        with_layout = maker.chance(0.8)
        outputs = [output_entry(layer.name if originals else "", maker.pick(0, 0, 0, 0, None, 1),
                                layer.rule_format if with_layout else "",
                                layer.array.shape if with_layout else None, layer.dtype)]
        ops.append(op_entry(layer.compiled, layer.type, [f"{each}:0" for each in layer.before], originals,
                            outputs, number if with_ids else None))
    return ops


def write_npu(maker, compiled, folder):
    by_name = {layer.name: layer for layer in compiled}
    for number, layer in enumerate(compiled):
        op = Op(layer.compiled, layer.type, number, TIME + int(maker.rng.integers(0, 50)) * 100 + number)
        for before in layer.before:
            if before in by_name:
                source = by_name[before]
                op.inputs.append(maker.stored(maker.changed(source.array), source.format, maker.chance(0.5)))
        op.outputs.append(maker.stored(maker.changed(layer.array), layer.format, maker.chance(0.5)))
        if number == 0 or not maker.chance(0.08):
            op.write(folder)


def write_original(maker, layers, folder):
    ending = maker.pick(".npy", ".npy", ".pb")
    for layer in layers:
        if layer.originals and (layer.name == "data" or not maker.chance(0.08)):
            for name in layer.originals:
                array = maker.changed(layer.array)
                write_golden(folder, name, 0, array.astype("f4") if maker.chance(0.5) else array, ending)


def write_quantised(maker, layers, folder):
    ending = maker.pick(".npy", ".npy", ".quant")
    for number, layer in enumerate(layers):
        if number == 0 or not maker.chance(0.08):
            write_golden(folder, layer.name, 0, maker.changed(layer.array), ending, TIME + number)
    # Without a name of quantisation NumPy files would be those of an original model.
    if maker.chance(0.95):
        write_golden(folder, "x_quant_layer", 0, np.zeros(3, "f4"), ending)


def make_run(seed, case):
    """Writes case/in and returns the arguments; OUT stands for the output folder."""
    maker = Maker(seed)
    folder = case / "in"
    for name in ("npu", "npu2", "cpu", "quant"):
        (folder / name).mkdir(parents=True)
    layers = quantised_model(maker)
    quant_ops = quant_rule(maker, layers)
    write_original(maker, layers, folder / "cpu")
    write_quantised(maker, layers, folder / "quant")
    compiled = fuse(maker, layers)
    for layer in compiled:
        if layer.others and maker.chance(0.5):
            layer.compiled = layer.name + "_fused"
    for at in range(len(compiled) - 1, 0, -1):
        if maker.chance(0.12):
            compiled.insert(at + 1, replace(compiled[at], compiled=compiled[at].compiled + "_twin"))
    rename = {layer.name: layer.compiled for layer in compiled}
    for layer in compiled:
        layer.before = [rename.get(each, each) for each in layer.before]
    by_compiled = {layer.compiled: layer for layer in compiled}
    write_rule(folder / "model.json", compiled_rule(maker, compiled))
    write_rule(folder / "quant.json", quant_ops)
    for layer in compiled:
        layer.before = [by_compiled[each].name for each in layer.before if each in by_compiled]
    write_npu(maker, compiled, folder / "npu")
    write_npu(maker, compiled, folder / "npu2")
    kind = maker.pick("origin", "origin", "origin", "quant", "quant", "quant against origin",
                      "quant against origin", "npu")
    npu, cpu, quant = (["in/npu"], ["in/cpu"], ["in/quant"])
    rule, quant_file = ["-f", "in/model.json"], ["-q", "in/quant.json"]
    names = [layer.compiled for layer in compiled]
    if kind == "origin":
        sides, rules = ["-m", *npu, "-g", *cpu], [*rule, *quant_file]
    elif kind == "quant":
        sides, rules = ["-m", *npu, "-g", *quant], rule
    elif kind == "npu":
        sides, rules = ["-m", *npu, "-g", "in/npu2"], []
    else:
        sides, rules = ["-m", *quant, "-g", *cpu], quant_file
        names = [layer.name for layer in layers]
    if maker.chance(0.06):
        rules = maker.pick([], rule, quant_file, [*rule, *quant_file])
    arguments = ["compare", *sides, *rules, "-out", "OUT"]
    if maker.chance(0.2):
        arguments += ["-op", maker.pick(*names), "-n", str(maker.pick(1, 3, 5))]
        return arguments + maker.pick([], [], ["-o", "0"], ["-i", "0"])
    if "-f" in rules:
        arguments += maker.pick([], [], [], [], ["-r", "1,-1,1"], ["-s", "1,2,4"], ["-max", "5"], ["-map"])
    elif rules:
        arguments += maker.pick([], [], ["-map"])
    return arguments + maker.pick([], [], ["-overflow_detection"]) + maker.pick([], [], [], ["-alg", "0,1,5"])
