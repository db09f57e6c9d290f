"""Text from a job, made harmless to look at: no escape sequence, no invisible character, no endless line."""

from __future__ import annotations

import re
import unicodedata

from gpualert_slurm.notify.headers import UNSAFE_CATEGORIES

COLUMNS = 88
"""Outlook for Windows cannot wrap preformatted text, so that lines are cut here."""

SENTENCE_CHARS = 600
HARMLESS = bytes(range(0x20, 0x7F)) + b"\n"
"""What is shown as it is."""

# ECMA-48: CSI, OSC and the other string sequences (ended by BEL or ST), two-byte escapes; 8-bit CSI as well.
ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?")


def visible(text: str) -> str:
    r"""``text`` on one line, colours and cursor movements dropped, every other control or format character as ``\xNN``.

    Right-to-left overrides and zero-width characters are shown too: with them a log line reads as what it is not.
    """
    if text.isascii() and text.isprintable():  # then it has neither
        return text
    plain = ESCAPE.sub("", text).expandtabs(4)
    if plain.isascii() and plain.isprintable():
        return plain
    return "".join(_shown(c) for c in plain)


def sentence(text: str, max_chars: int = SENTENCE_CHARS) -> str:
    """``text`` made ``visible``; a very long one is cut and says by how much."""
    plain = visible(text)
    return plain if len(plain) <= max_chars else f"{plain[:max_chars]}… ({len(plain) - max_chars} more characters)"


def capital(text: str) -> str:
    """``text`` as a sentence begins, where its first word is a plain one (not ``srun:`` nor ``torch.cuda``)."""
    return text[0].upper() + text[1:] if re.match(r"[a-z]+(?= |$)", text) else text


def visible_lines(text: str) -> list[str]:
    """The lines of ``text``, each made ``visible``; CR LF is one end of line, trailing blanks are dropped."""
    if text.isascii() and not text.encode("ascii").translate(None, HARMLESS):
        lines = text.split("\n")
        return [line.rstrip() for line in lines] if " \n" in text or text.endswith(" ") else lines
    return [visible(line.rstrip("\r")).rstrip() for line in text.split("\n")]


def wrap(line: str, max_rows: int = 12, columns: int = COLUMNS) -> list[str]:
    """``line`` in rows of at most ``columns``; continued rows are indented, and a cut says how much is missing."""
    if len(line) <= columns:
        return [line]
    end = _break(line, columns)
    rows, rest = [line[:end]], line[end:]
    while rest and len(rows) < max_rows:
        end = _break(rest, columns - 4)
        rows.append(f"    {rest[:end]}")
        rest = rest[end:]
    if rest:
        rows.append(f"    … {len(rest)} more characters on this line")
    return rows


def _break(text: str, columns: int) -> int:
    """Where a row of ``text`` ends: after a blank in its last third, else after a slash or a comma there, else where the columns end."""
    if len(text) <= columns:
        return len(text)
    ends = (max(text.rfind(char, columns * 2 // 3, columns) for char in chars) for chars in (" ", "/,"))
    return next((end + 1 for end in ends if end > 0), columns)


def _shown(char: str) -> str:
    if unicodedata.category(char) not in UNSAFE_CATEGORIES:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
