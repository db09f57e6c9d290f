"""What the owner of a job that no node announced asked for, as far as Slurm's records hold it. All of it is text that somebody wrote."""

from __future__ import annotations

import re

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.config import Mail
from gpualert_slurm.epilog.slurm_text import words
from gpualert_slurm.programs.gpualertd.addresses import OPTED_OUT, policy_is_about
from gpualert_slurm.wishes import When, Wishes

MAIL = re.compile(r"--gpualert-mail(?:=|\s+)['\"]?([^\s'\"]{1,2000})")
WHEN = re.compile(r"--gpualert-when(?:=|\s+)['\"]?(always|problem|never)\b")
NO_NODE_CAN_TELL = frozenset({"NODE_FAIL", "BOOT_FAIL"})


def wishes_of(row: AccountingRecord, mail: Mail, directives: str = "") -> Wishes | None:
    """What was asked on the command line, in ``#SBATCH`` lines (``directives``), or, as options too, in the job's comment or its
    administrators' (a job_submit plugin may write it there); the first that speaks of it counts. Empty wishes where the site's
    policy is about such a job; None where nobody asked.
    """
    if was_withdrawn(row):
        return None
    for said in (row.submit_line, directives, row.comment, row.admin_comment):
        if said and OPTED_OUT.search(said):
            return None
        asked = MAIL.search(said) if said else None
        if asked and said:
            when = WHEN.search(said)
            return Wishes(addresses=tuple(asked[1].split(",")), when=When(when[1]) if when else When.ALWAYS)
    return Wishes() if policy_is_about(row, mail) else None


def was_withdrawn(row: AccountingRecord) -> bool:
    """Cancelled by its owner before it ran: it had no node, though sacct gives its end as its start."""
    return not words.expand_nodes(row.node_list) and row.state == "CANCELLED" and row.cancelled_by_uid == row.uid


def script_may_tell(row: AccountingRecord) -> bool:
    """Whether the job's script is worth a question: where a node lives, its own files tell later what was asked there."""
    without_node = not words.expand_nodes(row.node_list) and row.state not in {"COMPLETED", "REQUEUED"}
    return (row.state in NO_NODE_CAN_TELL or without_node) and not was_withdrawn(row)
