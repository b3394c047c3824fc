"""How answers look in a notebook: plain HTML and SVG, without scripts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from .answers import Answer, Citation, Program
    from .things import Hit

#: Rows of a result, citations and bars that are shown.
_ROWS, _CITATIONS, _BARS = 20, 6, 30
_BLUE = "#2f6fb3"
_QUIET = "color:#777"


def answer(a: Answer) -> str:
    """The answer, the program, a chart of groups, and the cells that were cited."""
    sure = f' <span style="{_QUIET}">{a.confidence:.0%} sure</span>' if a.outcome == "answered" else ""
    # What is rows is shown as rows, under what they are.
    is_rows = a.program and a.program.words and len(a.program.rows) > 1
    said = a.verdict.replace("_", " ") if a.verdict else a.program.words if a.program and is_rows else a.text
    parts = [f'<p style="font-size:1.2em"><b>{escape(said)}</b>{sure}</p>']
    if a.program:
        parts.append(_program(a.program, "" if is_rows and not a.verdict else a.program.words))
    if a.readings:
        items = "".join(f"<li>{escape(r.words)} ({escape(r.table)}) <b>{escape(r.answer)}</b></li>" for r in a.readings)
        parts.append(f"<p>It can be read in these ways; <code>choose=1</code> takes the first:</p><ol>{items}</ol>")
    if a.citations:
        parts.append(citations(a.citations[:_CITATIONS]))
    return f'<div class="tabletalk-answer">{"".join(parts)}</div>'


def _program(p: Program, words: str) -> str:
    rows = f"computed over {p.rows_read} of {p.rows_total} rows; {p.rows_used} of them are in the answer"
    parts = [f"<p>{escape(words)}{'<br>' if words else ''}<span style='{_QUIET}'>{rows}</span></p>"]
    if len(p.rows) > 1:
        parts.append(chart(p.columns, p.rows) or "")
        shown = p.rows[:_ROWS]
        parts.append(grid(p.columns, shown, total=p.total, more=p.truncated or len(p.rows) > len(shown)))
    parts.append(f"<details><summary>SQL</summary><pre>{escape(p.sql)}</pre></details>")
    return "".join(parts)


def citations(cited: Sequence[Citation]) -> str:
    """Where an answer stands, and what is written there."""
    rows = "".join(
        f"<tr><td><code>{escape(c.place)}</code></td><td style='text-align:left'>{escape(c.text)}</td></tr>" for c in cited
    )
    return f"<table class='tabletalk-citations'>{rows}</table>"


def hit(h: Hit) -> str:
    """Where something was found, and the text."""
    return f"<p><code>{escape(h.place)}</code> <span style='{_QUIET}'>{h.group}, {h.score:.3f}</span></p><pre>{escape(h.text)}</pre>"


def grid(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    total: Sequence[str] = (),
    more: bool = False,
    caption: str = "",
) -> str:
    """Rows as a table."""

    def line(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{'' if c is None else escape(str(c))}</{tag}>" for c in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    foot = f"<tfoot>{line(total, 'th')}</tfoot>" if total else ""
    rest = f"<p style='{_QUIET}'>and more rows</p>" if more else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead>{line(columns, 'th')}</thead><tbody>{body}</tbody>{foot}</table>{rest}"


#: A label, a number, and the number as it is written.
Point = Tuple[str, float, str]


def _points(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Optional[List[Point]]:
    """Labels and numbers of a result that is groups: a label and one number in each row."""
    if len(columns) != 2 or not 2 <= len(rows) <= _BARS:
        return None
    try:
        return [(row[0], float(row[1]), row[1]) for row in rows]
    except ValueError:
        return None


def chart(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Optional[str]:
    """A chart of groups: a line where the labels are times, else bars; nothing where the rows are no groups.

    >>> chart(["city", "sold"], [["Oslo", "5"], ["Paris", "7"]])[:4]
    '<svg'
    >>> chart(["city", "mayor"], [["Oslo", "A"], ["Paris", "B"]]) is None
    True
    """
    points = _points(columns, rows)
    if points is None:
        return None
    in_time = all(label[:4].isdigit() and len(label) <= 19 for label, *_ in points)
    labels = [label for label, *_ in points]
    return _line(points, columns) if in_time and labels == sorted(labels) else _bars(points, columns)


def _bars(points: Sequence[Point], columns: Sequence[str]) -> str:
    width, left, height = 480, 150, 20
    low, high = min(0.0, *(v for _, v, _ in points)), max(0.0, *(v for _, v, _ in points))
    scale = (width - left - 80) / ((high - low) or 1.0)
    zero = left - low * scale
    parts = []
    for i, (label, value, written) in enumerate(points):
        y, size = i * height, abs(value) * scale
        x = zero - size if value < 0 else zero
        short = label if len(label) <= 22 else label[:21] + "…"
        parts.append(
            f"<text x='{left - 6}' y='{y + 14}' text-anchor='end'><title>{escape(label)}</title>{escape(short)}</text>"
            f"<rect x='{x:.1f}' y='{y + 3}' width='{size:.1f}' height='{height - 6}' fill='{_BLUE}'/>"
            f"<text x='{x + size + 4:.1f}' y='{y + 14}'>{escape(written)}</text>"
        )
    return _svg(width, height * len(points), parts, columns)


def _line(points: Sequence[Point], columns: Sequence[str]) -> str:
    width, height, pad = 480, 160, 24
    low, high = min(v for _, v, _ in points), max(v for _, v, _ in points)
    span = (high - low) or 1.0
    xs = [pad + i * (width - 2 * pad) / (len(points) - 1) for i in range(len(points))]
    ys = [height - pad - (v - low) / span * (height - 2 * pad) for _, v, _ in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys))
    parts = [f"<polyline points='{path}' fill='none' stroke='{_BLUE}' stroke-width='2'/>"]
    for x, y, (label, _, written) in zip(xs, ys, points):
        parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{_BLUE}'><title>{escape(label)}: {escape(written)}</title></circle>")
    ends = ((points[0], "start", pad), (points[-1], "end", width - pad))
    for (label, *_), anchor, x in ends:
        parts.append(f"<text x='{x}' y='{height - 4}' text-anchor='{anchor}'>{escape(label)}</text>")
    parts.append(f"<text x='4' y='12'>{high:g}</text>")
    return _svg(width, height, parts, columns)


def _svg(width: int, height: int, parts: Sequence[str], columns: Sequence[str]) -> str:
    name = escape(f"{columns[1]} by {columns[0]}", quote=True)
    style = "font:11px sans-serif;fill:currentColor;max-width:100%"
    return (
        f"<svg viewBox='0 0 {width} {height}' width='{width}' height='{height}' role='img' aria-label='{name}' "
        f"style='{style}'>{''.join(parts)}</svg>"
    )
