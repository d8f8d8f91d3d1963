#!/usr/bin/python3
"""Runs train_step.py for each model in a process of its own and writes what it found as rows of a table.

    PYTHONPATH=build/release/python bench/torchvision/table.py -o build/torchvision.jsonl [-k GLOB…] [--seconds 600]
    bench/torchvision/table.py --tables build/torchvision.jsonl…      the rows as Markdown, for docs/torchvision.md

A model that is in the file already is left out, so that a run may be broken off and go on.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def run(given: argparse.Namespace) -> None:
    step = [sys.executable, "-B", str(HERE / "train_step.py")]
    names = subprocess.run(step, check=True, capture_output=True, text=True).stdout.split()
    done = set()
    if given.output.exists():
        done = {json.loads(line)["model"] for line in given.output.read_text().splitlines()}
    for name in names:
        if name in done or not any(fnmatch.fnmatch(name, pattern) for pattern in given.keep):
            continue
        row = row_of([*step, name, "--chips", given.chips], name, given.seconds)
        with given.output.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(line_of(row), flush=True)


def row_of(command: list, name: str, seconds: float) -> dict:
    """What one model's process found. It keeps gigabytes in files, which a process that is ended leaves behind."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            process = subprocess.run(
                command, capture_output=True, text=True, timeout=seconds, env={**os.environ, "TMPDIR": folder}
            )
        except subprocess.TimeoutExpired:
            return {"model": name, "error": f"more than {seconds:.0f} s"}
    if process.returncode:
        return {"model": name, "error": (process.stderr.strip().splitlines() or ["ended"])[-1]}
    return json.loads(process.stdout.splitlines()[-1])


def fallbacks_of(row: dict) -> str:
    """Ops on the CPU, how often; the same on each chip as a rule."""
    found = {}
    for chip in row["chips"].values():
        found.update(chip["fallbacks"])
    return ", ".join(f"{op} {count}" for op, count in found.items()) or "-"


def verdict_of(chip: dict) -> str:
    if chip["faults"]:
        return f"{len(chip['faults'])} ops at fault"
    return "pass" if chip["exit_code"] == 0 else "differs"


def line_of(row: dict) -> str:
    """The row of a table."""
    if "error" in row:
        return f"| {row['model']} | {row['error']} |"
    chips = list(row["chips"].values())
    cells = [
        row["model"],
        "×".join(map(str, row["cpu"]["input"])),
        f"{row['cpu']['parameters'] / 1e6:.1f}",
        f"{row['cpu']['seconds']:.1f}",
        *(f"{chip['seconds']:.1f}" for chip in chips),
        str(chips[0]["native"]),
        str(chips[0]["not_judged"]),
        fallbacks_of(row),
        *(verdict_of(chip) for chip in chips),
    ]
    return "| " + " | ".join(cells) + " |"


def tables(files: list) -> None:
    for path in files:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        versions = next((row for row in rows if "torch" in row), {})
        print(f"\n## torchvision {versions.get('torchvision')}, PyTorch {versions.get('torch')}\n")
        chips = list(next(row for row in rows if "chips" in row)["chips"])
        head = ["model", "input", "10⁶ parameters", "CPU, s", *(f"{chip}, s" for chip in chips), "ops", "not judged",
                "on the CPU", *chips]
        print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
        for row in rows:
            print(line_of(row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("-k", "--keep", nargs="*", default=["*"], help="globs of names")
    parser.add_argument("--chips", default="910A,910B")
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--tables", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    if given.tables:
        tables(given.tables)
    elif given.output:
        run(given)
    else:
        parser.error("give -o or --tables")


if __name__ == "__main__":
    main()
