"""Nodes: what ``scontrol -o show node`` and ``sacctmgr -nP show event`` print, as records."""

from __future__ import annotations

import re

from gpualert_slurm.accounting import NodeEvent, NodeState
from gpualert_slurm.epilog.slurm_text import words

EVENT_FIELDS = ("NodeName", "Start", "End", "State", "User", "Reason")
"""Asked of ``sacctmgr show event``; the reason is an operator's free text and stands last."""
_REASON = re.compile(r"^(?P<reason>.*?)(?: \[(?P<user>[^\]@]*)@(?P<time>[0-9]+)\])?$", re.DOTALL)


def states(output: str) -> list[NodeState]:
    """One record a line of ``scontrol -o show node``; lines without a node's name are left out."""
    found = []
    for line in output.splitlines():
        if not line.startswith("NodeName="):
            continue
        facts, _, tail = line.partition(" Reason=")
        node = _value(facts, "NodeName") or ""
        reason = _REASON.match(re.split(r" (?:Comment|Extra)=", tail)[0].strip()) if tail else None
        found.append(
            NodeState(
                source=f"scontrol show node {node}",
                node=node,
                state=_value(facts, "State") or "UNKNOWN",
                reason=reason["reason"] or None if reason else None,
                reason_time_ns=words.time_ns(reason["time"] or "") if reason else None,
                boot_time_ns=words.time_ns(_value(facts, "BootTime") or ""),
                slurmd_start_ns=words.time_ns(_value(facts, "SlurmdStartTime") or ""),
                cpu_load=_float(_value(facts, "CPULoad")),
                free_memory_mb=words.number(_value(facts, "FreeMem") or ""),
                gres=words.text(_value(facts, "Gres") or ""),
            )
        )
    return found


def events(output: str) -> list[NodeEvent]:
    """One record a line of ``sacctmgr -nP show event format=EVENT_FIELDS``; events of the whole cluster (no node) are left out."""
    found = []
    for line in output.splitlines():
        parts = line.split("|", len(EVENT_FIELDS) - 1)
        if len(parts) != len(EVENT_FIELDS) or not parts[0]:
            continue
        node, start, end, state, user, reason = parts
        found.append(
            NodeEvent(
                source=f"sacctmgr show event event=node nodes={node}", node=node, state=state,
                reason=words.text(reason), user=words.text(user.partition("(")[0]),
                start_ns=words.time_ns(start), end_ns=words.time_ns(end),
            )
        )
    return found


def _value(line: str, key: str) -> str | None:
    found = re.search(rf"(?:^| ){key}=(\S*)", line)
    return found[1] if found else None


def _float(word: str | None) -> float | None:
    return float(word) if word and re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", word) else None
