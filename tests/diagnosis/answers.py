"""What the program said of a pair, held against the truth."""

from __future__ import annotations

from typing import Any, Dict, Optional

from diagnosis.truth import Truth


def op_of(path: Optional[str]) -> str:
    """"/mm/33/input/mat2" -> "/mm/33"."""
    return "/".join((path or "").split("/")[:3])


def is_right(truth: Truth, culprit: Optional[Dict[str, Any]]) -> bool:
    """Whether a culprit of `npuscope compare --json` is what was planted."""
    if not culprit:
        return False
    path, golden = op_of(culprit.get("path")), op_of(culprit.get("golden"))
    golden_alone = culprit.get("verdict") == "missing_target" and path == golden
    if not golden_alone and {path, op_of(culprit.get("tensor"))} & set(truth.paths):
        return True
    return culprit.get("kind") == "program" and golden in truth.golden_paths


def names_argument(truth: Truth, culprit: Optional[Dict[str, Any]]) -> bool:
    return bool(culprit and truth.argument and culprit.get("argument") == truth.argument)


def names_tensor(culprit: Optional[Dict[str, Any]]) -> bool:
    return bool(culprit and culprit.get("tensor"))


def is_accused(code: int, report: Dict[str, Any]) -> bool:
    """Whether a clean pair counts as a false alarm."""
    return code == 1 or bool(report.get("first_culprit"))
