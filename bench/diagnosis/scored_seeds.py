"""Runs a generator of pairs over seeds and prints how many were judged right. A row of a pair says its `size` (gross,
subtle, clean, none, not made) and, unless it was not made, whether it was judged `right`."""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Collection, Dict, List, Tuple

import torch

Row = Dict[str, Any]
SIZES = {"gross": "right first, gross", "subtle": "right first, subtle", "clean": "clean, not accused"}


def parser_of(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", default="0:200", help="first:end")
    parser.add_argument("--rows", type=Path, help="file for all rows, a JSON line each")
    return parser


def compared(npuscope: Path, target: Path, golden: Path, row: Row) -> Dict[str, Any]:
    """The report; the row gets the exit code, who is the first culprit, and why."""
    words = [npuscope, "compare", "-q", "--json", "-m", target, "-g", golden]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    culprit = report["first_culprit"] or {}
    row.update(code=done.returncode, said=culprit.get("path", ""), why=str(culprit.get("why", ""))[:200])
    return report


def rows_of(options: argparse.Namespace, judged: Callable[[int, Path], Row]) -> List[Row]:
    """Prints those that are not right."""
    torch.set_num_threads(1)
    first, end = map(int, options.seeds.split(":"))
    rows = []
    for seed in range(first, end):
        with tempfile.TemporaryDirectory() as name:
            rows.append(judged(seed, Path(name)))
        if options.rows:
            with options.rows.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
        if not rows[-1].get("right", True) and rows[-1]["size"] != "none":
            print(json.dumps(rows[-1]), flush=True)
    return rows


def print_shares(rows: List[Row], ways: Collection[str] = ()) -> None:
    """With a line for each of `ways` as well, which rows hold as `way`."""

    def right(own: List[Row]) -> Tuple[int, int]:
        return sum(row["right"] for row in own), len(own)

    for size, words in SIZES.items():
        own = [row for row in rows if row["size"] == size]
        print("{:24}{:5} of {}".format(words, *right(own)))
        for way in sorted(ways):
            print("  {:22}{:5} of {}".format(way, *right([row for row in own if row["way"] == way])))
    print(f"{'faults without effect':24}{sum(row['size'] == 'none' for row in rows):5}")
    print(f"{'not made':24}{sum(row['size'] == 'not made' for row in rows):5}")
