"""Slurm's own words about a job, with and without gpualert."""

from __future__ import annotations

from collections.abc import Mapping

from tests.testbed import Cluster

Row = tuple[str, str, str]  # step ("", "batch", "0"), state, exit code
FIELDS = ("JobID", "State", "ExitCode")


def states(cluster: Cluster, job_id: int) -> list[Row]:
    """What sacct says about the job and its steps; a node that is gone sends no step records, so those may be missing."""
    rows = cluster.sacct(job_id, FIELDS, final_within_s=60)
    return [(row["JobID"].partition(".")[2], row["State"].partition(" by ")[0], row["ExitCode"]) for row in rows]


def table(without: Mapping[str, list[Row]], with_it: Mapping[str, list[Row]]) -> tuple[str, bool]:
    """Both side by side, by scenario and step, and whether they are the same."""
    lines = [f"{'job':4} {'step':6} {'without gpualert':22} {'with gpualert':22}"]
    same = True
    for letter, before in without.items():
        after = with_it.get(letter, [])
        was, now = {row[0]: row[1:] for row in before}, {row[0]: row[1:] for row in after}
        for step in dict.fromkeys([*was, *now]):
            one, other = was.get(step), now.get(step)
            same = same and one == other
            mark = "" if one == other else "   <-- DIFFERENT"
            lines.append(f"({letter})  {step or 'job':6} {_words(one):22} {_words(other):22}{mark}".rstrip())
    return "\n".join(lines), same


def _words(row: tuple[str, ...] | None) -> str:
    return " ".join(row) if row else "(no record)"
