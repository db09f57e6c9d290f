"""How fast mail may go out: connections at once, and messages a minute for each domain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

MINUTE_NS = 60_000_000_000
MOST_DOMAINS = 4096


@dataclass
class Pace:
    """``domain_per_minute`` 0 is no limit. A burst of as many as one minute allows goes at once; after it they are spaced evenly."""

    connections: int
    domain_per_minute: int = 0
    _next_ns: dict[str, int] = field(default_factory=dict)

    def reserve(self, recipients: Iterable[str], now_ns: int) -> int:
        """Take a place for one message to those recipients; gives when it may be sent (``now_ns`` or earlier: at once).

        The generic cell rate algorithm (ITU-T I.371): one number a domain, no timer.
        """
        if self.domain_per_minute <= 0:
            return now_ns
        step_ns = MINUTE_NS // self.domain_per_minute
        burst_ns = MINUTE_NS - step_ns
        at_ns = now_ns
        for domain in {r.rpartition("@")[2].lower() for r in recipients}:
            due_ns = max(self._next_ns.get(domain, 0), now_ns)
            at_ns = max(at_ns, due_ns - burst_ns)
            self._next_ns[domain] = due_ns + step_ns
        if len(self._next_ns) > MOST_DOMAINS:
            self._next_ns = {d: t for d, t in self._next_ns.items() if t > now_ns}
        return at_ns
