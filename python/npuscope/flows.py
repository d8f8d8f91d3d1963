"""Whole jobs: run a model, check it, compare dumps, scan for overflow, copy ops."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from npuscope import _core
from npuscope.dump_scope import OpenScope, PathLike, path_text, require_a_match
from npuscope.executor import Executor, Setting, settings_list
from npuscope.report import Report, table_html, to_pandas


def run(
    model: PathLike,
    inputs: Optional[Mapping[str, Any]] = None,
    *,
    chip: Union[str, Executor] = "910A",
    dump: Optional[PathLike] = None,
    load: Optional[PathLike] = None,
    check_overflow: Optional[PathLike] = None,
    settings: Optional[Mapping[str, Setting]] = None,
    seed: int = 0,
    input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
) -> Dict[str, np.ndarray]:
    """Runs an ONNX model on an emulated chip ("cpu" is the reference); outputs by name.

    inputs          arrays by the model's input names; None: seeded uniform(-1, 1), integers 0.
    input_shapes    of random inputs, where the model leaves sizes open; others are taken as 1.
    dump            .h5 for every op; with `load` each op runs on the golden's inputs.
    check_overflow  .h5 for ops that overflow only.

    Ctrl-C ends it between two nodes; the dump then holds the ops so far and says that it is
    incomplete. Errors: of every kind.
    """
    executor = chip if isinstance(chip, Executor) else Executor(chip, settings=settings)
    path = path_text(model)
    given = dict(inputs) if inputs is not None else _core.seeded_inputs(path, seed, dict(input_shapes or {}))
    options = {
        "use_dump": bool(dump) and not load,
        "use_load": bool(load),
        "check_overflow": bool(check_overflow),
        "dump_path": path_text(dump or check_overflow),
        "load_file_path": path_text(load),
    }
    if not (dump or load or check_overflow):
        return executor._core.run_model(path, given)
    scope = OpenScope(executor._core, options)
    error: Optional[BaseException] = None
    try:
        return executor._core.run_model(path, given)
    except BaseException as raised:
        error = raised
        raise
    finally:
        summary = scope.close(error)
        if error is None:
            require_a_match(summary, options)


def check(
    model: PathLike,
    *,
    chip: str = "910A",
    input: Optional[PathLike] = None,  # noqa: A002 - the command's own word
    golden: Optional[PathLike] = None,
    output: Optional[PathLike] = None,
    settings: Optional[Mapping[str, Setting]] = None,
    seed: int = 0,
    input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
) -> Report:
    """Golden, free and isolated runs of a model, and the first op at fault, as `npuscope check --json`
    prints it (docs/verdicts.md). `output` is a folder for dumps and report.html. `input_shapes` are
    of random inputs, where the model leaves sizes open; others are taken as 1. Ctrl-C ends it."""
    text = _core.check(
        path_text(model),
        chip,
        settings_list(settings),
        path_text(input),
        path_text(golden),
        path_text(output),
        seed,
        {name: list(shape) for name, shape in (input_shapes or {}).items()},
    )
    return Report("check", json.loads(text))


class Comparison(NamedTuple):
    """`columns`: one array a column, one row a tensor; `to_pandas()` makes a table of them.

    `verdict` is "pass", "fail", "undecided" or "nothing compared"; `exit_code` as the command's; `first_fail`
    the path of the first op at fault or None; `load_mode` when ops were paired by seqid; `text` as the
    terminal shows it; `overflow` the ops that overflowed in the target only, each with `path`, `node`,
    `kind` ("introduced" or "received") and `note`; `contradictions` a sentence for each kind of op
    whose arithmetic is not the expected; `standard` and `gate` as in the command's JSON, where a standard, or
    waivers or a baseline, were given; `notes` what was noticed of the recordings.
    """

    columns: Dict[str, np.ndarray]
    verdict: str
    exit_code: int
    load_mode: bool
    first_fail: Optional[str]
    text: str
    overflow: List[Dict[str, str]] = []
    contradictions: List[str] = []
    standard: Optional[Dict[str, Any]] = None
    gate: Optional[Dict[str, Any]] = None
    notes: List[str] = []

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row a tensor. Errors: ImportError without pandas."""
        return to_pandas(self.columns)

    def __repr__(self) -> str:
        rows = len(next(iter(self.columns.values()), ()))
        first = f", first {self.first_fail}" if self.first_fail else ""
        return f"Comparison(verdict={self.verdict!r}{first}, {rows} tensors; .text, .columns, .to_pandas())"

    def _repr_html_(self) -> str:
        return table_html(self.text)


def _column(values: List[Any]) -> np.ndarray:
    if values and isinstance(values[0], (tuple, list)):
        column = np.empty(len(values), dtype=object)
        column[:] = values
        return column
    return np.array(values, dtype=object if values and isinstance(values[0], str) else None)


