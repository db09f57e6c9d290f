"""Telling systemd that we are up, alive, and on our way out (sd_notify(3)); nothing where it does not listen."""

from __future__ import annotations

import contextlib
import os
import socket


def tell(state: str) -> None:
    """Send ``READY=1``, ``WATCHDOG=1`` or ``STOPPING=1`` to the socket in ``NOTIFY_SOCKET``. Never raises."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
        sender.setblocking(False)
        sender.sendto(state.encode(), address)
