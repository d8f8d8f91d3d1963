#!/usr/bin/python3
"""Writes the types of npuscope.ops from the table of ops that the extension carries.

    python/write_op_stubs.py PACKAGE_FOLDER        (which holds _core and receives ops.pyi)
"""

import importlib.util
import keyword
import sys
from pathlib import Path

TYPES = {
    "tensor": "ArrayLike",
    "tensors": "Sequence[ArrayLike]",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "scalar": "float",
    "ints": "Union[int, Sequence[int]]",
    "floats": "None",
    "mask": "Sequence[bool]",
    "dtype": "DTypeLike",
    "str": "str",
    "ignored": "None",
}
HEADER = '''"""Types of npuscope.ops. Written by write_op_stubs.py from the table of ops."""

from typing import Any, List, Optional, Sequence, Tuple, Union

from numpy.typing import ArrayLike, DTypeLike

'''


def load_core(folder: Path):
    (path,) = folder.glob("_core*.so")
    spec = importlib.util.spec_from_file_location("_core", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parameter(row) -> str:
    name, kind, optional, may_be_left_out = row
    text = TYPES[kind]
    if optional and text != "None":
        text = f"Optional[{text}]"
    return f"{name}: {text}" + (" = ..." if may_be_left_out else "")


def signature(name: str, arguments, results) -> str:
    parts, defaults = [], False
    # A stub cannot name an argument "from"; it is given by its place there.
    nameless = [i for i, row in enumerate(arguments) if keyword.iskeyword(row[0])]
    for i, row in enumerate(arguments):
        if i in nameless:
            row = (row[0] + "_", *row[1:])
        # An argument that must be given after one that need not is given by name.
        if defaults and not row[3] and "*" not in parts:
            parts.append("*")
        defaults = defaults or row[3]
        parts.append(parameter(row))
        if nameless and i == nameless[-1]:
            parts.append("/")
    kinds = ["List[Any]" if kind == "tensors" else "Any" for _, kind, _, _ in results]
    result = kinds[0] if len(kinds) == 1 else f"Tuple[{', '.join(kinds)}]"
    return f"def {name}({', '.join(parts)}) -> {result}: ..."


def main() -> None:
    folder = Path(sys.argv[1])
    core = load_core(folder)
    lines = [
        signature(name, *core.schema(name))
        for name in core.known_ops()
        if name.isidentifier() and not keyword.iskeyword(name)
    ]
    (folder / "ops.pyi").write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
