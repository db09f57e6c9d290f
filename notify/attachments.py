"""What could travel with a mail, in the order of its worth: the verdict, logs of the failed ranks, artifacts."""

from __future__ import annotations

import base64
import binascii
import codecs
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic_core import to_json

from gpualert_slurm.artifact import Artifact
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.notification import Attachment, LeftOut
from gpualert_slurm.notify import words
from gpualert_slurm.notify.claims import SCRIPT_STEPS, whose
from gpualert_slurm.notify.headers import file_name
from gpualert_slurm.notify.plain import visible, visible_lines
from gpualert_slurm.notify.redact import Redactor
from gpualert_slurm.verdict import Verdict

ZIP_FROM_BYTES = 16_384
"""A log excerpt larger than this is zipped: text shrinks to a tenth, but a plain one opens in the mail reader."""
WIRE_OVERHEAD_BYTES = 700
"""MIME headers and boundary of one part, generously."""
TOO_LARGE = "the mail may have {} more, this would need {} (mail.max_message_bytes)"
NO_ASCII = "gpualert-json"
"""How ``str.encode`` writes what is beyond ASCII: as JSON does, ``\\uNNNN``, in pairs beyond the first plane."""
codecs.register_error(NO_ASCII, lambda error: (json.dumps(error.object[error.start : error.end])[1:-1], error.end))  # type: ignore[attr-defined]
STREAMS = {"out": "stdout", "err": "stderr", "both": "stdout and stderr"}
LISTED = 20
LIST_NAME = "left-out.txt"
"""So many left-out files are listed in the mail itself; a longer list is attached whole."""


@dataclass(frozen=True)
class Candidate:
    """Something to attach: ``what`` is for people, ``path`` and ``size_bytes`` name the whole, should it stay behind."""

    attachment: Attachment
    what: str
    path: str
    size_bytes: int


def wire_bytes(content: bytes) -> int:
    """What an attachment costs in the message: base64 in lines of 76 characters, and its headers."""
    return (len(content) + 2) // 3 * 4 * 78 // 76 + WIRE_OVERHEAD_BYTES


def verdict_candidate(verdict: Verdict, redactor: Redactor) -> Candidate:
    """``verdict.json``: the redacted verdict, with the count of what was taken out under ``redactions``."""
    if redactor.counts:
        content = {**verdict.model_dump(mode="json", exclude_none=True), "redactions": dict(sorted(redactor.counts.items()))}
        text = to_json(content, indent=1, inf_nan_mode="strings").decode()
    else:
        text = verdict.model_dump_json(indent=1, exclude_none=True)
    body = text.encode("ascii", NO_ASCII)  # what cannot be seen, or is shown backwards, stands there as \uNNNN
    attachment = Attachment(filename="verdict.json", media_type="application/json", content=body)
    return Candidate(attachment, "the whole diagnosis with all its evidence", "verdict.json", len(body))


def log_candidates(verdict: Verdict, job: JobRecord, redactor: Redactor) -> Iterator[Candidate]:
    """Head and tail of each excerpt that travelled, the ranks that failed first before the others."""
    first = frozenset(verdict.first_failure.ranks) if verdict.first_failure else frozenset()
    failed = frozenset(s.rank for s in verdict.failed_ranks if s.rank is not None)
    reports = {(r.node, e.path): (r, e) for r in job.reports for e in r.excerpts}

    def worth(found: tuple[NodeReport, Excerpt]) -> tuple[bool, bool, str, str]:
        rank = found[1].where.rank
        return rank not in first, rank not in failed, found[0].node, found[1].path

    for report, excerpt in sorted(reports.values(), key=worth):
        yield _log(report, excerpt, redactor)


def artifact_candidates(verdict: Verdict, job: JobRecord, redactor: Redactor) -> Iterator[Candidate | LeftOut]:
    """Each artifact that came with a report, or why it did not; those of the node that failed first before the others."""
    first = frozenset(verdict.first_failure.nodes) if verdict.first_failure else frozenset()
    for report in sorted(job.reports, key=lambda r: r.node not in first):
        for artifact in report.artifacts:
            yield _artifact(report, artifact, redactor)


def fit(candidates: Sequence[Candidate], max_bytes: int) -> tuple[list[Candidate], list[LeftOut]]:
    """Which of ``candidates`` fit into ``max_bytes`` on the wire, in their order; a smaller one may still fit after a larger one."""
    taken: list[Candidate] = []
    left_out: list[LeftOut] = []
    free = max_bytes
    for candidate in candidates:
        cost = wire_bytes(candidate.attachment.content)
        if cost <= free:
            taken.append(candidate)
            free -= cost
        else:
            reason = TOO_LARGE.format(words.size(max(free, 0)), words.size(cost))
            left_out.append(LeftOut(path=candidate.path, size_bytes=candidate.size_bytes, reason=reason))
    return unique_names(taken), left_out