def _path(path: Optional[PathLike]) -> str:
    """"" for None."""
    return path_text(path) or ""


def compare(
    target: PathLike,
    golden: PathLike,
    *,
    tolerance: Optional[float] = None,
    inputs: bool = True,
    output: Optional[PathLike] = None,
    judge: str = "exact",
    chip: Optional[str] = None,
    target_class: Optional[str] = None,
    allow_golden_at_fault: bool = False,
    tolerances: Optional[PathLike] = None,
    ignore: Sequence[str] = (),
    standard: Optional[str] = None,
    third: PathLike = "golden",
    repeats: Sequence[PathLike] = (),
    noise: Optional[PathLike] = None,
    noise_out: Optional[PathLike] = None,
    waivers: Optional[PathLike] = None,
    baseline: Optional[PathLike] = None,
    align: Optional[bool] = None,
) -> Comparison:
    """Compares a target dump (or another recording) with a golden one. `tolerance` relative to the largest
    golden value; None: by the precision that each op computed in. `output`: folder for reports.
    `judge`: "exact" computes every op again, "quick" those beyond their tolerance, what made their
    inputs, and the program's outputs, "off" none. `chip` (what the target ran on) or `target_class`
    (of `npuscope help classes`): arithmetic that is another is a finding. `allow_golden_at_fault`:
    ops on which only the golden is wrong are none. `tolerances`: a file of tolerances and regions; `ignore`:
    regions "REGEX[SLICE]", whose elements are in no verdict. `standard`, with `third` ("golden", "emulated" or a
    recording): another project's rule. `repeats`: recordings of the golden's run, whose differences are noise,
    written to `noise_out`, or read from `noise`. `waivers` and `baseline`: findings that do not count.
    `align`: pair tensors by what they hold; None: where names and order leave many ops alone. Ctrl-C
    ends it. Errors: UsageError, IoError, FormatError."""
    request = _core.ComparisonRequest()
    request.tolerance, request.inputs, request.judge = tolerance, inputs, judge
    request.chip, request.target_class = chip or "", target_class or ""
    request.allow_golden_at_fault = allow_golden_at_fault
    request.align(align)
    judging = request.judging
    judging.standard, judging.third = standard or "", os.fspath(third)
    judging.tolerances, judging.noise, judging.noise_out = _path(tolerances), _path(noise), _path(noise_out)
    judging.ignore = [ignore] if isinstance(ignore, str) else list(ignore)
    judging.repeats = [_path(path) for path in repeats]
    answer = _core.compare(
        _path(target), _path(golden), request, _path(waivers), _path(baseline), _path(output)
    )
    answer["columns"] = {name: _column(values) for name, values in answer["columns"].items()}
    for name in ("standard", "gate"):
        if answer[name] is not None:
            answer[name] = json.loads(answer[name])
    return Comparison(**answer)


def overflow(dump: PathLike, *, headroom: float = _core.LATENT_BINADES) -> Report:
    """Scans a dump for overflow, as `npuscope overflow --json` prints it: `found`, `first`, and
    who only received it. `headroom`: binades below the largest finite value that count as latent."""
    return Report("overflow", json.loads(_core.scan_overflow(path_text(dump), headroom)))


def loss(
    golden: PathLike,
    *targets: PathLike,
    like: Sequence[PathLike] = (),
    precision: str = "bfloat16",
    accumulation: int = 1,
    any_start: bool = False,
) -> Report:
    """Where and how training runs part, from their logs, as `npuscope loss --json` prints it: `found`, and
    for each of `targets` its `class`, `step`, `headline`, `evidence` and `capture`. `like`: logs of runs that are
    like the golden's; `precision`: "float32", "float16" or "bfloat16", what both compute in; `accumulation`: records
    that share their weights; `any_start`: seeds differ on purpose. Errors: UsageError, IoError,
    FormatError."""
    answer = _core.judge_losses(
        path_text(golden),
        [path_text(path) for path in targets],
        [path_text(path) for path in like],
        precision,
        accumulation,
        any_start,
    )
    return Report("loss", json.loads(answer))


def extract(
    source: PathLike,
    target: PathLike,
    paths: Union[str, Iterable[str], Mapping[str, str], None] = None,
    *,
    failed: Optional[PathLike] = None,
) -> int:
    """Copies ops ("/addmm/12", globs too) from one dump to another; a mapping gives them other places.
    `failed`: a verdicts.json, whose failed ops are copied. Returns the number of objects copied.
    Errors: UsageError when a path matches nothing."""
    if failed is not None:
        paths = _core.failed_ops(path_text(failed))
    if isinstance(paths, (str, os.PathLike)):
        paths = [os.fspath(paths)]
    pairs = paths.items() if isinstance(paths, Mapping) else [(path, path) for path in paths or []]
    return _core.extract(path_text(source), path_text(target), list(pairs))
