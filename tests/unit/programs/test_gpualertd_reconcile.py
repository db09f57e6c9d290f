"""What an owner asked for, read from Slurm's accounting: the command line is user text, and the only place that says it."""

from __future__ import annotations

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.epilog.attempts import attempts
from gpualert_slurm.epilog.merge import merge
from gpualert_slurm.programs.gpualertd.reconcile import note_of, wishes_of
from gpualert_slurm.wishes import When, Wishes
from tests.unit.epilog.runs import T0, S, row


@pytest.mark.parametrize(
    ("line", "wishes"),
    [
        ("sbatch --gpualert-mail=a@x.org,b@x.org train.sh", Wishes(addresses=("a@x.org", "b@x.org"))),
        ("srun --gpualert-mail 'a@x.org' --gpualert-when=problem x", Wishes(addresses=("a@x.org",), when=When.PROBLEM)),
        ("sbatch --gpualert-mail=none train.sh", None),
        ("sbatch train.sh", None),
        (None, None),
    ],
)
def test_the_command_line(line: str | None, wishes: Wishes | None) -> None:
    assert wishes_of(row(submit_line=line), Mail()) == wishes


@pytest.mark.parametrize(("notify", "tres", "found"), [("all", None, True), ("gpu", "cpu=4,gres/gpu=2", True), ("gpu", "cpu=4", False), ("opt-in", "gres/gpu=2", False)])
def test_the_sites_policy_is_about_jobs_that_did_not_ask(notify: str, tres: str | None, found: bool) -> None:
    mail = Mail.model_validate({"notify": notify})
    assert (wishes_of(row(submit_line="sbatch x", tres_alloc=tres), mail) == Wishes()) is found
    assert wishes_of(row(submit_line="sbatch --gpualert-mail=none x", tres_alloc=tres), mail) is None


def test_a_job_that_its_owner_withdrew_is_no_news() -> None:
    """One that somebody else, or Slurm, ended before it ran is."""
    never = {"node_list": None, "submit_line": "sbatch --gpualert-mail=a@x.org x"}
    assert wishes_of(row("CANCELLED", cancelled_by_uid=1000, **never), Mail()) is None  # type: ignore[arg-type]
    assert wishes_of(row("CANCELLED", cancelled_by_uid=0, **never), Mail()) is not None  # type: ignore[arg-type]
    assert wishes_of(row("BOOT_FAIL", **never), Mail()) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("start_s", [0, None])
def test_the_note_belongs_to_its_row(start_s: int | None) -> None:
    """Also where the job never started, and an earlier attempt of it had."""
    earlier = row("REQUEUED", start_s=-500, end_s=-400, steps=())
    ours = row("NODE_FAIL", start_s=start_s, steps=(), **({} if start_s is not None else {"node_list": None}))
    note = note_of(ours, 1000, Wishes(addresses=("a@x.org",)), T0 + 99 * S)
    tries = attempts([note], [], [earlier, ours])
    assert [t.row for t in tries if t.documents] == [ours]
    record = merge(tries[-1].notes, (), [earlier, ours])
    assert (record.wishes.addresses, record.started_ns) == (("a@x.org",), ours.start_ns)
