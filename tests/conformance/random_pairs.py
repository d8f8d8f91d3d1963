"""Random pairs of dump files (my.h5, golden.h5) from a seed."""

from dataclasses import dataclass, field

import h5py
import numpy as np

from random_values import chance, pick, shape_of, tensors_for_pair

CPU, GPU, NPU = 0, 1, 10
PLAIN_OPS = ["Mul", "AddmmBackward", "convolution", "Add_2", "relu", "SumBackward1", "Zz9", "aB"]
TABLE_OPS = [
    ("NativeBatchNormBackward", "CudnnBatchNormBackward"),
    ("CudnnBatchNormBackward", "NativeBatchNormBackward"),
    ("NpuConvolutionBackward", "CudnnConvolutionBackward"),
    ("NpuConvolutionBackward", "ThnnConvDepthwise2DBackward"),
    ("CudnnConvolutionBackward", "NpuConvolutionBackward"),
    ("ThnnConvDepthwise2DBackward", "CudnnConvolutionBackward"),
    ("CudnnConvolutionBackward", "ThnnConvDepthwise2DBackward"),
]
PREFIX_OPS = [("NpuFoo", "CudnnFoo"), ("NpuBar", "ThnnBar"), ("CudnnBaz", "NpuBaz"), ("ThnnQux", "NpuQux")]
ARGUMENTS = ["self", "input", "weight", "eps", "epsilon", "out", "result", "grad_input"]
RENAMED = {"self": "input", "input": "self", "eps": "epsilon", "epsilon": "eps"}
OTHER_TYPES = [1, 2, 3, 7, 16, 100, 101]


@dataclass
class Entry:
    """One dataset; `array` None makes a group (which may carry attributes)."""

    path: str
    array: np.ndarray = None
    attributes: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)  # of the storage
    link: str = ""  # another entry's path
    soft: bool = False


@dataclass
class Pair:
    mine: list
    golden: list
    large: bool = False
    oddity: str = ""
    twin: "Pair" = None
    rename: tuple = ("", "")  # what the oddity's name is called in the twin

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / "my.h5", self.mine)
        write_file(folder / "golden.h5", self.golden)


def write_file(path, entries):
    with h5py.File(path, "w") as file:
        for entry in entries:
            if entry.link:
                file[entry.path] = h5py.SoftLink(entry.link) if entry.soft else file[entry.link]
                continue
            if entry.array is None:
                node = file.require_group(entry.path)
            else:
                node = file.create_dataset(entry.path, data=entry.array, **entry.options)
            for name, value in entry.attributes.items():
                node.attrs[name] = value


def contiguous(shape):
    strides = []
    step = 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def stride_of(rng, shape):
    """Mostly what belongs to the shape; also valid others, invalid ones, none (None)."""
    strides = contiguous(shape)
    kind = int(rng.randint(20))
    if kind < 13:
        return strides
    if kind < 15:
        return list(reversed(contiguous(tuple(reversed(shape)))))
    if kind == 15:
        return [0] * len(shape)
    if kind == 16:
        return [step * 2 for step in strides]
    if kind == 17:
        return strides + [1]
    if kind == 18 and len(strides) > 1:
        return [1] * len(shape)
    return None if chance(rng, 30) else strides


def attributes_of(rng, code, device, stride):
    attributes = {
        "DeviceType": np.int32(device),
        "DataType": np.int32(code),
        "FormatType": np.int32(0),
        "Type": np.int32(0),
    }
    if chance(rng, 1):
        attributes["DataType"] = np.int32(99)
    elif chance(rng, 1):
        del attributes["DataType"]
    if stride is not None:
        attributes["Stride"] = np.array(stride, np.int64)
    return attributes


