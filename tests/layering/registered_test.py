"""Every script that is a test is run: its folder's CMakeLists.txt takes all scripts, or names it."""

import os
import re
import unittest
from pathlib import Path
from typing import List

from planted import planted_tree

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])


def forgotten(root: Path) -> List[str]:
    """Test scripts below tests/ that no CMakeLists.txt of theirs or above runs."""
    lost = []
    for script in sorted((root / "tests").rglob("*_test.*")):
        if script.suffix not in (".py", ".mjs", ".sh"):
            continue
        lists = [folder / "CMakeLists.txt" for folder in script.parents if root in folder.parents]
        texts = [path.read_text() for path in lists if path.is_file()]
        takes_all = re.search(r"npuscope_python_tests\(|file\(GLOB[^)]*_test\.py", texts[0]) if texts else None
        if not takes_all and not any(re.search(rf"\b{re.escape(script.stem)}\b", text) for text in texts):
            lost.append(str(script.relative_to(root)))
    return lost


class Registered(unittest.TestCase):
    def test_every_script_that_is_a_test_is_run(self) -> None:
        self.assertEqual(forgotten(SOURCE), [])

    def test_a_forgotten_script_is_found(self) -> None:
        files = {
            "tests/CMakeLists.txt": "add_subdirectory(one)\nadd_subdirectory(two)\n",
            "tests/one/CMakeLists.txt": 'flows_script("a" a_test.py)\n',
            "tests/one/a_test.py": "",
            "tests/one/ba_test.py": "",
            "tests/two/CMakeLists.txt": "npuscope_python_tests(two)\n",
            "tests/two/c_test.py": "",
        }
        with planted_tree(files) as root:
            self.assertEqual(forgotten(root), ["tests/one/ba_test.py"])


if __name__ == "__main__":
    unittest.main()
