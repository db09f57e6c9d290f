"""From verdict to message. Pure: no clock, no file, no network; the outbox dates and freezes what comes out."""

from __future__ import annotations

import logging
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from gpualert_slurm.config import Mail, Site
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notification import Attachment, LeftOut, Notification
from gpualert_slurm.notify import words
from gpualert_slurm.notify.attachments import (
    LIST_NAME,
    LISTED,
    TOO_LARGE,
    Candidate,
    artifact_candidates,
    fit,
    left_out_list,
    log_candidates,
    unique_names,
    verdict_candidate,
    wire_bytes,
)
from gpualert_slurm.notify.headers import HEADER_CHARS, header_text
from gpualert_slurm.notify.identity import message_key, thread_key
from gpualert_slurm.notify.recipients import Recipients, choose
from gpualert_slurm.notify.redact import Redactor, summary
from gpualert_slurm.notify.render import MAX_HTML_BYTES, as_html, as_text
from gpualert_slurm.notify.view import LIMITS, Enclosed, Limits, Picture, View
from gpualert_slurm.notify.view_builder import build_view
from gpualert_slurm.verdict import Verdict
from gpualert_slurm.wishes import When, Wishes

log = logging.getLogger(__name__)

AS_IT_IS = string.printable.replace("=", "").encode()
HEADER_BYTES = 4096
"""Headers and boundaries of the whole message, generously."""


@dataclass(frozen=True)
class Composition:
    """A message, or why there is none. ``refused`` are (address, why not), whether or not others remain."""

    notification: Notification | None
    reason: str = ""
    refused: tuple[tuple[str, str], ...] = ()
    redactions: int = 0


@dataclass(frozen=True)
class Drawn:
    """A picture that somebody drew for this mail: the PNG, whose ``content_id`` is the picture's, and how it is shown."""

    attachment: Attachment
    picture: Picture


def compose(
    verdict: Verdict, job: JobRecord, mail: Mail, site: Site | None = None, zone: tzinfo | None = None, *, pictures: Sequence[Drawn] = (),
    no_pictures: str = "",
) -> Composition:
    """The message about ``verdict`` for those who asked in ``job.wishes``, or the reason why nobody is written to.

    Args:
        verdict: the diagnosis; never changed, what leaves is a redacted copy.
        job: where logs, artifacts, GPU counters and the owner's wishes come from.
        mail: who may be written to, and how large a message may be.
        site: names the cluster where the attempt does not.
        zone: the time zone of every time in the mail; the machine's own where absent.
        pictures: shown above the evidence, as far as they fit; the mail is complete without them.
        no_pictures: why none were drawn although there may be something to draw; the mail says so.
    """
    reason = quiet(verdict, job.wishes)
    if reason:
        log.info("job %s: no mail: %s", verdict.attempt.label, reason)
        return Composition(None, reason)
    to = choose(job.wishes.addresses, mail)
    for shown, why in to.refused:
        log.warning("job %s: %s is not written to: %s", verdict.attempt.label, shown, why)
    if not to.allowed:
        reason = "no address that may be written to: " + "; ".join(f"{shown}: {why}" for shown, why in to.refused)
        return Composition(None, reason, to.refused)
    if site is not None and site.cluster and not verdict.attempt.cluster:
        verdict = verdict.model_copy(update={"attempt": verdict.attempt.model_copy(update={"cluster": site.cluster})})
    redactor = Redactor()
    notification = _notification(
        verdict, job, mail, to=to, redactor=redactor, zone=zone, pictures=pictures, no_pictures=no_pictures
    )  # fmt: skip
    return Composition(notification, "", to.refused, sum(redactor.counts.values()))


def quiet(verdict: Verdict, wishes: Wishes) -> str:
    """Why the owner wants no mail about this verdict; empty when mail is wanted."""
    if not wishes.addresses:
        return "nobody asked for mail"
    if wishes.when is When.NEVER:
        return "--gpualert-when=never"
    if wishes.when is When.PROBLEM and not verdict.is_problem:
        return f"--gpualert-when=problem, and {verdict.mode} {verdict.title} is none"
    return ""


