"""Random dump folders, rule files and commands for msaccucmp, each made from a seed."""

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

DATA_TYPES = {"float32": 1, "float16": 2, "int8": 3, "uint8": 4, "int16": 5, "uint16": 6, "int32": 7,
              "int64": 8, "uint32": 9, "uint64": 10, "bool": 11, "float64": 12}
FORMATS = {"NCHW": 0, "NHWC": 1, "ND": 2, "NC1HWC0": 3, "FRACTAL_Z": 4, "HWCN": 16, "NDHWC": 27,
           "FRACTAL_NZ": 29, "NCDHW": 30, "NDC1HWC0": 32, "RESERVED": 40}
TIME = 1700000000000000
BLOCK = 16


def varint(number):
    out = b""
    while True:
        low, number = number & 127, number >> 7
        out += bytes([low | (128 if number else 0)])
        if not number:
            return out


def field_of(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def shape_message(dims):
    return field_of(1, b"".join(varint(dim) for dim in dims))


@dataclass
class Stored:
    """A tensor as a dump holds it."""

    array: np.ndarray  # flat, in its format
    shape: tuple
    format: str
    original: tuple = None
    address: int = 0

    def message(self, is_input):
        size, original, address = (5, 6, 8) if is_input else (6, 7, 9)
        text = field_of(1, DATA_TYPES[str(self.array.dtype)]) + field_of(2, FORMATS[self.format])
        text += field_of(3, shape_message(self.shape)) + field_of(size, self.array.nbytes)
        if self.original is not None:
            text += field_of(original, shape_message(self.original))
        return text + (field_of(address, self.address) if self.address else b"")


@dataclass
class Op:
    name: str
    type: str
    task: int = 1
    time: int = TIME
    suffix: str = ""
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    attributes: dict = None

    def data(self):
        header = field_of(1, "2.0") + field_of(2, self.time) + field_of(6, self.name)
        for tensor in self.outputs:
            header += field_of(3, tensor.message(False))
        for tensor in self.inputs:
            header += field_of(4, tensor.message(True))
        if self.attributes is not None:
            header += field_of(7, field_of(1, "ffts") + field_of(2, json.dumps(self.attributes)))
        payload = b"".join(each.array.tobytes() for each in [*self.inputs, *self.outputs])
        return struct.pack("<Q", len(header)) + header + payload

    def write(self, folder):
        spelled = self.name.replace("/", "_").replace(".", "_")
        name = f"{self.type}.{spelled}.{self.task}.2.{self.time}{self.suffix}"
        (folder / name).write_bytes(self.data())


def padded(array, axis, block=BLOCK):
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, -array.shape[axis] % block)
    return np.pad(array, widths)


def in_format(array, name):
    """What the NPU would store of an NCHW (or NCDHW, or matrix) array."""
    if name == "NC1HWC0":
        wide = padded(array, 1)
        n, c, h, w = wide.shape
        return wide.reshape(n, c // BLOCK, BLOCK, h, w).transpose(0, 1, 3, 4, 2)
    if name == "NDC1HWC0":
        wide = padded(array, 1)
        n, c, d, h, w = wide.shape
        return wide.reshape(n, c // BLOCK, BLOCK, d, h, w).transpose(0, 3, 1, 4, 5, 2)
    if name == "FRACTAL_Z":
        wide = padded(padded(array, 0), 1)
        n, c, h, w = wide.shape
        wide = wide.reshape(n // BLOCK, BLOCK, c // BLOCK, BLOCK, h, w).transpose(2, 4, 5, 0, 1, 3)
        return wide.reshape(-1, n // BLOCK, BLOCK, BLOCK)
    if name == "FRACTAL_NZ":
        wide = padded(padded(array, -2), -1)
        *lead, rows, columns = wide.shape
        wide = wide.reshape(*lead, rows // BLOCK, BLOCK, columns // BLOCK, BLOCK)
        axes = list(range(len(lead)))
        k = len(lead)
        return wide.transpose(*axes, k + 2, k, k + 1, k + 3)
    if name == "NHWC":
        return array.transpose(0, 2, 3, 1)
    if name == "HWCN":
        return array.transpose(2, 3, 1, 0)
    return array


class Maker:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def pick(self, *values):
        return values[self.rng.integers(len(values))]

    def chance(self, probability):
        return self.rng.random() < probability

    def values(self, shape, dtype):
        if dtype == "bool":
            return self.rng.integers(0, 2, shape).astype(bool)
        if np.issubdtype(np.dtype(dtype), np.integer):
            return self.rng.integers(0, 100, shape).astype(dtype)
        array = self.rng.normal(size=shape)
        kind = self.rng.integers(12)
        if kind == 0:
            array = np.zeros(shape)
        elif kind == 1:
            array = np.full(shape, 1.5)
        elif kind == 2 and array.size:
            array.flat[0] = self.pick(np.inf, -np.inf, np.nan)
        elif kind == 3 and array.size:
            array.flat[-1] = 65504
        return array.astype(dtype)

    def changed(self, array):
        if array.dtype == bool or np.issubdtype(array.dtype, np.integer) or self.chance(0.2):
            return array.copy()
        with np.errstate(all="ignore"):
            return (array * (1 + self.rng.normal(size=array.shape) * 0.01)).astype(array.dtype)

    def logical(self):
        """(array in the original model's order, its format, the NPU's format)"""
        kind = self.pick("image", "image", "weight", "matrix", "plain", "plain", "volume")
        dtype = self.pick("float16", "float16", "float32")
        small = lambda most: int(self.rng.integers(1, most + 1))
        if kind == "image":
            shape = (small(2), self.pick(1, 3, 16, 20), small(4), small(4))
            return self.values(shape, dtype), "NCHW", self.pick("NC1HWC0", "NCHW", "NHWC")
        if kind == "weight":
            shape = (self.pick(1, 4, 16, 17), self.pick(1, 3, 16), small(3), small(3))
            return self.values(shape, dtype), "NCHW", self.pick("FRACTAL_Z", "NCHW")
        if kind == "matrix":
            lead = self.pick((), (), (2,))
            return self.values((*lead, small(40), small(40)), dtype), "ND", "FRACTAL_NZ"
        if kind == "volume":
            shape = (1, self.pick(3, 16), small(2), small(3), small(3))
            return self.values(shape, dtype), "NCDHW", "NDC1HWC0"
        shape = self.pick((), (1,), (7,), (3, 4), (2, 3, 4), (0, 4), (8193,))
        return self.values(shape, self.pick(*DATA_TYPES)), "ND", "ND"

    def stored(self, array, format, with_original):
        data = in_format(array, format)
        original = array.shape if with_original else None
        return Stored(np.ascontiguousarray(data).ravel(), data.shape, format, original,
                      self.pick(0, 0, 4096, 2**40))
