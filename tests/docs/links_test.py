"""Every relative link of every Markdown page leads to a file, and to a heading where it names one."""

import os
import re
import unittest
from pathlib import Path
from typing import Iterator, List, Set, Tuple

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
SKIPPED = {"build", "out", ".git", "node_modules"}
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def without_code(text: str) -> str:
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> Set[str]:
    """The names that a web view of the page gives to its headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    found = set()
    for heading in re.findall(r"^#+ +(.+?)\s*$", text, flags=re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(name.replace(" ", "-"))
    return found


def pages(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*.md")):
        if not SKIPPED & set(path.relative_to(root).parts):
            yield path


def links(page: Path) -> List[str]:
    return LINK.findall(without_code(page.read_text()))


def broken(root: Path) -> List[Tuple[str, str]]:
    found = []
    for page in pages(root):
        for link in links(page):
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            file = (page.parent / target) if target else page
            inside = file.resolve().is_relative_to(root.resolve())
            if not inside or not file.exists() or (anchor and anchor not in anchors(file)):
                found.append((str(page.relative_to(root)), link))
    return found


class Links(unittest.TestCase):
    def test_lead_somewhere(self) -> None:
        self.assertEqual(broken(SOURCE), [])

    def test_pages_were_found(self) -> None:
        names = {str(page.relative_to(SOURCE)) for page in pages(SOURCE)}
        self.assertTrue({"README.md", "docs/cli.md", "data/README.md"} <= names, names)
        self.assertGreater(sum(len(links(page)) for page in pages(SOURCE)), 20)

    def test_a_broken_link_is_found(self) -> None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.md").write_text("# One two\n[x](b.md) [y](#one-two) [z](#three) `[c](d)`\n")
            self.assertEqual(broken(Path(folder)), [("a.md", "b.md"), ("a.md", "#three")])


if __name__ == "__main__":
    unittest.main()
