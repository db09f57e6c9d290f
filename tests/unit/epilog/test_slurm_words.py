from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.epilog.slurm_text import nodes, words

GOLDENS = Path(__file__).parents[1] / "goldens" / "slurm" / "22.05.8"


@pytest.mark.parametrize(
    ("said", "state", "by"),
    [("FAILED", "FAILED", None), ("CANCELLED by 1000", "CANCELLED", 1000), ("CANCELLED by 0", "CANCELLED", 0), ("CANCELLED", "CANCELLED", None),
     ("CANCELLED by nobody", "CANCELLED", None), ("RUNNING+", "RUNNING", None)],
)
def test_state(said: str, state: str, by: int | None) -> None:
    assert words.state(said) == (state, by)


@pytest.mark.parametrize(("said", "code"), [("3:0", (3, 0)), ("0:53", (0, 53)), ("", (None, None)), ("3", (None, None)), ("-1:0", (None, None))])
def test_exit_code(said: str, code: tuple[int | None, int | None]) -> None:
    assert words.exit_code(said) == code


@pytest.mark.parametrize(("said", "seconds"), [("00:00:00", 0), ("1-02:03:04", 93784), ("01:30", 90), ("05:00.123", 300), ("UNLIMITED", None), ("", None)])
def test_duration(said: str, seconds: int | None) -> None:
    assert words.duration_s(said) == seconds


def test_times_that_mean_nothing_are_absent() -> None:
    assert [words.time_ns(w) for w in ("Unknown", "None", "", "0", "1795192403")] == [None, None, None, None, 1795192403000000000]


@pytest.mark.parametrize(("said", "size"), [("315392", 315392), ("308K", 315392), ("1.50G", 1610612736), ("", None), ("x", None)])
def test_size(said: str, size: int | None) -> None:
    assert words.size_bytes(said) == size


def test_node_lists() -> None:
    """Ranges keep their zeros; what is no node list is no node."""
    assert sorted(words.expand_nodes("n[08-10,12],gpu1")) == ["gpu1", "n08", "n09", "n10", "n12"]
    assert words.expand_nodes("None assigned") == words.expand_nodes(None) == words.expand_nodes("n[1-") == ()
    assert words.fold_nodes(("n1", "n2", "n4")) == "n[1-2,4]"


@pytest.mark.timeout(5)
@pytest.mark.parametrize("said", ["n[1-999999999]", "n[1-60000]r[1-60000]", ",".join(f"n{i}" for i in range(70_000)), "n" * (1 << 21), "n[1-9]" * 99, "@group"])
def test_a_node_list_that_would_fill_the_machine_is_none(said: str) -> None:
    """A job may choose what its node says: it is measured before it is expanded."""
    assert words.expand_nodes(said) == ()


@pytest.mark.parametrize(
    ("state", "lost"),
    [("IDLE", False), ("DOWN+NOT_RESPONDING", True), ("DOWN*", True), ("MIXED+DRAIN", False), ("IDLE+COMPLETING", False), ("DOWN*+DRAIN", True),
     ("IDLE*", True), ("DRAINED", False), ("FAIL", True)],
)
def test_which_nodes_cannot_report(state: str, lost: bool) -> None:
    """A drained node still runs its epilog; one that is down or silent does not."""
    assert words.node_is_lost(state) is lost


def test_nodes_of_a_real_cluster(golden: Callable[[Path, bytes | str], None]) -> None:
    states = nodes.states((GOLDENS / "nodes.txt").read_text())
    events = nodes.events((GOLDENS / "events.txt").read_text())
    golden(GOLDENS / "node_records.json", json.dumps([json.loads(r.json_bytes()) for r in (*states, *events)], indent=1) + "\n")
    lost = states[-1]
    assert (lost.node, lost.state, lost.reason, lost.reason_time_ns) == ("n4", "DOWN+NOT_RESPONDING", "Not responding", 1795194284000000000)


def test_a_reason_cannot_rename_the_node() -> None:
    """An operator's reason may hold anything: State and BootTime are read before it."""
    line = "NodeName=n1 State=IDLE BootTime=100 Reason=State=DOWN NodeName=n9 | x [root@200] Comment=y\n"
    assert [(s.node, s.state, s.reason, s.reason_time_ns) for s in nodes.states(line)] == [("n1", "IDLE", "State=DOWN NodeName=n9 | x", 200 * 10**9)]
    assert nodes.events("n1|1|Unknown|DOWN|root(0)|Xid 79|x y\n")[0].reason == "Xid 79|x y"
    assert nodes.events("|1|Unknown||Cluster Registered TRES|\n") == []


@given(st.text(max_size=300))
def test_no_output_makes_the_parsers_raise(output: str) -> None:
    nodes.states("NodeName=" + output)
    nodes.events(output)
    words.expand_nodes(output)


@pytest.mark.parametrize("said", ["--help", "-V,n1", "n1,-Mother", "-[1-3]"])
def test_a_node_list_is_no_option(said):
    """A job may have chosen it, and it becomes an argument of scontrol's, together with other jobs' nodes."""
    assert words.expand_nodes(said) == ()
    assert words.expand_nodes("gpu-a[1-2],n1") == ("gpu-a1", "gpu-a2", "n1")
