"""From several verdicts to one message. Pure, as ``compose`` is."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Attachment, LeftOut, Notification
from gpualert_slurm.notify import words
from gpualert_slurm.notify.attachments import Candidate, fit, verdict_candidate
from gpualert_slurm.notify.compose import HEADER_BYTES, Composition, quoted_bytes
from gpualert_slurm.notify.digest_view import DIGEST_LIMITS, DigestView, build_digest_view
from gpualert_slurm.notify.grouping import Kind
from gpualert_slurm.notify.headers import HEADER_CHARS, file_name, header_text
from gpualert_slurm.notify.identity import thread_key
from gpualert_slurm.notify.recipients import choose
from gpualert_slurm.notify.redact import Redactor, summary
from gpualert_slurm.notify.render import MAX_HTML_BYTES, as_html, as_text
from gpualert_slurm.notify.view import Enclosed
from gpualert_slurm.verdict import Verdict

ZIP_NAME = "verdicts.zip"
ZIP_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""The same digest composed twice is the same message."""


@dataclass(frozen=True)
class Digest:
    """What is to be told together: ``key`` was fixed when it was planned, ``addresses`` are those the owner asked for."""

    key: str
    kind: Kind
    addresses: tuple[str, ...]
    held_back: bool = False
    first_subject: str | None = None


def compose_digest(verdicts: Sequence[Verdict], digest: Digest, mail: Mail, zone: tzinfo | None = None) -> Composition:
    """The message about ``verdicts`` (at least one), or the reason why nobody is written to."""
    to = choose(digest.addresses, mail)
    if not to.allowed:
        return Composition(None, "no address that may be written to: " + "; ".join(f"{shown}: {why}" for shown, why in to.refused), to.refused)
    redactor = Redactor()
    clean = [redactor.verdict(v) for v in verdicts]
    zipped, left_out = _zip(clean, redactor, mail.max_message_bytes // 2)
    absent = (*(LeftOut(path=f"copy for {shown}", reason=why) for shown, why in to.refused), *left_out)
    for limits in DIGEST_LIMITS:
        view = build_digest_view(clean, digest.kind, mail, held_back=digest.held_back, limits=limits, zone=zone)
        view = replace(view, redacted=summary(redactor.counts), left_out=absent, enclosed=_enclosed([zipped]))
        text, html = as_text(view, "digest.txt.j2"), as_html(view, "digest.html.j2")
        bodies = quoted_bytes(text) + quoted_bytes(html) + HEADER_BYTES
        if len(html.encode()) <= MAX_HTML_BYTES and bodies <= mail.max_message_bytes // 2:
            break
    taken, too_much = fit([zipped], mail.max_message_bytes - bodies)
    view = replace(view, left_out=(*absent, *too_much), enclosed=_enclosed(taken))
    in_thread = digest.kind in (Kind.ARRAY, Kind.HET)
    return Composition(
        Notification(
            key=digest.key,
            recipients=to.allowed,
            subject=f"Re: {digest.first_subject}" if in_thread and digest.first_subject else view.subject,
            text=as_text(view, "digest.txt.j2"),
            html=as_html(view, "digest.html.j2"),
            thread=thread_key(clean[0]) if in_thread else None,
            headers=_headers(clean, view),
            attachments=tuple(c.attachment for c in taken),
            left_out=(*absent, *too_much),
        ),
        "",
        to.refused,
        sum(redactor.counts.values()),
    )


def _headers(verdicts: Sequence[Verdict], view: DigestView) -> dict[str, str]:
    first = verdicts[0].attempt
    shared = first.array_job_id if first.array_job_id is not None else first.het_job_id
    found = {
        "X-GPUAlert-Job": f"{first.cluster}/{shared if shared is not None else 'several'}",
        "X-GPUAlert-Digest": f"{len(verdicts)} runs, {len(view.causes)} causes",
        "X-GPUAlert-Fault": verdicts[0].fault.value if len({v.fault for v in verdicts}) == 1 else "several",
    }
    return {name: header_text(value, HEADER_CHARS) for name, value in found.items()}


def _zip(verdicts: Sequence[Verdict], redactor: Redactor, max_bytes: int) -> tuple[Candidate, list[LeftOut]]:
    """``verdicts.zip`` with a file a run, as many as fit; and what did not."""
    out, left_out = io.BytesIO(), []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for number, verdict in enumerate(verdicts):
            body = verdict_candidate(verdict, redactor).attachment.content
            if out.tell() > max_bytes:
                rest = len(verdicts) - number
                left_out.append(LeftOut(path=f"{rest} of {len(verdicts)} verdicts", reason=f"{ZIP_NAME} may have {words.size(max_bytes)}"))
                break
            archive.writestr(zipfile.ZipInfo(file_name(f"{verdict.attempt.label}.verdict.json"), ZIP_FIXED_TIME), body, zipfile.ZIP_DEFLATED)
    content = out.getvalue()
    attachment = Attachment(filename=ZIP_NAME, media_type="application/zip", content=content)
    return Candidate(attachment, "the whole diagnosis of each run", ZIP_NAME, len(content)), left_out


def _enclosed(candidates: Sequence[Candidate]) -> tuple[Enclosed, ...]:
    return tuple(Enclosed(c.attachment.filename, words.size(len(c.attachment.content)), c.what) for c in candidates)
