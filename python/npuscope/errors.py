"""The exceptions of npuscope: one class a kind, all below `Error`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Optional


class Error(Exception):
    """Something could not be done. The message says what failed, on what, and what to do."""


class UsageError(Error, ValueError):
    """An argument, option or order of calls that cannot work."""


class IoError(Error, OSError):
    """A file or folder could not be read or written."""


class FormatError(Error, ValueError):
    """A file is damaged or not of the expected format."""


class UnsupportedError(Error, NotImplementedError):
    """An op, dtype or feature that npuscope does not have."""


class InternalError(Error, RuntimeError):
    """A mistake of npuscope itself; please report it."""


@contextmanager
def giving_way_to(error: Optional[BaseException]) -> Iterator[None]:
    """Closes what a with-block opened. `error` is the block's own, and says more than that closing failed."""
    try:
        yield
    except Exception:
        if error is None:
            raise
