"""Stall notes become one mail a standstill: gathered from the nodes, kept over a crash, never twice an hour, with an all-clear to whom was told."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import timezone
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from gpualert_slurm.config import Config, Mail
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.notify.stall_mail import compose_stall
from gpualert_slurm.programs.gpualertd.stall_desk import StallDesk
from gpualert_slurm.spank.watch.stall_frames import judged
from gpualert_slurm.stall import RankStand, Stall, StallNote
from gpualert_slurm.wishes import When, Wishes

TYPES = Path(__file__).parents[3] / "doc" / "types"
MAIL = Mail(allowed_domains=("example.org",), sender="gpualert@example.org")
LOADER = ("_try_get_data (torch/utils/data/dataloader.py:1131)", "train (train.py:30)")
PEERS = ("all_reduce (torch/distributed/distributed_c10d.py:2806)",)


def stand(rank: int, node: str, stack: tuple[str, ...], state: str = "S") -> RankStand:
    return judged(RankStand(node=node, pid=100 + rank, rank=rank, state=state, python_stack=stack))


def note(node: str = "n1", number: int = 1, kind: str = "stalled", ago_s: float = 60, **more: object) -> StallNote:
    """As a node writes it: two ranks, of which on n2 one waits in its loader."""
    made = StallNote.model_validate_json((TYPES / "StallNote.json").read_text())
    now = time.time_ns() - int(ago_s * 1e9)
    first = {"n1": 0, "n2": 2}[node]
    ranks = (stand(first, node, PEERS), stand(first + 1, node, LOADER if node == "n2" else PEERS))
    culprit = {"culprit_pid": 103, "culprit_rank": 3, "culprit_why": "waits in its data loader while 1 rank waits for a peer"} if node == "n2" else {"culprit_pid": None, "culprit_rank": None, "culprit_why": None}
    resumed = now if kind == "resumed" else None
    stall = Stall(node=node, found_ns=now, since_ns=now - 400 * 10**9, usual_interval_s=2.0, ranks=ranks, ranks_total=2, gpu_idle=False, resumed_ns=resumed, **culprit)
    return made.model_copy(update={"node": node, "number": number, "kind": kind, "stall": stall, "written_ns": now, **more})


@pytest.fixture
def desk(tmp_path: Path) -> Callable[[], tuple[StallDesk, Outbox]]:
    """A desk over the same folders each time it is asked for: a daemon that starts again."""

    def make() -> tuple[StallDesk, Outbox]:
        outbox = Outbox(tmp_path / "outbox")
        return StallDesk(tmp_path / "stalls", outbox, Config(mail=MAIL), gather_s=5), outbox

    return make


def queued(outbox: Outbox) -> list[str]:
    return sorted(path.name for state, path in outbox.messages() if state is State.QUEUED)


def test_nodes_of_one_job_make_one_mail_that_names_the_rank_and_the_command(desk, tmp_path):
    """Two notes; the mail counts the ranks of both, names the one in its loader, and says what to do."""
    made, outbox = desk()
    made.take(note("n1"))
    made.take(note("n2"))
    made.step()
    (name,) = queued(outbox)
    assert list((tmp_path / "stalls").glob("[0-9a-f]*")) == []
    composition = compose_stall([note("n1"), note("n2")], MAIL, timezone.utc)
    message = composition.notification
    assert " on 4 ranks; rank 3 waits in its data loader while 1 rank waits for a peer" in message.subject
    assert message.subject.startswith("[gpualert] job 4242 on mendel: no progress since ")
    assert re.search(r"Job 4242 on mendel: its last sign of progress was at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.", message.text)
    assert "    scancel 4242" in message.text
    assert "rank 0 on n1 (pid 100) waits in a collective: all_reduce (torch/distributed/distributed_c10d.py:2806)" in message.text
    assert "The stack of rank 3, innermost first" in message.text
    assert message.recipients == ("alice@example.org",)
    assert name.startswith("mendel.4242.stalled.")


def test_note_is_kept_over_a_crash_and_told_once(desk):
    """Taken, then the daemon dies; the next one tells; the same note again within the hour is not told again."""
    first, outbox = desk()
    first.take(note())
    second, outbox = desk()
    second.step()
    assert len(queued(outbox)) == 1
    second.take(note(number=2, ago_s=30))
    third, outbox = desk()
    third.step()
    assert len(queued(outbox)) == 1, "never twice an hour, whoever is asked"


def test_fresh_note_waits_for_the_other_nodes(desk):
    made, outbox = desk()
    made.take(note(ago_s=1))
    made.step()
    assert queued(outbox) == []


def test_nobody_is_waited_for_when_every_node_of_the_job_has_spoken(desk):
    """A job of one node hears at once; one of two when both have."""
    made, outbox = desk()
    made.take(note("n1", ago_s=0, nodes="n[1-2]"))
    made.step()
    assert queued(outbox) == []
    made.take(note("n2", ago_s=0, nodes="n[1-2]"))
    made.step()
    assert len(queued(outbox)) == 1


def test_all_clear_goes_only_to_whom_was_told_and_into_the_same_thread(desk):
    """A resumed run whose stall was never mailed is nobody's news."""
    made, outbox = desk()
    made.take(note(kind="resumed"))
    made.step()
    assert queued(outbox) == []
    made.take(note(ago_s=90))
    made.step()
    made.take(note(kind="resumed", ago_s=20))
    made.step()
    assert [name.split(".")[2] for name in queued(outbox)] == ["resumed", "stalled"]
    stalled, resumed = compose_stall([note()], MAIL).notification, compose_stall([note(kind="resumed")], MAIL).notification
    assert stalled.thread == resumed.thread == "mendel.4242"
    assert "all clear" in resumed.subject


