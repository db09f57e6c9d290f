"""Free TCP ports on loopback, each held for the life of the bed, so that several beds can run side by side."""

from __future__ import annotations

import random
import socket

# Below Linux's default ephemeral range (32768): no outgoing connection can take a port between the choice and the daemon's bind.
FIRST, LAST = 20000, 31999


class Ports:
    """Hands out free ports. A port is reserved among beds by an abstract Unix socket of its number, which the kernel frees with the process."""

    def __init__(self) -> None:
        self._held: list[socket.socket] = []

    def take(self) -> int:
        """One port that nobody listens on and no other bed holds; raises ``OSError`` where 200 tries found none."""
        for _ in range(200):
            port = random.randint(FIRST, LAST)
            hold = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                hold.bind(f"\0gpualert-testbed-port-{port}")
            except OSError:
                hold.close()
                continue
            if _free(port):
                self._held.append(hold)
                return port
            hold.close()
        raise OSError(f"no free port found between {FIRST} and {LAST}")

    def release(self) -> None:
        """Let other beds have them."""
        for hold in self._held:
            hold.close()
        self._held.clear()


def _free(port: int) -> bool:
    for address in ("127.0.0.1", "0.0.0.0"):
        with socket.socket() as probe:
            try:
                probe.bind((address, port))
            except OSError:
                return False
    return True


def listening(port: int) -> bool:
    """Whether something accepts connections on ``port`` of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
