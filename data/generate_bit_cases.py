#!/usr/bin/python3
"""Writes data/bit_cases.json: the ops on bits, as generate_op_cases.py does for the others. Deterministic."""
from generate_op_cases import case, grid, ints, write


def bits():
    for name in ("bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_xor.Tensor"):
        case(name, ints(2, 6, low=-99, high=99), ints(6, low=-9, high=9))
        case(name, grid(5) > 0, grid(5) > 0)
    case("bitwise_not", ints(6, low=-99, high=99))
    case("bitwise_not", grid(5) > 0)


if __name__ == "__main__":
    write("bit_cases.json", (bits,))
