"""Secrets are taken out before anything leaves: tokens, keys, passwords, in quotes, excerpts and text attachments.

The vendors' token formats come from detect-secrets (as its kept-up fork ships them); the patterns here are those of
machine-learning hubs and clouds that it lacks, and words like ``password=``. A detector finds formats, not meaning: a
secret that looks like a word passes, which doc/security.md says.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpualert_slurm.notify.needles import digit_blind, needles
from gpualert_slurm.verdict import Verdict

_KEY = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
_LINES = r"(?:\r?\n[A-Za-z0-9+/=]{40,80}(?=\r?\n|$)){0,200}(?:\r?\n[A-Za-z0-9+/]{2,79}={1,2}(?=\r?\n|$))?"
_VALUE = r"(?!\[redacted)[^\s\"',;&<>)\]}]{4,}"
_NOT_A_SECRET = re.compile(r"(?:true|false|none|null|yes|no|required|optional|\*+|<.*|\$.*|/.*|\.+)$", re.IGNORECASE)

OWN: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private key", re.compile(rf"-----BEGIN {_KEY}-----.{{0,16384}}?-----END {_KEY}-----", re.DOTALL)),
    ("private key", re.compile(rf"-----BEGIN {_KEY}-----{_LINES}")),
    ("hub token", re.compile(r"\bhf_[A-Za-z0-9]{20,}|\bapi_org_[A-Za-z0-9]{20,}")),
    ("wandb key", re.compile(r"\bwandb_v\d_[A-Za-z0-9_]{20,}|(?i:wandb\S{0,30}[\s=:'\"]{1,4})([0-9a-f]{40})\b")),
    ("API key", re.compile(r"\b(?:sk|pk|rk)-(?:proj-|svcacct-|admin-|ant-[a-z0-9]+-|or-v1-|lf-)?[A-Za-z0-9_-]{20,}")),
    ("API key", re.compile(r"\bnvapi-[A-Za-z0-9_-]{20,}|\bgsk_[A-Za-z0-9]{20,}|\br8_[A-Za-z0-9]{20,}")),
    ("API key", re.compile(r"\bdckr_pat_[A-Za-z0-9_-]{20,}|\bpypi-AgE[A-Za-z0-9_-]{20,}")),
    ("API key", re.compile(r"\bgithub_pat_[A-Za-z0-9_]{22,}|\bgl(?:pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{20,}|\b\d{8,10}:AA[A-Za-z0-9_-]{32,34}\b")),
    ("cloud key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}|\bya29\.[0-9A-Za-z_-]{20,}|\bGOCSPX-[0-9A-Za-z_-]{20,}|\b1//0[0-9A-Za-z_-]{30,}")),
    ("signed URL", re.compile(r"(?i)[?&](?:sig|x-amz-signature|x-amz-security-token|x-goog-signature|awsaccesskeyid)=([A-Za-z0-9%/+=_-]{16,})")),
    ("URL password", re.compile(r"://[^\s:/@'\"]{0,100}:([^\s/'\"]{1,200})@")),
    ("bearer token", re.compile(r"(?i)\b(?:bearer|authorization\s{0,3}[:=]\s{0,3}['\"]?(?:basic|token|bearer))\s{1,3}([A-Za-z0-9._~+/=-]{8,})")),
    ("password", re.compile(rf"(?i)(?:password|passwd|passphrase|_pwd|secret)[\w.-]{{0,40}}['\"]?\s{{0,4}}[=:]{{1,2}}\s{{0,4}}['\"]?({_VALUE})")),
    ("API key", re.compile(rf"(?i)(?:api|access|auth|account|private|secret)[_.-]?key(?:_id)?['\"]?\s{{0,4}}[=:]\s{{0,4}}['\"]?({_VALUE})")),
    ("token", re.compile(r"(?i)token['\"]?\s{0,4}[=:]\s{0,4}['\"]?((?=[^\s\"',;&]*\d)(?=[^\s\"',;&]*[a-z])(?!\[redacted)[\w.~+/=-]{16,})")),
    ("password", re.compile(rf"(?i)--?(?:password|passwd|passphrase|secret|token|api[_-]key|access[_-]key)[ =]\s{{0,4}}['\"]?({_VALUE})")),
)

KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{1,80}")
KEY_END = re.compile(rf"-----END {_KEY}-----")

DETECTORS = (
    "artifactory.ArtifactoryDetector",
    "aws.AWSKeyDetector",
    "azure_storage_key.AzureStorageKeyDetector",
    "cloudant.CloudantDetector",
    "discord.DiscordBotTokenDetector",
    "github_token.GitHubTokenDetector",
    "ibm_cos_hmac.IbmCosHmacDetector",
    "jwt.JwtTokenDetector",
    "mailchimp.MailchimpDetector",
    "npm.NpmDetector",
    "sendgrid.SendGridDetector",
    "slack.SlackDetector",
    "softlayer.SoftlayerDetector",
    "square_oauth.SquareOAuthDetector",
    "stripe.StripeDetector",
    "twilio.TwilioKeyDetector",
)
"""Of its detectors those that know a format. Entropy is left out: it takes hashes, UUIDs and checkpoints for secrets."""


LIKELY = re.compile(r"[\w+/=.%-]{12,}|key|token|secret|passw|passphrase|_pwd|bearer|authoriz|://", re.IGNORECASE)
"""What every pattern needs at least: most strings of a verdict are ruled out by one look."""

PIECE_CHARS = 8192
"""Longer texts are searched in pieces of this size, and again in pieces shifted by half: some patterns look ahead as far
as they can, and a log of one endless line would take time in the square of its length. A secret of up to half a piece
lies whole in one of them."""
REMEMBERED_CHARS = 512
MOST_CLEAN = 8192
_CLEAN: set[str] = set()
"""Short texts in which nothing was found: a verdict's words are much the same from job to job. None of them holds a secret that this module knows."""


