#!/usr/bin/python3
"""Copies the smallest run of each named op of a recording into a dump for the tests: cut_recording.py IN.h5 OUT.h5 OP…"""
import sys

import h5py


def size_of(group):
    total = 0

    def add(_, item):
        nonlocal total
        total += item.nbytes if isinstance(item, h5py.Dataset) else 0
    group.visititems(add)
    return total


with h5py.File(sys.argv[1]) as source, h5py.File(sys.argv[2], "w", libver=("earliest", "v108")) as target:
    for op in sys.argv[3:]:
        run = min(source[op], key=lambda number: (size_of(source[op][number]), int(number)))
        source.copy(f"{op}/{run}", target.require_group(op))
