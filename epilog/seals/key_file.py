"""Pieces sealed with a key that root shares among nodes and daemon, for clusters without MUNGE. Format: ``doc/formats/sealed.md``.

Authenticated encryption (AES-256-GCM of the package ``cryptography``), with a key of its own for each piece: HKDF-SHA256 (RFC 5869) of the shared
key and 32 random bytes, so that no number is ever used twice. Who sealed it, where, when and for whom is authenticated, not hidden. Whoever has the
key can say any of it: the file is root's, and the daemon's.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from gpualert_slurm.epilog.seal import Opened, Seal, SealKeys, SealRefusedError, SealUnavailableError
from gpualert_slurm.epilog.seal_key import SealKey, read_keys
from gpualert_slurm.record import Record

MAGIC = b"gpualert-key/1 "
DEFAULT_KEY_FILE = Path("/etc/gpualert/seal.key")
FRESH_S = 3600.0
"""Older than this is stale, as with MUNGE's longest life of a credential (PACK_MAX_TTL of munge: one hour)."""
AHEAD_S = 300.0
"""Sealed so far in the future: a clock is off."""
_MOST_HEADER = 1024
_MOST_SEALED = 1 << 20
_TAG_BYTES, _NONCE = 16, bytes(12)  # NIST SP 800-38D; the nonce may be constant where no key is used twice
_INFO = b"gpualert seal 1"


class SealHeader(Record):
    """What stands open, and is authenticated, in front of the ciphertext."""

    key: str = Field(max_length=32)
    salt: str = Field(pattern=r"^[0-9a-f]{64}$")
    uid: int = Field(ge=0, lt=1 << 32)
    gid: int = Field(ge=0, lt=1 << 32)
    host: str = Field(max_length=256)
    closed_ns: int = Field(ge=0)
    for_uid: int = Field(ge=0, lt=1 << 32)


class KeyFile(Seal):
    """The seal of clusters that have no munged."""

    def close(self, content: bytes, keys: SealKeys) -> bytes:
        """Seal for ``keys.daemon_uid`` with the first key of the file."""
        key = _keys(keys)[0]
        header = SealHeader(
            key=key.id, salt=secrets.token_hex(32), uid=os.geteuid(), gid=os.getegid(), host=socket.gethostname()[:256],
            closed_ns=time.time_ns(), for_uid=keys.daemon_uid,
        )
        head = MAGIC + header.json_bytes() + b"\n"
        return head + bytes(_cipher(key, header).encrypt(_NONCE, content, head))

    def open(self, sealed: bytes, keys: SealKeys) -> Opened:
        """What it holds; another key, another recipient, a changed byte: refused. Late ones are marked ``stale``."""
        if len(sealed) > _MOST_SEALED or not sealed.startswith(MAGIC):
            raise SealRefusedError(f"{len(sealed)} bytes are nothing sealed with a key file (at most {_MOST_SEALED}, behind {MAGIC.decode()!r})")
        known = {key.id: key for key in _keys(keys)}
        line, newline, rest = sealed[len(MAGIC) :].partition(b"\n")
        if not newline or len(line) > _MOST_HEADER or len(rest) < _TAG_BYTES:
            raise SealRefusedError("the sealed piece is cut off, or its header too long")
        try:
            header = SealHeader.model_validate_json(line)
        except ValidationError as error:
            raise SealRefusedError(f"the seal's header makes no sense: {error.errors()[0]['msg']}") from error
        key = known.get(header.key)
        if key is None:
            raise SealRefusedError(f"sealed with key {header.key!r}; this side has {', '.join(known)}")
        content = _opened(key, header, rest, sealed[: len(MAGIC) + len(line) + 1])
        if header.for_uid != keys.daemon_uid:
            raise SealRefusedError(f"sealed for uid {header.for_uid}, not for {keys.daemon_uid}")
        return Opened(content=content, uid=header.uid, gid=header.gid, closed_ns=header.closed_ns, host=header.host, stale=_stale(header.closed_ns))


def _keys(keys: SealKeys) -> tuple[SealKey, ...]:
    return read_keys(keys.key_file or DEFAULT_KEY_FILE, keys.key_owners)


def _cipher(key: SealKey, header: SealHeader) -> Any:  # noqa: ANN401 - the package is optional, so its types are not there either
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    except ImportError as error:
        raise SealUnavailableError("the seal key_file needs the package cryptography: pip install 'gpualert-slurm[key-file]'") from error
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=bytes.fromhex(header.salt), info=_INFO).derive(key.secret))


def _opened(key: SealKey, header: SealHeader, rest: bytes, head: bytes) -> bytes:
    cipher = _cipher(key, header)
    from cryptography.exceptions import InvalidTag

    try:
        return bytes(cipher.decrypt(_NONCE, rest, head))
    except InvalidTag:
        raise SealRefusedError(f"forged or damaged: it does not fit key {key.id!r}") from None


def _stale(closed_ns: int) -> str | None:
    age_s = (time.time_ns() - closed_ns) / 1e9
    return "expired" if age_s > FRESH_S else "rewound" if age_s < -AHEAD_S else None


SEAL = KeyFile()
