"""A program that is written to a dump in the plain layout, op by op, as it is computed."""

import h5py
import numpy as np

TOKENS, WIDTH = 12, 16
# What the attribute Type says of arguments that are no tensors.
SAVE_TYPES = {bool: 4, float: 7, int: 3, list: 16}


def turned(x):
    return np.ascontiguousarray(x.T)


class Program:
    """`dtype` is what the program computes in, in steps of float32."""

    def __init__(self, path, dtype="f4"):
        self.file, self.dtype, self.count = h5py.File(path, "w"), np.dtype(dtype), 0
        self.chance = np.random.default_rng(5)

    def given(self, *shape):
        return self.chance.standard_normal(shape).astype("f2").astype(self.dtype)

    def op(program, name, result, output="result", /, **inputs):
        """`result` is kept in the program's dtype if it is a float. Tensors are arrays. An input may be called self."""
        group = program._taking(name, inputs)
        group[f"output/{output}"] = result = program._kept(result)
        return result

    def results(program, name, results, **inputs):
        """Of an op of several, which it returns; lists of tensors among them and among the inputs."""
        group = program._taking(name, inputs)
        kept = []
        for place, result in enumerate(results):
            if isinstance(result, list):
                for i, each in enumerate(result):
                    group[f"output/result{place}/result{place}_{i}"] = program._kept(each)
            else:
                group[f"output/result{place}"] = result = program._kept(result)
            kept.append(result)
        return kept

    def _kept(self, result):
        result = np.asarray(result)
        return result.astype(self.dtype) if result.dtype.kind == "f" else result

    def _taking(self, name, inputs):
        self.count += 1
        group = self.file.create_group(f"{name}/{self.count}")
        for argument, value in inputs.items():
            if isinstance(value, list) and isinstance(value[0], np.ndarray):
                for i, each in enumerate(value):
                    group[f"input/{argument}/{argument}_{i}"] = each
                    group[f"input/{argument}/{argument}_{i}"].attrs["Type"] = 0
                continue
            group[f"input/{argument}"] = np.int8(value) if isinstance(value, bool) else value
            group[f"input/{argument}"].attrs["Type"] = SAVE_TYPES.get(type(value), 0)
        return group

    def product(self, x, w):
        return self.op("mm", x.astype("f8") @ w.astype("f8"), self=x, mat2=w)

    def relu(self, x):
        return self.op("relu", np.maximum(x, 0), self=x)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()


def attention(program, before=False, scale=0.25, fault=1.0):
    """Three layers in which the queries are scaled before they meet the keys, or what comes out of that."""
    x = program.given(TOKENS, WIDTH)
    for _ in range(3):
        query, key = (program.product(x, program.given(WIDTH, WIDTH)) for _ in range(2))
        scaled = lambda each: program.op("mul_Tensor", each * np.float32(scale), self=each, other=np.float32(scale))
        if before:
            query = scaled(query)
        query = program.op("clone", np.ascontiguousarray(query), self=query)
        if fault == 1:
            scores = program.product(query, turned(key))
        else:
            scores = program.op("mm", np.float32(fault) * (query.astype("f8") @ key.T), self=query, mat2=turned(key))
        if not before:
            scores = scaled(scores)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares = program.op("_softmax", shares / shares.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
        x = program.product(shares, x)
