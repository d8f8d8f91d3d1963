"""Odd objects in dump files, on which npuscope deliberately does better than the reference tool.

Each oddity is added to a pair that keeps a twin without it. What npuscope makes of the odd pair must be
what the reference makes of the twin, name for name and digit for digit; so nothing else is excused.
docs/compatibility.md lists the same cases.
"""

from copy import deepcopy

import numpy as np

from random_values import pick

TENSOR = {
    "DeviceType": np.int32(10),
    "DataType": np.int32(1),
    "FormatType": np.int32(0),
    "Type": np.int32(0),
    "Stride": np.array([1], np.int64),
}


def entry(path, attributes=None):
    from random_pairs import Entry

    return Entry(path, np.array([1, 2, 3], "f4"), dict(TENSOR) if attributes is None else attributes)


def orders(entries):
    return [int(each.path.split("/")[2]) for each in entries]


def both(pair, path, twin_path):
    """The same tensor on both sides, in the twin under another name."""
    number = max(orders(pair.mine) + orders(pair.golden) + [0]) + 1
    for side in ("mine", "golden"):
        getattr(pair, side).append(entry(path.format(number)))
        getattr(pair.twin, side).append(entry(twin_path.format(number)))


def named(name, twin_name):
    def add(pair):
        both(pair, f"/{name}/{{}}/output/out", f"/{twin_name}/{{}}/output/out")
        pair.rename = (name, twin_name)

    return add


def zero_padded(pair):
    both(pair, "/Padded/00{}/output/out", "/Padded/{}/output/out")


def extra(path, attributes=None, twin_group=None):
    """`twin_group`: an empty group that keeps the seqid in the twin, since rows count from the last."""

    def add(pair):
        from random_pairs import Entry

        for side in ("mine", "golden"):
            getattr(pair, side).append(entry(path, attributes))
            if twin_group:
                getattr(pair.twin, side).append(Entry(twin_group))

    return add


ODDITIES = {
    "dot in the op's name": named("Mul.Tensor", "Mul_Tensor"),
    "formula as op's name": named("@Sum", "ASum"),
    "colon in the op's name": named("aten:mul", "aten_mul"),
    "zero-padded seqid": zero_padded,
    "seqid no number": extra("/Wrong/one/output/out"),
    "tensor at the root": extra("/Stray"),
    "tensor outside input and output": extra("/Short/900000", None, "/Short/900000"),
    "dataset without attributes": extra("/Bare/900001/output/out", {}, "/Bare/900001"),
}


def add_oddity(rng, pair):
    pair.twin = deepcopy(pair)
    pair.oddity = pick(rng, sorted(ODDITIES))
    ODDITIES[pair.oddity](pair)
    return pair
