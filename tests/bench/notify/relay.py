"""The relay of the bench, a process of its own: ``python -m tests.bench.notify.relay SHARE_451 SHARE_DROPPED``.

Prints its port; for each line read, prints how often it took a message and hung up without saying so, the Message-IDs
taken so far, one a line, and an empty line.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from types import TracebackType

from tests.integration.notify.relay import Behaviour, Relay


class BenchRelay:
    """The relay as its callers see it; a context."""

    def __init__(self, share_451: float = 0.0, share_dropped: float = 0.0) -> None:
        self._argv = [sys.executable, "-m", "tests.bench.notify.relay", str(share_451), str(share_dropped)]

    def __enter__(self) -> BenchRelay:
        self._process = subprocess.Popen(self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._line())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()

    def taken(self) -> tuple[Counter[str], int]:
        """How often each Message-ID was taken; and how often the relay took one and hung up without saying so."""
        assert self._process.stdin is not None
        self._process.stdin.write("?\n")
        self._process.stdin.flush()
        hung_up, found = int(self._line()), Counter[str]()
        while line := self._line():
            found[line] += 1
        return found, hung_up

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def main() -> None:
    """Serve until killed."""
    with Relay(keep_content=False) as relay:
        relay.behaviour = Behaviour(share_451=float(sys.argv[1]), share_dropped=float(sys.argv[2]))
        print(relay.port, flush=True)
        for _ in sys.stdin:
            print(relay.hung_up_after)
            print("".join(f"{message_id}\n" for message_id, _, _ in list(relay.messages)), flush=True)


if __name__ == "__main__":
    main()
