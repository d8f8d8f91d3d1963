"""The exceptions of npuscope: one class a kind, all below `Error`."""


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