class PairMaker:
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)
        self.large = seed % 5 == 4
        self.load_mode = chance(self.rng, 35)
        self.golden_device = pick(self.rng, [CPU, GPU, GPU, NPU])
        self.sparse = chance(self.rng, 30)
        self.large_left = 2 + int(self.rng.randint(4)) if self.large else 0
        self.mine = []
        self.golden = []

    def make(self):
        rng = self.rng
        calls = self.calls()
        my_order = int(rng.randint(12))
        golden_order = my_order if self.load_mode else int(rng.randint(12))
        for my_name, golden_name in calls:
            shared = chance(rng, 6)  # two ops under one seqid
            my_order += 0 if shared else 1 + int(rng.randint(2)) * int(rng.randint(4))
            golden_order += 0 if shared and chance(rng, 80) else 1 + int(rng.randint(2))
            if self.load_mode and not chance(rng, 3):
                golden_order = my_order
            self.call(f"/{my_name}/{my_order}", f"/{golden_name}/{golden_order}")
        return Pair(unique(self.mine), unique(self.golden), self.large)

    def calls(self):
        rng = self.rng
        names = []
        for _ in range(2 if self.large else 2 + int(rng.randint(6))):
            kind = int(rng.randint(10))
            name = pick(rng, PLAIN_OPS)
            pair = (name, name)
            if kind >= 8:
                pair = pick(rng, PREFIX_OPS)
            elif kind >= 6:
                pair = pick(rng, TABLE_OPS)
            names += [pair] * (1 + int(rng.randint(3)))
        rng.shuffle(names)
        return [tuple(pair) for pair in names]

    def call(self, mine, golden):
        rng = self.rng
        missing = int(rng.randint(100))
        sides = (missing >= 4 or missing < 2, missing >= 2)
        if chance(rng, 3):
            self.add_plain(f"{mine}/input/flag", sides[0] and not self.load_mode, self.mine)
        for direction in ("input", "output"):
            if direction == "input" and chance(rng, 30):
                continue
            for argument in self.arguments():
                self.argument(f"{mine}/{direction}", f"{golden}/{direction}", argument, sides)

    def arguments(self):
        count = 1 + int(self.rng.randint(3))
        names = []
        for _ in range(count):
            name = pick(self.rng, ARGUMENTS)
            if name not in names:
                names.append(name)
        return names

    def argument(self, mine, golden, name, sides):
        rng = self.rng
        golden_name = RENAMED.get(name, name) if chance(rng, 25) else name
        tails = [(name, golden_name)]
        if chance(rng, 15):
            tails = [(f"{name}/{name}_{i}", f"{golden_name}/{golden_name}_{i}") for i in range(1 + int(rng.randint(3)))]
        elif chance(rng, 3):
            tails = [(f"{name}/deep/{name}", f"{golden_name}/deep/{golden_name}")]
        for my_tail, golden_tail in tails:
            self.tensor(f"{mine}/{my_tail}", f"{golden}/{golden_tail}", sides)

    def tensor(self, my_path, golden_path, sides):
        rng = self.rng
        large = self.large_left > 0 and chance(rng, 60)
        self.large_left -= 1 if large else 0
        shape = shape_of(rng, large)
        code, mine, golden_code, golden = tensors_for_pair(rng, shape)
        if chance(rng, 5) and mine.size > 1:
            golden = golden.reshape(-1) if chance(rng, 60) else golden.reshape(-1)[:-1]
        stride = stride_of(rng, golden.shape)
        device = self.golden_device if not chance(rng, 4) else pick(rng, [CPU, GPU, NPU])
        my_side = attributes_of(rng, code, NPU, contiguous(mine.shape))
        golden_side = attributes_of(rng, golden_code, device, stride)
        keep = [not (self.sparse and chance(rng, 12)) for _ in range(2)]
        if chance(rng, 2):
            my_side["Type"] = golden_side["Type"] = np.int32(pick(rng, OTHER_TYPES))
        if sides[0] and keep[0] and not (self.load_mode and "/input" in my_path):
            self.mine.append(Entry(my_path, mine, my_side))
        if sides[1] and keep[1]:
            self.golden.append(Entry(golden_path, golden, golden_side))

    def add_plain(self, path, wanted, entries):
        if wanted:
            entries.append(Entry(path, np.int32(1), {"Type": np.int32(pick(self.rng, OTHER_TYPES))}))


def unique(entries):
    """Without names that are taken, and without what would lie below a dataset."""
    taken = set()
    parents = set()
    result = []
    for entry in entries:
        parts = entry.path.split("/")
        above = {"/".join(parts[:i]) for i in range(2, len(parts))}
        if entry.array is not None or entry.link:
            if entry.path in taken or entry.path in parents or above & taken:
                continue
            taken.add(entry.path)
        elif (above | {entry.path}) & taken:
            continue
        parents |= above
        result.append(entry)
    return result


def make_pair(seed, odd_percent=8):
    from random_extras import add_extras
    from random_oddities import add_oddity

    pair = PairMaker(seed).make()
    rng = np.random.RandomState(seed ^ 0x5EED)
    if not pair.large and chance(rng, 20):
        add_extras(rng, pair)
        pair.mine, pair.golden = unique(pair.mine), unique(pair.golden)
    elif not pair.large and chance(rng, odd_percent):
        return add_oddity(rng, pair)
    if chance(rng, 2) and pair.mine:
        for entry in pair.mine:
            entry.attributes["DeviceType"] = np.int32(CPU)
    elif chance(rng, 1):
        pair.mine = []
    elif chance(rng, 2):
        pair.golden = []
    return pair
