"""One mail about many runs."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.cause import Cause
from gpualert_slurm.notification import Notification
from gpualert_slurm.notify.digest import Digest, compose_digest
from gpualert_slurm.notify.grouping import Kind
from gpualert_slurm.notify.render import MAX_HTML_BYTES
from gpualert_slurm.verdict import Verdict
from tests.unit.notify.cases import CASES, MAIL, START, ZONE, S

GOLDENS = Path(__file__).parent / "goldens"


def task(number: int, case: str = "startup_crash", **changes: object) -> Verdict:
    """A task of array 4300."""
    verdict = CASES[case]()[0]
    attempt = Attempt(cluster="mendel", job_id=4300 + number, array_job_id=4300, array_task_id=number, start_time_ns=START)
    return verdict.model_copy(update={"attempt": attempt, "ended_ns": START + number * 60 * S, **changes})


def digest(verdicts: list[Verdict], kind: Kind = Kind.ARRAY, **changes: object) -> Notification:
    composed = compose_digest(verdicts, Digest("digest.array.1", kind, ("alice@example.org",), **changes), MAIL, ZONE)  # type: ignore[arg-type]
    assert composed.notification is not None
    return composed.notification


ARRAY = [
    *(task(i) for i in range(5)),
    *(task(i, cause=Cause.CUDA_OOM, mode="B1", title="GPU out of memory", headline="rank 0 on n1: CUDA out of memory", variant=None) for i in range(5, 8)),
    *(task(i, "healthy") for i in range(8, 20)),
    task(20, "node_fault"),
]


def test_the_array_s_digest_is_the_one_we_looked_at(golden):
    """After a wanted change: --update-goldens, then read the diff and look at the HTML."""
    mail = digest(ARRAY)
    golden(GOLDENS / "array_digest.txt", f"Subject: {mail.subject}\n\n{mail.text}")
    golden(GOLDENS / "array_digest.html", mail.html)


def test_it_says_each_cause_once_with_its_tasks_folded():
    text = digest(ARRAY).text.partition("By cause")[2]
    for words in ("5 × Startup crash (data): a file is not there", "tasks 0-4 of 4300", "3 × GPU out of memory", "tasks 5-7 of 4300", "12 × Healthy", "tasks 8-19 of 4300", "1 × GPU hardware fault", "task 20 of 4300"):
        assert text.count(words) == 1, words
    assert text.index("GPU hardware fault") < text.index("Startup crash"), "what the staff must act on comes first"


def test_an_answer_in_the_thread_keeps_the_subject_and_says_what_is_new_in_the_first_line():
    mail = digest(ARRAY, first_subject="[gpualert] job 4300_0 train-7b FAILED: x")
    assert mail.subject == "Re: [gpualert] job 4300_0 train-7b FAILED: x"
    assert mail.thread == "mendel.4300"
    assert "9 of 21 need a look" in mail.text.splitlines()[0]


def test_what_was_suppressed_is_counted():
    mail = digest(ARRAY[:3], Kind.LIMIT, held_back=True)
    assert "3 mails suppressed" in mail.text
    assert mail.thread is None


@pytest.mark.parametrize("count", [1, 40, 500])
def test_it_stays_within_its_size_whatever_its_length(count):
    verdicts = [task(i, headline=f"rank {i}: " + "x" * 400, fingerprint=f"f{i}") for i in range(count)]
    mail = digest(verdicts)
    assert len(mail.html.encode()) <= MAX_HTML_BYTES
    assert str(count) in mail.text.splitlines()[0]
    archive = zipfile.ZipFile(io.BytesIO(mail.attachments[0].content))
    assert len(archive.namelist()) == count
    assert json.loads(archive.read(archive.namelist()[0]))["format"] == "gpualert-verdict/1"


def test_hostile_names_do_nothing_and_secrets_stay():
    verdicts = [task(i, job_name="<script>\x1b[31m=?UTF-8?Q?=0A?=x", headline="token=hf_abcdefghijklmnopqrstuvwxyz123456 <b>") for i in range(2)]
    mail = digest(verdicts)
    assert "<script>" not in mail.html
    for part in (mail.text, mail.html, mail.subject):
        assert "\x1b" not in part
        assert "hf_abcdefghijklmnop" not in part
    assert "<b>" not in mail.html
    assert "=?" not in mail.subject
    archive = zipfile.ZipFile(io.BytesIO(mail.attachments[0].content))
    assert not any(b"hf_abcdefghijklmnop" in archive.read(name) for name in archive.namelist())


def test_nobody_is_written_to_who_is_not_allowed():
    composed = compose_digest(ARRAY[:2], Digest("k", Kind.ARRAY, ("eve@evil.example",)), MAIL)
    assert composed.notification is None
    assert "evil.example" in composed.reason


def test_the_same_digest_twice_is_the_same_message():
    assert digest(ARRAY) == digest(ARRAY)
