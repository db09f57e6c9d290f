"""``python -m tests.matrix.compare_providers`` on a machine with PySlurm: real jobs, asked of both providers, field by field. Prints a page.

Run where PySlurm was built for the Slurm that is installed (doc/pyslurm.md says how); it brings up a bed of its own.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict

from gpualert_slurm.accounting import AccountingRecord, NodeState, StepRecord
from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider
from gpualert_slurm.epilog.slurm_records import command_line, pyslurm
from tests.testbed import Cluster, host
from tests.testbed.tracking import slurm_version

NOT_COMPARED = {"source", "steps"}
SECOND_NS = 1_000_000_000


def jobs(c: Cluster) -> dict[str, int]:
    """Jobs of every kind that a record tells apart, by what they are; all of them over."""
    made = {
        "completed, two steps": c.submit("srun -n2 true; srun -n1 true", "-n2", "--time=3", "--comment=a comment"),
        "failed": c.submit("exit 3", "--job-name=a name|with 'things'"),
        "segfault": c.submit("srun -n1 bash -c 'kill -SEGV $$'"),
        "over its time": c.submit("sleep 300", "--time=1"),
        "two nodes": c.submit("srun -N2 -n2 true; exit 4", "-N2"),
        "array": c.submit("exit $SLURM_ARRAY_TASK_ID", "--array=3"),
    }
    cancelled, requeued, lost = c.submit("sleep 300"), c.submit("sleep 300", "--requeue"), c.submit("sleep 300", "--no-requeue", "-w", "n4")
    for job in (cancelled, requeued, lost):
        c.wait_running(job)
    c.command("scancel", str(cancelled), user=host.ALICE)
    c.scontrol("requeue", str(requeued))
    c.lose_node("n4")
    c.run_again(requeued)
    c.wait_running(requeued, timeout_s=60)
    c.command("scancel", str(requeued))
    made |= {"cancelled by its owner": cancelled, "requeued, then cancelled by root": requeued, "its node died": lost}
    for job in made.values():
        c.wait(job, timeout_s=180)
    time.sleep(12)  # slurmctld tells slurmdbd owner, name and array every 5 s
    return made


def compare(left: AccountingRecord | StepRecord | NodeState, right: AccountingRecord | StepRecord | NodeState) -> dict[str, tuple[object, object]]:
    """Fields by name with both values, where either has one."""
    return {
        name: (getattr(left, name), getattr(right, name))
        for name in type(left).model_fields
        if name not in NOT_COMPARED and (getattr(left, name) is not None or getattr(right, name) is not None)
    }


def table(title: str, found: list[tuple[str, dict[str, tuple[object, object]]]]) -> list[str]:
    """A row a field: in how many records the two agree, and the first that does not."""
    fields: dict[str, list[tuple[str, object, object]]] = defaultdict(list)
    for what, values in found:
        for name, (left, right) in values.items():
            fields[name].append((what, left, right))
    rows = ["", f"## {title}", "", "| field | same | where not: commands / PySlurm |", "|---|---|---|"]
    for name, seen in fields.items():
        unlike = [s for s in seen if s[1] != s[2]]
        first = f"{unlike[0][0]}: `{unlike[0][1]!r}` / `{unlike[0][2]!r}`".replace("|", "\\|") if unlike else ""
        rows.append(f"| `{name}` | {len(seen) - len(unlike)} of {len(seen)} | {first} |")
    return rows


def newest(records: list[AccountingRecord]) -> AccountingRecord:
    """The last attempt."""
    return max(records, key=lambda r: (r.start_ns or 0, r.submit_ns or 0))


def main() -> int:
    """0: both could be asked."""
    with Cluster() as c:
        os.environ["SLURM_CONF"] = str(c.conf.path)
        if (why := pyslurm.PROVIDER.why_not()) is not None:
            print(why, file=sys.stderr)
            return 1
        asking = Asking(cluster=c.name)
        commands: Provider = command_line.PROVIDER.open(asking)
        other: Provider = pyslurm.PROVIDER.open(asking)
        made = jobs(c)
        since_ns = time.time_ns() - 3600 * SECOND_NS
        raw = {what: int(next(r["JobIDRaw"] for r in c.sacct(job, ("JobIDRaw",)))) for what, job in made.items()}
        found, steps, whole = [], [], []
        for what, job in raw.items():
            query = [JobQuery(job_id=job, not_before_ns=since_ns)]
            one = newest(commands.describe(query, commands.accounting(query)))
            answers = other._ask(AccountingRecord, {"jobs": {job: since_ns}, "cluster": c.name})  # type: ignore[attr-defined]
            found.append((what, compare(one, answers[0]) if answers else {"job_id": (one.job_id, None)}))
            theirs = {s.step: s for s in answers[0].steps} if answers else {}
            steps += [(f"{what}, step {s.step}", compare(s, theirs[s.step]) if s.step in theirs else {"step": (s.step, None)}) for s in one.steps]
            provided = newest(other.describe(query, other.accounting(query)))
            whole.append((what, compare(one, provided)))
        nodes = [
            (left.node, compare(left, right))
            for left, right in zip(commands.node_states(list(c.nodes)), other.node_states(list(c.nodes)), strict=True)
        ]
        begun = time.monotonic()
        other.node_states(["n1"])
        took = time.monotonic() - begun
        print(f"Slurm {'.'.join(map(str, slurm_version()))}; {len(found)} jobs: {', '.join(raw)}; one question to PySlurm's child took {took:.2f} s here.")
        for line in (*table("A job, PySlurm's record itself", found), *table("Its steps", steps), *table("What the provider gives", whole), *table("A node", nodes)):
            print(line)
        c.restore_node("n4")
    return 0


if __name__ == "__main__":
    sys.exit(main())
