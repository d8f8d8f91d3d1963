"""Entries of fusion rule files, and the files that a golden model leaves, for random folder runs."""

import json

import numpy as np

from random_folders import TIME, Op, Stored


def attribute(key, kind, value):
    return {"key": key, "value": {kind: value}}


def names_attribute(names):
    """The original ops; the empty list has no member s, as protobuf writes it."""
    return {"key": "_datadump_original_op_names", "value": {"list": {"s": names} if names else {}}}


def output_entry(origin, index, format="", shape=None, dtype="DT_FLOAT16"):
    """One output; the index may be None, and then the rule does not name it."""
    attributes = [attribute("_datadump_origin_name", "s", origin)]
    if index is not None:
        attributes.append(attribute("_datadump_origin_output_index", "i", index))
    if format:
        attributes.append(attribute("_datadump_origin_format", "s", format))
    if shape is not None:
        attributes.append({"key": "origin_shape", "value": {"list": {"i": list(shape)}}})
    return {"dtype": dtype, "attr": attributes}


def op_entry(name, type, inputs, originals, outputs, id=None, more=()):
    """One op; originals None leaves their attribute out."""
    attributes = [] if originals is None else [names_attribute(originals)]
    entry = {"name": name, "type": type, "attr": [*attributes, *more], "output_desc": outputs, "input": inputs}
    return entry if id is None else {**entry, "id": id}


def write_rule(path, ops, graph="g"):
    path.write_text(json.dumps({"graph": [{"name": graph, "op": ops}]}))


def spelled(name):
    return name.replace("/", "_").replace(".", "_")


def write_golden(folder, name, index, array, ending=".npy", time=TIME):
    """An output as a framework's dump: a NumPy file, or a dump of one tensor (.pb, .quant)."""
    path = folder / f"{spelled(name)}.{index}.{time}{ending}"
    if ending == ".npy":
        np.save(path, array)
        return
    tensor = Stored(np.ascontiguousarray(array).ravel(), array.shape, "ND")
    path.write_bytes(Op(name, "", outputs=[tensor]).data())
