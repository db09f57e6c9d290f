"""The mail about a run that stands still while it runs, and the all-clear: short, from the notes of the job's nodes. Pure."""

from __future__ import annotations

import hashlib
import html as html_of
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, tzinfo

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Notification
from gpualert_slurm.notify import words
from gpualert_slurm.notify.compose import Composition
from gpualert_slurm.notify.headers import header_text
from gpualert_slurm.notify.identity import attempt_thread
from gpualert_slurm.notify.plain import sentence
from gpualert_slurm.notify.recipients import choose
from gpualert_slurm.notify.redact import Redactor
from gpualert_slurm.stall import RankStand, StallNote, Waits
from gpualert_slurm.wishes import When

MOST_RANKS, MOST_FRAMES = 16, 8
_SUBJECT_CHARS = 160
_WORDS = {
    Waits.DEAD: "has ended", Waits.STOPPED: "is stopped by a signal", Waits.STORAGE: "waits for storage", Waits.KERNEL: "waits in the kernel",
    Waits.DATA_LOADER: "waits in its data loader", Waits.LOCK: "waits for a lock", Waits.COMPUTE: "computes on the CPU",
    Waits.UNKNOWN: "stands where it could not be told", Waits.COLLECTIVE: "waits in a collective", Waits.RENDEZVOUS: "waits for the others to join",
}  # fmt: skip


def compose_stall(notes: Sequence[StallNote], mail: Mail, zone: tzinfo | None = None) -> Composition:
    """One message from the notes of one stall, or one all-clear; ``notes`` are of one job and kind, at least one.

    Names, frames and addresses are the job's: made visible, redacted, held against the site's list.
    """
    first = notes[0]
    if not first.wishes.addresses or first.wishes.when is When.NEVER:
        return Composition(None, "nobody asked for mail")
    to = choose(first.wishes.addresses, mail)
    if not to.allowed:
        return Composition(None, "no address is allowed", to.refused)
    redactor = Redactor()
    since = min((n.stall.since_ns or n.stall.found_ns for n in notes), default=first.written_ns)
    lines = _resumed(notes, zone) if first.kind == "resumed" else _stalled(notes, since, zone)
    headline, body = redactor.text(lines[0]), [redactor.text(line) for line in lines]
    thread = attempt_thread(first.attempt)
    told = hashlib.sha256(repr((first.attempt.start_time_ns, since)).encode()).hexdigest()[:12]
    job = f"{first.attempt.cluster}/{first.attempt.label}"
    subject = header_text(f"[gpualert] job {first.attempt.label} on {first.attempt.cluster}: {headline}", _SUBJECT_CHARS)
    text = "\n".join(body) + "\n"
    return Composition(
        Notification(
            key=f"{thread}.{first.kind}.{told}",
            recipients=to.allowed,
            subject=subject,
            text=text,
            html=f"<!DOCTYPE html><html><body><pre style=\"font-family:monospace;white-space:pre-wrap\">{html_of.escape(text)}</pre></body></html>",
            thread=thread,
            headers={"X-GPUAlert-Job": header_text(job, _SUBJECT_CHARS), "X-GPUAlert-Stall": first.kind},
        ),
        "",
        to.refused,
        sum(redactor.counts.values()),
    )


