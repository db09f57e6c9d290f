"""``gpualert outbox``: what waits, what was refused and why; try again, or drop."""

from __future__ import annotations

import argparse
import email
import email.message
import email.policy
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm.config import ConfigError, load
from gpualert_slurm.notification import OutcomeKind
from gpualert_slurm.programs.command import Command

if TYPE_CHECKING:
    from gpualert_slurm.notify.outbox import Outbox


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="gpualert.toml; its daemon.state_dir holds the outbox")
    parser.add_argument("--folder", type=Path, help="the outbox itself, where it is not daemon.state_dir/outbox")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show_all = actions.add_parser("list", help="every message: state, key, attempts, next try, subject, last answer")
    show_all.add_argument("--state", help="only messages in this state (queued, active, deferred, sent, refused, corrupt)")
    one = actions.add_parser("show", help="one message: recipients, every answer, the message itself")
    one.add_argument("key", help="its key, or how the key begins")
    one.add_argument("--eml", action="store_true", help="only the message, as it goes over the wire")
    again = actions.add_parser("retry", help="queue a deferred or refused message now")
    again.add_argument("key", nargs="+")
    drop = actions.add_parser("drop", help="remove a message for good")
    drop.add_argument("key", nargs="+")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.notify.outbox import NoSuchMessageError, Outbox
    from gpualert_slurm.notify.stored_message import DamagedError

    try:
        folder = arguments.folder or load(arguments.config).daemon.state_dir / "outbox"
        if not folder.is_dir():
            print(f"{folder}: no outbox there; gpualertd makes it at its first start", file=sys.stderr)
            return 1
        outbox = Outbox(folder)
        if arguments.action == "list":
            return _list(outbox, arguments.state)
        if arguments.action == "show":
            return _show(outbox, arguments.key, eml=arguments.eml)
        for key in arguments.key:
            path = outbox.retry(key) if arguments.action == "retry" else outbox.drop(key)
            print(f"{path.stem}: {'queued again' if arguments.action == 'retry' else 'dropped'}")
    except (ConfigError, NoSuchMessageError, DamagedError) as error:
        print(f"gpualert outbox: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"gpualert outbox: {error}; the outbox belongs to the daemon's user: try as that user or as root", file=sys.stderr)
        return 1
    return 0


def _list(outbox: Outbox, wanted: str | None) -> int:
    from gpualert_slurm.notify.outbox import State
    from gpualert_slurm.notify.plain import visible
    from gpualert_slurm.notify.stored_message import DamagedError, read

    known = [s.value for s in State]
    if wanted is not None and wanted not in known:
        print(f"gpualert outbox: no state {wanted!r}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    for state, path in outbox.messages():
        if wanted not in (None, state.value):
            continue
        try:
            stored = read(path)
        except FileNotFoundError:
            continue  # the sender moved it meanwhile
        except DamagedError as error:
            print(f"{state.value:<9} {path.stem}  {error}")
            continue
        last = [o for o in stored.last_outcomes.values() if o.kind is not OutcomeKind.SENT]
        next_try = f", next try {_local(path.stat().st_mtime_ns)}" if state is State.DEFERRED else ""
        print(f"{state.value:<9} {path.stem}  queued {_local(stored.envelope.queued_ns)}, {_attempts(stored.attempts)}{next_try}")
        print(f"          to {', '.join(stored.envelope.recipients)}: {visible(stored.envelope.subject)}")
        for outcome in last:
            print(f"          {outcome.recipient}: {visible(outcome.reason)}")
    return 0


def _show(outbox: Outbox, key: str, *, eml: bool) -> int:
    from gpualert_slurm.notify.outbox import State
    from gpualert_slurm.notify.plain import visible, visible_lines
    from gpualert_slurm.notify.stored_message import read

    state, path = outbox.find(key)
    reason = path.with_suffix(".reason")
    if state is State.CORRUPT and reason.exists():
        print(f"set aside: {visible(reason.read_text(errors='replace').strip())}")
    stored = read(path)
    if eml:
        sys.stdout.buffer.write(stored.message)
        return 0
    envelope = stored.envelope
    print(f"key        {envelope.key}\nstate      {state.value} ({path})\nfrom       {envelope.sender}\nmessage-id {envelope.message_id}")
    print(f"subject    {visible(envelope.subject)}\nqueued     {_local(envelope.queued_ns)}, tried until {_local(stored.expires_ns)}")
    answers = stored.last_outcomes
    for recipient in envelope.recipients:
        said = answers.get(recipient)
        print(f"to         {recipient}: {f'{said.kind.value}: {visible(said.reason)}' if said else 'not tried yet'}")
    for event in stored.journal:
        print(f"{_local(event.time_ns)}  {event.event}")
        for outcome in event.outcomes:
            print(f"    {outcome.recipient}: {outcome.kind.value}: {visible(outcome.reason)}")
    text = email.message_from_bytes(stored.message, policy=email.policy.default).get_body(("plain",))
    if isinstance(text, email.message.EmailMessage):
        print("\n" + "\n".join(visible_lines(str(text.get_content()))))
    return 0


def _attempts(count: int) -> str:
    return "not tried yet" if count == 0 else "1 attempt" if count == 1 else f"{count} attempts"


def _local(time_ns: int) -> str:
    return f"{datetime.fromtimestamp(time_ns / 1e9).astimezone():%Y-%m-%d %H:%M:%S %Z}"


COMMAND = Command(help="list, show, retry and drop messages that wait or were refused", arguments=_arguments, run=_run)
