"""Recorded runs of the reference tool on dump folders, and what equal means for each kind of output.

One folder a case: in/ the inputs, case.json the command and its outcome, out/ what the reference wrote; see
tests/golden/msaccucmp_folders/README.md.
"""

import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

STAMP = re.compile(r"\d{14}(?=\.(csv|txt)$)")
LOG_START = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(\d+\) - \[[A-Z]+\] ")
LAST_DIGIT = 1.000001e-6


@dataclass
class Outcome:
    code: int
    files: dict = field(default_factory=dict)
    modes: dict = field(default_factory=dict)
    stdout: str = ""
    stderr: str = ""


def run(program, args, case, scratch):
    """The program in the case's folder; OUT is a folder of the scratch that does not exist yet."""
    out = scratch / "new" / "out"
    if out.parent.exists():
        shutil.rmtree(out.parent)
    command = [str(program), *(str(out) if each == "OUT" else each for each in args)]
    done = subprocess.run(command, cwd=case, capture_output=True, text=True, check=False, timeout=300)
    outcome = Outcome(done.returncode, stdout=done.stdout, stderr=done.stderr)
    for folder, _, names in os.walk(out):
        outcome.modes[folder] = Path(folder).stat().st_mode & 0o777
        for name in names:
            path = Path(folder) / name
            outcome.files[STAMP.sub("STAMP", str(path.relative_to(out)))] = path
            outcome.modes[str(path)] = path.stat().st_mode & 0o777
    return outcome


def table_of(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def same_cell(column, ours, theirs, row):
    if ours == theirs:
        return True
    if column == "CompareFailReason":
        # A reason may be given where the reference has none beside nothing but NaN.
        numbers_are_missing = "NaN" in row
        return bool(ours) == bool(theirs) or (numbers_are_missing and not theirs)
    if column != "KullbackLeiblerDivergence":
        return False
    try:
        return abs(float(ours) - float(theirs)) <= LAST_DIGIT
    except ValueError:
        return False


def csv_difference(ours, theirs):
    mine, golden = table_of(ours), table_of(theirs)
    if mine[:1] != golden[:1]:
        return f"header {mine[:1]} instead of {golden[:1]}"
    if len(mine) != len(golden):
        return f"{len(mine)} rows instead of {len(golden)}"
    for number, (row, wanted) in enumerate(zip(mine[1:], golden[1:]), 1):
        if len(row) != len(wanted):
            return f"row {number} has {len(row)} cells instead of {len(wanted)}: {row}"
        for column, cell, other in zip(golden[0], row, wanted):
            if not same_cell(column, cell, other, wanted):
                return f"row {number}, {column}: {cell!r} instead of {other!r}"
    return None


def npy_difference(ours, theirs):
    a, b = np.load(ours), np.load(theirs)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype}{a.shape} instead of {b.dtype}{b.shape}"
    equal_nan = np.issubdtype(a.dtype, np.inexact)
    return None if np.array_equal(a, b, equal_nan=equal_nan) else "other elements"


def log_difference(stderr, theirs):
    lines = [re.sub(r"\s+", " ", LOG_START.sub("", line)).strip() for line in stderr.splitlines()]
    wanted = [line for line in theirs.splitlines() if line.strip()]
    if wanted[0] not in lines or wanted[1] not in lines:
        return f"no lines {wanted[:2]}"
    at = lines.index(wanted[0])
    if lines[at + 1] != wanted[1]:
        return f"values {lines[at + 1]!r} instead of {wanted[1]!r}"
    return None


class Case:
    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.facts = json.loads((folder / "case.json").read_text())

    @property
    def must_be_equal(self):
        return self.facts["policy"] == "exact"

    def renamed(self, text, out):
        """Absolute paths as the recording has them."""
        return text.replace(str(out), "OUT").replace(str((self.folder / "in").resolve()), "IN")

    def difference(self, outcome, out):
        """None, or the first difference to the recorded outcome."""
        if outcome.code != self.facts["exit_code"]:
            return f"exit code {outcome.code} instead of {self.facts['exit_code']}: {outcome.stderr[-400:]}"
        kinds = self.facts.get("outputs") or {}
        elsewhere = ("log", "stdout")
        wanted = {name for name, kind in kinds.items() if kind not in elsewhere}
        found = set(outcome.files) - {"advisor_summary.txt"}
        if found != wanted:
            return f"files {sorted(found)} instead of {sorted(wanted)}"
        for name, kind in kinds.items():
            problem = self.file_difference(name, kind, outcome, out)
            if problem:
                return f"{name}: {problem}"
        return None

    def file_difference(self, name, kind, outcome, out):
        theirs = self.folder / "out" / name
        if kind == "log":
            return log_difference(outcome.stderr, theirs.read_text())
        if kind == "stdout":
            return None if outcome.stdout == theirs.read_text() else "other text on stdout"
        ours = outcome.files[name]
        if kind == "csv":
            return csv_difference(
                self.renamed(ours.read_bytes().decode(), out), theirs.read_bytes().decode()
            )
        if kind == "npy":
            return npy_difference(ours, theirs)
        if kind.startswith("sha256:"):
            return None if hashlib.sha256(ours.read_bytes()).hexdigest() == kind[7:] else "another hash"
        if kind == "list":
            return None if sorted(ours.read_text().split("\n")) == sorted(
                theirs.read_text().split("\n")
            ) else "other lines"
        return None if ours.read_bytes() == theirs.read_bytes() else "other bytes"


def cases_in(folder):
    return [Case(each.parent) for each in sorted(folder.glob("*/case.json"))]
