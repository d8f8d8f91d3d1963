"""Ops as a recorder writes them."""

import h5py
import numpy as np


class Recording:
    """A file of ops, numbered as they run."""

    def __init__(self, path):
        self.file = h5py.File(path, "w")
        self.seqid = 0

    def op(self, name, inputs, /, **outputs):
        """Returns the first of the outputs."""
        self.seqid += 1
        group = self.file.create_group(f"{name}/{self.seqid}")
        for argument, value in inputs.items():
            group[f"input/{argument}"] = value
        for argument, value in outputs.items():
            group[f"output/{argument}"] = value
        return next(iter(outputs.values()), None)

    def close(self):
        self.file.close()


def in_bfloat16(x):
    """To the nearest number of bfloat16, as float32."""
    bits = np.float32(x).view("u4").astype("u8")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype("u4").view("f4")