def _stalled(notes: Sequence[StallNote], since_ns: int, zone: tzinfo | None) -> list[str]:
    ranks = [rank for note in notes for rank in note.stall.ranks]
    total = sum(note.stall.ranks_total for note in notes)
    named = next((n for n in notes if n.stall.culprit_pid is not None), None)
    headline = f"no progress since {_clock(since_ns, zone)} on {words.plural(total, 'rank')}"
    if named is not None:
        stand = next((r for r in named.stall.ranks if r.pid == named.stall.culprit_pid), None)
        headline += f"; {_who(stand, named)} {sentence(named.stall.culprit_why or '', 120)}"
    job = notes[0].attempt.label
    moment = datetime.fromtimestamp(since_ns / 1e9, zone).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S %Z").strip()
    lines = [headline, "", f"Job {job} on {sentence(notes[0].attempt.cluster, 64)}: its last sign of progress was at {moment}.", ""]
    lines += ["Nothing of the job has been changed: it still runs, and holds its nodes. If you agree that it hangs:", ""]
    lines += [f"    scancel {job}", ""]
    usual = next((n.stall.usual_interval_s for n in notes if n.stall.usual_interval_s), None)
    if usual is not None:
        lines.append(f"It used to write every {usual:.1f} s; it is written to you once such a silence is far longer than its own.")
    idle = [n.stall.gpu_idle for n in notes if n.stall.gpu_idle is not None]
    if idle:
        busy = "Its GPUs are busy, evenly: a collective that waits spins so, and so does a very long kernel."
        lines.append("Its GPUs are idle." if all(idle) else busy)
    lines += ["", "Where its ranks stand:"]
    lines += [f"  {_who(rank, None)} on {sentence(rank.node, 64)} ({_place(rank)}) {_WORDS[rank.waits]}{_on(rank)}" for rank in ranks[:MOST_RANKS]]
    if total > min(len(ranks), MOST_RANKS):
        counted = Counter(_WORDS[rank.waits] for rank in ranks[MOST_RANKS:])
        more = ", ".join(f"{count} {word}" for word, count in counted.items())
        lines.append(f"  {total - min(len(ranks), MOST_RANKS)} more" + (f": {more}" if more else " were not looked at"))
    shown = next((r for r in ranks if named is not None and r.pid == named.stall.culprit_pid), ranks[0] if ranks else None)
    if shown is not None and shown.python_stack:
        lines += ["", f"The stack of {_who(shown, None)}, innermost first, as py-spy read it from outside:"]
        lines += [f"  {sentence(frame, 160)}" for frame in shown.python_stack[:MOST_FRAMES]]
    stopped = [rank for rank in ranks if rank.waits is Waits.STOPPED]
    if stopped:
        node, pids = stopped[0].node, " ".join(str(rank.pid) for rank in stopped if rank.node == stopped[0].node)
        lines += ["", "A process that was stopped goes on with:", ""]
        lines += [f"    srun --jobid {job} --overlap -N1 -n1 -w {sentence(node, 64)} kill -CONT {pids}"]
    gaps = {str(gap) for note in notes for gap in (*note.stall.gaps, *(g for r in note.stall.ranks for g in r.gaps))}
    if gaps:
        lines += ["", "Not known:", *(f"  {sentence(gap, 200)}" for gap in sorted(gaps)[:8])]
    return lines


def _resumed(notes: Sequence[StallNote], zone: tzinfo | None) -> list[str]:
    again = min((n.stall.resumed_ns or n.written_ns) for n in notes)
    headline = f"all clear: it writes again since {_clock(again, zone)}"
    return [headline, "", "The standstill that was written to you about is over; nothing needs to be done."]


def _who(rank: RankStand | None, note: StallNote | None) -> str:
    if rank is not None:
        return f"rank {rank.rank}" if rank.rank is not None else f"process {rank.pid}"
    return f"a process on {sentence(note.node, 64)}" if note is not None else "a process"


def _place(rank: RankStand) -> str:
    """Below a launcher Slurm knows one task only: the local rank is what the launcher's own messages call it."""
    return f"local rank {rank.local_rank}, pid {rank.pid}" if rank.local_rank is not None else f"pid {rank.pid}"


def _on(rank: RankStand) -> str:
    return f": {sentence(rank.waits_on, 120)}" if rank.waits_on else ""


def _clock(time_ns: int, zone: tzinfo | None) -> str:
    return datetime.fromtimestamp(time_ns / 1e9, zone).astimezone(zone).strftime("%H:%M %Z").strip()
