"""JobRecord to Verdict. Pure: the same record gives the same verdict."""

from __future__ import annotations

import re

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier import fault as faults
from gpualert_slurm.classifier.advance import learned
from gpualert_slurm.classifier.confidence import confidence
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.fingerprint import fingerprint, terminal
from gpualert_slurm.classifier.first_failure import state_of
from gpualert_slurm.classifier.ladder import Choice, choose
from gpualert_slurm.classifier.mode import Said
from gpualert_slurm.classifier.parents import saved_to
from gpualert_slurm.classifier.recurrence import earlier_attempts, node_history, often_at_fault, seen_before
from gpualert_slurm.classifier.waste import waste_of
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.verdict import Claim, FirstFailure, Trigger, Verdict

MOST_LINES = 25
MOST_RANKS = 4096
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,253}")
_SLURMS_WAY = re.compile(r" \((?:sbatch|#SBATCH)[^()]{0,60}\)")
MISSING_LOGS = Gap(what="the job's output", why="nothing was captured: the verdict rests on Slurm's records")


def judge(job: JobRecord) -> Verdict:
    """Name the failure of one run from all that is known of it.

    Args:
        job: the merged record; any part may be missing.

    Returns:
        A verdict whose every claim cites evidence it carries, with a row of the ledger for every mode. Never raises for
        what a record holds: a mode without data says "not testable", and ``unknown`` is an answer.
    """
    facts = Facts(job)
    choice = choose(facts)
    account = choice.account
    cited = [e for said in account.shows for e in said.evidence]
    fault = faults.settle(account.fault, cited)
    refused = (faults.REFUSED,) if fault is not account.fault else ()
    warnings = _warnings(choice, facts)
    gaps = _gaps(facts)
    trigger = account.trigger
    evidence = _carried(choice, (*account.shows, *warnings), trigger.evidence if trigger else ())
    error = facts.error
    file = str(error.data.get("file", "")).rsplit("/", 1)[-1] if error is not None else ""
    last_lines = _last_lines(facts)
    message = f"{error.data.get('type', error.says)} {error.data.get('message', '')}" if error is not None else account.headline
    if error is None and choice.mode.code == "unknown":
        message = terminal(last_lines) or message
    row, ending = facts.row, facts.ending
    followers = {id(f.end) for f in facts.failures if f.follows and f.end is not None}
    place = f"{file} {error.data.get('function', '')}" if error else ""
    printed = fingerprint(choice.mode.code, account.cause.value if account.cause else None, account.detail, message, place)
    before = seen_before(job, printed) if choice.mode.code != "G1" else ()
    against = tuple(f"a contradiction lowers the confidence: {words}" for words in account.against)
    return Verdict(
        attempt=job.attempt,
        job_name=job.name or (row.name if row else None),
        user=job.user or (row.user if row else None),
        state=ending.state if ending.known_by == "accounting" else None,
        exit_code=ending.exit_code,
        exit_signal=ending.exit_signal,
        nodes=job.nodes,
        started_ns=ending.started_ns,
        ended_ns=ending.ended_ns,
        time_limit_s=ending.limit_s,
        mode=choice.mode.code,
        variant=account.variant,
        title=account.title or choice.mode.title,
        headline=account.headline,
        cause=account.cause,
        detail=account.detail,
        trigger=Trigger(mode=trigger.mode, cause=trigger.cause, text=trigger.text, evidence=tuple(e.id for e in trigger.evidence))
        if trigger
        else None,
        fault=fault,
        confidence=confidence(choice.mode.code, cited, len(account.against), len([g for g in gaps if _counts(g)])),
        phase=facts.phase,
        ranks=tuple(state_of(e, followers) for e in facts.exits[:MOST_RANKS]),
        failed_ranks=tuple(state_of(f.end, followers) for f in facts.failures if f.end is not None)[:MOST_RANKS],
        first_failure=account.first or _first_failure(facts),
        blast_radius=facts.blast_radius,
        shows=_claims(account.shows),
        implies=(*account.implies, *before),
        cannot_decide=(*account.cannot_decide, *refused, *against),
        ledger=choice.ledger,
        warnings=_claims(warnings),
        training_correctness="failed" if choice.mode.code == "E1" else learned(facts.advance.loss),
        final_metrics=facts.advance.metrics,
        steps_done=facts.advance.steps_done,
        steps_planned=facts.advance.steps_planned,
        checkpoints=saved_to(facts.advance.saved),
        waste=waste_of(facts, lost=account.lost, of_parent=account.parent_gpu_hours),
        advice=_advice(account.advice, facts),
        fingerprint=printed,
        last_lines=last_lines,
        evidence=evidence,
        gaps=gaps,
    )


