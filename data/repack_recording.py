#!/usr/bin/python3
"""Copies a recorded step with each distinct dataset stored once, shuffled and deflated: repack_recording.py IN.h5 OUT.h5"""
import hashlib
import sys

import h5py

with h5py.File(sys.argv[1]) as source, h5py.File(sys.argv[2], "w", libver=("earliest", "v108")) as target:
    stored = {}

    def copy(name, item):
        if isinstance(item, h5py.Group):
            target.require_group(name)
            return
        attributes = {key: (value, item.attrs.get_id(key).dtype) for key, value in item.attrs.items()}
        content = hashlib.sha256(item[()].tobytes()).digest(), item.shape, item.dtype, repr(sorted(attributes.items()))
        if content in stored:
            target[name] = stored[content]
            return
        packed = {"compression": "gzip", "compression_opts": 9, "shuffle": True} if item.size > 256 else {}
        stored[content] = target.create_dataset(name, data=item[()], **packed)
        for key, (value, dtype) in attributes.items():
            stored[content].attrs.create(key, value, dtype=dtype)

    source.visititems(copy)
