"""The parts of a message as bytes: every body quoted-printable or base64, every header of ours in ASCII.

Beside ``email.message`` because of its price: that parses each header it is given and encodes bodies line by line in Python, which was
three quarters of freezing a mail. What holds strangers' words (subject, addresses, ``X-GPUAlert-*``) is still its work.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence

_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,60}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]")
ANY_BYTES = "application/octet-stream"
CRLF = b"\r\n"
COLUMNS = 76
"""Of a line of base64 (RFC 2045 §6.8)."""


def words(text: str, subtype: str) -> bytes:
    """A text body, ``plain`` or ``html``, with its headers; lines end in CRLF, as mail's do."""
    lines = CRLF.join([*text.encode("utf-8", "replace").splitlines(), b""])
    encoded = binascii.b2a_qp(lines).replace(b"\r\n.\r\n", b"\r\n=2E\r\n")  # a soft break may leave a dot alone, which ends a mail
    return _headers(f'Content-Type: text/{subtype}; charset="utf-8"', "Content-Transfer-Encoding: quoted-printable") + encoded


def file(content: bytes, media_type: str, name: str, content_id: str | None = None) -> bytes:
    """A file: attached, or shown where the HTML names ``content_id``. ``name`` is of ``headers.file_name``."""
    kind = media_type if _MEDIA_TYPE.fullmatch(media_type) else ANY_BYTES
    headers = [f"Content-Type: {kind}" + '; charset="utf-8"' * kind.startswith("text/"), "Content-Transfer-Encoding: base64"]
    headers.append(f'Content-Disposition: {"inline" if content_id else "attachment"}; filename="{name}"')
    if content_id:
        headers.append(f"Content-ID: <{_UNSAFE.sub('_', content_id)}>")
    encoded = base64.b64encode(content)
    return _headers(*headers) + b"".join([encoded[at : at + COLUMNS] + CRLF for at in range(0, len(encoded), COLUMNS)])


def multipart(subtype: str, parts: Sequence[bytes], boundary: str) -> bytes:
    """Several parts as one; a single one as it is. ``boundary`` is letters and digits, another one for each level.

    ``=_`` in front occurs in no body: neither quoted-printable nor base64 can hold it (RFC 2045 §6.7).
    """
    if len(parts) == 1:
        return parts[0]
    between = f"--=_{boundary}".encode()
    body = b"".join(between + CRLF + part + CRLF for part in parts)  # the CRLF before a boundary is the boundary's
    return _headers(f'Content-Type: multipart/{subtype}; boundary="=_{boundary}"') + body + between + b"--" + CRLF


def _headers(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode("ascii")
