"""Compares what a program printed with a text that leaves some places open.

In the expected text a line `...` stands for any number of lines and `{*}` for any text within a line.
"""

import re
from typing import List, Optional

ANY_LINES = "..."
ANY_TEXT = "{*}"


def line_matches(expected: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split(ANY_TEXT))
    return re.fullmatch(pattern, printed) is not None


def first_difference(expected: str, printed: str) -> Optional[str]:
    """None when the texts agree; else a few lines that show where they part."""
    wanted = [line.rstrip() for line in expected.strip().splitlines()]
    found = [line.rstrip() for line in printed.strip().splitlines()]
    return _differ(wanted, found, 0, 0)


def _differ(wanted: List[str], found: List[str], i: int, j: int) -> Optional[str]:
    while i < len(wanted):
        if wanted[i] == ANY_LINES:
            if i + 1 == len(wanted):
                return None
            reports = [_differ(wanted, found, i + 1, k) for k in range(j, len(found) + 1)]
            return None if None in reports else f"nothing after '...' agrees with: {wanted[i + 1]}"
        if j == len(found):
            return f"missing at the end: {wanted[i]}"
        if not line_matches(wanted[i], found[j]):
            return f"line {j + 1}\n  expected: {wanted[i]}\n  printed:  {found[j]}"
        i, j = i + 1, j + 1
    return None if j == len(found) else f"line {j + 1} is not expected: {found[j]}"
