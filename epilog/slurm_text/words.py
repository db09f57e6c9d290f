"""The small words all of Slurm's commands share: states, exit codes, times, node lists.

Sources: sacct(1), scontrol(1) and what 22.05.8 prints (tests/unit/goldens/slurm). With ``SLURM_TIME_FORMAT=%s`` and
``TZ=UTC`` every time is seconds since the epoch.
"""

from __future__ import annotations

import re

from ClusterShell.NodeSet import NodeSet, NodeSetParseError

FINAL_STATES = frozenset(
    {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "LAUNCH_FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "RECONFIG_FAIL",
     "REVOKED", "TIMEOUT"}
)
"""A row in one of these has ended for good; REQUEUED has ended too, but another row follows."""

LOST_NODE_FLAGS = frozenset({"DOWN", "NOT_RESPONDING", "FAIL", "FAILING", "POWERED_DOWN", "POWERING_DOWN", "POWER_DOWN", "REBOOT_ISSUED"})
MAX_NODES = 65_536
MAX_NODE_LIST_CHARS = 1 << 20
_NAME = r"(?!-)[A-Za-z0-9._-]*(?:\[[0-9]{1,9}(?:-[0-9]{1,9})?(?:,[0-9]{1,9}(?:-[0-9]{1,9})?)*\][A-Za-z0-9._-]*)*"
_NODE_LIST = re.compile(rf"{_NAME}(?:,{_NAME})*")
_ONE_NODE = re.compile(r"(?!-)[A-Za-z0-9._-]{1,255}")
_ABSENT = frozenset({"", "Unknown", "None", "N/A", "n/a", "(null)", "None assigned", "Invalid", "INVALID"})
_DURATION = re.compile(r"(?:([0-9]+)-)?(?:([0-9]+):)?([0-9]+):([0-9]+)(?:\.[0-9]+)?")
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([KMGTPE]?)")


def text(word: str) -> str | None:
    """The word, or None where Slurm's word means "nothing"."""
    return None if word in _ABSENT else word


def number(word: str) -> int | None:
    """A whole number, or None."""
    return int(word) if re.fullmatch(r"[0-9]{1,19}", word) else None


def time_ns(word: str) -> int | None:
    """Seconds since the epoch as nanoseconds; None for ``Unknown``, ``None``, and 0, which Slurm uses for "not yet"."""
    seconds = number(word)
    return seconds * 1_000_000_000 if seconds else None


def state(word: str) -> tuple[str, int | None]:
    """Sacct's state word and, of ``CANCELLED by 1000``, the uid; a flag behind ``+`` is left off."""
    first, _, rest = word.partition(" ")
    by = number(rest.removeprefix("by ").strip()) if rest.startswith("by ") else None
    return first.partition("+")[0], by


def exit_code(word: str) -> tuple[int | None, int | None]:
    """``3:0`` as (exit code, signal); (None, None) where there is none."""
    found = re.fullmatch(r"([0-9]+):([0-9]+)", word)
    return (int(found[1]), int(found[2])) if found else (None, None)


def duration_s(word: str) -> int | None:
    """``1-02:03:04`` or ``00:01:00`` in seconds; None for anything else."""
    found = _DURATION.fullmatch(word)
    if not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def size_bytes(word: str) -> int | None:
    """``315392`` or ``308K`` in bytes; None for anything else."""
    found = _SIZE.fullmatch(word)
    if not found:
        return None
    return int(float(found[1]) * 1024 ** "_KMGTPE".index(found[2] or "_"))


def expand_nodes(node_list: str | None) -> tuple[str, ...]:
    """``n[1-3],gpu07`` as names in order, without duplicates; empty where it is absent or no node list."""
    if node_list and _ONE_NODE.fullmatch(node_list) and text(node_list) is not None:
        return (node_list,)  # most jobs have one node, and a NodeSet costs a hundred times as much
    if not node_list or text(node_list) is None or not _is_node_list(node_list):
        return ()
    try:
        return tuple(str(name) for name in NodeSet(node_list, resolver=False))
    except (NodeSetParseError, ValueError, TypeError):
        return ()


def _is_node_list(said: str) -> bool:
    """Whether it is written as Slurm writes one, and names at most ``MAX_NODES``: told before it is expanded, since a job
    may have chosen it (``n[1-999999999]``).
    """
    if len(said) > MAX_NODE_LIST_CHARS or not _NODE_LIST.fullmatch(said):
        return False
    count = 0
    for name in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", said):
        product = 1
        for ranges in re.findall(r"\[([^\]]*)\]", name):
            product *= sum(max(0, int(last or first) - int(first)) + 1 for first, last in re.findall(r"([0-9]+)(?:-([0-9]+))?", ranges))
        count += product
    return count <= MAX_NODES


def fold_nodes(names: tuple[str, ...]) -> str:
    """The names as one node list, folded (``n[1-3]``)."""
    try:
        return str(NodeSet.fromlist(list(names), resolver=False))
    except (NodeSetParseError, ValueError, TypeError):
        return ",".join(names)


def node_is_lost(node_state: str) -> bool:
    """Whether a node in this state (``DOWN*+DRAIN``, ``IDLE+NOT_RESPONDING``) cannot be expected to send a report."""
    if node_state.rstrip("~#!%$@^-").endswith("*"):
        return True
    return bool({part.rstrip("*~#!%$@^-") for part in node_state.split("+")} & LOST_NODE_FLAGS)
