"""What an owner asked for, read from Slurm's accounting: the command line is user text, and the only place that says it."""

from __future__ import annotations

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.epilog.attempts import attempts
from gpualert_slurm.epilog.batch_scripts import words_of
from gpualert_slurm.epilog.merge import merge
from gpualert_slurm.programs.gpualertd.reconcile import note_of
from gpualert_slurm.programs.gpualertd.wished import script_may_tell, wishes_of
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


RULE = "-" * 80
SCRIPT = f"Batch Script for 12\n{RULE}\n#!/bin/bash\n\n#SBATCH -N2 --time=10\n# a remark\n  #SBATCH --gpualert-mail=a@x.org --gpualert-when=problem # mine\nmodule load x\n#SBATCH --gpualert-mail=late@x.org\n"


def test_sbatch_lines_are_read_up_to_the_first_command() -> None:
    assert words_of(SCRIPT, 12) == "-N2 --time=10 --gpualert-mail=a@x.org --gpualert-when=problem"
    assert wishes_of(row(submit_line="sbatch x.sh"), Mail(), words_of(SCRIPT, 12)) == Wishes(addresses=("a@x.org",), when=When.PROBLEM)


@pytest.mark.parametrize("said", ["", "NONE\n", f"Batch Script for 12\n{RULE}\nNONE\n", "Batch Script for 12\n", SCRIPT.replace("12", "13"), f"x\n{SCRIPT}"])
def test_what_is_no_script_of_that_job_says_nothing(said: str) -> None:
    assert words_of(said, 12) == ""


def test_the_first_that_speaks_of_it_counts() -> None:
    """The command line overrides the script, as for sbatch; a comment may be a plugin's word for both."""
    both = row(submit_line="sbatch --gpualert-mail=line@x.org x", comment="--gpualert-mail=comment@x.org")
    assert wishes_of(both, Mail(), "--gpualert-mail=script@x.org") == Wishes(addresses=("line@x.org",))
    none = both.model_copy(update={"submit_line": "sbatch x"})
    assert wishes_of(none, Mail(), "--gpualert-mail=script@x.org") == Wishes(addresses=("script@x.org",))
    assert wishes_of(none, Mail()) == Wishes(addresses=("comment@x.org",))
    assert wishes_of(none, Mail(), "--gpualert-mail=none") is None
    admins = row(submit_line="sbatch x", admin_comment="site: --gpualert-mail=admin@x.org")
    assert wishes_of(admins, Mail()) == Wishes(addresses=("admin@x.org",))


@pytest.mark.parametrize(("state", "nodes", "asked"), [("NODE_FAIL", "n1", True), ("BOOT_FAIL", None, True), ("FAILED", "n1", False), ("DEADLINE", None, True), ("COMPLETED", "n1", False)])
def test_a_script_is_asked_for_where_no_node_can_tell(state: str, nodes: str | None, asked: bool) -> None:
    assert script_may_tell(row(state, node_list=nodes)) is asked
    assert not script_may_tell(row("CANCELLED", node_list=None, cancelled_by_uid=1000))


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
