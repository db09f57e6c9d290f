"""What the first failing rank said before it went."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.telling import by_prefix
from gpualert_slurm.evidence import Evidence, Quote, Role

if TYPE_CHECKING:
    from gpualert_slurm.classifier.facts import Facts

_PARENTS = re.compile(r"(?:CalledProcessError|BrokenProcessPool)\Z")
MOST_CODE = 255
"""The largest code that a process leaves with."""
LAST_BYTES = 512
"""What a command of a script says of itself ends the run only where (nearly) nothing was written after it."""


def error_of(facts: Facts, roots: tuple[Evidence, ...]) -> Evidence | None:
    """The first failing rank's own root; else the first of ``roots``, which nobody survived."""
    first = facts.first
    roots = tuple(e for e in roots if not e.data.get("command") or _ends(facts, e))
    if first is not None and first.root is not None and (not first.root.data.get("command") or _ends(facts, first.root)):
        return first.root
    if facts.ended_well:
        return None
    if first is not None and first.signal not in {None, 0}:
        return _best([e for e in roots if e.where.rank is None and not e.data.get("bare")])
    if first is not None and not first.victim and any(f.victim for f in facts.failures):
        return _best([e for e in roots if e.where.rank in {None, first.rank} and not e.data.get("bare")])
    owners = {f.rank for f in facts.failures} if facts.failures else None
    anybody = owners is None or not facts.exits
    candidates = [e for e in roots if anybody or e.where.rank is None or e.where.rank in (owners or ()) or _unnamed(facts, e)]
    if candidates and owners and all(e.where.rank not in owners for e in candidates):  # several may have written: the first
        return _best([e.model_copy(update={"where": e.where.model_copy(update={"rank": None})}) for e in candidates])
    return _best(candidates) or _lost_peer(facts, owners) or _wrapper(facts, owners) or _error_line(facts, owners)


_XLA_HOST = re.compile(r"Out of memory allocating \d{1,18} bytes")
"""XLA's client for the CPU says so; its GPUs' allocator says ``while trying to allocate``, but older ones the same."""


def of_host(error: Evidence | None, *, gpus: bool) -> Evidence | None:
    """The same; memory that XLA was refused in a run of which no GPU is known was the host's."""
    if error is None or gpus or error.detail != "jax" or not isinstance(error.source, Quote) or not _XLA_HOST.search(error.source.text):
        return error
    return error.model_copy(update={"cause": Cause.RAM_OOM, "detail": "host_memory"})


def _last(said: Evidence) -> bool:
    source = said.source
    return not isinstance(source, Quote) or source.file_bytes is None or source.file_bytes - source.offset - source.length <= LAST_BYTES


def _ends(facts: Facts, said: Evidence) -> bool:
    """Whether it is the last word of its log, or all that stands behind it had been held back until the program's exit."""
    return _last(said) or (any(f.code for f in facts.failures) and facts.advance.let_out_behind(said))


def _unnamed(facts: Facts, said: Evidence) -> bool:
    """Whether a line in a launcher's log names nobody: it may be any rank's below, although it stands in the log of the task."""
    return any(f.end is None or f.end.wait_status is None for f in facts.failures) and not by_prefix(said)


def _mine(said: Evidence, owners: set[int | None] | None) -> bool:
    return owners is None or None in owners or said.where.rank is None or said.where.rank in owners


def _wrapper(facts: Facts, owners: set[int | None] | None) -> Evidence | None:
    """Where nobody says anything else: the exception in which a parent tells of its child's end."""
    told = [e for e in facts.said("exception") if e.role is Role.WRAPPER and _PARENTS.search(str(e.data.get("type", ""))) and not facts.survived(e)]
    found = [e for e in told if _mine(e, owners) and not facts.after_stop(e.time_ns, e.where.node)]
    return found[-1].model_copy(update={"cause": Cause.TRACEBACK}) if found else None


def _error_line(facts: Facts, owners: set[int | None] | None) -> Evidence | None:
    """Where nobody says anything else: the first of the last words of a log that names a cause, else the first."""
    said = [e for e in facts.said("error_line") if _mine(e, owners) and _ends_it(facts, e) and not facts.survived(e)]
    said = [e for e in said if not facts.after_stop(e.time_ns, e.where.node)]
    known = [e for e in said if not e.data.get("parting")] or said
    return next((e for e in said if e.cause is not None), next((e for e in said if e.detail is not None), known[0] if known else None))


def _ends_it(facts: Facts, said: Evidence) -> bool:
    """Whether last words are an end's; a log's parting words only of who left by themselves with a code, and without trouble after progress alone."""
    first = facts.first
    if not said.data.get("parting"):
        return _ends(facts, said)
    if first is None:  # where logs are all there is, the end that was told of the whole run
        code = facts.ending.exit_code if facts.ending.known_by == "own" and not facts.exits else None
    else:
        code = None if first.follows or first.victim or first.signal is not None else first.code
    if facts.ending.state not in {"FAILED", ""} or not 0 < (code or 0) <= MOST_CODE:
        return False
    return bool(said.data.get("sure")) or facts.advance.seen


def _lost_peer(facts: Facts, owners: set[int | None] | None) -> Evidence | None:
    """Where nobody says anything else: the first word of a lost peer or connection that nobody survived."""
    told = [e for e in facts.said("exception") if (e.role is Role.CASCADE and e.detail != "interrupted") or e.id in facts.patience]
    lost = [e for e in told if not facts.survived(e)]
    lost = [e for e in lost if not facts.after_stop(e.time_ns, e.where.node)]
    return next((e for e in lost if _mine(e, owners)), None)


def _best(candidates: list[Evidence]) -> Evidence | None:
    """A whole traceback before a bare line; in a log of several writers the first, in one's own the last."""
    for group in (
        [e for e in candidates if e.says == "exception" and not e.data.get("bare")],
        [e for e in candidates if not e.data.get("bare")],
        candidates,
    ):
        if group:
            return group[-1] if group[0].where.rank is not None and len({e.where.rank for e in group}) == 1 else group[0]
    return None
