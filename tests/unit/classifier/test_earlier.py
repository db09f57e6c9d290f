"""A log of several attempts is judged by its last one; the others are history."""

from __future__ import annotations

from gpualert_slurm.classifier import judge
from gpualert_slurm.job_record import JobRecord
from tests.unit.classifier.records import Run, steps, trace

HEAD = "Loading modules cuda/12.4\n+ python train.py --config base.yaml\ntorch 2.5.1, 8 GPUs\n"
REQUEUE = "slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2026-11-20T10:00:00 DUE TO JOB REQUEUE ***\n"
SAVED = "Saving model checkpoint to out/checkpoint-{}\n"


def told(verdict) -> str:
    return " ".join(claim.text for claim in verdict.warnings)


def run(text: str, **how) -> Run:
    return Run().batch(text, **how).accounting("COMPLETED" if how.get("code") == 0 else "FAILED", code=how.get("code", 1), end=13)


def test_the_last_attempts_error_is_the_verdict_and_the_first_ones_a_warning():
    first = HEAD + steps(1, 40) + trace("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.") + REQUEUE
    verdict = run(first + HEAD + trace("FileNotFoundError: [Errno 2] No such file or directory: 'data/x.bin'"), code=1).verdict()
    assert (verdict.mode, verdict.cause.value, verdict.steps_done) == ("A1", "file_not_found", None)
    assert "the attempt before the last ended with torch.OutOfMemoryError" in told(verdict)
    assert any("only the last of 2 is judged" in gap.why for gap in verdict.gaps)


def test_an_error_of_an_earlier_attempt_is_no_end_of_one_that_went_well():
    verdict = run(HEAD + trace("KeyError: 'a'") + REQUEUE + HEAD + steps(1, 100, 100) + "Training complete\n", code=0).verdict()
    assert verdict.mode == "G1"
    assert "KeyError: 'a'" in told(verdict)


def test_an_old_time_limit_does_not_end_the_last_attempt():
    old = HEAD + steps(1, 40) + REQUEUE.replace("JOB REQUEUE", "TIME LIMIT")
    verdict = Run().batch(old + HEAD + steps(30, 60) + trace("KeyError: 'a'"), code=1).verdict()
    assert verdict.mode == "A3"
    assert verdict.cause.value == "traceback"


def test_what_an_earlier_attempt_saved_is_what_the_last_one_could_have_gone_on_from():
    """As with an earlier run of the same job: the losses begin where they had begun."""
    first = HEAD + steps(1, 400, 800, lambda i: 9.0 / i**0.5) + SAVED.format(400) + trace("KeyError: 'a'") + REQUEUE
    verdict = run(first + HEAD + steps(1, 800, 800, lambda i: 9.0 / i**0.5) + "Training complete\n", code=0).verdict()
    assert (verdict.mode, verdict.variant) == ("E2", "from_scratch")
    went_on = run(first + HEAD + steps(401, 800, 800, lambda i: 9.0 / i**0.5) + "Training complete\n", code=0).verdict()
    assert went_on.mode == "G1"


def test_without_a_save_there_was_nothing_to_go_on_from():
    first = HEAD + steps(1, 400, 800, lambda i: 9.0 / i**0.5) + trace("KeyError: 'a'") + REQUEUE
    assert run(first + HEAD + steps(1, 800, 800, lambda i: 9.0 / i**0.5) + "Training complete\n", code=0).verdict().mode == "G1"


def test_the_other_log_of_the_same_rank_follows_by_its_times():
    """The traceback in stderr came before the last attempt began in stdout."""
    out = HEAD + steps(1, 20) + REQUEUE + HEAD + steps(10, 30)
    job = Run().rank(0, "n1", out, stream="out", times=[1.0] * 24 + [200.0] * 30)
    job.rank(0, "n1", trace("KeyError: 'a'") + trace("ValueError: b"), code=1, end=300, times=[1.0] * 4 + [299.0] * 4)
    verdict = job.accounting(end=301).verdict()
    assert "ValueError" in verdict.headline
    assert "KeyError" in told(verdict)


def test_a_record_judged_from_disk_gives_the_same():
    job = run(HEAD + trace("KeyError: 'a'") + REQUEUE + HEAD + trace("ValueError: b"), code=1).record()
    again = judge(JobRecord.model_validate_json(job.json_bytes()))
    assert again == judge(job)
    assert "ValueError" in again.headline
