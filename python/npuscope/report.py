"""Results that print as a few lines and show as a page in a notebook."""

from __future__ import annotations

import html
import json
from typing import Any, Dict, Mapping, Optional

from npuscope import _core
from npuscope.dump_scope import PathLike, path_text

# What a notebook takes in without growing slow.
_MOST_IN_A_NOTEBOOK = 8 << 20


def _first(document: Mapping[str, Any]) -> Optional[str]:
    """What is at fault first, whatever the command calls it."""
    first = document.get("first_culprit", document.get("first"))
    if isinstance(first, dict):
        return first.get("path")
    return first


class Report(dict):
    """The JSON of a command (docs/json.md, docs/verdicts.md) as a dict; `kind` is the command.

    `repr` is a few lines; `page(path)` writes the page (docs/page.md); a notebook shows it.
    """

    def __init__(self, kind: str, document: Mapping[str, Any]) -> None:
        super().__init__(document)
        self.kind = kind

    def __repr__(self) -> str:
        found = self.get("verdict") or ("fail" if self.get("found") else "pass")
        lines = [f"npuscope {self.kind}: {found}"]
        targets = self.get("targets")
        headline = self.get("headline") or (targets[0].get("headline") if targets else None)
        if headline:
            lines.append(f"  {headline}")
        if _first(self):
            lines.append(f"  first: {_first(self)}")
        lines.append(f"  keys: {', '.join(self)}")
        return "\n".join(lines)

    def page(self, path: PathLike) -> None:
        """Writes the result as a page. Errors: IoError."""
        _core.write_page(path_text(path), self.kind, json.dumps(self))

    def _repr_html_(self) -> str:
        page = _core.page_html(self.kind, json.dumps(self))
        if len(page) > _MOST_IN_A_NOTEBOOK:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return (
            '<iframe style="width:100%;height:720px;border:1px solid #8888" title="npuscope" '
            f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
        )


def table_html(text: str) -> str:
    """A text of the terminal in a notebook."""
    return f"<pre>{html.escape(text)}</pre>"


def to_pandas(columns: Dict[str, Any]) -> Any:
    """A pandas.DataFrame of columns. Errors: ImportError without pandas."""
    import pandas

    return pandas.DataFrame({name: list(values) for name, values in columns.items()})
