"""The artifact budget: a file of 1 KB to 1 GB that the owner asked for is attached or named, never silently absent."""

from __future__ import annotations

import email
import email.policy
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).parents[2]
SIZES = (("1 KB", 1 << 10), ("10 KB", 10 << 10), ("100 KB", 100 << 10), ("1 MB", 1 << 20), ("1 MB and a byte", (1 << 20) + 1), ("10 MB", 10 << 20), ("100 MB", 100 << 20), ("1 GB", 1 << 30))


def table() -> str:
    """Each size alone, then all together, with ``gpualert-run --dry-run``: what the mail would have."""
    rows = ["| asked for | attached | named in the text | bytes of the mail | seconds to the mail |", "|---|---|---|---|---|"]
    silent = 0
    for title, names in [*((t, (t,)) for t, _ in SIZES), ("all of them", tuple(t for t, _ in SIZES))]:
        attached, named, size, took_s = _one({t: s for t, s in SIZES if t in names})
        silent += sum(n not in attached and n not in named for n in (_file(t) for t in names))
        rows.append(f"| {title} | {len(attached)} of {len(names)} | {len(named)} of {len(names)} | {size} | {took_s:.1f} |")
    return "\n".join(rows) + f"\n\nNeither attached nor named: {silent}.\n"


def _file(title: str) -> str:
    return f"result-{title.replace(' ', '-')}.bin"


def _one(sizes: dict[str, int]) -> tuple[set[str], set[str], int, float]:
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        for title, size in sizes.items():
            with (work / _file(title)).open("wb") as file:
                file.write(os.urandom(min(size, 1 << 20)))
                file.truncate(size)
        (work / "gpualert").mkdir()
        config = work / "gpualert" / "gpualert.toml"
        config.write_text('[mail]\nhost = "127.0.0.1"\nport = 9\nsender = "gpualert@example.org"\n')
        began = time.monotonic()
        options = ["--dry-run", "--mail=alice@example.org", *(f"--attach={_file(t)}" for t in sizes)]
        program = TOP / ".venv" / "bin" / "gpualert-run"
        env = {**os.environ, "XDG_STATE_HOME": str(work / "state"), "XDG_CONFIG_HOME": str(work), "PATH": f"{program.parent}:{os.environ['PATH']}"}
        subprocess.run([str(program), *options, "--", "sh", "-c", "echo step 1 loss 2.0; exit 3"], cwd=work, env=env, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while not (mails := list(work.glob("state/gpualert/*/mail.eml"))) and time.monotonic() < until:
            time.sleep(0.1)
        if not mails:  # its folder goes with this function: what was said there is told now
            for said in work.glob("state/gpualert/*/report.log"):
                print(said.read_text(errors="replace")[-2000:], file=sys.stderr)
            return set(), set(), 0, time.monotonic() - began
        took_s = time.monotonic() - began
        raw = mails[0].read_bytes()
        message = email.message_from_bytes(raw, policy=email.policy.default)
        attached = {part.get_filename() for part in message.iter_attachments()}
        body = message.get_body(("plain",))
        text = str(body.get_content()) if body is not None else ""
        names = {_file(t) for t in sizes}
        return names & {str(a) for a in attached}, {n for n in names if n in text}, len(raw), took_s
