"""Where this service lets itself be sent: a web address an administrator wrote, resolved, and held against what is internal."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.ip_network("64:ff9b::/96")


class RefusedError(Exception):
    """The address may not be used; the text says why and what would allow it."""


def host_of(url: str, schemes: Sequence[str]) -> tuple[str, str, int]:
    """(scheme, host, port) of ``url``.

    Raises:
        RefusedError: its scheme is not among ``schemes``, it has no host, or it carries a user or password, which logs would show.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise RefusedError(f"not a web address: {error}") from error
    if parts.scheme not in schemes:
        raise RefusedError(f"scheme {parts.scheme or 'none'!r} is not allowed; allowed: {', '.join(schemes)}")
    if not parts.hostname:
        raise RefusedError("it names no host")
    if parts.username is not None or parts.password is not None:
        raise RefusedError("a user or password in the address shows in logs: leave it out")
    return parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80)


def public_addresses(host: str, port: int, internal: Sequence[str]) -> list[str]:
    """What ``host`` resolves to, every address of it fit to be spoken to. The caller connects to these, not to the name again:
    a name that answers differently the second time (DNS rebinding) gains nothing.

    Args:
        host: a name or an address.
        port: for the resolver.
        internal: networks, in CIDR, that are allowed although they are internal.

    Raises:
        RefusedError: one of the addresses is internal, or the name does not resolve.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RefusedError(f"{host} does not resolve: {error}") from error
    addresses = list(dict.fromkeys(str(info[4][0]).partition("%")[0] for info in found))
    allowed = [ipaddress.ip_network(n, strict=False) for n in internal]
    for text in addresses:
        address = plain(ipaddress.ip_address(text))
        if not is_public(address) and not any(address in network for network in allowed):
            raise RefusedError(f"{host} is {text}, an internal address: list its network in mail.webhook_internal to allow it")
    return addresses


def plain(address: Address) -> Address:
    """An IPv4 address that is written as IPv6 (mapped, 6to4, NAT64) as what it means."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address.sixtofour is not None:
            return address.sixtofour
        if address in NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether the address is somebody else's on the internet: not private, loopback, link-local (cloud metadata), shared, multicast …"""
    return address.is_global and not address.is_multicast and not address.is_reserved
