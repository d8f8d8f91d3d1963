"""What a dump holds, read by h5py: nothing here knows npuscope's own reader."""

from pathlib import Path
from typing import Dict, Tuple, Union

import h5py
import numpy as np

# Of each dataset below an op: its type, shape, bytes and attributes.
Content = Dict[str, Tuple[str, Tuple[int, ...], bytes, Tuple[Tuple[str, bytes], ...]]]
# By the op's number.
Ops = Dict[int, Tuple[str, Content]]


def _content(run: h5py.Group) -> Content:
    found: Content = {}

    def take(name: str, item: Union[h5py.Group, h5py.Dataset]) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        value = item[()]
        raw = value if isinstance(value, bytes) else np.asarray(value).tobytes()
        attributes = tuple((key, np.asarray(item.attrs[key]).tobytes()) for key in sorted(item.attrs))
        found[name] = (str(item.dtype), item.shape, raw, attributes)

    run.visititems(take)
    return found


def ops_of(file: h5py.File) -> Ops:
    """Errors: whatever h5py says of a damaged file."""
    return {int(seqid): (name, _content(file[name][seqid])) for name in file for seqid in file[name]}


def read_dump(path: Path) -> Ops:
    with h5py.File(path, "r") as file:
        return ops_of(file)


def read_image(content: bytes) -> Ops:
    """Of the bytes of a file."""
    handle = h5py.h5f.open_file_image(content)
    with h5py.File(handle) as file:
        return ops_of(file)


def is_complete(path: Path) -> bool:
    with h5py.File(path, "r") as file:
        return bool(file.attrs["Complete"] == b"yes")


def is_part_of(found: Ops, whole: Ops) -> bool:
    """The first ops of the whole dump, in its order, each with the same bytes."""
    first = sorted(whole)[: len(found)]
    return sorted(found) == first and all(found[seqid] == whole[seqid] for seqid in first)
