"""Tables of scored pairs: by kind, class and model, with Wilson's 95 % intervals."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Tuple

Row = Dict[str, Any]


def wilson(hits: int, count: int) -> Tuple[float, float]:
    """95 % interval of a share. Source: Wilson (1927); Brown, Cai and DasGupta (2001), section 3.1.1."""
    if count == 0:
        return 0.0, 1.0
    z, p = 1.959964, hits / count
    centre = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


def share(hits: int, count: int) -> str:
    if count == 0:
        return "-"
    low, high = wilson(hits, count)
    return f"{hits}/{count} = {100 * hits / count:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _table(head: List[str], rows: List[List[str]], markdown: bool) -> str:
    if markdown:
        lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return "\n".join("  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in [head, *rows])


def _right(rows: List[Row]) -> str:
    return share(sum(r["right"] for r in rows), len(rows))


def _accused(rows: List[Row]) -> str:
    return share(sum(r["accused"] for r in rows), len(rows))


def _grouped(rows: List[Row], key: Callable[[Row], str]) -> Dict[str, List[Row]]:
    groups: Dict[str, List[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return dict(sorted(groups.items()))


def _overall(faulty: List[Row], clean: List[Row]) -> List[List[str]]:
    gross = [r for r in faulty if r["gross"]]
    subtle = [r for r in faulty if not r["gross"]]
    rows = [
        ["right first, gross", _right(gross)],
        ["right first, subtle", _right(subtle)],
        ["right among the first three", share(sum(r["in_three"] for r in faulty), len(faulty))],
        ["another accused", share(sum(not r["right"] and r["culprit"] is not None for r in faulty), len(faulty))],
        ["faulty, nothing accused", share(sum(r["culprit"] is None for r in faulty), len(faulty))],
        ["clean pairs accused", _accused(clean)],
        ["undecided (exit code 2)", share(sum(r["code"] == 2 for r in faulty + clean), len(faulty + clean))],
    ]
    for group, name in (("argument", "argument_named"), ("tensor", "tensor_named")):
        # A target without inputs cannot tell of them.
        some = [r for r in faulty if r["group"] == group and r["right"] and r["variant"] in ("as is", "split")]
        rows.append([f"{group} named, where the op was", share(sum(r[name] for r in some), len(some))])
    return rows


def _baselines(faulty: List[Row], clean: List[Row]) -> List[List[str]]:
    names = (faulty + clean)[0].get("baselines", {}) if faulty + clean else {}
    rows = []
    for name in names:
        gross = [r["baselines"][name]["right"] for r in faulty if r["gross"]]
        subtle = [r["baselines"][name]["right"] for r in faulty if not r["gross"]]
        alarms = [r["baselines"][name]["accused"] for r in clean]
        rows.append([name, share(sum(gross), len(gross)), share(sum(subtle), len(subtle)), share(sum(alarms), len(alarms))])
    return rows


def _bad(faulty: List[Row], clean: List[Row]) -> List[List[str]]:
    rows = []
    for r in faulty + clean:
        wrong = not r["right"] if r["kind"] else r["accused"]
        if not wrong and not r["errors"]:
            continue
        culprit = r["culprit"] or {}
        said = " ".join(str(culprit.get(k)) for k in ("kind", "path", "tensor", "argument") if culprit.get(k))
        rows.append([
            str(r["seed"]), r["kind"] or "clean", "gross" if r["gross"] else "subtle" if r["kind"] else "",
            f"{r['ratio']:.3g}" if r["kind"] else "", r["model"], r["arithmetic"], " ".join(r["paths"][:2]),
            said or f"nothing, exit {r['code']}", r["errors"].strip()[-60:]])
    return rows


def report(rows: List[Row], variant: str, markdown: bool) -> str:
    faulty = [r for r in rows if r["kind"]]
    clean = [r for r in rows if not r["kind"]]
    parts = [f"variant: {variant}", _table(["", "share (95 % interval)"], _overall(faulty, clean), markdown)]
    base = _baselines(faulty, clean)
    if base:
        parts.append(_table(["baseline", "right, gross", "right, subtle", "clean accused"], base, markdown))
    kinds = []
    for kind, some in _grouped(faulty, lambda r: r["kind"]).items():
        lost = sum(r["discarded"] for r in some)
        kinds.append([kind, _right([r for r in some if r["gross"]]), _right([r for r in some if not r["gross"]]),
                      f"{100 * lost / (lost + len(some)):.0f} %"])
    parts.append(_table(["kind", "right, gross", "right, subtle", "discarded"], kinds, markdown))
    for name, key in (("arithmetic", "arithmetic"), ("model", "model")):
        some = _grouped(rows, lambda r, key=key: r[key])
        parts.append(_table(
            [name, "right", "clean accused"],
            [[group, _right([r for r in each if r["kind"]]), _accused([r for r in each if not r["kind"]])]
             for group, each in some.items()], markdown))
    bad = _bad(faulty, clean)
    if bad:
        parts.append(_table(["seed", "kind", "", "ratio", "model", "arithmetic", "truth", "said", "errors"], bad, markdown))
    times = sorted(r["seconds"] for r in rows) or [0.0]
    parts.append(f"seconds a pair: making {sum(r['making'] for r in rows) / max(len(rows), 1):.2f}, "
                 f"comparing median {times[len(times) // 2]:.2f}, longest {times[-1]:.2f}")
    return "\n\n".join(parts)
