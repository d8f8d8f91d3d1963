"""python -m npuscope COMMAND ...: the program npuscope that was installed with this package."""

import os
import sys
from pathlib import Path
from typing import Optional


def program() -> Optional[Path]:
    """The program's path: below the prefix, in a virtual environment, a --target folder or a build folder."""
    package = Path(__file__).absolute().parent
    # <prefix>/lib/python3.x/site-packages/npuscope, <target>/npuscope, <build>/python/npuscope.
    for root in (package.parents[3], package.parents[0], package.parents[1]):
        path = root / "bin" / "npuscope"
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def main() -> int:
    path = program()
    if path is None:
        print("npuscope: error: the program npuscope is not installed beside this package", file=sys.stderr)
        return 2
    os.execv(path, ["npuscope", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
