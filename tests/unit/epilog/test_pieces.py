"""Sealed pieces: the golden bytes, and what is refused although somebody sealed it."""

from __future__ import annotations

import contextlib
import hashlib
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.epilog.pieces import MAGIC, Piece, complete, cut, join, open_sealed
from gpualert_slurm.epilog.seal import Opened, Seal, SealKeys, SealRefusedError
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.wishes import Wishes

GOLDEN = Path(__file__).parent.parent / "goldens/sealed/note.piece"
ATTEMPT = "4711.5f0c8a3b9d2e4f61"
KEYS = SealKeys(daemon_uid=995)
NOTE = JobNote(
    attempt=Attempt(cluster="hpc", job_id=4711, start_time_ns=1795192200123456789), uid=1000, user="alice", node="n1", nodes="n[1-2]",
    wishes=Wishes(addresses=("alice@example.org",)), work_dir="/home/alice/train", written_ns=1795192200223456789,
)
REPORT = NodeReport(
    attempt=NOTE.attempt, uid=1000, node="n1", nodes="n[1-2]", boot_id="b", wishes=NOTE.wishes, written_ns=1,
    gaps=tuple(Gap(what=hashlib.sha256(bytes([i])).hexdigest(), why="hardly compressible") for i in range(256)),
)


class Plain(Seal):
    """The identity as a seal, so that what is inside can be chosen freely; MUNGE itself is tested with a munged."""

    def __init__(self, uid: int = 0) -> None:
        self.uid = uid

    def close(self, content: bytes, keys: SealKeys) -> bytes:
        return content

    def open(self, sealed: bytes, keys: SealKeys) -> Opened:
        return Opened(content=sealed, uid=self.uid, gid=0)


def opened(framed: bytes, cluster: str = "hpc", uid: int = 0) -> Piece:
    return open_sealed(framed, Plain(uid), KEYS, cluster)


def test_golden_piece_is_read():
    """Bytes of version 1 give their document for ever."""
    assert join([opened(GOLDEN.read_bytes())], 1 << 20) == NOTE


def test_golden_piece_is_what_is_written(golden):
    """The frame and the document inside it; compressors differ in their bytes, so the content is compared unpacked."""
    (framed,) = cut(NOTE, "note", ATTEMPT)
    if not GOLDEN.exists() or zlib.ZLIB_RUNTIME_VERSION.startswith("1.2"):
        golden(GOLDEN, framed)
    known = opened(GOLDEN.read_bytes())
    mine = opened(framed)
    assert zlib.decompress(mine.content) == zlib.decompress(known.content)
    assert mine.header.model_copy(update={"whole_bytes": 0, "whole_sha256": ""}) == known.header.model_copy(update={"whole_bytes": 0, "whole_sha256": ""})


@given(st.permutations(range(8)), st.integers(0, 7))
def test_pieces_make_the_document_in_any_order_with_any_twice(order, twice):
    """Delivered again, delivered backwards: the same report."""
    framed = cut(REPORT, "report", ATTEMPT, piece_bytes=2000)
    pieces = [opened(f) for f in framed]
    shuffled = [pieces[i] for i in (*order, twice) if i < len(pieces)] + pieces[8:]
    assert complete(shuffled)
    assert join(shuffled, 1 << 20) == REPORT


def test_missing_piece_is_not_complete():
    """All but one are not all."""
    pieces = [opened(f) for f in cut(REPORT, "report", ATTEMPT, piece_bytes=2000)]
    assert len(pieces) > 2
    assert not complete(pieces[1:])
    with pytest.raises(SealRefusedError, match="not all"):
        join(pieces[1:], 1 << 20)


def test_foreign_sealer_cluster_and_frame_are_refused():
    """A user with munge can seal too; another cluster may share the folder; a credential may be about something else."""
    (framed,) = cut(NOTE, "note", ATTEMPT)
    with pytest.raises(SealRefusedError, match="uid 1000"):
        opened(framed, uid=1000)
    with pytest.raises(SealRefusedError, match="cluster 'hpc'"):
        opened(framed, cluster="other")
    for wrong in (b"hello", MAGIC, MAGIC + b"{}\nx", MAGIC + b"x" * 5000, framed.replace(b'"piece":0', b'"piece":9')):
        with pytest.raises(SealRefusedError):
            opened(wrong)


@pytest.mark.parametrize(
    ("attempt", "node", "cluster"), [("4712.5f0c8a3b9d2e4f61", "n1", "hpc"), (ATTEMPT, "n2", "hpc"), (ATTEMPT, "n1", "other")]
)
def test_document_that_is_not_what_its_frame_says_is_refused(attempt, node, cluster):
    """Job, node and cluster stand twice; the two must agree."""
    (framed,) = cut(NOTE, "note", ATTEMPT)
    forged = framed.replace(ATTEMPT.encode(), attempt.encode(), 1).replace(b'"node":"n1"', f'"node":"{node}"'.encode(), 1)
    forged = forged.replace(b'"cluster":"hpc"', f'"cluster":"{cluster}"'.encode(), 1)
    with pytest.raises(SealRefusedError, match="speaks of another"):
        join([opened(forged, cluster=cluster)], 1 << 20)


def test_document_that_inflates_beyond_the_bound_is_refused():
    """A megabyte of zeros is a kilobyte of zlib: the bound is on what comes out."""
    big = REPORT.model_copy(update={"work_dir": "0" * 1_000_000})
    pieces = [opened(f) for f in cut(big, "report", ATTEMPT)]
    assert join(pieces, 2_000_000) == big
    with pytest.raises(SealRefusedError, match="larger than 100000"):
        join(pieces, 100_000)


def test_changed_content_is_refused():
    """One flipped bit in a piece of which the seal was intact (two documents mixed up)."""
    (framed,) = cut(NOTE, "note", ATTEMPT)
    with pytest.raises(SealRefusedError, match="not what was cut"):
        join([opened(framed[:-1] + bytes([framed[-1] ^ 1]))], 1 << 20)


@given(st.binary(max_size=400))
def test_any_payload_is_a_piece_or_refused(payload):
    """Nothing but a refusal comes of garbage, in the frame or behind it."""
    for content in (payload, MAGIC + payload):
        with contextlib.suppress(SealRefusedError):
            join([opened(content)], 1000)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_of_a_report_the_head_alone_can_be_read():
    """The bulk is empty then, and what is wrong with it does not matter; a wrong head is refused all the same, and a note is always whole."""
    pieces = [opened(f) for f in cut(REPORT, "report", ATTEMPT)]
    assert join(pieces, 1 << 20, head_only=True) == REPORT.model_copy(update={"gaps": ()})
    torn = REPORT.model_copy(update={"gaps": ("no gap at all",)})
    pieces = [opened(f) for f in cut(torn, "report", ATTEMPT)]
    assert join(pieces, 1 << 20, head_only=True).node == "n1"
    with pytest.raises(SealRefusedError, match=r"gaps\.0"):
        join(pieces, 1 << 20)
    headless = [opened(f) for f in cut(REPORT.model_copy(update={"boot_id": 7}), "report", ATTEMPT)]
    with pytest.raises(SealRefusedError, match="boot_id"):
        join(headless, 1 << 20, head_only=True)
    assert join([opened(GOLDEN.read_bytes())], 1 << 20, head_only=True) == NOTE
