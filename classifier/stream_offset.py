"""From a byte's place in a log file to its place in the task's stream (doc/formats/rank-log.md)."""

from __future__ import annotations

import json

HEADER, HOLE, FOOTER = b"#gpualert-log/1 ", b"#gpualert-hole ", b"#gpualert-end "
HEADER_BYTES, HOLE_BYTES = 512, 128


class StreamOffset:
    """Learns header and hole mark while a log is read; a bare log has neither and maps onto itself."""

    def __init__(self) -> None:
        self.has_header = False
        self.hole_at: int | None = None
        self.hole_bytes = 0

    def header_length(self, data: bytes) -> int:
        """How many bytes at the start of the file are ours."""
        self.has_header = data.startswith(HEADER) and data[HEADER_BYTES - 1 : HEADER_BYTES] == b"\n"
        return HEADER_BYTES if self.has_header else 0

    def is_mark(self, raw: bytes, offset: int) -> bool:
        """Whether the line at file offset ``offset`` is our hole mark or footer; the hole mark is taken to heart."""
        if not self.has_header:
            return False
        if raw.startswith(HOLE) and self.hole_at is None:
            try:
                told = json.loads(raw[len(HOLE) :])
                at, length = int(told["offset"]), int(told["bytes"])
            except (ValueError, KeyError, TypeError, RecursionError):
                return False
            if at != offset - 1 - HEADER_BYTES or length < 0:  # the job printed it: the mark's newline stands where the head ends
                return False
            self.hole_at, self.hole_bytes = offset, length
            return True
        return self.is_footer(raw)

    def is_footer(self, raw: bytes) -> bool:
        """Whether the line is the footer (or says it is: then the user lost one line of their own)."""
        return self.has_header and raw.startswith((FOOTER, HOLE))

    def of(self, offset: int) -> int:
        """The stream offset of the byte at file offset ``offset``."""
        if not self.has_header:
            return offset
        if self.hole_at is not None and offset > self.hole_at:
            return max(0, offset - HEADER_BYTES - HOLE_BYTES + self.hole_bytes)
        return max(0, offset - HEADER_BYTES)