ONE_DIGIT = str.maketrans("123456789", "000000000")
ALIKE = bytes.maketrans(string.ascii_uppercase.encode() + b"123456789", string.ascii_lowercase.encode() + b"000000000")
"""Of ASCII text: small letters, and one digit."""

Pattern = tuple[str, re.Pattern[str]]
"""What a pattern finds, and the pattern."""


@dataclass(frozen=True)
class Among:
    """What of ``Patterns`` may be found in a text: needles that stand in it, and places of patterns without needles."""

    needles: tuple[str, ...]
    always: frozenset[int]


class Patterns:
    """Patterns in their order, and by their needles: most texts hold none, and a string is looked for once however many patterns want it."""

    def __init__(self, patterns: Iterable[Pattern], needles_of: Callable[[re.Pattern[str]], Iterable[str]] = needles) -> None:
        self.all = tuple(patterns)
        self._always: set[int] = set()
        self._blind: dict[int, re.Pattern[str]] = {}
        self._of: dict[str, list[int]] = {}
        self._masked: dict[str, str] = {}
        self._bare: set[bytes] = set()
        """Lines, their digits made the same, in which nothing is to be found: one job's log is much like another's."""
        for place, (_, pattern) in enumerate(self.all):
            wanted = tuple(needles_of(pattern))
            for needle in wanted:
                self._of.setdefault(needle, []).append(place)
                self._masked[needle] = needle.translate(ONE_DIGIT)
            if not wanted:
                self._always.add(place)
            if digit_blind(pattern):
                self._blind[place] = re.compile(pattern.pattern, pattern.flags | re.IGNORECASE)

    def among(self, text: str) -> Among:
        """What may be found in it: all where a letter beyond ASCII could match as another's lower case.

        A log's lines are alike but for their numbers: with every digit made the same, few different ones are left to look at.
        """
        if not text.isascii():
            return Among(tuple(self._of), frozenset(self._always))
        lines = set(text.encode("ascii").translate(ALIKE).split(b"\n")) - self._bare
        plain = b"\n".join(lines).decode("ascii")
        there = [needle for needle, masked in self._masked.items() if masked in plain]
        if max(map(len, lines), default=0) <= REMEMBERED_CHARS:  # else trying may take time in the square of a line's length
            there = [needle for needle in there if any(self._may_be_in(plain, place) for place in self._of[needle])]
        found = tuple(there)
        always = frozenset(place for place in self._always if self._may_be_in(plain, place))
        if lines and not found and always <= self._always - self._blind.keys() and len(plain) <= len(lines) * REMEMBERED_CHARS:
            if len(self._bare) + len(lines) > MOST_CLEAN:
                self._bare.clear()
            self._bare.update(lines)
        return Among(found, always)

    def _may_be_in(self, plain: str, place: int) -> bool:
        """Whether that pattern may be found where the digits are made the same."""
        return place not in self._blind or self._blind[place].search(plain) is not None

    def worth_trying(self, text: str, among: Among | None = None) -> list[int]:
        """The places of those that may match; ``among``: all that may, where that is known."""
        if among is not None and not among.needles and not among.always:
            return []
        if not text.isascii():
            return list(range(len(self.all)))
        plain, of = text.lower(), self._of
        needles_, always = (of, self._always) if among is None else (among.needles, among.always)
        return sorted({*always, *(place for needle in needles_ if needle in plain for place in of[needle])})


@cache
def whole_text_patterns() -> Patterns:
    """Those for what spans many lines."""
    return Patterns(one for one in patterns() if one[0] == "private key")


@cache
def piece_patterns() -> Patterns:
    """All others."""
    return Patterns(one for one in patterns() if one[0] != "private key")


