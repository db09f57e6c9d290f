"""A gpualert-run's folder as a job record."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from gpualert_slurm.classifier import judge
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.programs.bundle import command_name, exit_status, job_of, newest
from gpualert_slurm.programs.log_paths import PathError, find
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.run_file import RunEnd

NAME = "20261120T163240.123Z.5f0c8a3b9d2e4f61"
START = 1795192200123456789


def make(folder: Path, end: dict[str, Any] | None = None, **run: Any) -> Path:
    """A bundle as gpualert-run leaves it (with rank logs, exit record and index absent unless the test adds them)."""
    bundle = folder / NAME
    bundle.mkdir(parents=True)
    written = {
        "format": "gpualert-run/1", "bundle": NAME, "command": ["python", "train.py"], "work_dir": str(folder), "host": "w7", "uid": 1000,
        "created": {"ns": START, "monotonic_ns": 1}, "wishes": {"addresses": ["a@x.example"], "when": "always", "artifacts": []},
        "attach": [], "notify": True, "dry_run": False, "claims": {}, **run,
    }  # fmt: skip
    (bundle / "run.json").write_text(json.dumps(written))
    (bundle / "run.0.out").write_text("step 1/10 loss 3.0\n")
    if end is not None:
        said = {"format": "gpualert-run-end/1", "by": "gpualert-run", "ended": {"ns": START + 5, "monotonic_ns": 6}, "timed_out": False, **end}
        (bundle / "end.json").write_text(json.dumps(said))
    return bundle


def test_outside_slurm_the_host_stands_for_the_cluster_and_the_start_for_the_job(tmp_path: Path) -> None:
    job = job_of(make(tmp_path, end={"exit_code": 3, "wait_status": 768}))
    assert (job.attempt.cluster, job.attempt.job_id, job.attempt.start_time_ns, job.under_slurm) == ("w7", 0, START, False)
    assert (job.exit_code, job.exit_signal, job.nodes, job.name, job.command) == (3, None, ("w7",), "train.py", ("python", "train.py"))


def test_inside_slurm_the_job_is_slurms_and_its_records_are_a_gap(tmp_path: Path) -> None:
    job = job_of(make(tmp_path, end={"exit_code": 0}, claims={"SLURM_JOB_ID": "4242", "SLURM_CLUSTER_NAME": "mendel", "SLURM_PROCID": "3"}))
    assert (job.attempt.cluster, job.attempt.job_id, job.under_slurm) == ("mendel", 4242, True)
    assert any("Slurm's records" in str(g) for g in job.gaps)


@pytest.mark.parametrize("claim", ["", "x", "-1", "٣", "99999999999999999999"])
def test_a_claim_that_is_no_number_is_none(tmp_path: Path, claim: str) -> None:
    """The environment is the user's."""
    job = job_of(make(tmp_path, end={"exit_code": 0}, claims={"SLURM_JOB_ID": claim, "RANK": claim}))
    assert job.attempt.job_id == 0


def test_a_bundle_without_an_end_says_so_and_takes_the_users_word(tmp_path: Path) -> None:
    bundle = make(tmp_path)
    assert any("how the command ended" in str(g) for g in job_of(bundle).gaps)
    assert job_of(bundle, exit_code=139).exit_signal == 11


def test_what_the_bundle_knows_counts_more_than_what_the_user_says(tmp_path: Path) -> None:
    assert job_of(make(tmp_path, end={"exit_code": 3}), exit_code=0).exit_code == 3


def test_the_own_time_limit_is_evidence_and_124(tmp_path: Path) -> None:
    job = job_of(make(tmp_path, end={"exit_code": 0, "timed_out": True}, timeout_ms=1500))
    (told,) = [e for e in job.reports[0].evidence if e.says == "time_limit_text"]
    assert (job.exit_code, told.data["limit_s"], told.source.kind) == (124, 1.5, "field")


