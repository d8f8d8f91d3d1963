"""Runs custom format conversions for npuscope, which starts it as its child.

Argument: the folder. Descriptor 3 is the channel. The first line names the conversions that could be loaded
and what is wrong with the others. Each request is one line of JSON, then the elements; each answer is one
line of JSON, then the elements of the result. What scripts print goes to the standard error stream.
"""

import sys

# Python puts the current folder first, where a json.py need not be the one that is wanted.
sys.path = [path for path in sys.path if path]

import importlib
import json
import os
import re

CHANNEL = 3
FOLDER = "format_convert"
SCRIPT = re.compile(r"(convert_([A-Za-z0-9_]{1,128})_to_([A-Za-z0-9_]{1,128}))\.pyc?")


def words(failure):
    return f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__


def send(message, data=b""):
    # Halves of surrogate pairs are not JSON that every reader takes.
    data = json.dumps(message).encode("utf-8", "replace") + b"\n" + data
    view = memoryview(data)
    while view:
        view = view[os.write(CHANNEL, view) :]


def load(name):
    try:
        module = importlib.import_module(f"{FOLDER}.{name}")
    except BaseException as failure:
        raise ValueError(f"cannot be loaded ({words(failure)})") from failure
    function = getattr(module, "convert", None)
    code = getattr(function, "__code__", None)
    if code is None:
        raise ValueError("has no function convert")
    wanted = 4 if "to_FRACTAL_Z" in name else 3
    if code.co_argcount != wanted:
        raise ValueError(f"its function convert takes {code.co_argcount} arguments instead of {wanted}")
    return function


def load_all(folder):
    functions, problems = {}, []
    path = os.path.join(folder, FOLDER)
    for script in sorted(os.listdir(path)) if os.path.isdir(path) else []:
        match = SCRIPT.fullmatch(script)
        if not match or match[1] in functions:
            continue
        try:
            functions[match[1]] = load(match[1])
        except ValueError as failure:
            problems.append(f"{script}: {failure}")
    return functions, problems


def convert(function, request, data, numpy):
    array = numpy.frombuffer(data, request["descr"])
    arguments = [request["from"], request["to"], array]
    if request["groups"] >= 2:
        arguments.append(request["groups"])
    result = function(*arguments)
    if not isinstance(result, numpy.ndarray):
        raise TypeError("the function convert did not return a numpy.ndarray")
    # ascontiguousarray makes one dimension of none.
    shape = list(result.shape)
    result = numpy.ascontiguousarray(result)
    result = result.astype(result.dtype.newbyteorder("<"), copy=False)
    return {"shape": shape, "descr": result.dtype.str}, result.tobytes()


def serve(functions, numpy):
    channel = os.fdopen(CHANNEL, "rb", buffering=1 << 20, closefd=False)
    for line in channel:
        request = json.loads(line)
        data = channel.read(request["nbytes"])
        if len(data) != request["nbytes"]:
            return
        try:
            answer, elements = convert(functions[request["name"]], request, data, numpy)
        except BaseException as failure:
            answer, elements = {"error": words(failure)}, b""
        answer["nbytes"] = len(elements)
        send(answer, elements)


def main():
    os.set_inheritable(CHANNEL, False)
    folder = sys.argv[1]
    sys.path.insert(0, folder)
    try:
        import numpy
    except ImportError as failure:
        send({"error": f"Python's numpy cannot be loaded ({words(failure)})"})
        return
    functions, problems = load_all(folder)
    send({"names": sorted(functions), "problems": problems})
    serve(functions, numpy)


main()
