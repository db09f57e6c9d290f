"""Rows of loops that do not speak English: what they count within a pass, what they lower, what they raise, with decimal commas."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run

ROWS = {
    "German": ("Durchgang {e}, Stapel {b}: Kreuzentropie {v}", "  Prüfung nach Durchgang {e}: Kreuzentropie {w}, Treffer {a} %"),
    "French": ("Époque {e}, lot {b} : entropie croisée {v}", "  validation après époque {e} : entropie croisée {w}, justesse {a} %"),
    "Spanish": ("Época {e}, lote {b}: entropía cruzada {v}", "  validación tras época {e}: entropía cruzada {w}, aciertos {a} %"),
}


def _comma(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


def _mode(rows: tuple[str, str], passes: int, batches: range, loss, share, *, step_s: float) -> str:
    lines = ["Konfiguration: Lernrate 0,300"]
    for e in range(1, passes + 1):
        values = [loss((e - 1) + b / max(batches)) for b in batches]
        lines += [rows[0].format(e=e, b=b, v=_comma(v)) for b, v in zip(batches, values, strict=True)]
        lines.append(rows[1].format(e=e, w=_comma(values[-1] * 1.03), a=_comma(share(e), 1)))
    text = "\n".join([*lines, "Ende"]) + "\n"
    times = [1 + step_s * i for i in range(text.count("\n"))]
    run = Run().rank(0, "n1", text, code=0, end=times[-1] + 1, times=times, stream="out")
    return run.accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_what_was_learned_and_what_was_not(rows: tuple[str, str]):
    few = range(1, 22, 10)
    assert _mode(rows, 12, few, lambda t: 0.3 + 1.4 * math.exp(-t / 3), lambda e: 20 + 5 * e, step_s=0.5) == "G1"
    assert _mode(rows, 12, few, lambda t: 1.61 + 0.06 * math.sin(31 * t * t), lambda e: 20 + 4 * math.sin(7 * e), step_s=0.5) == "E1"
    assert _mode(rows, 12, few, lambda t: 0.3 + 1.4 * math.exp(-t / 3) if t < 6 else math.nan, lambda e: 20 + 2 * e, step_s=0.5) == "E1"


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
def test_a_pass_of_a_handful_of_batches(rows: tuple[str, str]):
    assert _mode(rows, 1, range(1, 7), lambda t: 2.4 - 0.02 * t, lambda e: 20, step_s=0.1) == "E3"
    assert _mode(rows, 4, range(40, 401, 40), lambda t: 0.4 + 2 * math.exp(-t), lambda e: 20 + 18 * e, step_s=3.0) == "G1"
