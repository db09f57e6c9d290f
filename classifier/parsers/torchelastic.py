"""torchrun and torch.distributed.launch: the block of failures, signals, closing signals (torch 1.9 to 2.14)."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern, Story, refined
from gpualert_slurm.evidence import Role

_ITEM = re.compile(r"^\s{0,8}(?P<key>time|host|rank|exitcode|error_file|traceback)\s{0,8}: (?P<value>.{0,600})")
_RANK = re.compile(r"(\d{1,6}) \(local_rank: (\d{1,4})\)")
_EXIT = re.compile(r"(-?\d{1,3}) \(pid: (\d{1,10})\)")
MAX_RANKS = 2048


class Failures:
    """Reads ``Failures:`` and ``Root Cause (first observed failure):`` with their items, one match a rank."""

    def __init__(self, opening: Line, name: str) -> None:
        self.name = name
        self.opening = opening
        self.root = False
        self.items: list[tuple[Line, Data]] = []
        self.lines = 0

    def take(self, line: Line) -> bool:
        """False at the block's closing rule, or when something else begins."""
        text = line.text
        if re.match(r"^={20,}", text):
            return len(self.items) == 0 and self.lines < 3
        self.lines += 1
        if "Root Cause" in text:
            self.root = True
        head = re.match(r"^\[(\d{1,6})\]:\s{0,3}$", text)
        if head:
            self.items.append((line, {"observed_first": self.root}))
            return len(self.items) < MAX_RANKS
        item = _ITEM.match(text)
        if item and self.items:
            self._note(item["key"], item["value"].strip())
        return True

    def _note(self, key: str, value: str) -> None:
        data = self.items[-1][1]
        rank, code = _RANK.match(value), _EXIT.match(value)
        if key == "rank" and rank:
            data.update(rank=int(rank[1]), local_rank=int(rank[2]))
        elif key == "exitcode" and code:
            data.update(exitcode=int(code[1]), pid=int(code[2]))
        elif key in {"time", "host", "traceback"}:
            data[key] = value[:200]

    def close(self) -> list[Match]:
        """One ``failure_summary`` a rank; which came first is known to the second, per agent: a wrapper, never a root."""
        return [Match("failure_summary", Role.WRAPPER, line, self.name, data=data) for line, data in self.items if "exitcode" in data]


def _signal(found: re.Match[str], match: Match) -> Match:
    return refined(match, data={"signal": int(found["signal"]), "pid": int(found["pid"])})


PARSER = Parser(
    program="torchelastic",
    stories=(
        Story(
            name="failures",
            opens=r"^\s{0,4}(?:\S{1,200} FAILED|Failures:|Root Cause \(first observed failure\):)\s{0,4}$",
            literals=(" FAILED", "Failures:", "Root Cause (first observed"),
            collect=Failures,
            samples=(
                (
                    "train.py FAILED\n------------------------------------------------------------\nFailures:\n  <NO_OTHER_FAILURES>\n------------------------------------------------------------\n"
                    "Root Cause (first observed failure):\n[0]:\n  time      : 2026-01-01_00:00:00\n  host      : n2\n  rank      : 3 (local_rank: 1)\n  exitcode  : -9 (pid: 4711)\n"
                    "  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID 4711\n============================================================\n"
                ),
            ),
            near_misses=("12 tests FAILED in 3 s", "Failures: 0"),
        ),
    ),
    patterns=(
        Pattern(
            name="signal",
            says="killed",
            role=Role.WRAPPER,
            regex=r"\bSignal (?P<signal>\d{1,2}) \((?P<signal_name>SIG[A-Z0-9]{2,8})\) received by PID (?P<pid>\d{1,10})",
            literals=(" received by PID ",),
            samples=("traceback: Signal 9 (SIGKILL) received by PID 4711", "E0101 api.py:874] Signal 11 (SIGSEGV) received by PID 31337"),
            near_misses=("packet received by PID 4", "Signal received by the handler"),
            read=_signal,
            alone=True,
        ),
        Pattern(
            name="failed",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"failed \(exitcode: (?P<exitcode>-?\d{1,3})\) local_rank: (?P<local_rank>\d{1,4}) \(pid: (?P<pid>\d{1,10})\)",
            literals=("failed (exitcode: ",),
            samples=(
                "torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: -9) local_rank: 1 (pid: 4711) of binary: /usr/bin/python",
                "failed (exitcode: 1) local_rank: 0 (pid: 12) of fn: main",
            ),
            near_misses=("failed (exitcode unknown)",),
            read=lambda found, match: refined(match, data={"exitcode": int(found["exitcode"])}),
        ),
        Pattern(
            name="closing",
            says="teardown",
            role=Role.CASCADE,
            regex=r"Sending process (?P<pid>\d{1,10}) closing signal (?P<signal_name>SIG[A-Z]{2,8})",
            literals=("closing signal",),
            samples=(
                "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 4712 closing signal SIGTERM",
                "Sending process 7 closing signal SIGINT",
            ),
            near_misses=("the closing signal was sent",),
        ),
        Pattern(
            name="rendezvous_began",
            says="training_started",
            role=Role.MARKER,
            regex=r"Rendezvous'ing worker group|Starting worker group",
            literals=("Rendezvous'ing worker group", "Starting worker group"),
            samples=("INFO: [default] Rendezvous'ing worker group", "[default] Starting worker group"),
            near_misses=("worker group stopped",),
            detail="rendezvous",
        ),
        Pattern(
            name="rendezvous_failed",
            says="rendezvous",
            role=Role.ROOT,
            # not of a keep-alive: the store is gone because its agent has ended, and whoever says so is still there
            regex=r"(?<!due to an error of type )\bRendezvous(?:Timeout|Closed|Connection)Error\b",
            literals=("RendezvousTimeoutError", "RendezvousClosedError", "RendezvousConnectionError"),
            samples=(
                "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
                "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed.",
            ),
            near_misses=(
                "RendezvousParameters set",
                "The node 'n1_4711_0' has failed to send a keep-alive heartbeat to the rendezvous '17' due to an error of type RendezvousConnectionError.",
            ),
            detail="rendezvous_timeout",
        ),
    ),
)
