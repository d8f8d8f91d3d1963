"""Random command lines for msaccucmp compare: {M}, {G}, {OUT} and {DIR} stand for paths."""

import numpy as np

from random_values import chance, pick

PATHS = ["-m", "{M}", "-g", "{G}", "-out", "{OUT}"]
NAMES = [
    "CosineSimilarity",
    "MaxAbsoluteError",
    "AccumulatedRelativeError",
    "RelativeEuclideanDistance",
    "KullbackLeiblerDivergence",
    "StandardDeviation",
    "MeanAbsoluteError",
    "RootMeanSquareError",
    "MaxRelativeError",
    "MeanRelativeError",
]
ALGORITHMS = [
    ["-alg", "all"],
    ["-alg", "ALL"],
    ["-alg", "all,1"],
    ["-alg", "3", "1", "2"],
    ["-alg", "3", "1", "3", "0"],
    ["-alg", "3", "1", "12"],
    ["-alg", "3", "1", "x"],
    ["-alg", "5"],
    ["--algorithm", "0", "4"],
    ["--algorithm=1,9"],
    ["--algo", "1"],
    ["-alg", "10"],
    ["-alg", ""],
    ["-alg", ","],
    ["-alg", "Foo"],
    ["-alg", "Foo,2"],
    ["-alg", "cosinesimilarity"],
    ["-alg", "1,,2,"],
    ["-alg", "1, 2"],
    ["-alg", "-1"],
    ["-alg", "01"],
    ["-alg"],
    ["-alg", "1", "-alg", "2"],
]
PARAMETERS = [
    "0:x=1",
    "CosineSimilarity:k=v,k2=v2;1:z=3",
    "Foo:a=b",
    "0",
    "0:",
    "0:x",
    "0:x=",
    "0:=1",
    ":x=1",
    "0:x=1=2",
    "0:a=b:c",
    ";",
    "",
    " ",
    "0:x=1;",
    "0:x=1,,y=2",
    "0: x = 1 ",
    "10:x=1",
    "0:x=1;;1:y=2",
    "0:shape_type=7",
]
OTHERS = [
    ["-p", "0"],
    ["-p", "1"],
    ["-p", "1"],
    ["-p", "2"],
    ["-p", "x"],
    ["-p"],
    ["--post_process", "1"],
    ["--post=1"],
    ["-p1"],
    ["-advisor"],
    ["-advisor"],
    ["-adv"],
    ["--advisor"],
    ["-advisor", "-p", "1"],
    ["-v", "1"],
    ["-v", "2"],
    ["-v", "3"],
    ["-v2"],
    ["--version", "2"],
    ["-f", "{DIR}"],
    ["-q", "{DIR}"],
    ["-c", "{DIR}"],
    ["-c", "{DIR}/nothing"],
    ["-cf", "{DIR}"],
    ["-op", "Mul"],
    ["-op", ""],
    ["-map"],
    ["-r", "1,2,1"],
    ["-r", ""],
    ["-s", "1"],
    ["-r", "1", "-s", "1", "-f", "{DIR}"],
    ["-max", "5"],
    ["-max", "-1"],
    ["-max", "x"],
    ["-max", "0"],
    ["-n", "5"],
    ["-n5"],
    ["--topn", "5"],
    ["--topn=5"],
    ["-ml", "20000"],
    ["-ml", "5"],
    ["-o", "0"],
    ["-i", "0"],
    ["-o", "0", "-i", "0"],
    ["--ignore_single_op_result"],
    ["-ffts"],
    ["-overflow_detection"],
    ["-overflow"],
    ["-h"],
    ["--help"],
    ["--nothing"],
    ["stray"],
    ["--", "stray"],
    ["-x"],
    ["--range=1", "-f", "{DIR}"],
]
OTHER_PATHS = [
    ["--my", "{M}", "--gold", "{G}", "--out", "{OUT}"],
    ["--my_dump_path={M}", "--golden_dump_path={G}", "--output={OUT}"],
    ["-m{M}", "-g{G}", "-out={OUT}"],
    ["--output", "{OUT}", "-g", "{G}", "-m", "{M}"],
    ["-m", "{M}", "-g", "{G}"],
    ["-m", "{M}", "-g", "{G}", "-out", ""],
    ["-m", "{M}", "-out", "{OUT}"],
    ["-g", "{G}", "-out", "{OUT}"],
    ["-m", "{DIR}/none.h5", "-g", "{G}", "-out", "{OUT}"],
    ["-m", "{M}", "-g", "{DIR}/none.h5", "-out", "{OUT}"],
    ["-m", "{M}", "-g", "{G}", "-out", "{OUT}/a/b/c"],
    ["-m", "{M}", "-g", "{G}", "-out", "{M}"],
    ["-m", "{M}", "-g", "{G}", "-out", "{M}/below"],
    ["-m", "{M}", "-g", "{G}", "-out", "{OUT}/a,b"],
    ["-m", "{M}", "-g", "{G}", "-out", "{OUT}/a b"],
    ["-m", "{M}", "-g", "{G}", "-out", "{OUT}/" + "n" * 260],
    ["-m", "{M}", "-g", "{G}", "-out", "{OUT}/" + "n" * 254],
    ["-m", "{M}", "-g", "{G}", "-out", "{OUT}/" + "n" * 255],
    ["-m", "", "-g", "{G}", "-out", "{OUT}"],
    ["-m", "{M}", "-g", "{G}", "-o", "{OUT}"],
]


def random_algorithms(rng):
    kind = int(rng.randint(3))
    if kind == 0:
        return pick(rng, ALGORITHMS)
    numbers = [int(rng.randint(10)) for _ in range(1 + int(rng.randint(5)))]
    if kind == 1:
        return ["-alg", ",".join(str(number) for number in numbers)]
    return ["-alg", ",".join(NAMES[number] if number % 2 else str(number) for number in numbers)]


def make_options(seed):
    """The arguments after `compare`."""
    rng = np.random.RandomState(seed ^ 0x0A75)
    if chance(rng, 6):
        return pick(rng, OTHER_PATHS) + (pick(rng, OTHERS) if chance(rng, 50) else [])
    arguments = list(PATHS)
    if chance(rng, 25):
        arguments += random_algorithms(rng)
    if chance(rng, 8):
        arguments += ["-a", pick(rng, PARAMETERS)]
    if chance(rng, 15):
        for _ in range(1 + int(rng.randint(2))):
            arguments += pick(rng, OTHERS)
    elif chance(rng, 25):
        arguments += ["-p", "1"]
    if chance(rng, 15) and "-advisor" not in arguments:
        arguments.append("-advisor")
    if "-map" in arguments and ("-f" in arguments or "-q" in arguments):
        arguments.remove("-map")  # leads to the comparison of dump folders
    return arguments


def fill_in(arguments, folder, out):
    names = {
        "{M}": str(folder / "my.h5"),
        "{G}": str(folder / "golden.h5"),
        "{OUT}": str(out),
        "{DIR}": str(folder),
    }
    filled = []
    for argument in arguments:
        for name, path in names.items():
            argument = argument.replace(name, path)
        filled.append(argument)
    return filled
