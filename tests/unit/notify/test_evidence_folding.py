"""Evidence that says the same many times is shown once, and names whose the rest is."""

from __future__ import annotations

from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify.compose import compose
from gpualert_slurm.rank import RankLog
from gpualert_slurm.verdict import RankState, Verdict
from tests.unit.notify import cases


def text_of(verdict: Verdict, job: JobRecord | None = None) -> str:
    notification = compose(verdict, job or cases.job(), cases.MAIL, zone=cases.ZONE).notification
    assert notification is not None
    return notification.text


def ended(rank: int) -> Evidence:
    record = FieldValue(record=f"exit record of rank {rank}", query=f"exit record {rank}", name="wait_status", value="SIGKILL")
    return Evidence(id=f"x{rank}", says="exit", role=Role.CASCADE, trust=Trust.SYSTEM, source=record, where=Where(node="n1", rank=rank))


def test_equal_pieces_are_one_and_their_owners_are_named():
    pieces = tuple(ended(r) for r in range(12))
    text = text_of(cases.verdict(evidence=pieces, shows=({"text": "They were taken down.", "evidence": [p.id for p in pieces]},)))
    assert text.count("ended with SIGKILL") == 1
    assert "the same of rank 1 on n1, rank 2 on n1" in text
    assert "and 5 others" in text


def test_the_same_claim_twice_is_said_once():
    claim = {"text": "Rank 3 could not open it.", "evidence": ("q1",)}
    assert text_of(cases.verdict(shows=(claim, claim))).count("* Rank 3 could not open it.") == 1


def test_the_same_gap_on_many_nodes_is_one_line():
    gaps = tuple(Gap(what="no report", why="it did not arrive", node=f"n{i}") for i in range(1, 9))
    assert "missing: n[1-8]: no report (it did not arrive)" in text_of(cases.verdict(gaps=gaps))


def test_a_quote_points_to_the_copy_that_its_owner_can_open():
    """Compute nodes are closed to users."""
    job = cases.job()
    path = "/home/alice/.gpualert/4242/0.3.err"
    log = RankLog(path="/var/spool/gpualert/logs/4242.x/0.3.err", node="n2", step="0", stream="err", rank=3)
    report = job.reports[1].model_copy(update={"logs": (log,)})
    quote = cases.quote("boom")
    on_node = quote.model_copy(update={"source": quote.source.model_copy(update={"file": log.path})})
    text = text_of(cases.verdict(evidence=(on_node,), shows=({"text": "It said so.", "evidence": ("q1",)},)), job.model_copy(update={"reports": (report,)}))
    assert f"{path}, line 412" in text
    assert log.path not in text


def test_the_batch_script_is_no_rank():
    script = RankState(node="n1", step="batch", rank=0, local_rank=0, exit_code=137, words="exit code 137")
    verdict = cases.verdict()
    text = text_of(verdict.model_copy(update={"ranks": (*verdict.ranks, script), "first_failure": verdict.first_failure}))
    assert "exit code 137: the batch script on n1" in text
    assert "4, of which 4 ended badly" in text


def test_a_full_output_file_that_the_job_did_not_see_is_told():
    """With capture on, ENOSPC on the job's own output ends nothing; its owner must hear of it."""
    job = cases.job()
    logs = tuple(RankLog(path=f"/s/0.{r}.out", node="n2", step="0", stream="out", rank=r, output_error="ENOSPC") for r in (2, 3))
    broken = RankLog(path="/s/batch.0.out", node="n2", step="batch", stream="out", rank=0, log_error="EIO")
    report = job.reports[1].model_copy(update={"logs": (*logs, broken)})
    text = text_of(cases.verdict(), job.model_copy(update={"reports": (report,)}))
    assert "missing: the job's own output file (ENOSPC, of rank 2 on n2, rank 3 on n2)" in text
    assert "missing: the end of the captured log (EIO, of the batch script on n2)" in text
