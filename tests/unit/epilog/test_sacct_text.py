"""What sacct 22.05.8 printed on the test bed, as records: goldens/slurm/22.05.8."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.epilog.slurm_text import sacct

GOLDENS = Path(__file__).parents[1] / "goldens" / "slurm" / "22.05.8"
FACTS = sacct.fields((GOLDENS / "helpformat.txt").read_text(), sacct.FACTS)
ASKED = (*sacct.KEY, *sacct.fields((GOLDENS / "helpformat.txt").read_text(), sacct.WORDS))
WORDS = tuple(name for name in ASKED if name != "AdminComment")
"""Those that the recording has: the administrators' comment is asked for since."""


def read(name: str) -> str:
    return (GOLDENS / name).read_text()


def test_the_running_version_s_fields_are_asked() -> None:
    """22.05 has no FailedNode, Restarts, SLUID, StdOut or StdErr: they are left off, all others are asked in order."""
    assert set(sacct.FACTS) - set(FACTS) == {"FailedNode", "Restarts", "SLUID"}
    assert ASKED == ("DBIndex", "JobIDRaw", "WorkDir", "Comment", "AdminComment", "SubmitLine", "JobName")
    assert sacct.fields("", ("A", "B")) == ("A", "B")


def test_records_of_a_real_cluster(golden: Callable[[Path, bytes | str], None]) -> None:
    """Plain failure, two nodes, array, cancel, requeue, lost node, het job: facts and words, step by step."""
    rows, strange = sacct.rows(read("facts.txt"), FACTS)
    described = sacct.free_text(read("words.txt"), WORDS, [(r["DBIndex"], r["JobIDRaw"]) for r in rows])
    records = sacct.records(rows, described)
    assert strange == 0
    golden(GOLDENS / "records.json", json.dumps([json.loads(r.json_bytes()) for r in records], indent=1) + "\n")


def test_each_requeued_attempt_keeps_its_own_steps() -> None:
    """Job 6 was requeued: its first row is REQUEUED with the batch step that was cancelled, the second is pending and has none."""
    rows, _ = sacct.rows(read("facts.txt"), FACTS)
    first, *later = [r for r in sacct.records(rows) if r.job_id == 6]
    assert (first.state, [s.state for s in first.steps]) == ("REQUEUED", ["CANCELLED"])
    assert all(r.start_ns is None and r.steps == () for r in later)


def test_a_job_name_cannot_forge_a_row() -> None:
    """Job 11 is named like a row that says job 1 was root's and COMPLETED: nothing of it is believed, job 1 has no words then."""
    rows, strange = sacct.rows(read("facts.txt"), FACTS)
    records = {r.job_id: r for r in sacct.records(rows)}
    assert strange == 0
    assert (records[1].state, records[1].user) == ("FAILED", "gpualert-alice")
    described = sacct.free_text(read("words.txt"), WORDS, [(r["DBIndex"], r["JobIDRaw"]) for r in rows])
    assert ("1", "1") not in described
    assert described["5", "4"]["JobName"] == "job-4.sh"


def test_delimiters_and_newlines_in_names_stay_in_their_row() -> None:
    """Job 2's comment and name hold newlines, pipes and the delimiter: its step after it is read right."""
    rows, _ = sacct.rows(read("facts.txt"), FACTS)
    described = sacct.free_text(read("words.txt"), WORDS, [(r["DBIndex"], r["JobIDRaw"]) for r in rows])
    assert "a\nb|c" in described["2", "2"]["JobName"]
    assert described["2", "2.0"]["JobName"] == "bash"


def test_an_owner_that_slurmdbd_has_not_joined_yet_is_unknown_not_root() -> None:
    row = dict.fromkeys(FACTS, "") | {"JobIDRaw": "7", "State": "RUNNING", "User": "alice", "UID": "0", "Cluster": "c"}
    assert sacct.records([row])[0].uid is None
    assert sacct.records([row | {"User": "root"}])[0].uid == 0


hostile = st.text(alphabet=st.sampled_from("ab1.\x1f\n\r\0é|_"), max_size=60)


@given(hostile, hostile)
def test_words_never_move_to_another_row(name: str, comment: str) -> None:
    """Whatever the owner of job 1 writes, job 2 has its own words or none."""
    output = "".join(
        f"{index}\x1f{job}\x1f/home\x1f{c}\x1fsbatch x\x1f{n}\n" for index, job, c, n in (("11", "1", comment, name), ("12", "2", "", "mine"))
    )
    found = sacct.free_text(output, WORDS, [("11", "1"), ("12", "2")])
    assert found.get(("12", "2"), {}).get("JobName", "mine") == "mine"


@pytest.mark.parametrize("separator", ["\x1f", "\x1ffd07cce44f598d3a\x1f"])
def test_each_row_has_its_own_words(separator: str) -> None:
    """Those of steps beside their job's, with line breaks in a name, whatever stands between the fields: a query makes it up anew each time."""
    rows = [("11", "6", "/home/a", "a comment", "sbatch x", "curve\nfit"), ("11", "6.batch", "", "", "", "batch"), ("11", "6.0", "", "", "srun y", "python3")]
    output = "".join(f"{separator.join(row)}\n" for row in rows)
    found = sacct.free_text(output, WORDS, [row[:2] for row in rows], separator)
    assert {key: tuple(row.values()) for key, row in found.items()} == {row[:2]: row[2:] for row in rows}
    assert sacct.free_text(output, WORDS, [("11", "6.0")], separator).keys() == {("11", "6.0")}


@given(st.text(max_size=300))
def test_no_output_makes_the_parser_raise(output: str) -> None:
    rows, _ = sacct.rows(output, FACTS)
    sacct.records(rows, sacct.free_text(output, WORDS, [("1", "1")]))