def unique_names(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The same, with a number in the name of what would be the second of its name."""
    seen: dict[str, int] = {}
    named = []
    for candidate in candidates:
        name = candidate.attachment.filename
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            stem, dot, suffix = name.partition(".")
            attachment = candidate.attachment.model_copy(update={"filename": f"{stem}-{seen[name]}{dot}{suffix}"})
            candidate = replace(candidate, attachment=attachment)  # noqa: PLW2901 - the same thing under its final name
        named.append(candidate)
    return named


def left_out_list(left_out: Sequence[LeftOut]) -> Candidate:
    """``left-out.txt``: all of it, when the mail itself can list only the first."""
    lines = [f"{item.path}\t{words.size(item.size_bytes)}\t{item.reason}" for item in left_out]
    body = ("\n".join(lines) + "\n").encode()
    what = f"all {len(left_out)} files that are not attached"
    return Candidate(Attachment(filename=LIST_NAME, media_type="text/plain", content=body), what, LIST_NAME, len(body))


def _log(report: NodeReport, excerpt: Excerpt, redactor: Redactor) -> Candidate:
    owner = redactor.text(whose(excerpt.where) or visible(report.node))
    whole = redactor.text(f"{visible(excerpt.path)} on {visible(report.node)}")
    kept = excerpt.bytes_total - excerpt.bytes_left_out
    head = [f"# {owner}, {visible(redactor.text(excerpt.stream))}: {whole}"]
    if report.archive_path:
        head.append(f"# the owner's copy of the logs: {visible(redactor.text(report.archive_path))}")
    head.append(f"# {words.size(kept)} of {words.size(excerpt.bytes_total)} follow; escape sequences dropped, control characters as \\xNN,")
    head.append("# secrets taken out")
    body = visible_lines(redactor.text(excerpt.head))
    if excerpt.bytes_left_out:
        body += ["", f"# … {excerpt.bytes_left_out} bytes ({words.size(excerpt.bytes_left_out)}) left out here …", ""]
    if excerpt.tail:
        body += visible_lines(redactor.text(excerpt.tail))
    content = "\n".join([*head, "", *body, ""]).encode("utf-8", "replace")
    rank = "script" if excerpt.where.step in SCRIPT_STEPS else "log" if excerpt.where.rank is None else f"rank{excerpt.where.rank}"
    name = file_name(f"{rank}-{redactor.text(excerpt.path.rpartition('/')[2])}.log.txt")
    stream = STREAMS.get(excerpt.stream, "output")
    what = f"head and tail of {stream} of {owner}" if excerpt.bytes_left_out else f"{stream} of {owner}"
    attachment = Attachment(filename=name, media_type="text/plain", content=content)
    if len(content) > ZIP_FROM_BYTES:
        attachment = Attachment(filename=f"{name.removesuffix('.log.txt')}.log.zip", media_type="application/zip", content=_zipped(name, content))
    return Candidate(attachment, what, whole, excerpt.bytes_total)


def _artifact(report: NodeReport, artifact: Artifact, redactor: Redactor) -> Candidate | LeftOut:
    path, node = visible(redactor.text(artifact.path)), visible(redactor.text(report.node))
    if artifact.content is None:
        reason = artifact.left_out or "it did not come with the report"
        return LeftOut(path=path, size_bytes=artifact.size_bytes, reason=visible(redactor.text(reason)))
    try:
        content = base64.b64decode(artifact.content, validate=True)
    except (binascii.Error, ValueError):
        return LeftOut(path=path, size_bytes=artifact.size_bytes, reason="its content in the report is damaged")
    size = artifact.size_bytes if artifact.size_bytes is not None else len(content)
    name = file_name(path.rpartition("/")[2])
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        attachment = Attachment(filename=name, media_type="application/octet-stream", content=content)
        return Candidate(attachment, f"artifact {path} of {node}", path, size)
    if "\0" in text:
        attachment = Attachment(filename=name, media_type="application/octet-stream", content=content)
    else:
        attachment = Attachment(filename=name, media_type="text/plain", content=redactor.text(text).encode())
    return Candidate(attachment, f"artifact {path} of {node}", path, size)


def _zipped(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 3)
    return buffer.getvalue()
