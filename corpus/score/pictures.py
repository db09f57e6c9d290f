"""The report's pictures: who is taken for whom, F1 by class beside the baselines, said against true confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from corpus.score.calibration import Bin
from corpus.score.measure import ClassScore

WHITE, INK, GREY, GOOD, BAD = "#ffffff", "#1f2933", "#d5dbe1", (31, 119, 180), (214, 69, 65)
TONES = ("#1f77b4", "#9aa5b1", "#cbb26a", "#a3c293")


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _slanted(image: Image.Image, words: str, at: tuple[int, int], angle: int, *, below: bool = False) -> None:
    """Words along a slope that begin (below: end) at a point; what is drawn already stays."""
    width = 120
    mask = Image.new("L", (width, 16), 0)
    ImageDraw.Draw(mask).text((width - 1 if below else 0, 0), words, 255, font=_font(12), anchor="ra" if below else "la")
    turned = mask.rotate(angle, expand=True)
    place = (at[0] - turned.width + 8, at[1]) if below else (at[0], at[1] - turned.height)
    image.paste(Image.new("RGB", turned.size, INK), place, turned)


def confusion(counts: Counter[tuple[str, str]], to: Path, title: str) -> None:
    """True rows, said columns; on the diagonal blue, beside it red; each cell has its number."""
    names = sorted({name for pair in counts for name in pair})
    cell, left, top = 34, 130, 150
    image = Image.new("RGB", (left + cell * len(names) + 90, top + cell * len(names) + 40), WHITE)
    draw = ImageDraw.Draw(image)
    draw.text((10, 8), title, INK, font=_font(15))
    rows = {name: sum(n for (true, _), n in counts.items() if true == name) for name in names}
    for i, name in enumerate(names):
        draw.text((left - 8, top + i * cell + 9), name, INK, font=_font(12), anchor="ra")
        _slanted(image, name, (left + i * cell + 6, top - 6), 60)
        for j, said in enumerate(names):
            number = counts[name, said]
            share = number / rows[name] if rows[name] else 0
            tone = GOOD if i == j else BAD
            colour = tuple(round(255 - (255 - part) * (0.15 + 0.85 * share)) if number else 247 for part in tone)
            box = (left + j * cell, top + i * cell, left + (j + 1) * cell - 2, top + (i + 1) * cell - 2)
            draw.rectangle(box, fill=colour)
            if number:
                draw.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), str(number), WHITE if share > 0.6 else INK, font=_font(12), anchor="mm")
    image.save(to, optimize=True)


def bars(scores: Mapping[str, Sequence[ClassScore]], to: Path, title: str) -> None:
    """F1 of each class, one bar a classifier."""
    names = [s.name for s in next(iter(scores.values()))]
    high, left, bar = 150, 40, 9
    group = bar * len(scores) + 8
    image = Image.new("RGB", (max(820, left + group * len(names) + 20), high + 165), WHITE)
    draw = ImageDraw.Draw(image)
    draw.text((10, 8), title, INK, font=_font(15))
    for mark in (0, 0.5, 1):
        y = 60 + high * (1 - mark)
        draw.line((left, y, image.width - 10, y), GREY)
        draw.text((left - 6, y), f"{mark:g}", INK, font=_font(11), anchor="rm")
    for k, (who, of) in enumerate(scores.items()):
        draw.rectangle((left + k * 190, 34, left + k * 190 + 10, 44), fill=TONES[k % 4])
        draw.text((left + k * 190 + 15, 39), who, INK, font=_font(12), anchor="lm")
        by_name = {s.name: s for s in of}
        for i, name in enumerate(names):
            x = left + i * group + k * bar
            draw.rectangle((x, 60 + high * (1 - by_name[name].f1), x + bar - 2, 60 + high), fill=TONES[k % 4])
    for i, name in enumerate(names):
        _slanted(image, name, (left + i * group + group // 2, 64 + high), 45, below=True)
    image.save(to, optimize=True)


def reliability(curves: Mapping[str, Sequence[Bin]], to: Path, title: str) -> None:
    """Said confidence below, the share that was right at the side; a dot's size is how often."""
    side, left, top = 320, 60, 60
    image = Image.new("RGB", (left + side + 220, top + side + 50), WHITE)
    draw = ImageDraw.Draw(image)
    draw.text((10, 8), title, INK, font=_font(15))
    draw.rectangle((left, top, left + side, top + side), outline=GREY)
    draw.line((left, top + side, left + side, top), GREY)
    for mark in (0, 0.5, 1):
        draw.text((left + side * mark, top + side + 6), f"{mark:g}", INK, font=_font(11), anchor="ma")
        draw.text((left - 6, top + side * (1 - mark)), f"{mark:g}", INK, font=_font(11), anchor="rm")
    draw.text((left + side / 2, top + side + 26), "confidence said", INK, font=_font(12), anchor="ma")
    for k, (who, bins) in enumerate(curves.items()):
        points = [(left + side * b.said, top + side * (1 - b.right)) for b in bins]
        if len(points) > 1:
            draw.line(points, TONES[k % 4], 2)
        total = sum(b.count for b in bins) or 1
        for (x, y), b in zip(points, bins, strict=True):
            radius = 3 + 12 * (b.count / total) ** 0.5
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=TONES[k % 4], width=2)
        draw.rectangle((left + side + 14, top + 20 * k, left + side + 24, top + 20 * k + 10), fill=TONES[k % 4])
        draw.text((left + side + 30, top + 20 * k + 5), who, INK, font=_font(12), anchor="lm")
    image.save(to, optimize=True)
