"""What nodes and daemon say to each other over TCP, version 1 (``doc/formats/tcp.md``). Pure: bytes and numbers, no socket.

The pieces are sealed already; the protocol adds their order, their bounds, and an answer that the daemon alone can give: it is sealed for root,
over the hash of all that came. So nobody who answers on the daemon's port while it is away makes a node believe that a report arrived.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Sequence

HELLO = b"gpualert-tcp/1\n"
LENGTH = struct.Struct(">I")
END = LENGTH.pack(0)
MOST_PIECE_BYTES = 1 << 20
MOST_PIECES = 4096
MOST_BYTES = 64 << 20
"""Of one connection: a document is 32 MiB at most (``daemon.max_report_bytes``), and seals make it a third larger."""
MOST_LINE = 512
MOST_RECEIPT = 8192
TAKEN, LATER, REFUSED = b"taken", b"later", b"refused"
_RECEIPT = b"gpualert-taken/1\n"


class ProtocolError(OSError):
    """The other side does not speak this protocol, or not within its bounds; the text says where."""


def request(sealed: Sequence[bytes]) -> bytes:
    """All that a node sends for one document. Raises ProtocolError: no daemon would take it."""
    if len(sealed) > MOST_PIECES or sum(map(len, sealed)) > MOST_BYTES or any(not 0 < len(s) <= MOST_PIECE_BYTES for s in sealed):
        raise ProtocolError(f"{len(sealed)} pieces of {sum(map(len, sealed))} bytes are more than the daemon takes, or one is too large")
    return HELLO + b"".join(LENGTH.pack(len(s)) + s for s in sealed) + END


def digest(sealed: Sequence[bytes]) -> bytes:
    """SHA-256 over the pieces, each behind its length: what the receipt speaks of."""
    whole = hashlib.sha256()
    for piece in sealed:
        whole.update(LENGTH.pack(len(piece)) + piece)
    return whole.digest()


def receipt(whole: bytes) -> bytes:
    """What the daemon seals for root as its receipt."""
    return _RECEIPT + whole.hex().encode()


def taken(sealed_receipt: bytes) -> bytes:
    """The answer after all pieces are durable."""
    return b"%s %d\n" % (TAKEN, len(sealed_receipt)) + sealed_receipt


def not_taken(word: bytes, why: str) -> bytes:
    """The answer ``later`` or ``refused``, with the reason on one line."""
    words = re.sub(r"[^\x20-\x7e]", "?", why).encode()
    return (word + b" " + words)[: MOST_LINE - 1] + b"\n"


def receipt_length(line: bytes) -> int:
    """How many bytes of receipt follow the answer's first line.

    Raises:
        ProtocolError: the daemon did not take it, and why; or the line is no answer.
    """
    word, _, rest = line.rstrip(b"\n").partition(b" ")
    words = rest.decode("ascii", "replace")
    if not line.endswith(b"\n") or len(line) > MOST_LINE:
        raise ProtocolError("the daemon's answer is cut off")
    if word == LATER:
        raise ProtocolError(f"the daemon takes it later: {words}")
    if word == REFUSED:
        raise ProtocolError(f"the daemon refuses it: {words}")
    if word != TAKEN or not rest.isdigit() or len(rest) > 5 or int(rest) > MOST_RECEIPT:
        raise ProtocolError("what answers there is not gpualertd")
    return int(rest)