def _first_failure(facts: Facts) -> FirstFailure | None:
    """As the exits tell it; a rank that waited in vain is nobody's first failure."""
    first = facts.first
    return None if first is not None and first.victim and not first.lost_connection else facts.first_failure


def _advice(advice: tuple[str, ...], facts: Facts) -> tuple[str, ...]:
    """The mode's advice as it fits this run; nodes with a history of faults are to be left out where the end has no other owner."""
    if not facts.job.under_slurm:
        return outside_slurm(advice)
    often = often_at_fault(facts.job) if not facts.ended_well else ()
    spare = (f"#SBATCH --exclude={','.join(often[:16])}   # found at fault before, more than once",) if often else ()
    return (*on_the_node(advice, facts), *(s for s in spare if not any("--exclude" in line for line in advice)))


def on_the_node(advice: tuple[str, ...], facts: Facts) -> tuple[str, ...]:
    """Advice whose commands look where the first failing rank ran, where that is one node: a path may be missing there alone."""
    node = facts.first.node if facts.first is not None else None
    if node is None or _NODE.fullmatch(node) is None:
        return advice
    return tuple(line.replace("srun -N1 ", f"srun -w {node} ") for line in advice)


def outside_slurm(advice: tuple[str, ...]) -> tuple[str, ...]:
    """Advice without what only Slurm understands."""
    plain = [_SLURMS_WAY.sub("", line).replace("srun -N1 ", "").replace("srun ", "") for line in advice if not line.startswith("#SBATCH")]
    return tuple(line for line in plain if not line.startswith("-") and not any(word in line for word in ("sbatch", "sacct", "#SBATCH", "scontrol")))


def _claims(said: tuple[Said, ...]) -> tuple[Claim, ...]:
    return tuple(Claim(text=one.text, evidence=tuple(dict.fromkeys(e.id for e in one.evidence))) for one in said if one.evidence)


def _warnings(choice: Choice, facts: Facts) -> tuple[Said, ...]:
    found = [warning for _, said in choice.answers for warning in said.warnings if warning.evidence]
    found += earlier_attempts(facts.job)
    if choice.mode.code == "G1":
        shown = {e.id for warning in found for e in warning.evidence}
        found += [Said("an error was printed, and the run went on to its end", (e,)) for e in facts.recovered[:3] if e.id not in shown]
        failed = [e for e in facts.exits if e.failed]
        if failed:
            found.append(Said("a step failed, and a later one ended well", tuple(citations.rank_exit(e) for e in failed[:4])))
        elif facts.row is not None and not facts.exits:
            bad = [s for s in facts.row.steps if s.state not in {"COMPLETED", "RUNNING"} and s.step != "extern"]
            found += [Said(f"step {s.step} ended as {s.state}", (citations.step_state(facts.row, s),)) for s in bad[:4]]
    else:
        found += node_history(facts.job)
    return tuple(found[:20])


def _carried(choice: Choice, said: tuple[Said, ...], more: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Every piece of evidence that a claim or a row of the ledger names, once."""
    carried: dict[str, Evidence] = {}
    for evidence in (*(e for one in said for e in one.evidence), *more, *(e for _, answer in choice.answers for e in answer.evidence)):
        carried.setdefault(evidence.id, evidence)
    return tuple(carried.values())


def _gaps(facts: Facts) -> tuple[Gap, ...]:
    gaps = [*facts.job.gaps, *(g for r in facts.job.reports for g in r.gaps)]
    if not facts.has_logs:
        gaps.append(MISSING_LOGS)
    return tuple(dict.fromkeys(gaps))


def _counts(gap: Gap) -> bool:
    """Whether a gap takes from the confidence: what was merely shortened, or is others' business, does not."""
    return not any(
        words in gap.why for words in ("first and the last of each kind", "a line is read up to", "not tied to this job", "head and tail are kept")
    )


def _last_lines(facts: Facts) -> tuple[str, ...]:
    """The tail of the first failing rank's log (its stderr before its stdout), else of any."""
    first = facts.first
    excerpts = [x for r in facts.job.reports for x in r.excerpts if x.tail.strip() or x.head.strip()]
    if first is not None:
        own = [x for x in excerpts if x.where.rank == first.rank and x.where.node in {None, first.node} and x.where.step in {None, first.step}]
        excerpts = own or excerpts
    excerpts = sorted(excerpts, key=lambda x: (x.stream != "err", x.where.rank or 0))
    for excerpt in excerpts[:1]:
        lines = [line[:300] for line in (excerpt.tail if excerpt.tail.strip() else excerpt.head).splitlines() if line.strip()]
        return tuple(lines[-MOST_LINES:])
    return ()
