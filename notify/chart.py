"""A line chart or a bar chart as a PNG, by Pillow: opaque, twice the pixels, few colours; a mail client shows it as it is."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw, ImageFont

SCALE = 2
WIDTH, PLOT_HEIGHT = 680, 190
LEFT, RIGHT, TOP, BOTTOM = 64, 14, 30, 34
INK, MUTED, GRID, PAPER, MARK = "#1f2933", "#616e7c", "#e4e7eb", "#ffffff", "#b3261e"
COLOURS = ("#1f5fbf", "#c25700", "#1f7a3d", "#7b2d8b", "#00757d", "#8a6d00", "#a3195b", "#52606d")
BAR_HEIGHT, MOST_BARS = 16, 24
MOST_LEGEND = 8
FARTHEST = 1e100


@dataclass(frozen=True)
class Line:
    """Points in order of x; a value that is no finite number breaks the line."""

    label: str
    xs: Sequence[float]
    ys: Sequence[float]
    strong: bool = False


@dataclass(frozen=True)
class Panel:
    """One plot. ``mark_x`` is where something ended, ``mark`` what; ``top`` fixes the y axis from 0 to it."""

    title: str
    lines: Sequence[Line]
    x_words: str
    mark_x: float | None = None
    mark: str = ""
    top: float | None = None


@dataclass(frozen=True)
class Bar:
    """One row: from x 0 to ``x``."""

    label: str
    x: float
    words: str
    strong: bool = False


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size * SCALE)


def lines(panels: Sequence[Panel]) -> tuple[bytes, int, int]:
    """The panels below each other, all over the same x range: (PNG, width, height) in CSS pixels."""
    legend = [one.label for one in panels[0].lines][:MOST_LEGEND] if len(panels[0].lines) > 1 else []
    height = len(panels) * (TOP + PLOT_HEIGHT + BOTTOM) + (20 * -(-len(legend) // 4) if legend else 0)
    image = Image.new("RGB", (WIDTH * SCALE, height * SCALE), PAPER)
    draw = ImageDraw.Draw(image)
    xs = [x for panel in panels for one in panel.lines for x in one.xs] + [p.mark_x for p in panels if p.mark_x is not None]
    low, high = _range(xs)
    for number, panel in enumerate(panels):
        _panel(draw, panel, number * (TOP + PLOT_HEIGHT + BOTTOM), low, high)
    y = len(panels) * (TOP + PLOT_HEIGHT + BOTTOM)
    for i, label in enumerate(legend):
        left, top = LEFT + (i % 4) * 150, y + 20 * (i // 4)
        draw.line(_at((left, top + 7), (left + 16, top + 7)), fill=COLOURS[i % len(COLOURS)], width=3 * SCALE)
        draw.text(_point(left + 22, top), label[:20], fill=MUTED, font=_font(11))
    return _png(image), WIDTH, height


def bars(title: str, rows: Sequence[Bar], x_words: str, longest: float) -> tuple[bytes, int, int]:
    """One bar a row: (PNG, width, height) in CSS pixels."""
    shown = rows[:MOST_BARS]
    height = TOP + len(shown) * (BAR_HEIGHT + 6) + BOTTOM
    image = Image.new("RGB", (WIDTH * SCALE, height * SCALE), PAPER)
    draw = ImageDraw.Draw(image)
    draw.text(_point(10, 8), title, fill=INK, font=_font(13))
    left, right = 130, WIDTH - 150
    for i, row in enumerate(shown):
        y = TOP + i * (BAR_HEIGHT + 6)
        end = left + (right - left) * (row.x / longest if longest > 0 else 0.0)
        draw.rectangle(_at((left, y), (right, y + BAR_HEIGHT)), fill=GRID)
        draw.rectangle(_at((left, y), (max(left + 1.0, end), y + BAR_HEIGHT)), fill=MARK if row.strong else COLOURS[0])
        draw.text(_point(10, y + 1), row.label[:18], fill=INK, font=_font(11))
        draw.text(_point(right + 8, y + 1), row.words[:24], fill=MARK if row.strong else MUTED, font=_font(11))
    draw.text(_point(left, height - 24), x_words, fill=MUTED, font=_font(11))
    return _png(image), WIDTH, height


def _panel(draw: ImageDraw.ImageDraw, panel: Panel, y0: float, low: float, high: float) -> None:
    plot_top, plot_end, right = y0 + TOP, y0 + TOP + PLOT_HEIGHT, WIDTH - RIGHT
    draw.text(_point(10, y0 + 8), panel.title, fill=INK, font=_font(13))
    finite = [y for one in panel.lines for y in one.ys if math.isfinite(y)]
    floor, top = (0.0, panel.top) if panel.top is not None else _range(finite)

    def place(x: float, y: float) -> tuple[float, float]:
        share = (min(max(y, floor), top) - floor) / (top - floor)
        return LEFT + (x - low) / (high - low) * (right - LEFT), plot_end - share * PLOT_HEIGHT

    for y in _ticks(floor, top):
        _, at = place(low, y)
        draw.line(_at((LEFT, at), (right, at)), fill=GRID, width=SCALE)
        draw.text(_point(LEFT - 8, at), f"{y:.4g}", fill=MUTED, font=_font(11), anchor="rm")
    for x in _ticks(low, high):
        at, _ = place(x, floor)
        draw.line(_at((at, plot_end), (at, plot_end + 4)), fill=MUTED, width=SCALE)
        draw.text(_point(at, plot_end + 6), f"{x:.6g}", fill=MUTED, font=_font(11), anchor="ma")
    draw.text(_point(right, plot_end + 20), panel.x_words, fill=MUTED, font=_font(11), anchor="ra")
    for i, one in enumerate(panel.lines):
        for run in _runs(one, place):
            width = 3 if one.strong or len(panel.lines) == 1 else 2
            if len(run) > 1:
                draw.line([c for point in run for c in _at(point)], fill=COLOURS[i % len(COLOURS)], width=width * SCALE)
            else:
                x, y = run[0]
                draw.ellipse(_at((x - 2, y - 2), (x + 2, y + 2)), fill=COLOURS[i % len(COLOURS)])
    if panel.mark_x is not None:
        x, _ = place(panel.mark_x, floor)
        draw.line(_at((x, plot_top), (x, plot_end)), fill=MARK, width=2 * SCALE)
        near_right = x > WIDTH * 0.6
        draw.text(_point(x - 5 if near_right else x + 5, plot_top + 2), panel.mark, fill=MARK, font=_font(12), anchor="ra" if near_right else "la")


def _runs(one: Line, place: object) -> Iterator[list[tuple[float, float]]]:
    run: list[tuple[float, float]] = []
    for x, y in zip(one.xs, one.ys, strict=True):
        if math.isfinite(y):
            run.append(place(x, y))  # type: ignore[operator]
        elif run:
            yield run
            run = []
    if run:
        yield run


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest, apart by something that can be drawn, and neither beyond what floats can still be told apart in."""
    known = [min(max(v, -FARTHEST), FARTHEST) for v in values if math.isfinite(v)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    least = max(abs(low), abs(high)) * 1e-9
    return (low, high) if high - low > least else (low - max(0.5, 1e-3 * abs(low)), high + max(0.5, 1e-3 * abs(high)))


def _ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers within the range: steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first = math.ceil(low / step - 1e-9)
    return [0.0 if k == 0 else k * step for k in range(first, first + 2 * wanted + 1) if k * step <= high + step * 1e-9]


def _at(*points: tuple[float, float]) -> list[float]:
    return [value * SCALE for point in points for value in point]


def _point(x: float, y: float) -> tuple[float, float]:
    return x * SCALE, y * SCALE


def _png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", compress_level=6)
    return out.getvalue()