@pytest.mark.parametrize(
    ("end", "signals", "cancelled"),
    [
        ({"signal": 15}, [{"signal": 15, "at_ns": 1, "sender_pid": 9, "sender_uid": 0}], True),
        ({"exit_code": 143}, [{"signal": 15, "at_ns": 1, "sender_pid": 9, "sender_uid": 0}], True),
        ({"signal": 2}, [{"signal": 2, "at_ns": 1, "forwarded": False}], True),
        ({"signal": 15}, [], False),
        ({"signal": 11}, [{"signal": 15, "at_ns": 1}], False),
        ({"exit_code": 1}, [{"signal": 15, "at_ns": 1}], False),
        ({"exit_code": 1}, [{"signal": 2, "at_ns": START + 4, "forwarded": False}], True),
        ({"exit_code": 0}, [{"signal": 2, "at_ns": START + 4, "forwarded": False}], False),
        ({"exit_code": 1}, [{"signal": 10, "at_ns": START + 4}], False),
        ({"signal": 10}, [{"signal": 10, "at_ns": 1}], False),
    ],
)
def test_a_signal_that_somebody_sent_and_that_ended_it_is_a_cancel(tmp_path: Path, end: dict[str, int], signals: list[dict[str, int]], cancelled: bool) -> None:
    job = job_of(make(tmp_path, end={**end, "signals": signals}))
    assert any(e.says == "step_cancelled" for r in job.reports for e in r.evidence) is cancelled


def test_who_stopped_his_own_command_cancelled_it(tmp_path: Path) -> None:
    """Ctrl-C is no problem to be mailed about."""
    record = {
        "format": "gpualert-exit/1", "attempt": NAME, "job_id": 0, "node": "w7", "boot_id": "b", "step": "run", "task": 0, "local": 0, "state": "closed",
        "wait_status": 2, "signal": 2, "prepared": {"ns": START, "monotonic_ns": 1}, "exited": {"ns": START + 5, "monotonic_ns": 6}, "capture": "on",
    }  # fmt: skip
    bundle = make(tmp_path, end={"signal": 2, "signals": [{"signal": 2, "at_ns": START + 4, "forwarded": False}]})
    (bundle / "run.0.exit.json").write_text(json.dumps(record))
    verdict = judge(job_of(bundle))
    assert (verdict.mode, verdict.variant, verdict.is_problem) == ("F4", "by_owner", False)


GOLDEN = Path(__file__).parent.parent / "goldens" / "bundle"
MEMORY = {"cgroup": "/jobs/7", "limit_bytes": 160 << 20, "peak_bytes": 160 << 20}


def ended(folder: Path, status: int, memory: dict[str, Any] | None) -> JobRecord:
    """A bundle with its exit record, whose command ended with this wait status, in a group that counted so."""
    how: dict[str, Any] = {"wait_status": status, **({"signal": status} if 0 < status < 256 else {"exit_code": status >> 8})}
    record = {
        "format": "gpualert-exit/1", "attempt": NAME, "job_id": 0, "node": "w7", "boot_id": "b", "step": "run", "task": 0, "local": 0, "state": "closed",
        **how, "prepared": {"ns": START, "monotonic_ns": 1}, "exited": {"ns": START + 5, "monotonic_ns": 6}, "capture": "on",
    }  # fmt: skip
    bundle = make(folder, end={**how, **({"memory": memory} if memory else {})})
    (bundle / "run.0.exit.json").write_text(json.dumps(record))
    return job_of(bundle)


@pytest.mark.parametrize("status", [9, 137 << 8])
def test_a_kill_that_the_commands_group_counted_is_the_kernels(tmp_path: Path, status: int) -> None:
    """The command's own death, or a shell's word for its child's; the counter is the kernel's word, not the job's."""
    verdict = judge(ended(tmp_path, status, {**MEMORY, "oom_kill_events": 1}))
    assert (verdict.mode, verdict.cause, verdict.detail, verdict.fault) == ("A2", "oom_killer", "cgroup_limit", "user")
    (counted,) = [e for e in verdict.evidence if e.says == "cgroup_memory"]
    assert (counted.trust, counted.data["oom_kill_events"]) == ("system", 1)


