"""What goes into a mail, what stays out, and that the mail says so."""

from __future__ import annotations

import base64
import email
import io
import json
import re
import zipfile
from email import policy
from html.parser import HTMLParser

import pytest

from gpualert_slurm.artifact import Artifact
from gpualert_slurm.config import Mail, Site
from gpualert_slurm.evidence import Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.finding import Finding, Standing
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notification import Attachment, Notification
from gpualert_slurm.notify.compose import Drawn, compose
from gpualert_slurm.notify.message import build
from gpualert_slurm.notify.render import MAX_HTML_BYTES
from gpualert_slurm.notify.view import Picture
from gpualert_slurm.verdict import RankState, Verdict
from gpualert_slurm.wishes import When, Wishes
from tests.unit.notify import cases
from tests.unit.notify.cases import CASES, MAIL, ZONE


def composed(verdict: Verdict | None = None, job: JobRecord | None = None, mail: Mail = MAIL) -> Notification:
    notification = compose(verdict or cases.verdict(), job or cases.job(), mail, zone=ZONE).notification
    assert notification is not None
    return notification


def with_report(**changes: object) -> JobRecord:
    job = cases.job()
    return job.model_copy(update={"reports": (job.reports[0], job.reports[1].model_copy(update=changes))})


class Markup(HTMLParser):
    """Every tag with its attributes, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


# Who hears.


@pytest.mark.parametrize(
    ("when", "case", "mailed"),
    [
        (When.ALWAYS, "healthy", True), (When.PROBLEM, "healthy", False), (When.PROBLEM, "cancelled", False), (When.PROBLEM, "startup_crash", True),
        (When.PROBLEM, "done_but_bad", True), (When.PROBLEM, "timeout", True), (When.NEVER, "startup_crash", False),
    ],
)  # fmt: skip
def test_the_owners_wish_decides_whether_there_is_mail(when, case, mailed):
    """A run that is done but bad is a problem; one that its owner cancelled is none."""
    verdict, job = CASES[case]()
    wishes = job.wishes.model_copy(update={"when": when})
    found = compose(verdict, job.model_copy(update={"wishes": wishes}), MAIL)
    assert (found.notification is not None) is mailed
    assert bool(found.reason) is not mailed


def test_who_opted_out_gets_nothing():
    assert compose(cases.verdict(), cases.job(wishes=Wishes()), MAIL).reason == "nobody asked for mail"


def test_nobody_allowed_means_no_mail_and_a_reason_that_names_them():
    found = compose(cases.verdict(), cases.job(), Mail(allowed_domains=("other.org",)))
    assert found.notification is None
    assert "alice@example.org: example.org is not in mail.allowed_domains" in found.reason


def test_a_refused_copy_is_named_in_the_mail():
    job = cases.job(wishes=Wishes(addresses=("alice@example.org,boss@evil.net",)))
    found = compose(cases.verdict(), job, MAIL, zone=ZONE)
    assert found.notification is not None
    assert found.notification.recipients == ("alice@example.org",)
    assert found.refused[0][0] == "boss@evil.net"
    assert "copy for boss@evil.net" in found.notification.text
    assert "boss@evil.net" in found.notification.html


# Identity.


def test_the_same_verdict_twice_is_one_message():
    first, again = composed(), composed()
    assert first == again
    assert build(first, MAIL, 1)[0].message_id == build(again, MAIL, 2)[0].message_id


def test_a_requeued_run_is_another_message_in_the_same_thread():
    attempt = cases.verdict().attempt
    rerun = composed(cases.verdict(attempt=attempt.model_copy(update={"restart_count": 1, "start_time_ns": cases.START + 10**12})))
    assert rerun.key != composed().key
    assert rerun.thread == composed().thread


def test_runs_that_share_a_job_id_are_different_messages():
    """Job ids wrap, and two clusters count alike."""
    attempt = cases.verdict().attempt
    others = [{"cluster": "other"}, {"start_time_ns": cases.START + 10**18}, {"sluid": "s5BR4TSZJR00000"}, {"array_job_id": 4242, "array_task_id": 1}]
    keys = {composed(cases.verdict(attempt=attempt.model_copy(update=change))).key for change in others}
    assert len(keys | {composed().key}) == 5


def test_a_cluster_without_a_name_takes_the_sites():
    attempt = cases.verdict().attempt.model_copy(update={"cluster": ""})
    found = compose(cases.verdict(attempt=attempt), cases.job(), MAIL, Site(cluster="mendel"), ZONE)
    assert found.notification is not None
    assert found.notification.headers["X-GPUAlert-Job"] == "mendel/4242"


# Parts.


@pytest.mark.parametrize("name", CASES)
def test_the_subject_says_it_all(name):
    verdict, job = CASES[name]()
    subject = composed(verdict, job).subject
    assert subject.startswith("[gpualert] ")
    assert verdict.headline in subject
    assert len(subject) <= 150


def test_the_subject_does_not_say_the_state_twice():
    verdict, job = CASES["healthy"]()
    subject = composed(verdict.model_copy(update={"headline": "completed: 500 steps, loss 0.1"}), job).subject
    assert subject == "[gpualert] job 4242 train-7b COMPLETED: 500 steps, loss 0.1"


@pytest.mark.parametrize("name", CASES)
def test_both_parts_say_the_same(name):
    """Every string of the verdict that the text shows, the HTML shows too."""
    verdict, job = CASES[name]()
    mail = composed(verdict, job)
    html = " ".join(" ".join(Markup(mail.html).words).split())
    text = " ".join(mail.text.split())
    for said in (verdict.headline, *verdict.implies, *verdict.cannot_decide, *(c.text for c in (*verdict.shows, *verdict.warnings)), *(str(g) for g in verdict.gaps)):
        assert said in text
        assert said in html
    for item in mail.left_out:
        assert item.path in text
        assert item.path in html
        assert item.reason in text
    for attachment in mail.attachments:
        assert attachment.filename in text
        assert attachment.filename in html


@pytest.mark.parametrize("name", CASES)
def test_the_html_keeps_to_what_mail_clients_can(name):
    """No SVG, no data: or remote resource, no script, little style block, small enough for Gmail, every picture with words."""
    html = composed(*CASES[name]()).html
    assert len(html.encode()) <= MAX_HTML_BYTES
    markup = Markup(html)
    tags = {tag for tag, _ in markup.tags}
    assert not tags & {"svg", "script", "link", "iframe", "form", "object", "video", "meter", "progress"}
    links = [value or "" for _, attributes in markup.tags for key, value in attributes.items() if key in ("src", "href", "background", "srcset")]
    assert all(link.startswith("cid:") for link in links)
    assert "url(" not in html
    assert "data:" not in html
    assert "javascript:" not in html
    styles = "".join(re.findall(r"<style>(.*?)</style>", html, re.DOTALL))
    assert len(styles) <= 16_384
    assert "var(" not in html
    assert "flex" not in html
    cells = [attributes for tag, attributes in markup.tags if tag == "td" and "class" in attributes]
    assert cells
    assert all(attributes.get("style") for attributes in cells), "a cell whose style was not inlined"
    assert all(attributes.get("alt") for tag, attributes in markup.tags if tag == "img")


@pytest.mark.parametrize("name", CASES)
def test_severity_is_said_in_words_and_by_a_symbol_not_by_colour_alone(name):
    mail = composed(*CASES[name]())
    first = mail.text.splitlines()[0]
    assert first[0] in "✖▲■✔"
    assert len(first.split()) > 2
    assert first in " ".join(Markup(mail.html).words)


# Hostile text.

MARKUP = "<script>alert(1)</script><img src=x onerror=y>&amp;\"'>"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202ereversed\x00"


def hostile(text: str) -> tuple[Verdict, JobRecord]:
    """A job whose owner put ``text`` wherever an owner can put text."""
    verdict = cases.verdict(
        job_name=text, headline=text, title=text, variant=text, detail=text, blast_radius=text, fingerprint=text, mode="unknown",
        evidence=(cases.quote(text, node=text),), shows=({"text": text, "evidence": ("q1",)},), warnings=({"text": text, "evidence": ("q1",)},),
        implies=(text,), cannot_decide=(text,), advice=(text,), last_lines=(text,), nodes=(text, "n2"), user=text, state=text, final_metrics={text: 1.0},
        gaps=(Gap(what=text, why=text, node=text),), ledger=(Finding(mode=text, title=text, standing=Standing.IN, datum=text, flip=text),),
        ranks=(RankState(node=text, step=text, rank=0, exit_code=1, words=text),),
    )  # fmt: skip
    job = cases.job(name=text, work_dir=text)
    report = job.reports[1].model_copy(
        update={
            "node": text,
            "archive_path": text,
            "excerpts": (Excerpt(path=text, where=Where(node=text, rank=0), stream=text, head=text, tail=text, bytes_total=9, bytes_left_out=1),),
            "artifacts": (Artifact(path=text, content=base64.b64encode(text.encode()).decode()), Artifact(path=text, left_out=text)),
        }
    )
    account = job.accounting[0].model_copy(update={"account": text, "partition": text, "qos": text, "reason": text, "submit_line": text})
    return verdict, job.model_copy(update={"reports": (report,), "accounting": (account,)})


def test_markup_from_a_job_is_text():
    mail = composed(*hostile(MARKUP))
    plain = composed(*hostile("harmless"))
    assert [tag for tag, _ in Markup(mail.html).tags] == [tag for tag, _ in Markup(plain.html).tags]
    assert "<script" not in mail.html
    assert "onerror=y&gt;" in mail.html


def test_terminal_escapes_from_a_job_reach_no_terminal():
    """Neither in the parts, nor in the subject, nor in text attachments that we make, nor in a name."""
    mail = composed(*hostile(ESCAPES))
    for where in (mail.text, mail.html, mail.subject, *mail.headers.values(), *(a.filename for a in mail.attachments), *(i.path + i.reason for i in mail.left_out)):
        assert not set(where) & set("\x1b\x9b\x00\x07\u202e")
    for attachment in (a for a in mail.attachments if a.filename.endswith((".log.txt", ".json"))):
        assert not set(attachment.content) & {0x1B, 0x00, 0x07}


def test_template_syntax_from_a_job_is_text():
    mail = composed(*hostile("{{ 7 * 7 }}{% raw %}"))
    assert "{{ 7 * 7 }}" in mail.text
    assert "{{ 7 * 7 }}" in mail.html


def test_secrets_leave_nowhere():
    """Not in a part, a header, a name, a log, a text artifact or verdict.json; and the mail says how many were taken out."""
    secret = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"[:34]
    mail = composed(*hostile(f"token {secret} here"))
    assert secret not in json.dumps(mail.model_dump(mode="json", exclude={"attachments"}))
    for attachment in mail.attachments:
        assert secret.encode() not in attachment.content
    own = next(a for a in mail.attachments if a.filename == "verdict.json")
    assert json.loads(own.content)["redactions"]["hub token"] > 10
    assert Verdict.model_validate_json(own.content).evidence[0].data["redacted"] is True
    assert "hub token" in mail.text
    assert "hash no longer fits" in mail.text


# Budget.


def artifact(name: str, size: int) -> Artifact:
    return Artifact(path=name, size_bytes=size, content=base64.b64encode(bytes(range(256)) * (size // 256 + 1)).decode())


@pytest.mark.parametrize("max_bytes", [65_537, 100_000, 300_000, 5_242_880])
def test_a_message_never_exceeds_its_budget_and_names_what_stayed_behind(max_bytes):
    job = with_report(artifacts=tuple(artifact(f"out/{i}.bin", 20_000 * (i + 1)) for i in range(12)))
    mail = MAIL.model_copy(update={"max_message_bytes": max_bytes})
    notification = composed(job=job, mail=mail)
    _, raw = build(notification, mail, 1)
    assert len(raw) <= max_bytes
    carried = {a.filename for a in notification.attachments}
    named = {item.path for item in notification.left_out}
    for i in range(12):
        assert (f"{i}.bin" in carried) != (f"out/{i}.bin" in named), "each is either there or named"
    assert "verdict.json" in carried
    for item in notification.left_out:
        assert item.reason
        assert item.size_bytes


def test_many_left_out_files_are_all_listed_in_an_attachment():
    job = with_report(artifacts=tuple(Artifact(path=f"ckpt/{i}.pt", size_bytes=10**9, left_out="larger than 1 MiB") for i in range(500)))
    notification = composed(job=job)
    listing = next(a for a in notification.attachments if a.filename == "left-out.txt").content.decode()
    assert all(f"ckpt/{i}.pt" in listing for i in range(500))
    assert "480 more files" in notification.text
    assert len(notification.html.encode()) <= MAX_HTML_BYTES


def test_the_failing_ranks_log_comes_first_and_says_what_is_missing():
    logs = tuple(
        Excerpt(path=f"/s/0.{r}.err", where=Where(node="n2", rank=r), stream="err", head=f"head {r}\n", tail=f"tail {r}\n", bytes_total=10**6, bytes_left_out=10**6 - 14)
        for r in (0, 1, 3)
    )
    names = [a.filename for a in composed(job=with_report(excerpts=logs)).attachments]
    assert names[:4] == ["verdict.json", "rank3-0.3.err.log.txt", "rank0-0.0.err.log.txt", "rank1-0.1.err.log.txt"]
    content = composed(job=with_report(excerpts=logs)).attachments[1].content.decode()
    assert "999986 bytes" in content
    assert content.index("head 3") < content.index("left out here") < content.index("tail 3")
    assert "/s/0.3.err on n2" in content


def test_a_large_log_is_zipped_and_whole_inside():
    log = Excerpt(path="/s/0.3.err", where=Where(rank=3), stream="err", head="", tail="a line of log\n" * 6000, bytes_total=84_000, bytes_left_out=0)
    attachment = composed(job=with_report(excerpts=(log,))).attachments[1]
    assert attachment.filename == "rank3-0.3.err.log.zip"
    with zipfile.ZipFile(io.BytesIO(attachment.content)) as archive:
        assert archive.read("rank3-0.3.err.log.txt").decode().count("a line of log\n") == 6000


def test_two_artifacts_of_one_name_are_two_attachments():
    job = with_report(artifacts=(artifact("a/config.yaml", 10), artifact("b/config.yaml", 10)))
    names = [a.filename for a in composed(job=job).attachments]
    assert len(names) == len(set(names))
    assert {"config.yaml", "config-2.yaml"} <= set(names)


def test_an_enormous_verdict_still_fits_and_says_what_is_not_shown():
    evidence = tuple(cases.quote("x" * 3000 + f" {i}", name=f"e{i}", line=i) for i in range(300))
    claims = tuple({"text": f"claim {i} " + "y" * 5000, "evidence": (f"e{i}", f"e{i + 1}")} for i in range(299))
    ledger = tuple(Finding(mode=f"M{i}", title="t" * 2000, standing=Standing.OUT, datum="d" * 2000, flip="f" * 2000) for i in range(60))
    ranks = tuple(RankState(node=f"n{i}", step="0", rank=i, exit_code=i % 200 + 1, words=f"exit code {i % 200 + 1}") for i in range(4096))
    verdict = cases.verdict(
        evidence=evidence, shows=claims, warnings=claims, ledger=ledger, ranks=ranks, failed_ranks=ranks, implies=("z" * 9000,) * 50, headline="h" * 9000, job_name="j" * 500
    )
    notification = composed(verdict, cases.job(gaps=tuple(Gap(what=f"thing {i}", why="w" * 900) for i in range(200))))
    assert len(notification.html.encode()) <= MAX_HTML_BYTES
    assert len(build(notification, MAIL, 1)[1]) <= MAIL.max_message_bytes
    assert "more statements with evidence: see verdict.json" in notification.text
    assert "more gaps" in notification.text
    assert len(notification.subject) <= 150


def test_a_thousand_peers_that_ended_alike_are_one_row():
    ranks = tuple(RankState(node=f"n{r // 8}", step="0", rank=r, signal=15, words="SIGTERM", end_time_ns=cases.START) for r in range(1024) if r != 3)
    dead = RankState(node="n0", step="0", rank=3, exit_code=1, words="exit code 1", end_time_ns=cases.START)
    text = composed(cases.verdict(ranks=(*ranks, dead))).text
    assert "SIGTERM: ranks 0-2,4-1023 on n[0-127]" in text
    assert "first exit code 1: rank 3 on n0" in text


# Pictures.

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


def drawn(padding: int = 0) -> Drawn:
    attachment = Attachment(filename="loss.png", media_type="image/png", content=PNG + bytes(padding), content_id="loss@gpualert")
    return Drawn(attachment, Picture("loss@gpualert", "Loss fell from 8 to 2 until step 220 <failed>", 640, 240))


def test_a_picture_is_shown_by_content_id_with_words_for_who_cannot_see_it():
    """Inside multipart/related beside the HTML, as no client shows data: images."""
    notification = compose(cases.verdict(), cases.job(), MAIL, zone=ZONE, pictures=(drawn(),)).notification
    assert notification is not None
    images = [attributes for tag, attributes in Markup(notification.html).tags if tag == "img"]
    assert [(i["src"], i["alt"]) for i in images] == [("cid:loss@gpualert", "Loss fell from 8 to 2 until step 220 <failed>")]
    assert "loss.png" not in notification.text, "it is no attachment to open"
    message = email.message_from_bytes(build(notification, MAIL, 1)[1], policy=policy.default)
    related = next(part for part in message.walk() if part.get_content_type() == "multipart/related")
    html, picture = related.iter_parts()  # type: ignore[attr-defined]
    assert html.get_content_type() == "text/html"
    assert (picture["Content-ID"], picture.get_content_disposition(), picture.get_content()) == ("<loss@gpualert>", "inline", PNG)


def test_a_picture_that_does_not_fit_is_named():
    mail = MAIL.model_copy(update={"max_message_bytes": 200_000})
    notification = compose(cases.verdict(), cases.job(), mail, zone=ZONE, pictures=(drawn(300_000),)).notification
    assert notification is not None
    assert "<img" not in notification.html
    assert "not attached: picture: Loss fell" in notification.text


def test_a_list_that_has_no_room_either_is_said_to_have_none():
    job = with_report(artifacts=tuple(Artifact(path=f"a/very/long/path/to/checkpoint/number/{i}.pt", left_out="larger than 1 MiB") for i in range(3000)))
    notification = composed(job=job, mail=MAIL.model_copy(update={"max_message_bytes": 65_537}))
    assert "left-out.txt" not in {a.filename for a in notification.attachments}
    assert "no room for the list of them" in notification.text
    assert len(notification.left_out) >= 3000
