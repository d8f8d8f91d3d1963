#!/usr/bin/python3
r"""Draws what a command prints in a terminal as an SVG picture.

    docs/terminal_picture.py OUT.svg --title TEXT < output      (with ANSI colours)

docs/check.svg is made in data/models with

    npuscope check digits_resnet.onnx --input digits_16bit.npz --color always -q |
        ../../docs/terminal_picture.py ../../docs/check.svg \
            --title 'npuscope check digits_resnet.onnx --input digits_16bit.npz'
"""

import argparse
import re
import sys
import textwrap
from html import escape
from typing import Iterator, List, Tuple

CELL_WIDTH = 8.4
LINE_HEIGHT = 19
MARGIN = 18
COLUMNS = 112
COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff"}
TEXT = "#e6edf3"
DIM = "#8b949e"
BACKGROUND = "#0d1117"


def stretches(line: str) -> Iterator[Tuple[str, str, bool]]:
    """(text, colour, bold) for each stretch of one line."""
    color, bold = TEXT, False
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not part.startswith("\x1b["):
            if part:
                yield part, color, bold
            continue
        for code in part[2:-1].split(";"):
            if code in ("", "0"):
                color, bold = TEXT, False
            elif code == "1":
                bold = True
            elif code == "2":
                color = DIM
            else:
                color = COLORS.get(code, color)


def span(text: str, color: str, bold: bool) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<tspan fill="{color}"{weight}>{escape(text)}</tspan>'


def folded(line: str) -> List[str]:
    """A long line without colours as several, the later ones indented like the first's second word."""
    if "\x1b" in line or len(line) <= COLUMNS:
        return [line]
    indent = re.match(r" *\S+ *", line)[0]
    return textwrap.wrap(
        line, COLUMNS, subsequent_indent=" " * len(indent), drop_whitespace=True, tabsize=1
    )


def picture(text: str, title: str) -> str:
    lines = [f"\x1b[2m$ \x1b[0m\x1b[1m{title}\x1b[0m", ""]
    for line in text.rstrip().splitlines():
        lines += folded(line)
    longest = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width = round(longest * CELL_WIDTH + 2 * MARGIN)
    height = len(lines) * LINE_HEIGHT + 2 * MARGIN
    rows = []
    for number, line in enumerate(lines):
        drawn = "".join(span(*stretch) for stretch in stretches(line))
        y = MARGIN + (number + 1) * LINE_HEIGHT - 5
        rows.append(f'<text x="{MARGIN}" y="{y}" xml:space="preserve">{drawn}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>\n'
        + "\n".join(rows)
        + "\n</svg>\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--title", required=True, help="the command, shown as typed")
    options = parser.parse_args()
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(picture(sys.stdin.read(), options.title))


if __name__ == "__main__":
    main()
