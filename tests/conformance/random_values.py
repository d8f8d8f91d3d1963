"""Random tensors whose bits depend on the seed alone.

Only RandomState.randint, random_sample and bytes are used (their streams are frozen by NumPy), and only
exactly rounded arithmetic: no function of the C library whose last bit may differ between machines.
"""

import numpy as np

# DataType code of the dump format -> the dtypes in which such a tensor is stored, the usual one first.
STORED = {
    1: ["f4", "f4", "f4", ">f4", "f2", "f8"],
    2: ["i1", "u1"],
    3: ["i1"],
    5: ["i2", "u2"],
    6: ["i4", "u4", ">i4"],
    7: ["i8", "u8"],
    9: ["i1", "?"],
    10: ["f4", "f4", "f2"],
    11: ["f8", "f8", ">f8"],
}
CODES = [1, 1, 1, 1, 2, 3, 5, 6, 7, 9, 10, 10, 11]
SMALL_SHAPES = [(), (), (1,), (1, 1), (0,), (0, 2), (2, 0, 3), (1, 0), (0, 1, 1), (3,), (4,), (7,), (8,), (9,)]
LARGE_COUNTS = [8191, 8193, 8195, 12289, 16383, 16385, 24577, 65537, 100003, 131073, 299999]


def pick(rng, items):
    return items[int(rng.randint(len(items)))]


def chance(rng, percent):
    return int(rng.randint(100)) < percent


def shape_of(rng, large):
    if large:
        count = pick(rng, LARGE_COUNTS) if chance(rng, 50) else 8191 + int(rng.randint(60000))
        count += 1 if count % 8 == 0 else 0
        return (count,) if chance(rng, 70) or count % 3 else (3, count // 3)
    if chance(rng, 25):
        return pick(rng, SMALL_SHAPES)
    return tuple(1 + int(rng.randint(6)) for _ in range(1 + int(rng.randint(4))))


def uniform(rng, count):
    return rng.random_sample(count) * 2 - 1


def float_values(rng, count):
    # Large tensors mostly have values whose sums show their order.
    kind = int(rng.randint(4 if count >= LARGE_COUNTS[0] and chance(rng, 75) else 16))
    base = uniform(rng, count)
    if kind <= 4:
        return base * float(pick(rng, [1, 1, 2, 10, 1000, 0.001]))
    if kind == 5:
        return np.zeros(count)
    if kind == 6:
        return np.full(count, float(pick(rng, [1, -2.5, 1e30, 1e-30, 65504])))
    if kind == 7:
        return base * 1e30
    if kind == 8:
        return base * 1e-30
    if kind == 9:
        return base * 1e-40
    if kind == 10:
        base[rng.randint(3, size=count) == 0] *= 1e30
        base[rng.randint(3, size=count) == 0] *= 1e-30
        return base
    if kind == 11:
        base[rng.randint(4, size=count) == 0] = 0
        return base
    if kind == 12:
        return with_specials(rng, base)
    if kind == 13:
        one_hot = np.zeros(count)
        one_hot[rng.randint(count, size=1) if count else []] = 1
        return one_hot
    if kind == 14:
        return np.frombuffer(rng.bytes(4 * count), "<f4").astype("f8")
    return base + float(pick(rng, [100, -1000, 0.5]))


def with_specials(rng, values):
    values = values.copy()
    for special in (np.nan, np.inf, -np.inf, -0.0):
        if chance(rng, 40) and values.size:
            values[rng.randint(values.size, size=1 + values.size // 10)] = special
    return values


def integer_values(rng, count, dtype):
    limits = np.iinfo(dtype)
    kind = int(rng.randint(6))
    if kind <= 2:
        return rng.randint(max(limits.min, -20), 21, size=count).astype(dtype)
    if kind == 3:
        return np.frombuffer(rng.bytes(dtype.itemsize * count), dtype)
    if kind == 4:
        ends = np.array([limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1], dtype)
        return ends[rng.randint(len(ends), size=count)]
    return np.zeros(count, dtype)


def values_of(rng, shape, dtype):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == np.bool_:
        kind = int(rng.randint(4))
        flat = rng.randint(2, size=count) == 1 if kind else np.zeros(count, bool)
    elif dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            flat = float_values(rng, count).astype(dtype)
    else:
        flat = integer_values(rng, count, dtype.newbyteorder("=")).astype(dtype)
    return flat.reshape(shape)


def golden_values(rng, mine, dtype):
    """A partner of `mine`: the same, nearly the same, or something else."""
    dtype = np.dtype(dtype)
    kind = int(rng.randint(12))
    with np.errstate(all="ignore"):
        if kind >= 9 or mine.dtype == np.bool_ or dtype == np.bool_:
            return mine.astype(dtype) if kind % 2 else values_of(rng, mine.shape, dtype)
        if dtype.kind != "f":
            near = mine.astype(dtype)
            if kind > 3:
                near = near + rng.randint(2, size=mine.shape).astype(dtype)
            return near
        wide = mine.astype("f8")
        if kind <= 1:
            result = wide
        elif kind <= 5:
            step = pick(rng, [2.0**-11, 2.0**-24, 2.0**-6, 0.5])
            result = wide + wide * step * uniform(rng, mine.size).reshape(mine.shape)
        elif kind == 6:
            result = wide.astype("f2").astype("f8")
        elif kind == 7:
            result = -wide
        else:
            result = wide + float(pick(rng, [1, 1e-3, 100]))
            if chance(rng, 30):
                result = with_specials(rng, result.ravel()).reshape(mine.shape)
        return result.astype(dtype)


def tensors_for_pair(rng, shape):
    """(DataType, array) of both sides."""
    code = pick(rng, CODES)
    mine = values_of(rng, shape, pick(rng, STORED[code]))
    golden_code = code
    if chance(rng, 12):
        golden_code = {6: 7, 7: 6, 1: 10, 10: 1}.get(code, code)
    elif chance(rng, 4):
        golden_code = pick(rng, CODES)
    return code, mine, golden_code, golden_values(rng, mine, pick(rng, STORED[golden_code]))
