"""What a plan is told of the last day's mails: those of its runs' groups and addresses, before and after a start anew."""

from __future__ import annotations

from pathlib import Path

from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.notification import Notification
from gpualert_slurm.notify.grouping import REMEMBERED_NS, Waiting
from gpualert_slurm.programs.gpualertd.mailed import MailedLately
from tests.unit.epilog.runs import T0, S, note

A, B, C = "a@example.org", "B@example.org", "c@example.org"


def waits(run_id: int, *addresses: str) -> Waiting:
    return Waiting(run_id=run_id, cluster="c", uid=1000, addresses=addresses, problem=True, judged_ns=T0, fingerprint="f1")


def mail(history: History, number: int, at_ns: int, group: str, *recipients: str) -> None:
    run = history.add(note(job_id=number), T0).run
    history.mark_composed(run.id, Notification(key=f"k{number}", recipients=recipients, subject="s", text="t", html="h"), at_ns, group)


def test_groups_and_addresses_find_theirs_and_no_others(tmp_path: Path) -> None:
    history = History(tmp_path / "history.db")
    group = waits(1, A).group[1]
    mail(history, 1, T0, group, A)
    mail(history, 2, T0 + S, "one/2", A, B)
    mail(history, 3, T0 + 2 * S, "one/3", C)
    mail(history, 4, T0 + 3 * S, group, C)  # the allow-list took its first address out
    told = MailedLately(history)
    for lately in (told, MailedLately(history)):
        assert [m.at_ns for m in lately.about([waits(9, A)], T0 + 9 * S)] == [T0, T0 + S, T0 + 3 * S]
        assert [m.at_ns for m in lately.about([waits(9, "b@EXAMPLE.org")], T0 + 9 * S)] == [T0 + S]
    mail(history, 5, T0 + 10 * S, "one/5", B)
    told.add("one/5", (B,), T0 + 10 * S)
    for lately in (told, MailedLately(history)):
        assert [m.at_ns for m in lately.about([waits(9, B)], T0 + 11 * S)] == [T0 + S, T0 + 10 * S]
    assert [m.at_ns for m in told.about([waits(9, A), waits(10, B)], T0 + S + REMEMBERED_NS + 1)] == [T0 + 3 * S, T0 + 10 * S]
    history.close()
