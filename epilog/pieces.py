"""A note or a report as sealed pieces, and back: framing in ``doc/formats/sealed.md``. What stands inside the seal decides.

Sending side: ``close_document`` (a node). Receiving side: ``open_sealed`` for each piece, ``join`` when all are there (the daemon).
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, ValidationError

from gpualert_slurm.epilog.seal import Opened, Seal, SealKeys, SealRefusedError
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport, read_head
from gpualert_slurm.record import Record, first_problem
from gpualert_slurm.stall import StallNote

MAGIC = b"gpualert-piece/1\n"
PIECE_BYTES = 512 * 1024 - 4096
"""Of the document in one piece: with its header a seal's content stays below 512 KiB, which munged is sure to take."""
_MOST_HEADER = 2048
_MOST_PIECES = 4096

Kind = Literal["note", "report", "stall"]
Document = JobNote | NodeReport | StallNote
_FORMATS: dict[str, type[JobNote] | type[NodeReport] | type[StallNote]] = {"note": JobNote, "report": NodeReport, "stall": StallNote}


class PieceHeader(Record):
    """What a piece says of itself, inside the seal."""

    kind: Kind
    cluster: str = Field(max_length=256)
    attempt: str = Field(max_length=256)
    """Names the job's run on the node that sealed it: ``<job id>.<16 hex digits>``."""
    node: str = Field(max_length=256)
    piece: int = Field(ge=0)
    pieces: int = Field(ge=1, le=_MOST_PIECES)
    whole_bytes: int = Field(ge=0)
    whole_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


@dataclass(frozen=True)
class Piece:
    """One opened piece. ``whole_sha256`` is the same for all pieces of one document: the key to collect and to fold duplicates by."""

    header: PieceHeader
    content: bytes
    sealed_by: Opened

    @property
    def whole_sha256(self) -> str:
        """SHA-256 of all pieces' content, joined."""
        return self.header.whole_sha256


def cut(document: Document, kind: Kind, attempt: str, piece_bytes: int = PIECE_BYTES) -> list[bytes]:
    """The contents to seal: the document as JSON, compressed, in framed pieces. Pure, the same bytes for the same document."""
    packed = zlib.compress(document.json_bytes(), 6)
    count = max(1, -(-len(packed) // piece_bytes))
    digest = hashlib.sha256(packed).hexdigest()
    framed = []
    for number in range(count):
        header = PieceHeader(
            kind=kind, cluster=document.attempt.cluster, attempt=attempt, node=document.node,
            piece=number, pieces=count, whole_bytes=len(packed), whole_sha256=digest,
        )
        framed.append(MAGIC + header.json_bytes() + b"\n" + packed[number * piece_bytes : (number + 1) * piece_bytes])
    return framed


def close_document(document: Document, attempt: str, seal: Seal, keys: SealKeys) -> list[bytes]:
    """The document's sealed pieces. Raises SealUnavailableError."""
    kind: Kind = "note" if isinstance(document, JobNote) else "stall" if isinstance(document, StallNote) else "report"
    return [seal.close(framed, keys) for framed in cut(document, kind, attempt)]


def open_sealed(sealed: bytes, seal: Seal, keys: SealKeys, cluster: str, sealers: Collection[int] = (0,)) -> Piece:
    """One piece, believed.

    Args:
        sealed: as the transport brought it.
        seal: how it was sealed.
        keys: of the seal; the caller is ``keys.daemon_uid``.
        cluster: the only cluster whose reports are taken.
        sealers: the uids whose seal counts: root, and nobody else unless the site says so.

    Raises:
        SealUnavailableError: try again later. SealRefusedError: never; the text says why.
    """
    opened = seal.open(sealed, keys)
    if opened.uid not in sealers:
        raise SealRefusedError(f"sealed by uid {opened.uid} (host {opened.host}), which may not report")
    header, content = _unframe(opened.content)
    if header.cluster != cluster:
        raise SealRefusedError(f"sealed for cluster {header.cluster!r}, this is {cluster!r}")
    return Piece(header=header, content=content, sealed_by=opened)


def _unframe(framed: bytes) -> tuple[PieceHeader, bytes]:
    if not framed.startswith(MAGIC):
        raise SealRefusedError("the seal holds no piece of a known version")
    line, newline, content = framed[len(MAGIC) :].partition(b"\n")
    if not newline or len(line) > _MOST_HEADER:
        raise SealRefusedError("the piece's header is cut off or too long")
    try:
        header = PieceHeader.model_validate_json(line)
    except ValidationError as error:
        raise SealRefusedError(f"the piece's header makes no sense: {error.errors()[0]['msg']}") from error
    if header.piece >= header.pieces:
        raise SealRefusedError(f"piece {header.piece} of {header.pieces}: pieces are counted from 0")
    return header, content


def complete(pieces: Iterable[Piece]) -> bool:
    """Whether every piece of one document (the same ``whole_sha256``) is there."""
    found = {p.header.piece: p for p in pieces}
    return bool(found) and len(found) == next(iter(found.values())).header.pieces


def whole(pieces: Iterable[Piece]) -> bytes:
    """What was cut: the document's JSON as its node wrote it, compressed by zlib; pieces in any order, duplicates allowed."""
    by_number = {p.header.piece: p.content for p in pieces}
    return b"".join(by_number[number] for number in sorted(by_number))


def join(pieces: Sequence[Piece], max_bytes: int, *, head_only: bool = False) -> Document:
    """The document that the pieces make up, in any order, duplicates allowed.

    ``head_only``: of a report its head alone is read and checked; who needs the rest meets what is wrong with it.

    Raises:
        SealRefusedError: the pieces do not fit together, or the document is larger than ``max_bytes``, or not what its frame says.
    """
    by_number = {p.header.piece: p for p in pieces}
    if not complete(pieces):
        raise SealRefusedError(f"{len(by_number)} pieces are not all of them")
    header = by_number[0].header
    packed = whole(pieces)
    if len(packed) != header.whole_bytes or hashlib.sha256(packed).hexdigest() != header.whole_sha256:
        raise SealRefusedError("the joined pieces are not what was cut")
    inflating = zlib.decompressobj()
    try:
        text = inflating.decompress(packed, max_bytes + 1)
    except zlib.error as error:
        raise SealRefusedError(f"the document cannot be decompressed: {error}") from error
    if len(text) > max_bytes or not inflating.eof:
        raise SealRefusedError(f"the document is larger than {max_bytes} bytes, or torn")
    try:
        document = read_head(text) if head_only and header.kind == "report" else _FORMATS[header.kind].model_validate_json(text)
    except ValidationError as error:
        raise SealRefusedError(f"no {header.kind} of a known version: {first_problem(error)}") from error
    if (document.attempt.cluster, document.node) != (header.cluster, header.node) or not _names(header.attempt, document.attempt.job_id):
        raise SealRefusedError(f"the {header.kind} speaks of another cluster, node or job than its frame")
    return document


def _names(attempt: str, job_id: int) -> bool:
    match = re.match(r"(\d+)(?:\.|$)", attempt)
    return match is not None and int(match.group(1)) == job_id
