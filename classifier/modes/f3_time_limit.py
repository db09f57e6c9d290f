"""F3: the time limit of the job or a step was reached."""

from __future__ import annotations

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.verdict import Fault

SPARE = 1.15
"""The proposed limit leaves this much over what the remaining steps need at their median time."""

_RAISE = "Give the command more time: it is the script's own timeout that ended it, not Slurm's limit."


class TimeLimit(FailureMode):
    """Reached the limit while it advanced (how much longer?), or after it had stopped advancing."""

    code = "F3"
    title = "time limit reached"
    place = 60
    variants = ("advancing", "stalled")
    needs = "accounting; progress with times for how much longer"
    positive = "TIMEOUT (or a step's DUE TO TIME LIMIT) while advancing"
    excludes = "a hang: that is C1, C2 or C3"
    leaves_open = "the total, if the planned steps are unknown"

    def assess(self, facts: Facts) -> Assessment:
        """IN for TIMEOUT and DEADLINE, and for a step's own limit."""
        flip = "TIMEOUT, or a step's DUE TO TIME LIMIT"
        texts = facts.said("time_limit_text")
        if facts.ending.state in {"TIMEOUT", "DEADLINE"}:
            return ruled_in(f"the run ended as {facts.ending.state}", "any other end", _account(facts))
        if facts.ended_well:
            return ruled_out("the run ended well", flip, *facts.cite_end())
        if facts.stopping.own_limit:
            return ruled_in("the script's own timeout ended the run", "another exit code than timeout's 124", _account(facts))
        step = [s for s in facts.row.steps if s.state == "TIMEOUT"] if facts.row is not None else []
        if step or (texts and facts.ending.state in {"", "CANCELLED", "FAILED"}):
            return ruled_in("a step reached its own time limit", "no step ended as TIMEOUT", _account(facts))
        if not facts.ending.state:
            return not_testable("how the run ended is not known", flip)
        return ruled_out(f"the run ended as {facts.ending.state}", flip, *facts.cite_end())


def _account(facts: Facts) -> Account:
    own = facts.stopping.own_limit
    limit = facts.ending.limit_s if not own else None
    steps = [citations.step_state(facts.row, s) for s in facts.row.steps if s.state == "TIMEOUT"] if facts.row is not None else []
    cites = tuple(facts.cite_end()) or tuple(facts.said("time_limit_text")[:1]) or tuple(steps[:1])
    if facts.ending.state not in {"TIMEOUT", "DEADLINE"} and steps:
        cites = (*steps[:1], *cites)
    cut = f" of {words.duration(limit)}" if limit else " of the script's own timeout" if own else ""
    shows = [Said(f"the time limit{cut} ended the run", (*cites, *(citations.rank_exit(e) for e in own[:2])))]
    done, planned, pace, silence = facts.advance.steps_done, facts.advance.steps_planned, facts.advance.step_s, facts.silence
    variant: str | None = None
    implies: list[str] = []
    undecided: list[str] = []
    advice: list[str] = []
    title = f"time limit{cut} reached"
    if facts.advance.seen and (silence is None or silence.short):
        variant = "advancing"
        share = f" (step {done} of {planned})" if done is not None and planned else f" (step {done})" if done is not None else ""
        title += f" while advancing{share}"
        shows.append(Said(f"it was advancing{share}", facts.advance.marks[-1:]))
        left = (planned - done) * pace if done is not None and planned and pace and planned > done else None
        used = facts.ending.elapsed_s or (float(limit) if limit else None)
        if left is None and done and planned and planned > done and used:
            left = used * (planned - done) / done
        if left is not None and used is not None:
            implies.append(f"it needed about {words.duration(left)} more")
            advice.append(f"#SBATCH --time={words.slurm_time((used + left) * SPARE)}" if not own else _RAISE)
        else:
            undecided.append("how much longer it needs: the planned number of steps or the time of a step is not known")
            doubled = f"#SBATCH --time={words.slurm_time(2 * (used or limit or 3600))}   # doubled: the log does not say how much is left"
            advice.append(doubled if not own else _RAISE)
        advice.append("Or save checkpoints and resume from the last one in a dependent job: sbatch --dependency=afterany:JOBID …")
    elif silence is not None and silence.long and silence.ever:
        variant = "stalled"
        title += f" after {words.duration(silence.seconds)} without {silence.of}"
        shows.append(Said(f"the last {silence.of} came {words.duration(silence.seconds)} before the end", silence.cites))
        undecided.append("why it stood still")
        advice.append("Before the next run: export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1, and a shorter --time")
    else:
        undecided.append("whether it was advancing" + ("" if facts.has_logs else ": no output was captured"))
        advice.append("Print progress (step and time) to the output, so that it can be told how much longer the run needs.")
    return Account(
        headline=words.headline(title),
        shows=tuple(shows),
        fault=Fault.USER,
        variant=variant,
        implies=tuple(implies),
        cannot_decide=tuple(undecided),
        advice=tuple(advice),
    )


MODE = TimeLimit()
