"""Places and names of the machine a case was made on are replaced by others of the same length: offsets and time indexes stay true."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping

from gpualert_slurm.rank_log import HEADER_BYTES


class Scrub:
    """``places`` maps what stands in the output to what shall stand there; both have the same length."""

    def __init__(self, places: Mapping[str, str]) -> None:
        wrong = [place for place, name in places.items() if len(place.encode()) != len(name.encode())]
        if wrong:
            raise ValueError(f"of another length than their names: {wrong}")
        self._places = sorted(((p.encode(), n.encode()) for p, n in places.items()), key=lambda pair: -len(pair[0]))
        host = socket.gethostname()
        self._host = re.compile(rb"(?<![\w./-])" + re.escape(host.encode()) + rb"(?![\w-])") if host != "localhost" else None
        self.host_name = ("w" + "7" * 64)[: len(host)]

    def __call__(self, content: bytes) -> bytes:
        """The content under other names, as long as before."""
        for place, name in self._places:
            content = content.replace(place, name)
        return self._host.sub(self.host_name.encode(), content) if self._host else content

    def log(self, content: bytes) -> bytes:
        """A rank log: its header's padding makes up for nothing, since lengths are kept."""
        return self(content[:HEADER_BYTES]) + self(content[HEADER_BYTES:])
