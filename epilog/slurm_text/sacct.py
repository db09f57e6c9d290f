r"""What ``sacct -D -n -P --delimiter=\x1f --noconvert`` prints, as records.

Names, comments and paths are the job owner's: they may hold the delimiter and newlines, and could look like somebody
else's row. So they are asked in a second query (``WORDS``), whose rows are only believed at places that the first one
(``FACTS``, no field of which a user can choose) has announced; and a caller gives each query a delimiter that nobody
could have guessed when the job was named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gpualert_slurm.accounting import AccountingRecord, StepRecord
from gpualert_slurm.epilog.slurm_text import words

SEPARATOR = "\x1f"
KEY = ("DBIndex", "JobIDRaw")
FACTS = (
    *KEY, "JobID", "Cluster", "State", "ExitCode", "DerivedExitCode", "User", "UID", "Account", "Partition", "QOS", "NNodes", "NTasks", "NodeList",
    "FailedNode", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "TimelimitRaw", "Priority", "Restarts", "SLUID", "AllocTRES",
    "Reason", "MaxRSS",
)
"""Asked of every Slurm; those the running version lacks are left off (FailedNode 23.02, Restarts and SLUID 24.11)."""
WORDS = ("WorkDir", "StdOut", "StdErr", "Comment", "AdminComment", "SubmitLine", "JobName")
"""What the owner chose. The last may hold anything at all; of those before it a delimiter is taken for the end."""

Row = dict[str, str]


def fields(helpformat: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """Those of ``wanted`` that ``sacct --helpformat`` lists, in order; all of them where the help says nothing."""
    known = {word.lower() for word in helpformat.split()}
    return tuple(name for name in wanted if not known or name.lower() in known)


def rows(output: str, names: Sequence[str], separator: str = SEPARATOR) -> tuple[list[Row], int]:
    """The rows of a query without free text, and how many lines were no rows."""
    found, strange = [], 0
    for line in output.split("\n"):
        parts = line.split(separator)
        if len(parts) == len(names):
            found.append(dict(zip(names, parts, strict=True)))
        elif line:
            strange += 1
    return found, strange


def free_text(
    output: str, names: Sequence[str], known: Sequence[tuple[str, str]], separator: str = SEPARATOR
) -> dict[tuple[str, str], Row]:
    """The owner's words of each row in ``known`` (``KEY`` pairs); a row announced twice in the text is left out.

    ``names`` begins with ``KEY``; ``separator`` may be of any length. A job name that imitates another job's row makes that row
    ambiguous: both readings are dropped, none is guessed.
    """
    if not known:
        return {}
    wanted, one = set(known), re.escape(separator)
    start = re.compile(f"^(.*?){one}(.*?){one}", re.MULTILINE)
    found: dict[tuple[str, str], Row] = {}
    twice: set[tuple[str, str]] = set()
    marks = [mark for mark in start.finditer(output) if (mark[1], mark[2]) in wanted]
    for place, mark in enumerate(marks):
        following = marks[place + 1].start() if place + 1 < len(marks) else len(output)
        index, job = mark[1], mark[2]
        values = output[mark.end() : following].removesuffix("\n").split(separator, len(names) - len(KEY) - 1)
        if (index, job) in found:
            twice.add((index, job))
        found[index, job] = dict(zip(names[len(KEY) :], values, strict=False))
    return {key: row for key, row in found.items() if key not in twice}


def records(found: Sequence[Row], described: Mapping[tuple[str, str], Row] | None = None) -> list[AccountingRecord]:
    """One record a job row, its steps with it, in order of start; rows without a job id or a state are left out.

    ``source`` is the command that shows the row to a person.
    """
    described = described or {}
    jobs: list[tuple[Row, list[Row]]] = []
    for row in found:
        raw = row.get("JobIDRaw", "")
        if "." not in raw:
            jobs.append((row, []))
            continue
        for job, steps in reversed(jobs):
            if job["JobIDRaw"] == raw.partition(".")[0] and job.get("DBIndex") == row.get("DBIndex"):
                steps.append(row)
                break
    made = [_record(job, steps, described) for job, steps in jobs if words.number(job["JobIDRaw"]) is not None and job.get("State")]
    return sorted(made, key=lambda r: (r.start_ns is None, r.start_ns or 0, r.submit_ns or 0))


def _record(row: Row, steps: Sequence[Row], described: Mapping[tuple[str, str], Row]) -> AccountingRecord:
    state, by = words.state(row["State"])
    code, sig = words.exit_code(row.get("ExitCode", ""))
    derived, derived_sig = words.exit_code(row.get("DerivedExitCode", ""))
    own = described.get((row.get("DBIndex", ""), row["JobIDRaw"]), {})
    minutes = words.number(row.get("TimelimitRaw", ""))
    array, het = re.fullmatch(r"([0-9]+)_([0-9]+)", row.get("JobID", "")), re.fullmatch(r"([0-9]+)\+([0-9]+)", row.get("JobID", ""))
    user, uid = words.text(row.get("User", "")), words.number(row.get("UID", ""))
    if uid == 0 and user != "root":
        uid = None  # slurmdbd prints 0 until it has joined the row with its association
    return AccountingRecord(
        source=f"sacct -D -j {row['JobIDRaw']}",
        cluster=row.get("Cluster", ""),
        job_id=int(row["JobIDRaw"]),
        job_id_raw=row["JobIDRaw"],
        array_job_id=int(array[1]) if array else None,
        array_task_id=int(array[2]) if array else None,
        het_job_id=int(het[1]) if het else None,
        het_offset=int(het[2]) if het else None,
        sluid=words.text(row.get("SLUID", "")),
        name=own.get("JobName") or None,
        user=user,
        uid=uid,
        account=words.text(row.get("Account", "")),
        partition=words.text(row.get("Partition", "")),
        qos=words.text(row.get("QOS", "")),
        state=state,
        reason=words.text(row.get("Reason", "")),
        cancelled_by_uid=by,
        exit_code=code,
        exit_signal=sig,
        derived_exit_code=derived,
        derived_exit_signal=derived_sig,
        node_list=words.text(row.get("NodeList", "")),
        failed_node=words.text(row.get("FailedNode", "")),
        nnodes=words.number(row.get("NNodes", "")),
        ntasks=words.number(row.get("NTasks", "")),
        submit_ns=words.time_ns(row.get("Submit", "")),
        eligible_ns=words.time_ns(row.get("Eligible", "")),
        start_ns=words.time_ns(row.get("Start", "")),
        end_ns=words.time_ns(row.get("End", "")),
        elapsed_s=words.number(row.get("ElapsedRaw", "")),
        suspended_s=words.duration_s(row.get("Suspended", "")),
        time_limit_s=minutes * 60 if minutes is not None else None,
        restarts=words.number(row.get("Restarts", "")),
        priority=words.number(row.get("Priority", "")),
        tres_alloc=words.text(row.get("AllocTRES", "")),
        work_dir=own.get("WorkDir") or None,
        submit_line=own.get("SubmitLine") or None,
        std_out=own.get("StdOut") or None,
        std_err=own.get("StdErr") or None,
        comment=own.get("Comment") or None,
        admin_comment=own.get("AdminComment") or None,
        steps=tuple(_step(step, described) for step in steps),
    )


def _step(row: Row, described: Mapping[tuple[str, str], Row]) -> StepRecord:
    code, sig = words.exit_code(row.get("ExitCode", ""))
    return StepRecord(
        step=row["JobIDRaw"].partition(".")[2],
        name=described.get((row.get("DBIndex", ""), row["JobIDRaw"]), {}).get("JobName") or None,
        state=words.state(row.get("State", ""))[0],
        exit_code=code,
        exit_signal=sig,
        node_list=words.text(row.get("NodeList", "")),
        ntasks=words.number(row.get("NTasks", "")),
        start_ns=words.time_ns(row.get("Start", "")),
        end_ns=words.time_ns(row.get("End", "")),
        max_rss_bytes=words.size_bytes(row.get("MaxRSS", "")),
    )
