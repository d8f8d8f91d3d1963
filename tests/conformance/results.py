"""What one run of msaccucmp left behind, and whether two runs agree.

Agreement is what tests/golden/msaccucmp/README.md calls exact: same exit code, files, header, rows and
cells; KullbackLeiblerDivergence may differ by one in its last printed digit; CompareFailReason is empty
on both sides or on neither.
"""

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path

LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(\d+\) - \[(INFO|WARNING|ERROR)\] ")
LOG_END = re.compile(r"- \[INFO\] The command was completed and took \d+ seconds\.\n\Z")
LAST_DIGIT = 1.000001e-6


@dataclass
class Outcome:
    code: int
    tables: dict = field(default_factory=dict)  # "result.csv", "filtered_result.csv" -> rows
    advice: list = None
    modes: dict = field(default_factory=dict)
    stderr: str = ""


def parse_table(text):
    if text and not text.endswith("\r\n"):
        raise ValueError("the last line is not ended by CRLF")
    return [row for row in csv.reader(io.StringIO(text, newline=""), strict=True)]


def format_table(rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()


def plain_name(path: Path, out: Path):
    return re.sub(r"result_\d{14}", "result", str(path.relative_to(out)))


def collect(code, out: Path, stderr=""):
    outcome = Outcome(code, stderr=stderr)
    if not out.is_dir():
        return outcome
    for path in sorted(out.rglob("*")):
        name = plain_name(path, out)
        if path.suffix == ".npy" or (path.is_dir() and ("my_dump" in name or "gold_dump" in name)):
            continue
        outcome.modes[name] = path.stat().st_mode & 0o777
        if path.suffix == ".csv":
            outcome.tables[name] = parse_table(path.read_bytes().decode("utf-8"))
        elif path.name == "advisor_summary.txt":
            outcome.advice = path.read_text(encoding="utf-8").splitlines()
    return outcome


def same_cell(column, ours, theirs):
    if ours == theirs:
        return True
    if column == "CompareFailReason":
        return bool(ours) == bool(theirs)
    if column != "KullbackLeiblerDivergence":
        return False
    try:
        return abs(float(ours) - float(theirs)) <= LAST_DIGIT
    except ValueError:
        return False


def table_difference(ours, theirs):
    """A sentence, or None."""
    if not ours or not theirs:
        return None if ours == theirs else "one table is empty"
    if ours[0] != theirs[0]:
        return f"header {ours[0]} instead of {theirs[0]}"
    for number, (mine, other) in enumerate(zip(ours[1:], theirs[1:]), 1):
        if len(mine) != len(other) or len(mine) != len(ours[0]):
            return f"row {number} has {len(mine)} cells instead of {len(other)}: {mine}"
        for column, one, two in zip(ours[0], mine, other):
            if not same_cell(column, one, two):
                return f"row {number} ({mine[2]}, {mine[3]}), {column}: {one!r} instead of {two!r}; {other[-1]}"
    if len(ours) != len(theirs):
        return f"{len(ours) - 1} rows instead of {len(theirs) - 1}"
    return None


def advice_difference(ours, theirs, texts):
    """`texts` keeps which of our sentences stands for which of theirs; it must stay one to one."""
    if ours is None or theirs is None:
        return None if ours == theirs else "advisor_summary.txt on one side only"
    if len(ours) != 3 or ours[:2] != theirs[:2]:
        return f"advice {ours} instead of {theirs}"
    head = "Expert Advice: "
    if not (ours[2].startswith(head) and theirs[2].startswith(head)):
        return f"advice {ours[2]!r} instead of {theirs[2]!r}"
    if texts.setdefault(theirs[2], ours[2]) != ours[2] or len(set(texts.values())) != len(texts):
        return f"advice {ours[2]!r} for {theirs[2]!r}, elsewhere {texts}"
    return None


def difference(ours: Outcome, theirs: Outcome, texts=None):
    """The first difference as a sentence, or None."""
    if ours.code != theirs.code:
        return f"exit code {ours.code} instead of {theirs.code}"
    if sorted(ours.tables) != sorted(theirs.tables):
        return f"tables {sorted(ours.tables)} instead of {sorted(theirs.tables)}"
    for name, table in ours.tables.items():
        found = table_difference(table, theirs.tables[name])
        if found:
            return f"{name}: {found}"
    if ours.modes != theirs.modes:
        return f"files and modes {ours.modes} instead of {theirs.modes}"
    return advice_difference(ours.advice, theirs.advice, {} if texts is None else texts)


def with_private_parents(theirs: Outcome, ours: Outcome):
    """The reference leaves the parents of a new output folder to the umask; npuscope makes them 0700."""
    parents = {str(parent) for name in theirs.tables for parent in list(Path(name).parents)[1:]}
    modes = {
        name: 0o700 if name in parents and ours.modes.get(name) == 0o700 else mode
        for name, mode in theirs.modes.items()
    }
    return Outcome(theirs.code, theirs.tables, theirs.advice, modes, theirs.stderr)


def log_difference(ours: Outcome, theirs: Outcome):
    """Log lines have the reference's form; the last one, which gives the time, is there or not."""
    if ours.code != 2:
        for line in ours.stderr.splitlines():
            if not LOG_LINE.match(line):
                return f"log line {line!r}"
    has_end = [LOG_END.search(each.stderr) is not None for each in (ours, theirs)]
    if has_end[0] != has_end[1]:
        return f"the line with the time is {'' if has_end[0] else 'not '}there"
    # A run that fails says so as ERROR; the reference has but a WARNING for a dump without tensors.
    has_error = ["- [ERROR]" in each.stderr for each in (ours, theirs)]
    if has_error[0] != (has_error[1] if ours.code == 0 else ours.code != 2):
        return f"ERROR in the log: {has_error[0]} instead of {has_error[1]}"
    return None


def renamed(outcome: Outcome, name, twin_name):
    """The outcome with an op's odd name (its apostrophe against formulas too) as it is in the twin."""
    if not name:
        return outcome

    def cell(text):
        text = text[1:] if text == "'" + name else text
        if text == name:
            return twin_name
        return text.replace(f"/{name}/", f"/{twin_name}/")

    tables = {
        key: [[cell(text) for text in row] for row in table] for key, table in outcome.tables.items()
    }
    return Outcome(outcome.code, tables, outcome.advice, outcome.modes, outcome.stderr)
