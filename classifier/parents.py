"""The run this one should have gone on from: by dependency, by its resume argument, by an earlier attempt. And where a run saved to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.classifier import citations, words
from gpualert_slurm.classifier.excerpts import heads
from gpualert_slurm.classifier.stand import process
from gpualert_slurm.classifier.storm import step_of
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.process import Process

_RESUME = re.compile(
    r"(?:^|\s)(?:--?)?(?P<option>resume[\w.-]{0,40}|load|load[-_]checkpoint|ckpt[-_]path|checkpoint[-_]path|restore[-_](?:from|file|path)|init[-_]from[-_]ckpt"
    r"|continue[-_](?:from|with|file|path)|(?:continue|restore|reload|from[-_](?:run|state|snapshot))(?=[=\s]['\"]?[^\s'\"]{0,200}[/.])"
    r"|(?:re)?start[-_]from|reprise|reprendre|fortsetzen|weiter(?:[-_](?:mit|von|ab))?|reanudar|retomar|riprendi"
    r"|trainer\.resume[\w.]{0,40})[=\s]['\"]?(?P<path>[^\s'\"]{1,400})",
    re.IGNORECASE,
)
"""Options by which training programs are told what to go on from (Trainer, Megatron-LM, Lightning's CLI, Axolotl, plain loops)."""
_GOES_ON = re.compile(r"resum|restor|contin|restart|repri|reprendre|fortsetzen|weiter|reanudar|retomar|riprendi", re.IGNORECASE)
_STATE = re.compile(
    r"(?<=[=\s])['\"]?(?P<path>[\w./~@+-]{1,300}\.(?:pth?|ckpt|pkl|pickle|bin|safetensors|npz|npy|h5|hdf5|keras|msgpack|tar|model|json|state|weights))(?![\w./-])"
)
_PRINTED = re.compile(
    r"(?<![\w.])['\"]?(?:(?:resume(?:[_-](?:from|path|ckpt|checkpoint)\w{0,12})?|continue[_-]from|restore[_-]from|ckpt[_-]path|checkpoint[_-]path)['\"]?\s?[=:]"
    r"|(?:reprise|reprendre|fortsetzen|weiter|continuar|reanudar|retomar|riprendi)(?:\s?=|['\"]\s?:))\s?['\"]?(?P<path>[^\s'\",;)}\]]{4,400})"
)
"""The same among settings that a program prints when it starts (argparse's Namespace, a dictionary, YAML)."""
_NEW_STAGE = re.compile(
    r"(?:^|\s)--?(?:finetune|reset[-_]\w{1,40}|no[-_]load[-_](?:optim|rng)|new[-_]stage|warm[-_]?start\w{0,20}|override[-_]opt_param-scheduler)\b"
)
_OUT = re.compile(
    r"(?:^|\s)--?(?:out(?:put)?|save|work|log|exp(?:eriment)?|run|default[-_]root)(?:[-_](?:dir(?:ectory)?|folder|path|to))?[=\s]['\"]?(?P<path>[^\s'\"]{1,400})"
)
FIRST = re.compile(
    r"\b(?:first|initial) (?:run|start|launch|attempt|submission|job|go|time)\b|\b(?:brand[- ])?new (?:run|experiment)\b"
    r"|\bnothing (?:\w{1,10} ){0,2}(?:saved|to resume|to restore) yet\b|\bno (?:check-?points?|snapshots?|state) yet\b"
    r"|\bpremi(?:er|[èe]re) (?:lancement|d[ée]marrage|ex[ée]cution|soumission)\b|\berste[rn]? (?:lauf|start|durchlauf)\b"
    r"|\bprimer[ao]? (?:vez|ejecuci[óo]n|arranque|corrida)\b",
    re.IGNORECASE,
)
"""By which a run says that there was none before it."""
_DEPENDENCY = re.compile(r"after\w{0,12}:([\d_+:]{1,200})")
_PLACE = re.compile(
    r"(?:\b(?:to|at|in|into|as)\s+|[:=]\s*)['\"`]?(?P<path>(?:[\w.~@+-]*/)?[\w./~@+=-]*(?:/|checkpoint|ckpt|\.pth?|\.safetensors)[\w./~@+=-]*)"
)
MARGIN = 1.5
"""The earlier attempt ran longer than this many times what this one took to its first save: starting up takes now more, now less."""
MOST_SETTINGS = 16 * 1024
MOST = 4
LONGEST_LINE = 600
NEVER = {"none", "false", "0", "no", "null", "auto"}


@dataclass(frozen=True)
class Parent:
    """``past`` is what history knows of it; ``how`` and ``evidence`` say why it is the parent."""

    job: str | None
    past: PastVerdict | None
    how: str
    evidence: tuple[Evidence, ...]


def parent_of(job: JobRecord, row: AccountingRecord | None) -> Parent | None:
    """The best known parent: one whose losses history has, else one that is only named; None where nothing names any."""
    named = told_paths(job, row)
    for relation in ("earlier_attempt", "parent", "same_name"):
        for past in reversed([p for p in job.past if p.relation == relation]):
            if relation == "same_name" and not _of(past, named):
                continue
            if past.head_loss is None or past.tail_loss is None:
                continue
            how = {"earlier_attempt": "an earlier attempt of this job", "parent": "a job this one depends on or resumes"}.get(
                relation, "an earlier job whose checkpoint this one was given"
            )
            return Parent(past.job, past, how, tuple(e for _, e in named[:2]))
    for past in reversed(job.past):
        if past.relation in {"parent", "earlier_attempt"}:
            return Parent(past.job, past, "a job this one depends on", tuple(e for _, e in named[:2]))
    if named:
        return Parent(None, None, "its resume argument", tuple(e for _, e in named[:2]))
    depends = _depends(row)
    return Parent(depends[0], None, "its dependency", (depends[1],)) if depends is not None else None


def printed_paths(job: JobRecord) -> list[str]:
    """What a run printed among its settings as the checkpoint to go on from."""
    paths = (found["path"].rstrip("/.") for head in heads(job, MOST_SETTINGS) for found in _PRINTED.finditer(head))
    return [path for path in dict.fromkeys(paths) if path.lower() not in NEVER and ("/" in path or re.search(r"\.\w{2,12}\Z", path))]


def left_nothing(parent: Parent, saved: tuple[Evidence, ...] = (), rows: tuple[AccountingRecord, ...] = ()) -> PastVerdict | None:
    """The earlier attempt of this job that the run was not told to go on from and that saved nothing: beginning anew is then no mistake.

    ``saved`` is what this attempt saved, of ``rows`` the last: the same program had saved as well where the earlier one came as far, or ran as long.
    """
    past = parent.past
    if past is None or past.relation != "earlier_attempt" or past.checkpoints or parent.evidence or _had_saved(past, saved, rows):
        return None
    return past


def _had_saved(past: PastVerdict, saved: tuple[Evidence, ...], rows: tuple[AccountingRecord, ...]) -> bool:
    """Whether the earlier attempt must have saved by the time it was stopped, judged by when this one first did."""
    steps = [step for e in saved if (step := step_of(e)) is not None]
    if steps and past.steps_done is not None:
        return past.steps_done >= min(steps) > 0
    times = [e.time_ns for e in saved if e.time_ns is not None]
    if len(rows) < 2 or not times:
        return False
    before, now = rows[-2], rows[-1]
    if before.start_ns is None or before.end_ns is None or now.start_ns is None:
        return False
    return before.end_ns - before.start_ns > MARGIN * (min(times) - now.start_ns) > 0


def new_stage(job: JobRecord, row: AccountingRecord | None) -> Evidence | None:
    """A command line that asks for a new stage or a warm start: then a loss that starts high is by design."""
    return next((cite() for line, cite in command_lines(job, row) if _NEW_STAGE.search(line)), None)


def saved_to(saved: Iterable[Evidence]) -> tuple[str, ...]:
    """The places that the output says checkpoints were written to, the last one last; as the job wrote them, so USER trust."""
    places: list[str] = []
    for said in saved:
        text = said.source.text if isinstance(said.source, Quote) else ""
        told = said.data.get("path")
        found = _PLACE.search(text[:LONGEST_LINE])
        path = told if isinstance(told, str) else found["path"] if found else None
        if path:
            places.append(words.headline(path.rstrip("."))[:200])
    return tuple(dict.fromkeys(places))[-MOST:]


def told_paths(job: JobRecord, row: AccountingRecord | None, *, resumed: bool = False) -> list[tuple[str, Evidence]]:
    """Paths that the run was told to go on from; ``resumed``: by an option that says to resume, where others may name weights to begin with."""
    found: list[tuple[str, Evidence]] = []
    for line, cite in command_lines(job, row):
        for match in _RESUME.finditer(line):
            path = match["path"].rstrip("/")
            if resumed and not _GOES_ON.search(match["option"]):
                continue
            if path.lower() not in NEVER and path not in {p for p, _ in found}:
                found.append((path, cite()))
    return found[:MOST]


def said_first(job: JobRecord, row: AccountingRecord | None) -> bool:
    """Whether a program that was told to go on from a place within its own output folder says that this is its first run.

    One command line for the first run and all that follow it names what the first cannot find.
    """
    inside = []
    for line, _ in command_lines(job, row):
        own = [found["path"].rstrip("/") for found in _OUT.finditer(line)]
        told = [match["path"] for match in _RESUME.finditer(line) if match["path"].lower() not in NEVER]
        inside += [any(path.startswith(f"{folder}/") for folder in own) for path in told]
    return bool(inside) and all(inside) and any(FIRST.search(head) for head in heads(job, MOST_SETTINGS))


def named_states(job: JobRecord, row: AccountingRecord | None) -> list[str]:
    """Files that a command line names, in whatever option, and that may hold a model's state."""
    return list(dict.fromkeys(match["path"] for line, _ in command_lines(job, row) for match in _STATE.finditer(line)))[:MOST]


MOST_SHOWN, MOST_TRACED = 4096, 8
_TRACE = re.compile(
    r"\+ (?:exec |srun [^|]{0,200}?|time )?(?:\S{0,200}/)?(?:python[\d.]{0,4}|torchrun|accelerate|deepspeed|mpirun|mpiexec|julia|Rscript)\s"
)


def command_lines(job: JobRecord, row: AccountingRecord | None) -> list[tuple[str, Callable[[], Evidence]]]:
    """Command lines: of the processes, of the submission, of ``gpualert-run``; each with what cites it, for most say nothing."""
    found: dict[str, Callable[[], Evidence]] = {}
    for report in job.reports:
        for one in report.processes:
            if one.command:
                line = " ".join(one.command)[:4000]
                if line not in found and len(found) < 64:
                    found[line] = partial(_of_process, one, line)
    if row is not None and row.submit_line:
        found.setdefault(row.submit_line[:4000], partial(_of_submission, row, row.submit_line))
    if job.command:
        line = " ".join(job.command)[:4000]
        found.setdefault(line, partial(_of_run, line))
    for line in _shown(job):
        found.setdefault(line, partial(_of_trace, line))
    return list(found.items())


def _shown(job: JobRecord) -> list[str]:
    """Commands of programs that a shell shows before it runs them (``set -x``), at a log's beginning."""
    return [line[2:4000] for text in heads(job, MOST_SHOWN) for line in text.splitlines() if _TRACE.match(line)][:MOST_TRACED]


def _of_process(one: Process, line: str) -> Evidence:
    return process(one, "command", words.headline(line))


def _of_submission(row: AccountingRecord, line: str) -> Evidence:
    return citations.accounting(row, "SubmitLine", words.headline(line))


def _of_trace(line: str) -> Evidence:
    return citations.field("own_exit", "the log", "the shell's trace", "command", words.headline(line))


def _of_run(line: str) -> Evidence:
    return citations.field("own_exit", "the command", "gpualert-run", "command", words.headline(line))


def _of(past: PastVerdict, named: list[tuple[str, Evidence]]) -> bool:
    """Whether a named path is one that the earlier job saved to, or its folder."""
    for path, _ in named:
        for place in past.checkpoints:
            mine, its = path.strip("/").removeprefix("./"), place.strip("/").removeprefix("./")
            if (
                mine
                and its
                and (mine == its or mine.endswith(f"/{its}") or its.endswith(f"/{mine}") or its.startswith(f"{mine}/") or f"/{mine}/" in f"/{its}/")
            ):
                return True
    return False


def _depends(row: AccountingRecord | None) -> tuple[str, Evidence] | None:
    if row is None:
        return None
    for name, text in (("Dependency", row.dependency), ("SubmitLine", row.submit_line)):
        found = _DEPENDENCY.search(text or "")
        if found:
            return found[1].split(":")[0], citations.accounting(row, name, words.headline(text or ""))
    return None
