"""The verdicts on many jobs as a table for a terminal."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence

from gpualert_slurm.programs.many_jobs import Outcome

COLUMNS = ("job", "mode", "cause", "who", "sure")
WIDEST = 24


def table(found: Sequence[Outcome], columns: int | None = None) -> str:
    """A line a job, then how many of each mode and how many look alike; nothing in it that a terminal would obey."""
    from gpualert_slurm.notify.plain import visible

    width = columns or shutil.get_terminal_size((120, 24)).columns
    rows = [_row(one) for one in found]
    widths = [min(WIDEST, max(len(row[at]) for row in [COLUMNS, *rows])) for at in range(len(COLUMNS))]
    lines = []
    for row in [(*COLUMNS, "what"), *rows]:
        cells = "  ".join(_fit(visible(cell), size) for cell, size in zip(row, widths, strict=False))
        lines.append(f"{cells}  {visible(row[-1])}".rstrip()[: max(width, 60)])
    return "\n".join([*lines, "", *_sums(found)])


def _row(one: Outcome) -> tuple[str, ...]:
    verdict = one.verdict
    if verdict is None:
        return (one.label, "-", "-", "-", "-", f"no verdict: {one.why}")
    mode = f"{verdict.mode} {verdict.variant}" if verdict.variant else verdict.mode
    return (one.label, mode, verdict.cause.value if verdict.cause else "-", verdict.fault.value, f"{verdict.confidence:.0%}", verdict.headline)


def _fit(text: str, width: int) -> str:
    return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"


def _sums(found: Sequence[Outcome]) -> list[str]:
    from gpualert_slurm.notify.plain import visible

    judged = [one.verdict for one in found if one.verdict is not None]
    modes = Counter(v.mode for v in judged)
    counted = ", ".join(f"{count} {mode}" for mode, count in sorted(modes.items(), key=lambda pair: (-pair[1], pair[0])))
    sums = [f"{len(judged)} of {len(found)} jobs judged" + (f": {counted}" if counted else "")]
    alike = Counter(v.fingerprint for v in judged if v.mode != "G1" and v.fingerprint)
    for print_, count in alike.most_common(3):
        if count > 1:
            same = [v for v in judged if v.fingerprint == print_]
            users, nodes = {v.user for v in same if v.user}, {node for v in same for node in v.nodes}
            of = [f"{len(some)} {word}{'s' if len(some) != 1 else ''}" for some, word in ((users, "user"), (nodes, "node")) if some]
            sums.append(visible(f"seen {', '.join([f'{count} times', *of])}: {same[0].headline}"))
    return sums
