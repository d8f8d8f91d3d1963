"""A source tree made for one check."""

import contextlib
import tempfile
from pathlib import Path
from typing import Dict, Iterator


@contextlib.contextmanager
def planted_tree(files: Dict[str, str]) -> Iterator[Path]:
    """The root of a folder that holds the files, text by path, while the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        yield root
