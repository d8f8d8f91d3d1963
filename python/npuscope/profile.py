"""Times of ops and kernels, as a table and as a Chrome trace."""

from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Optional, Union

from npuscope import _core
from npuscope.executor import current_executor


class ProfileRow(NamedTuple):
    """One op or kernel name over a block."""

    name: str
    is_kernel: bool
    calls: int
    seconds: float


class Profile:
    """With-block that measures the ops of an `Executor`, of the current chip, or of an `npu` block of
    npuscope.torch:

        with npuscope.torch.npu("910A") as chip, npuscope.Profile(chip) as profile:
            …
        print(profile.table)
        profile.export_chrome_trace("trace.json")

    Times are the emulator's on this machine, not a chip's. An op's time holds that of its kernels.
    `rows`, `table` and the trace are there after the block.
    """

    def __init__(self, source: Optional[Any] = None) -> None:
        self._source = source
        self._core: Optional[_core.OpProfile] = None
        self._trace = ""
        self.table = ""
        self.rows: List[ProfileRow] = []

    def __enter__(self) -> "Profile":
        source = self._source if self._source is not None else current_executor()
        session = getattr(source, "session", None)
        self._core = _core.OpProfile(source._core if session is None else session.stream)
        return self

    def __exit__(self, *_: object) -> None:
        if self._core is None:
            return
        self.table = self._core.table()
        self.rows = [ProfileRow(*row) for row in self._core.rows()]
        self._trace = self._core.chrome_trace()
        self._core = None

    def export_chrome_trace(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """For chrome://tracing and Perfetto. Errors: OSError."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._trace)