def test_yesterdays_note_is_not_told_and_garbage_is_removed(desk, tmp_path):
    """The daemon was away for a day; a torn file lies there."""
    made, outbox = desk()
    made.take(note(ago_s=86400))
    (tmp_path / "stalls" / "abc").write_bytes(b"{")
    made.step()
    assert queued(outbox) == []
    assert [p for p in (tmp_path / "stalls").iterdir() if not p.name.startswith(".")] == []


def test_who_wants_no_mail_or_may_not_have_it_gets_none():
    """--gpualert-when=never, and an address of another domain."""
    assert compose_stall([note(wishes=Wishes(addresses=("a@example.org",), when=When.NEVER))], MAIL).notification is None
    refused = compose_stall([note(wishes=Wishes(addresses=("a@elsewhere.example",)))], MAIL)
    assert refused.notification is None
    assert refused.refused[0][0] == "a@elsewhere.example"


def test_hostile_frames_and_names_are_shown_not_obeyed():
    """Function names come from the job's memory: no escape sequence, no header, no markup gets through."""
    evil = stand(0, "n1\r\nBcc: x@example.org", ("tr\x1b[31main\r\nSubject: y <script>alert(1)</script> (x.py:1)",))
    bad = note().model_copy(update={"stall": Stall(node="n1", found_ns=1, since_ns=1, ranks=(evil,), ranks_total=1, culprit_pid=100, culprit_rank=0, culprit_why="is\r\nBcc: x")})
    message = compose_stall([bad], MAIL, timezone.utc).notification
    assert "\r" not in message.subject + message.text
    assert "\x1b" not in message.text
    assert "<script>" not in message.html
    assert len(message.subject.splitlines()) == 1


def test_message_as_it_leaves_is_a_mail_with_both_parts(desk, tmp_path):
    """What the outbox froze: subject, recipients, text and HTML."""
    made, outbox = desk()
    made.take(note("n2"))
    made.step()
    ((_, path),) = list(outbox.messages())
    content = path.read_bytes()
    at = content.index(b"From:")
    mail = message_from_bytes(content[at:], policy=policy.default)
    assert "rank 3" in mail["Subject"]
    assert mail["X-GPUAlert-Stall"] == "stalled"
    assert {part.get_content_type() for part in mail.walk()} >= {"text/plain", "text/html"}
