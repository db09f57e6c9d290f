"""What a run counts by and what it measures, in forms and tongues that no pattern knows."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.measures import of_lines

FORMS = {
    "loguru": [f"2026-11-23 14:47:3{i % 10}.343 | INFO     | __main__:main:80 - epoch {i:02d}: reconstruction {1 / i:.5f}, gradient {0.1 * i:.4f}" for i in range(1, 13)],
    "table": ["gauge: 240 days, flow 1.47 m3/s", " pass |    rmse |     nse", "------+---------+------"] + [f"   {i:2d} |  {1 / i:.4f} |  {i / 20:.4f}" for i in range(1, 13)],
    "yaml": [line for i in range(1, 13) for line in ("---", f"round: {i}", f"neg_log_lik: {2 - i / 5:.5f}", "event: checkpoint")],
    "decibels": [f"blk   {10 * i}/120   err  {-4 * i - 0.85:.2f} dB   erle  {15.79 + i:.2f} dB" for i in range(1, 13)],
    "Spanish": [f"[14:52:{i:02d}] Epoca  {i} de 12: perdida {1 / i:.4f}, MAPE de validacion {4.2 - i / 9:.2f} %" for i in range(1, 13)],
    "a record behind a word": [f'2026-11-23T14:56:41Z GROWN {{"trees": {10 * i}, "of": 120, "train": {6.3 / i:.4f}, "valid": 6.2868}}' for i in range(1, 13)],
    "seconds since the start": [f"[   {i}.{i}7s] step={20 * i} of 240 distill={5.8 / i:.4f} |g|=0.302 lr=0.0250" for i in range(1, 13)],
    "a CSV of clocks, without a head": [f"05:2{i % 10}:44,{20 * i},{4.7 / i:.5f},{112.8 / i:.2f},1.8{i % 10}7" for i in range(1, 13)],
    "prose": [f"round {i} of 12: {900 - i} of 4725 tokens wrong ({19.05 - i / 7:.2f} %), 197 features" for i in range(1, 13)],
}


@pytest.mark.parametrize("lines", FORMS.values(), ids=FORMS.keys())
def test_what_counts_and_what_is_measured(lines: list[str]):
    found = of_lines(lines)
    assert found is not None
    assert found.counter.from_the_first
    assert len(found.counter.counts) == 12
    assert len(found.measures[0].values) in {11, 12}
    assert abs(found.measures[0].values[0] - found.measures[0].values[-1]) > 0.05


@pytest.mark.parametrize("form", ["decibels", "Spanish", "a record behind a word", "seconds since the start"])
def test_how_many_there_were_to_be(form: str):
    found = of_lines(FORMS[form])
    assert found is not None
    assert found.counter.planned in {12, 120, 240}


@pytest.mark.parametrize(
    "lines",
    [
        [f"read {i} files" for i in range(1, 20)],
        [f"t={0.5 * i:.1f} s" for i in range(1, 20)],
        [f"step {i} took 0.1{i % 7}s" for i in range(1, 20)],
        [f"epoch 1 loss {1 / i:.3f}" for i in range(1, 20)],
        ["hello", "world 3.14"],
        [],
    ],
)
def test_neither_counts_without_a_measure_nor_clocks(lines: list[str]):
    assert of_lines(lines) is None


@pytest.mark.parametrize("head", ["time,step,loss,ppl", "step,loss,ppl"])
def test_a_column_of_clocks_takes_no_other_columns_name(head: str):
    clock = "23:12:57," if head.startswith("time") else ""
    found = of_lines([head, *(f"{clock}{50 * i},{4.7 / i:.5f},{112.08 / i:.2f}" for i in range(1, 13))])
    assert found is not None
    assert (found.counter.word, found.counter.counts[:2]) == ("step", (50, 100))
    assert [one.name for one in found.measures] == ["loss", "ppl"]


def test_a_table_of_quantiles_counts_nothing():
    lines = ["count  1500.000   1500.000", "25%     374.750     -1.251", "50%     749.500      0.012", "75%    1124.250      1.293", "max    1499.000      2.636"]
    assert of_lines(lines, 3) is None
