"""Runs custom comparison algorithms for npuscope, which starts it as its child.

Arguments: the folder, then the algorithms' names. Descriptor 3 is the channel. After one line that says
whether all algorithms could be loaded, each request is one line of JSON, then both sides' elements as raw
float32; each answer is one line of JSON. What scripts print goes to the standard error stream.
"""

import sys

# Python puts the current folder first, where a json.py need not be the one that is wanted.
sys.path = [path for path in sys.path if path]

import enum
import importlib
import json
import os

CHANNEL = 3
ARGUMENTS = 3


class ShapeType(enum.Enum):
    Scalar = 0
    Tensor = 3


class Parameters:
    """The third argument of an algorithm: its options and facts about the tensors, as attributes."""

    def get(self):
        return self.__dict__

    get_dict = get


def shape_type(shape):
    return ShapeType.Scalar if sum(shape) == len(shape) else ShapeType.Tensor


def words(failure):
    return f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__


def clean(text):
    """Without halves of surrogate pairs, which no reader of JSON has to accept."""
    return text.encode("utf-8", "replace").decode("utf-8")


def send(message):
    data = (json.dumps(message) + "\n").encode()
    while data:
        data = data[os.write(CHANNEL, data) :]


def load(name):
    try:
        module = importlib.import_module("algorithm.alg_" + name)
    except BaseException as failure:
        raise ValueError(f"cannot be loaded ({words(failure)})") from failure
    function = getattr(module, "compare", None)
    code = getattr(function, "__code__", None)
    if code is None:
        raise ValueError("has no function compare(my, golden, params)")
    if code.co_argcount != ARGUMENTS:
        raise ValueError(f"its function compare takes {code.co_argcount} arguments instead of (my, golden, params)")
    return function


def call(function, mine, golden, parameters):
    try:
        answer = function(mine.copy(), golden.copy(), parameters)
    except BaseException as failure:
        return {"value": "NaN", "reason": clean(words(failure))}
    texts = isinstance(answer, tuple) and len(answer) == 2 and all(isinstance(part, str) for part in answer)
    if not texts:
        return {"value": "NaN", "reason": "the function compare did not return two strings"}
    return {"value": clean(answer[0]), "reason": clean(answer[1])}


def serve(functions, numpy):
    channel = os.fdopen(CHANNEL, "rb", buffering=1 << 20, closefd=False)
    for line in channel:
        request = json.loads(line)
        size = request["count"] * 4
        sides = []
        for _ in range(2):
            data = channel.read(size)
            if len(data) != size:
                return
            sides.append(numpy.frombuffer(data, "<f4"))
        results = []
        for name, function in functions:
            parameters = Parameters()
            parameters.__dict__.update(request["parameters"].get(name, {}))
            parameters.my_output_dump_file = request["target"]
            parameters.ground_truth_dump_file = request["golden"]
            parameters.shape_type = shape_type(request["shape"])
            results.append(call(function, *sides, parameters))
        send({"results": results})


def main():
    os.set_inheritable(CHANNEL, False)
    folder, *names = sys.argv[1:]
    sys.path.insert(0, folder)
    try:
        import numpy
    except ImportError as failure:
        send({"error": f"Python's numpy cannot be loaded ({words(failure)})"})
        return
    functions = []
    for name in names:
        try:
            functions.append((name, load(name)))
        except ValueError as failure:
            send({"error": clean(f"alg_{name}: {failure}")})
            return
    send({"ready": True})
    serve(functions, numpy)


main()
