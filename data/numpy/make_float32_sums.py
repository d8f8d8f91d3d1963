"""Writes float32_sums.txt: NumPy's float32 sums of reproducible data, for many lengths.

Run with NumPy 1.24: /usr/bin/python3 data/numpy/make_float32_sums.py > data/numpy/float32_sums.txt
Element i of length n is made of a 32-bit linear congruential generator (a = 1664525, c = 1013904223, start n):
the upper 24 bits of the state, divided by 2**24, minus 0.25, times 2**(state & 7).
Columns: n, the bits of sum(x), of sum(x*x), of mean(abs(x)).
"""
import numpy as np


def data(n: int) -> np.ndarray:
    state, values = n, []
    for _ in range(n):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        values.append(((state >> 8) / 2**24 - 0.25) * 2 ** (state & 7))
    return np.array(values, dtype=np.float32)


def bits(value: np.float32) -> str:
    return f"{np.float32(value).view(np.uint32):08x}"


lengths = list(range(0, 40)) + [63, 64, 65, 100, 127, 128, 129, 130, 135, 136, 137, 200, 255, 256, 257, 264, 500, 511, 512,
                                513, 1000, 1023, 1024, 1025, 4095, 4096, 8000, 8184, 8191, 8192, 8193, 8199, 8200, 8320,
                                9000, 16383, 16384, 16385, 20000, 24576, 30001, 65537, 100003]
for n in lengths:
    x = data(n)
    mean = bits(np.abs(x).mean()) if n else "-"
    print(n, bits(x.sum()), bits((x * x).sum()), mean)
