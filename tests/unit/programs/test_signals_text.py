"""``gpualert show --signals``: timelines as text."""

from __future__ import annotations

import re
from datetime import timezone
from pathlib import Path

import pytest

from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.process import Process
from gpualert_slurm.programs.cli import main
from gpualert_slurm.programs.signals_text import NoSignalsError, draw, load
from gpualert_slurm.series import Series
from gpualert_slurm.stall import Stall
from tests.unit.programs.test_bundle import make

TYPES = Path(__file__).parents[3] / "doc" / "types"
T0 = 1_790_000_000_000_000_000


def report(*series: Series, **more: object) -> NodeReport:
    made = NodeReport.model_validate_json((TYPES / "NodeReport.json").read_text())
    return made.model_copy(update={"series": series, "processes": (), "stalls": (), **more})


def over_time(name: str, values: list[float], where: Where, unit: str = "percent", step_s: int = 10) -> Series:
    return Series(name=name, unit=unit, where=where, times_ns=tuple(T0 + i * step_s * 1_000_000_000 for i in range(len(values))), values=tuple(values))


def test_straggler_and_the_ranks_that_wait_for_it_look_different():
    """One line of blocks a rank, on one time axis and one scale: percent goes up to 100."""
    ranks = [over_time("gpu_sm_activity_percent", [55.0 if rank == 1 else 16.0] * 30, Where(node="n2", rank=rank, gpu_uuid=f"GPU-{rank}")) for rank in range(3)]
    lines = draw([report(*ranks)], timezone.utc, width=30).splitlines()
    assert lines[0] == "14:13:20 … 14:18:10: 290 s, 9.67 s a column"
    assert [line for line in lines if line.startswith("rank")] == ["rank 0 on n2", "rank 1 on n2", "rank 2 on n2"]
    drawn = [line.split() for line in lines if "sm_activity" in line]
    assert {line[1] for line in (drawn[0], drawn[2])} == {"▂" * 30}
    assert drawn[1][1] == "▅" * 30
    assert drawn[1][2:] == ["55", "…", "55", "percent"]


def test_time_without_readings_is_a_dot_and_no_zero():
    """The card fell off the bus half-way, or the rank began late."""
    whole = over_time("gpu_power_mw", [500_000.0] * 30, Where(node="n2", gpu_uuid="GPU-a"), "mW")
    half = over_time("gpu_power_mw", [500_000.0] * 15, Where(node="n2", gpu_uuid="GPU-b"), "mW")
    lines = [line for line in draw([report(whole, half)], timezone.utc, width=30).splitlines() if "power" in line]
    assert lines[0].split()[1:] == ["█" * 30, "500", "…", "500", "W"]
    assert lines[1].split()[1] == "█" * 15 + "·" * 15


def test_counter_that_moved_says_between_when_and_one_that_did_not_says_nothing():
    moved = over_time("ecc_volatile_uncorrected", [0, 0, 2], Where(node="n2", gpu_uuid="GPU-a"), "count")
    flat = over_time("remapped_rows_correctable", [5, 5], Where(node="n2", gpu_uuid="GPU-a"), "count")
    text = draw([report(moved, flat)], timezone.utc)
    assert "  ecc_volatile_uncorrected: 0 → 2 between 14:13:30 and 14:13:40" in text
    assert "remapped" not in text


def test_log_line_shows_growth_and_the_silence_after_it():
    """Bytes a second: a log that stops growing goes flat."""
    log = over_time("log_bytes", [0.0, 1000.0, 2000.0, 3000.0, 3000.0, 3000.0, 3000.0], Where(node="n2", rank=0, step="0"), "bytes")
    (line,) = [line for line in draw([report(log)], timezone.utc, width=6).splitlines() if "log bytes" in line]
    assert line == "  log bytes a second         ·███▁▁ 0 … 100"


def test_ends_and_stalls_stand_below_and_hostile_names_are_shown_not_obeyed():
    process = Process(node="n2", pid=7, rank=3, exit_signal=9, ended_ns=T0)
    stall = Stall(node="n2", found_ns=T0, since_ns=T0, culprit_rank=3, culprit_why="waits \x1b[31m in")
    text = draw([report(over_time("cpu_percent", [1.0, 2.0], Where(node="n2", rank=3)), processes=(process,), stalls=(stall,))], timezone.utc)
    assert "rank 3 on n2 (pid 7) ended at 14:13:20: signal 9" in text
    assert "n2: no output since 14:13:20; rank 3: waits \\x1b[31m in" in text


def test_command_draws_a_record_a_report_and_a_bundle_and_says_what_is_none(tmp_path, capsys):
    """Files as a node, the daemon and gpualert-run leave them."""
    made = report(over_time("gpu_utilization_percent", [1.0, 99.0], Where(node="n2", gpu_uuid="GPU-a")))
    (tmp_path / "report.json").write_bytes(made.json_bytes())
    job = JobRecord.model_validate_json((TYPES / "JobRecord.json").read_text()).model_copy(update={"reports": (made,)})
    (tmp_path / "job.json").write_bytes(job.json_bytes())
    for path in (tmp_path / "report.json", tmp_path / "job.json", tmp_path):
        assert main(["show", str(path), "--signals"]) == 0
        assert "utilization_percent" in capsys.readouterr().out
    assert load(make(tmp_path / "run", end={"exit_code": 0}))
    (tmp_path / "none.json").write_text("{}")
    assert main(["show", str(tmp_path / "none.json"), "--signals"]) == 2
    assert "neither a job record nor a node's report" in capsys.readouterr().err
    with pytest.raises(NoSignalsError):
        draw([report()])


def test_columns_between_readings_at_the_usual_pace_are_filled_and_a_silence_is_not():
    """A short job has fewer readings than columns."""
    first = over_time("gpu_power_mw", [500_000.0] * 4, Where(node="n2", gpu_uuid="GPU-a"), "mW")
    times = (*first.times_ns, *(T0 + at_s * 1_000_000_000 for at_s in (200, 210, 220, 230)))
    readings = first.model_copy(update={"times_ns": times, "values": (500_000.0,) * 8})
    (line,) = [line for line in draw([report(readings)], timezone.utc, width=46).splitlines() if "power" in line]
    begun, silent, again = re.fullmatch(r" *power_mw +(█+)(·+)(█+) 500 … 500 W", line).groups()
    assert (len(begun), len(silent), len(again)) == (7, 33, 6)


def test_ends_of_a_job_scripts_shells_are_not_listed_and_those_of_ranks_are():
    """All of them have the task's environment."""
    ends = [
        Process(node="n2", pid=5, rank=0, exit_code=0, ended_ns=T0, environment={"SLURM_PROCID": "0"}),
        Process(node="n2", pid=6, rank=0, exit_code=0, ended_ns=T0, environment={"RANK": "0", "LOCAL_RANK": "0"}),
        Process(node="n2", pid=7, rank=1, exit_code=0, ended_ns=T0, gpu_uuids=("GPU-a",)),
        Process(node="n2", pid=8, rank=1, exit_code=3, ended_ns=T0),
    ]
    text = draw([report(over_time("gpu_power_mw", [1.0] * 3, Where(node="n2", gpu_uuid="GPU-a"), "mW"), processes=tuple(ends))], timezone.utc)
    assert re.findall(r"\(pid (\d)\) ended", text) == ["6", "7", "8"]