def test_a_kill_where_no_group_had_a_limit_is_for_the_machines_memory(tmp_path: Path) -> None:
    """A workstation without limits: nobody exceeded any."""
    verdict = judge(ended(tmp_path, 9, {"cgroup": "/user.slice", "peak_bytes": 60 << 30, "oom_kill_events": 1}))
    assert (verdict.mode, verdict.cause, verdict.detail) == ("A2", "oom_killer", "node_memory")
    assert "more host memory than the node had" in str(verdict)


@pytest.mark.parametrize(("status", "told"), [(9, True), (137 << 8, False)])
def test_a_counter_that_stood_speaks_only_of_the_command_itself(tmp_path: Path, status: int, told: bool) -> None:
    """What a shell says of somebody's death may have been in another group."""
    verdict = judge(ended(tmp_path, status, {**MEMORY, "oom_kill_events": 0}))
    assert (verdict.mode, verdict.cause) == ("A2", None)
    assert ("it was not the memory limit" in str(verdict)) is told


@pytest.mark.parametrize("memory", [None, MEMORY, {"cgroup": "/jobs/7"}])
def test_without_a_counter_nothing_is_said_of_the_killer(tmp_path: Path, memory: dict[str, Any] | None) -> None:
    """Older bundles, and kernels that count no kills."""
    verdict = judge(ended(tmp_path, 9, memory))
    assert (verdict.mode, verdict.cause) == ("A2", None)
    assert "memory cgroup" not in str(verdict)


def test_a_counted_kill_that_the_command_survived_is_no_failure(tmp_path: Path) -> None:
    """A worker that was killed and replaced: the verdict is the one without the counter."""
    for name in ("counted", "not"):
        (tmp_path / name).mkdir()
    counted = judge(ended(tmp_path / "counted", 0, {**MEMORY, "oom_kill_events": 1}))
    plain = judge(ended(tmp_path / "not", 0, None))
    assert (counted.mode, counted.variant, counted.cause) == (plain.mode, plain.variant, None)
    assert counted.mode != "A2"


def test_an_exception_of_the_programs_own_stays_its_own(tmp_path: Path) -> None:
    """Its worker was killed, it went on, and failed of something else."""
    job = ended(tmp_path, 1 << 8, {**MEMORY, "oom_kill_events": 1})
    said = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    open("x")\nFileNotFoundError: x\n'
    (tmp_path / NAME / "run.0.out").write_text(said)
    assert judge(job).mode == "A2"  # where nothing else is said
    assert judge(job_of(tmp_path / NAME)).cause == "file_not_found"


def test_the_end_file_of_the_format_page() -> None:
    """Every key of the worked example arrives where it belongs; one of before the counters, with keys of later, is read as well."""
    end = RunEnd.read(GOLDEN)
    assert (end.by, end.signal, end.wait_status, end.signals[0].sender_pid, end.output_open) == ("gpualert-run", 15, 15, 812, False)
    assert end.memory == CgroupMemory(limit_bytes=16 << 30, peak_bytes=8123318272, oom_events=0, oom_kill_events=0)
    assert end.cpu is not None
    assert (end.cpu.processes, end.cpu.names, len(end.cpu.looks), end.cpu.looks[-1]) == (2, ("bash", "python3"), 4, (1795192207000000000, 6650))
    said = json.loads((GOLDEN / "end.json").read_text())
    page = (Path(__file__).parents[3] / "doc" / "formats" / "bundle.md").read_text()
    assert said in [json.loads(block.split("```")[0]) for block in page.split("```json\n")[1:]]
    del said["memory"], said["cpu"]
    old = RunEnd.model_validate({**said, "later": 1})
    assert (old.memory, old.cpu) == (None, None)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format":"gpualert-run/2"}', "\xff", '{"format":"gpualert-run/1"}'])
