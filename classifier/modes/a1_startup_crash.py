"""A1: the run ended by an exception, or a launcher's refusal, before it made any progress."""

from __future__ import annotations

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import citations, crash, words
from gpualert_slurm.classifier.about import about, likely
from gpualert_slurm.classifier.facts import OUTPUT_REFUSED, Facts
from gpualert_slurm.classifier.meaning import HARDWARE
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, Said, not_testable, ruled_in, ruled_out
from gpualert_slurm.classifier.underway import begun
from gpualert_slurm.evidence import Evidence, Role
from gpualert_slurm.verdict import Fault, Phase

ABOUT = {
    "data": "data that is absent, malformed or cannot be read",
    "config": "the configuration",
    "env": "the software environment",
    "asset": "a model, tokenizer or checkpoint",
}
NEEDS_NODE_CHECK = {"no_gpu", "device_busy", "fabric_not_ready", "driver_mismatch", "stale_file_handle", "io_error"}
"""Finer names that are a missing option as often as a sick node: the text alone does not say which."""


class StartupCrash(FailureMode):
    """Before progress: the exact exception and what it is about."""

    code = "A1"
    title = "startup crash"
    place = 56
    variants = ("data", "config", "env", "asset")
    needs = "the ranks' output; exit records for who was first"
    positive = "a terminal exception, or a launcher's refusal without any Python, before progress"
    excludes = "progress, exit by a signal, hardware in the episode, a full GPU (B1), a checkpoint that does not load (E2)"
    leaves_open = "intent"

    def assess(self, facts: Facts) -> Assessment:
        """IN for an error nobody survived, before any progress."""
        flip = "a terminal exception or a launcher's refusal before any progress"
        if facts.ended_well:
            return ruled_out(f"the run ended well ({facts.ending.state or 'planned end'})", flip, *facts.cite_end())
        error = facts.error
        if error is not None and not facts.advance.seen and (behind := begun(facts, error)):
            return ruled_out(behind, "no progress before the error", error)
        if facts.advance.seen and not facts.others_went_on(error):
            return ruled_out("the run had made progress", "no progress before the error", *facts.advance.marks[-1:])
        if error is None and facts.row is not None and facts.ending.exit_signal == OUTPUT_REFUSED:
            return ruled_in("Slurm could not open the job's output file (ExitCode 0:53)", "another exit code", _output_refused(facts, facts.row))
        if error is None and not facts.has_logs:
            return not_testable("no output of the job was captured", flip)
        if error is None:
            return ruled_out("no exception and no refusal in the output", flip)
        if waited_in_vain(error):
            return ruled_out("who failed had waited for the others until a time-out: the ranks never met, or one stayed away", flip, error)
        first = facts.first
        if first is not None and first.signal is not None and error.says not in {"exception", "launch_refused", "nccl_error", "cuda_error"}:
            return ruled_out(f"{first.name} was ended by {first.words}", "an exit by itself", first.evidence)
        return ruled_in(
            f"{words.headline(words.told(error))}, before any progress", "progress before the error, or progress after it", account(facts, error)
        )


def waited_in_vain(error: Evidence) -> bool:
    """Whether the error is a wait for other ranks that timed out: a hang's end, not a crash."""
    return error.role is Role.CASCADE and error.detail == "collective_timeout"


def account(facts: Facts, error: Evidence) -> Account:
    """The verdict's part: what the error is about decides the variant."""
    variant = variant_of(error)
    cause = error.cause
    undecided: list[str] = []
    fault = Fault.USER
    if error.detail in NEEDS_NODE_CHECK and not (error.detail == "no_gpu" and not facts.gpu_count):
        fault = Fault.UNKNOWN
        undecided.append("whether the node or the job's own request is at fault: the job's text proves nothing about a node")
    if error.says in {"hardware_text"} or error.detail in HARDWARE:
        fault = Fault.UNKNOWN
        undecided.append("whether the hardware failed: the job's output says so, but no kernel message or counter was seen")
    if cause is Cause.NCCL and facts.advance.seen:
        fault = Fault.UNKNOWN
        undecided.append("whether a rank, its node or the fabric broke the communication")
    if error.role is Role.CASCADE and facts.ranks_total > 1:
        fault = Fault.UNKNOWN
        undecided.append("who was lost first: the ranks that failed tell of nothing but lost peers")
    if facts.phase is Phase.UNKNOWN:
        undecided.append("how far the run had got")
    implies = []
    if variant is not None:
        implies.append(f"the error is about {ABOUT[variant]}")
    own = [f for f in facts.failures if not f.follows]
    if (alone := crash.one_node(facts)) is not None:
        implies.append(f"all ranks that failed by themselves ran on {alone}, the others did not fail: look at what is different there")
    elif crash.same_everywhere(facts, error):
        implies.append(f"{len(own)} ranks said the same: it is the job's own, not one node's")
    elif facts.ranks_total > 1 and len(own) == 1:
        implies.append("one rank alone failed by itself: look for what only that rank uses (its shard, its path, its node)")
    waited = crash.waited_on(facts)
    if waited is not None:
        implies.append(waited)
    return Account(
        headline=words.subject(words.who(facts.first, error), words.told(error)),
        shows=(*crash.shows_crash(facts, error), *(() if facts.advance.seen else crash.shows_gpu_memory(facts, only_empty=True))),
        fault=fault,
        variant=variant or likely(error),
        cause=cause,
        detail=error.detail,
        implies=tuple(implies),
        cannot_decide=tuple(undecided),
        advice=(*crash.advice_for(facts, error, cause, error.detail), *((crash.END_THE_STEP,) if waited is not None else ())),
    )


def _output_refused(facts: Facts, row: AccountingRecord) -> Account:
    """The task was never started: no text of it exists anywhere."""
    paths = [(name, value) for name, value in (("StdOut", row.std_out), ("StdErr", row.std_err)) if value]
    shows = [Said("Slurm's exit code 0:53 means that it could not open the job's output file", facts.cite_end())]
    shows += [Said(f"{name} is {words.headline(value)}", (citations.accounting(row, name, value),)) for name, value in paths]
    return Account(
        headline=words.headline(f"Slurm could not open the job's output file{': ' + paths[0][1] if paths else ''}"),
        shows=tuple(shows),
        fault=Fault.USER,
        variant="config",
        detail="output_path",
        implies=("the program was never started",),
        advice=("Make the folder before submitting (mkdir -p), and check that it can be written on the compute node: sbatch --output=PATH",),
    )


def variant_of(error: Evidence) -> str | None:
    """``data``, ``config``, ``env`` or ``asset``; None where the error does not say."""
    return about(error)


MODE = StartupCrash()