def _notification(
    verdict: Verdict, job: JobRecord, mail: Mail, *, to: Recipients, redactor: Redactor, zone: tzinfo | None, pictures: Sequence[Drawn],
    no_pictures: str,
) -> Notification:
    key, thread = message_key(verdict), thread_key(verdict)
    clean = redactor.verdict(verdict)
    own_file = verdict_candidate(clean, redactor)  # it counts what was taken out of itself, so nothing else is redacted before
    found = list(artifact_candidates(clean, job, redactor))
    drawn = [Candidate(d.attachment, d.picture.alt, f"picture: {d.picture.alt}", len(d.attachment.content)) for d in pictures]
    candidates = [own_file, *drawn, *log_candidates(clean, job, redactor), *(a for a in found if isinstance(a, Candidate))]
    absent = [*(LeftOut(path=f"copy for {shown}", reason=why) for shown, why in to.refused), *(a for a in found if isinstance(a, LeftOut))]
    if no_pictures:
        absent.append(LeftOut(path="pictures of loss, GPUs and last output", reason=no_pictures))
    room = min(2 * wire_bytes(own_file.attachment.content), mail.max_message_bytes // 3) + HEADER_BYTES  # the words yield to verdict.json
    for limits in LIMITS:
        seen = Redactor()
        bare = build_view(clean, job, mail, seen, limits=limits, zone=zone)
        bare = replace(bare, redacted=summary(redactor.counts + seen.counts))
        taken, left_out = unique_names(candidates), absent  # nearly always all of it fits, and nothing is to be measured twice
        view = _final(bare, taken, left_out, pictures, limits)
        text, html = as_text(view), as_html(view)
        bodies = quoted_bytes(text) + quoted_bytes(html) + HEADER_BYTES
        small = len(html.encode()) <= MAX_HTML_BYTES and bodies + room <= mail.max_message_bytes and len(absent) <= min(LISTED, limits.listed)
        if small and not fit(candidates, mail.max_message_bytes - bodies - HEADER_BYTES)[1]:
            break
        worst = replace(view, left_out=_listed([*absent, *(_at_worst(c) for c in candidates)], limits.listed),
                        enclosed=_enclosed(candidates[: limits.listed]))  # fmt: skip
        text, html = as_text(worst), as_html(worst)
        bodies = quoted_bytes(text) + quoted_bytes(html) + HEADER_BYTES
        if limits is LIMITS[-1] or (len(html.encode()) <= MAX_HTML_BYTES and bodies + room <= mail.max_message_bytes):
            taken, left_out = _fitted(candidates, absent, mail.max_message_bytes - bodies - HEADER_BYTES, min(LISTED, limits.listed))
            view = _final(bare, taken, left_out, pictures, limits)
            text, html = as_text(view), as_html(view)
            break
    redactor.counts.update(seen.counts)
    return Notification(
        key=key,
        recipients=to.allowed,
        subject=view.subject,
        text=text,
        html=html,
        thread=thread,
        headers=_headers(clean),
        attachments=tuple(c.attachment for c in taken),
        left_out=tuple(left_out),
    )


def _fitted(candidates: Sequence[Candidate], absent: list[LeftOut], max_bytes: int, max_listed: int) -> tuple[list[Candidate], list[LeftOut]]:
    """What is attached and what is not; where the mail cannot list all of the latter, the list is attached too."""
    taken, too_much = fit(candidates, max_bytes)
    left_out = [*absent, *too_much]
    if len(left_out) > max_listed:
        taken, too_much = fit([candidates[0], left_out_list(left_out), *candidates[1:]], max_bytes)
        left_out = [*absent, *too_much]
    return taken, left_out


def _final(bare: View, taken: Sequence[Candidate], left_out: Sequence[LeftOut], pictures: Sequence[Drawn], limits: Limits) -> View:
    """The view that names what is attached and what is not."""
    shown = {c.attachment.content_id for c in taken}
    return replace(
        bare,
        left_out=_listed(left_out, limits.listed, whole_list=any(c.path == LIST_NAME for c in taken)),
        enclosed=_enclosed(taken),
        pictures=tuple(d.picture for d in pictures if d.picture.content_id in shown),
    )


def _headers(verdict: Verdict) -> dict[str, str]:
    """For filters and ticket systems; Slurm's and the classifier's own words."""
    found = {
        "X-GPUAlert-Job": f"{verdict.attempt.cluster}/{verdict.attempt.label}",
        "X-GPUAlert-Mode": f"{verdict.mode}/{verdict.variant}" if verdict.variant else verdict.mode,
        "X-GPUAlert-Cause": verdict.cause.value if verdict.cause else "none",
        "X-GPUAlert-Fault": verdict.fault.value,
        "X-GPUAlert-State": verdict.state or "unknown",
    }
    if verdict.fingerprint:
        found["X-GPUAlert-Fingerprint"] = verdict.fingerprint
    return {name: header_text(value, HEADER_CHARS) for name, value in found.items()}


def _at_worst(candidate: Candidate) -> LeftOut:
    """The candidate as it will be listed should it not fit: for measuring."""
    return LeftOut(path=candidate.path, size_bytes=candidate.size_bytes, reason=TOO_LARGE.format("1023.9 MiB", "1023.9 MiB"))


def _listed(left_out: Sequence[LeftOut], max_items: int, *, whole_list: bool = True) -> tuple[LeftOut, ...]:
    if len(left_out) <= max_items:
        return tuple(left_out)
    rest = left_out[max_items:]
    known = sum(item.size_bytes or 0 for item in rest)
    where = f"all are listed in {LIST_NAME}, attached" if whole_list else "and there was no room for the list of them"
    return (*left_out[:max_items], LeftOut(path=f"{len(rest)} more files", size_bytes=known, reason=where))


def _enclosed(candidates: Sequence[Candidate]) -> tuple[Enclosed, ...]:
    return tuple(Enclosed(c.attachment.filename, words.size(len(c.attachment.content)), c.what) for c in candidates if not c.attachment.content_id)


def quoted_bytes(body: str) -> int:
    """What a body costs in the message, generously: three for a quoted byte, a break in 75, three at a line's end (RFC 2045 §6.7)."""
    raw = body.encode()
    return (len(raw) + 2 * len(raw.translate(None, AS_IT_IS))) * 21 // 20 + 3 * raw.count(b"\n")