def test_a_folder_with_a_broken_run_file_is_refused(tmp_path: Path, content: str) -> None:
    bundle = make(tmp_path)
    (bundle / "run.json").write_text(content)
    with pytest.raises(PathError, match=r"run\.json"):
        job_of(bundle)


def test_a_broken_end_file_is_a_gap(tmp_path: Path) -> None:
    bundle = make(tmp_path)
    (bundle / "end.json").write_text("{")
    assert any("end.json" in g.why for g in job_of(bundle).gaps)


def test_attached_files_are_taken_within_the_budget_and_never_through_a_link(tmp_path: Path) -> None:
    """A link to /proc/self/environ, the file itself, a folder and a missing one are named, not taken."""
    (tmp_path / "ok\n.txt").write_text("content")
    (tmp_path / "link").symlink_to("/proc/self/environ")
    (tmp_path / "large").write_bytes(bytes(2 << 20))
    names = ["ok\n.txt", "link", "large", "/proc/self/environ", "missing", "."]
    job = job_of(make(tmp_path, end={"exit_code": 0}, attach=names), artifacts=True)
    taken = {a.path: a for r in job.reports for a in r.artifacts}
    assert list(taken) == names
    assert base64.b64decode(taken["ok\n.txt"].content or "") == b"content"
    assert {n for n in names if taken[n].content} == {"ok\n.txt"}
    assert all(taken[n].left_out for n in ("link", "large", "missing", "."))


def test_globs_are_taken_below_the_work_dir(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.csv").write_text("1,2\n")
    wishes = {"addresses": ["a@x.example"], "when": "always", "artifacts": ["runs/*.csv", "/etc/*", "nothing*"]}
    job = job_of(make(tmp_path, end={"exit_code": 0}, wishes=wishes, uid=0), artifacts=True)
    assert [a.path for r in job.reports for a in r.artifacts] == ["runs/a.csv"]
    assert len([g for g in job.gaps if "artifacts" in g.what]) == 2


def test_the_newest_bundle_is_the_last_that_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert newest() is None
    for name in ("20261120T163240.123Z.ff", "20261120T163240.124Z.00", "outbox"):
        (tmp_path / "gpualert" / name).mkdir(parents=True)
        if name != "outbox":
            (tmp_path / "gpualert" / name / "run.json").write_text("{}")
    assert newest() == tmp_path / "gpualert" / "20261120T163240.124Z.00"


@pytest.mark.parametrize(
    ("command", "name"),
    [(("python", "-u", "train.py", "--lr", "1"), "train.py"), (("/bin/sh", "run.sh"), "run.sh"), (("./a.out", "x"), "a.out"), (("torchrun",), "torchrun"), ((), None)],
)
def test_a_command_is_named_by_its_script(command: tuple[str, ...], name: str | None) -> None:
    assert command_name(command) == name


@pytest.mark.parametrize(("told", "meant"), [(None, (None, None)), (0, (0, None)), (1, (1, None)), (139, (None, 11)), (-9, (None, 9)), (255, (255, None)), (128, (128, None))])
def test_an_exit_status_is_read_as_shells_and_python_say_it(told: int | None, meant: tuple[int | None, int | None]) -> None:
    assert exit_status(told) == meant


def test_what_capture_left_out_is_named(tmp_path: Path) -> None:
    """The log outgrew its cap: the verdict says how much is missing, and where."""
    bundle = make(tmp_path, end={"exit_code": 0})
    (bundle / "run.0.out").write_bytes((Path(__file__).parents[1] / "goldens" / "rank-log" / "capped.out").read_bytes())
    (source,) = find([bundle]).logs
    gaps = [g for r in job_of(bundle).reports for g in r.gaps]
    assert source.frame.hole > 0
    assert any(g.what.startswith(f"{source.frame.hole} bytes from byte {source.frame.head} on of ") for g in gaps)