def _pieces(text: str, offset: int) -> Iterator[str]:
    start, end = 0, offset or PIECE_CHARS
    while start < len(text):
        yield text[start:end]
        start, end = end, end + PIECE_CHARS


@cache
def patterns() -> tuple[Pattern, ...]:
    """Every pattern with the name of what it finds."""
    import importlib

    found = list(OWN)
    for name in DETECTORS:
        module, _, detector = name.partition(".")
        plugin = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), detector)
        found.extend((str(plugin.secret_type), regex) for regex in plugin.denylist)
    return tuple(found)


class Redactor:
    """Takes secrets out of texts and counts them by kind; one for each mail."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._known: dict[str, tuple[str, Counter[str]]] = {}

    def text(self, text: str) -> str:
        """``text`` with each secret as ``[redacted: <kind>]``; doing it twice changes nothing more."""
        if text in _CLEAN:
            return text
        if not LIKELY.search(text):
            _remember(text)
            return text
        known = self._known.get(text)
        if known is not None:
            self.counts.update(known[1])
            return known[0]
        before = self.counts.copy()
        clean = self._apply(whole_text_patterns(), self._key_ends(text))
        wanted, searched = piece_patterns(), ""
        among: Among | None = None
        for offset in (0, PIECE_CHARS // 2) if len(clean) > PIECE_CHARS else (0,):
            if len(clean) > PIECE_CHARS and clean != searched:
                searched, among = clean, wanted.among(clean)
            clean = "".join(self._apply(wanted, piece, among) for piece in _pieces(clean, offset))
        if len(text) <= REMEMBERED_CHARS:
            if clean == text:
                _remember(text)
            else:
                self._known[text] = (clean, self.counts - before)
        return clean

    def verdict(self, verdict: Verdict) -> Verdict:
        """The verdict without secrets; a quote that changed no longer fits its hash and says so in ``data.redacted``."""
        before = verdict.model_dump(mode="json")
        after = self._walk(before)
        if after == before:
            return verdict
        for old, new in zip(before["evidence"], after["evidence"], strict=True):
            if old["source"] != new["source"]:
                new["data"]["redacted"] = True
        return Verdict.model_validate(after)

    def _apply(self, patterns: Patterns, text: str, among: Among | None = None) -> str:
        waiting = patterns.worth_trying(text, among)
        while waiting:
            place = waiting.pop(0)
            kind, pattern = patterns.all[place]
            found = pattern.sub(lambda match, kind=kind: self._replace(match, kind), text)  # type: ignore[misc]
            if found != text:
                text = found
                waiting = [later for later in patterns.worth_trying(text) if later > place]
        return text

    def _walk(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._walk(v) for v in value]
        if isinstance(value, dict):
            return {self.text(k): self._walk(v) for k, v in value.items()}
        return value

    def _key_ends(self, text: str) -> str:
        """A private key whose beginning was cut off: the base64 lines right above its END line."""
        if "-----END " not in text:
            return text
        kept: list[str] = []
        for line in text.split("\n"):
            end = KEY_END.match(line)
            if end and not any("-----BEGIN " in above for above in kept[-400:]):
                shortest = 4  # the last line of a key may be short, the others are not
                while kept and len(kept[-1].strip()) >= shortest and KEY_LINE.fullmatch(kept[-1].strip()):
                    kept.pop()
                    shortest = 40
                self.counts["private key"] += 1
                line = f"[redacted: private key]{line[end.end() :]}"  # noqa: PLW2901
            kept.append(line)
        return "\n".join(kept)

    def _replace(self, match: re.Match[str], kind: str) -> str:
        whole = match.group(0)
        if whole.startswith("[redacted"):
            return whole
        groups = [i for i in range(1, (match.re.groups or 0) + 1) if match.group(i) and (kind in KINDS_WITH_VALUE or len(match.group(i)) >= 16)]
        start, end = match.span(groups[-1]) if groups else match.span()
        value = match.string[start:end]
        if value.startswith("[redacted") or (groups and _NOT_A_SECRET.match(value)):
            return whole
        self.counts[kind] += 1
        offset = match.start()
        return f"{whole[: start - offset]}[redacted: {kind}]{whole[end - offset :]}"


def _remember(text: str) -> None:
    if len(text) <= REMEMBERED_CHARS:
        if len(_CLEAN) >= MOST_CLEAN:
            _CLEAN.clear()
        _CLEAN.add(text)


KINDS_WITH_VALUE = frozenset(kind for kind, pattern in OWN if pattern.groups)


def summary(counts: Counter[str]) -> str:
    """``2 × API key, 1 × password``; empty when nothing was found."""
    return ", ".join(f"{n} × {kind}" for kind, n in sorted(counts.items()) if n)
