"""What gpualert-run read of its command's CPU, as a series."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gpualert_slurm.evidence import Where
from gpualert_slurm.exit_record import Instant
from gpualert_slurm.gap import Gap
from gpualert_slurm.programs.run_cpu import cpu_series
from gpualert_slurm.run_file import RunCpu, RunEnd
from gpualert_slurm.series import Series

S = 1_000_000_000
AT = Where(node="w7", rank=0, step="run")


def end(*looks: tuple[int, int], names: tuple[str, ...] = ("python3",)) -> RunEnd:
    """An end with such looks."""
    cpu = RunCpu(processes=1, names=names, looks=looks)
    return RunEnd(format="gpualert-run-end/1", by="gpualert-run", ended=Instant(ns=9 * S, monotonic_ns=9 * S), cpu=cpu)


def test_percent_of_one_core_for_each_time_between_two_looks() -> None:
    read = cpu_series(end((2 * S, 1000), (4 * S, 3000), (8 * S, 3100)), AT)
    assert isinstance(read, Series)
    assert (read.name, read.where, read.times_ns, read.values) == ("cpu_percent", AT, (4 * S, 8 * S), (100.0, 2.5))


def test_a_count_that_fell_says_nothing_of_its_time() -> None:
    """A process left the tree, and took with it what it had used."""
    read = cpu_series(end((2 * S, 5000), (4 * S, 900), (6 * S, 1000)), AT)
    assert isinstance(read, Series)
    assert (read.times_ns, read.values) == ((6 * S,), (5.0,))


@pytest.mark.parametrize("name", ["srun", "ssh", "docker", "mpirun"])
def test_clients_of_what_works_elsewhere_are_a_gap(name: str) -> None:
    """They sleep while their job works. Near miss: a program with such a name in its own."""
    read = cpu_series(end((2 * S, 0), (4 * S, 0), names=("bash", name)), AT)
    assert isinstance(read, Gap)
    assert name in read.why
    assert isinstance(cpu_series(end((2 * S, 0), (4 * S, 0), names=("bash", f"{name}-sim")), AT), Series)


def test_too_few_looks_are_none() -> None:
    assert cpu_series(end(), AT) is None
    assert cpu_series(end((2 * S, 10)), AT) is None


@pytest.mark.parametrize("looks", [((-1, 0),), ((0, -1),), ((1 << 63, 0),), ((0, 10**400),), ((1,),), (("x", 1),)])
def test_counts_that_cannot_be_are_refused(looks: tuple[object, ...]) -> None:
    with pytest.raises(ValidationError):
        RunCpu.model_validate({"looks": looks})


@given(st.lists(st.tuples(st.integers(0, (1 << 63) - 1), st.integers(0, (1 << 63) - 1)), max_size=12))
def test_any_looks_can_be_read(looks: list[tuple[int, int]]) -> None:
    """Also of clocks that were set back."""
    read = cpu_series(end(*looks), AT)
    assert read is None or (isinstance(read, Series) and len(read.times_ns) == len(read.values) and min(read.values) >= 0)
