"""One command with a bound, and an error that says what was run, what it said and what the daemons logged."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class CommandError(RuntimeError):
    """A command failed or ran past its bound; the text quotes it, its stderr and the tail of the logs given."""


@dataclass(frozen=True)
class Done:
    """What a finished command left: its exit status (negative: the signal that ended it) and its text."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str


def as_user(user: str, argv: Sequence[str]) -> list[str]:
    """The same command as ``user``, with that user's groups; ``root`` leaves it alone. setpriv is in util-linux, which is essential."""
    if user == "root":
        return list(argv)
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--", *argv]


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    user: str = "root",
    cwd: Path | None = None,
    timeout_s: float = 60,
    check: bool = True,
    stdin: str | None = None,
    logs: Callable[[], str] | None = None,
) -> Done:
    """Run ``argv`` as ``user``; raises ``CommandError`` where it ran past ``timeout_s`` or (with ``check``) ended with anything but 0."""
    full = as_user(user, argv)
    command = f"{' '.join(argv)} (as {user})"
    try:
        done = subprocess.run(
            full, env=dict(env) if env is not None else None, cwd=cwd, timeout=timeout_s, check=False, capture_output=True, text=True,
            errors="replace", input=stdin if stdin is not None else "",
        )
    except subprocess.TimeoutExpired as late:
        raise CommandError(_words(command, f"ran past its {timeout_s} s", _text(late.stdout), _text(late.stderr), logs)) from None
    except OSError as error:
        raise CommandError(_words(command, f"could not be started: {error}", "", "", logs)) from error
    if check and done.returncode != 0:
        raise CommandError(_words(command, f"ended with {done.returncode}", done.stdout, done.stderr, logs))
    return Done(tuple(argv), done.returncode, done.stdout, done.stderr)


def _text(captured: bytes | str | None) -> str:
    return captured.decode(errors="replace") if isinstance(captured, bytes) else captured or ""


def _words(command: str, what: str, stdout: str, stderr: str, logs: Callable[[], str] | None) -> str:
    parts = [f"{command} {what}"]
    if stdout.strip():
        parts.append(f"stdout: {stdout.strip()[-2000:]}")
    parts.append(f"stderr: {stderr.strip()[-2000:] or '(empty)'}")
    if logs is not None:
        parts.append(logs())
    return "\n".join(parts)
