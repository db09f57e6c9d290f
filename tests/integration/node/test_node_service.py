"""``gpualert-node`` as a process: a job's files in, sealed documents out, through crashes, hangs and missing parts."""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from gpualert_slurm.config import Site
from gpualert_slurm.epilog.pieces import Piece, complete, join, open_sealed
from gpualert_slurm.epilog.seal import SealKeys
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport
from tests.integration.node.a_job import AJob
from tests.integration.node.as_user import as_uid
from tests.integration.node.test_collect import TRACEBACK
from tests.integration.node.test_kernel_log import write as write_kernel_line
from tests.testbed import nvml_library

DAEMON = pwd.getpwnam("nobody")


class ANode:
    """One node's state folder, configuration and service."""

    def __init__(self, root: Path, munge_socket: Path, library: Path) -> None:
        self.root, self.state, self.socket = root, root / "state", munge_socket
        self.state.mkdir(mode=0o711)
        self.spool = root / "reports"
        self.spool.mkdir()
        os.chown(self.spool, DAEMON.pw_uid, DAEMON.pw_gid)
        self.spool.chmod(0o1733)
        self.readings = root / "gpus.txt"
        self.gpus()
        self.log = root / "service.log"
        self.settings = {"idle_exit_s": 0.3, "sample_first_s": 0.2, "kernel_log_from_root": "true", "nvml_timeout_s": 1.0}
        self.env = {**os.environ, "LD_LIBRARY_PATH": str(library), nvml_library.READINGS_VARIABLE: str(self.readings)}
        self.started: list[subprocess.Popen[bytes]] = []

    def gpus(self, **changes: str) -> None:
        """Two cards with an address of their own: the kernel log is shared by every test on the machine."""
        cards = [nvml_library.healthy("n1", i) | {"pci.bus_id": f"0000A7{os.getpid() % 256:02X}:{i:02X}:00.0"} for i in range(2)]
        cards[0] |= {k.replace("_", "."): v for k, v in changes.items()}
        nvml_library.write_readings(self.readings, cards)

    @property
    def pci(self) -> str:
        """The first card's address as the driver prints it."""
        return f"A7{os.getpid() % 256:02X}:00:00"

    def start(self) -> subprocess.Popen[bytes]:
        """The service."""
        node = "\n".join(f"{k} = {v}" for k, v in self.settings.items())
        site = f'cluster = "hpc"\nstate_dir = "{self.state}"\nspool_dir = "{self.spool}"\ndaemon_user = "{DAEMON.pw_name}"\n'
        site += f'munge_socket = "{self.socket}"\noff_file = "{self.root}/off"\n'
        config = self.root / "gpualert.toml"
        config.write_text(f"[site]\n{site}[node]\n{node}\n")
        with self.log.open("ab") as log:
            argv = [sys.executable, "-m", "gpualert_slurm.programs.node", "--node", "n1", "--config", str(config)]
            process = subprocess.Popen(argv, env=self.env, stdout=log, stderr=log)
        self.started.append(process)
        return process

    def documents(self) -> list[JobNote | NodeReport]:
        """What arrived, opened and joined as the daemon would."""
        keys, site = SealKeys(DAEMON.pw_uid, self.socket), Site(spool_dir=self.spool)

        def opened() -> list[Piece]:
            return [open_sealed(a.sealed, SEAL, keys, "hpc") for a in TRANSPORT.arrivals(site)]

        wholes: dict[str, list[Piece]] = {}
        for piece in as_uid(DAEMON.pw_uid, opened):
            wholes.setdefault(piece.whole_sha256, []).append(piece)
        return [join(pieces, 1 << 25) for pieces in wholes.values() if complete(pieces)]

    def reports(self) -> list[NodeReport]:
        """The reports among them."""
        return [d for d in self.documents() if isinstance(d, NodeReport)]

    def words(self) -> str:
        """What the services said."""
        return self.log.read_text()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with libnvidia-ml.so.1."""
    return nvml_library.build(tmp_path_factory.mktemp("nvml")).parent


@pytest.fixture
def node(open_folder: Path, munge_socket: Path, library: Path) -> Iterator[ANode]:
    """A node; whatever was started is ended."""
    made = ANode(open_folder, munge_socket, library)
    yield made
    for process in made.started:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait(10)


def until(true: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Wait for it."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def a_failing_job(node: ANode, **of_the_job: object) -> AJob:
    job = AJob(node.state, **of_the_job)  # type: ignore[arg-type]
    job.start()
    job.task(0, TRACEBACK, exit_code=1)
    return job


def test_job_from_its_first_step_to_the_spool(node):
    """Note at once; before, samples, after; the kernel's line about its card; the epilog's acknowledgement; report; service ends."""
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "watching").exists, "the job is taken up")
    until(node.documents, "the note arrives")
    (note,) = node.documents()
    assert isinstance(note, JobNote)
    until(lambda: (job.record / "gpus.jsonl").exists() and (job.record / "gpus.jsonl").read_bytes().count(b'"when":"sample"') >= 2, "samples")
    assert (note.attempt.cluster, note.attempt.job_id, note.node, note.wishes.addresses) == ("hpc", 42, "n1", ("alice@example.org",))
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")
    node.gpus(ecc_volatile_uncorrected="1")
    ended = time.monotonic()
    job.end(env={"SLURM_JOB_GPUS": "0"})
    until((job.record / "after").exists, "the epilog is told", 1.0)
    until(node.reports, "the report arrives")
    assert time.monotonic() - ended < 8
    (report,) = node.reports()
    assert [e.exit_code for e in report.exits] == [1]
    assert {(e.says, e.trust.value) for e in report.evidence} == {("xid", "system"), ("exception", "user")}
    (xid,) = [e for e in report.evidence if e.says == "xid"]
    assert (xid.data["xid"], xid.data["tied_by"], xid.where.gpu_uuid) == (79, "gpu", nvml_library.healthy("n1", 0)["uuid"])
    assert [(g.index, g.ecc_volatile_uncorrected) for g in (*report.gpus_before, *report.gpus_after)] == [(0, 0), (0, 1)], report.gaps
    (utilisation,) = [s for s in report.series if s.name == "gpu_utilization_percent"]
    assert utilisation.points_seen >= 2
    assert [g for g in report.gaps if "kernel line" not in g.what] == []  # others write to the same kernel log
    assert service.wait(10) == 0
    assert list((job.base / "ended").iterdir()) == []
    assert list((job.base / "out").iterdir()) == []


def test_second_instance_refuses_with_the_firsts_pid(node):
    """One a node is enough, and the message says which."""
    a_failing_job(node)
    first = node.start()
    until(lambda: "watched" in node.words(), "the first runs")
    second = node.start()
    assert second.wait(10) == 1
    assert f"gpualert-node already runs for n1 (pid {first.pid}, lock " in node.words()


def test_killed_in_the_middle_of_collecting_the_report_arrives_once(node):
    """SIGKILL while the logs are read; the next start collects again; one report, nothing left behind."""
    job = AJob(node.state)
    job.start()
    for number in range(3):
        job.task(number, b"step 1 loss 2.5 and some more words\n" * 150_000 + TRACEBACK, exit_code=1)
    job.end()
    first = node.start()

    def collecting() -> bool:
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        grandchildren = [Path(f"/proc/{c}/task/{c}/children").read_text().split() for c in children if Path(f"/proc/{c}").exists()]
        return any(grandchildren)

    until(collecting, "a log is being read")
    first.send_signal(signal.SIGKILL)
    first.wait(5)
    assert node.reports() == []
    assert [p.name for p in (job.base / "ended").iterdir()] == [job.attempt]
    second = node.start()
    until(node.reports, "the report arrives", 60)
    assert second.wait(20) == 0
    (report,) = node.reports()
    assert len([e for e in report.evidence if e.says == "exception"]) == 3, [str(g) for g in report.gaps]
    assert list((job.base / "ended").iterdir()) == []


def test_killed_with_a_report_in_out_it_goes_out_at_the_next_start(node, munge_socket):
    """Munged away: the report waits, also through a kill; munged back: it arrives."""
    job = a_failing_job(node)
    job.end()
    node.socket = node.root / "no-munged"
    first = node.start()
    until(lambda: f"{job.attempt}.report: not handed over" in node.words(), "it cannot be sealed")
    assert "Did you start munged?" in node.words()
    assert list((job.base / "ended").iterdir()) == []
    first.kill()
    first.wait(5)
    node.socket = munge_socket
    assert node.start().wait(20) == 0
    assert len(node.reports()) == 1


def test_sigterm_ends_it_at_once_and_the_next_start_goes_on(node):
    """In the middle of a job: samples are kept, the job is not reported before its end."""
    job = a_failing_job(node)
    first = node.start()
    until(lambda: (job.record / "gpus.jsonl").exists() and (job.record / "gpus.jsonl").read_bytes().count(b"\n") > 3, "samples")
    begun = time.monotonic()
    first.terminate()
    assert first.wait(5) == 0
    assert time.monotonic() - begun < 2
    lines = (job.record / "gpus.jsonl").read_bytes().count(b"\n")
    second = node.start()
    until(lambda: (job.record / "gpus.jsonl").read_bytes().count(b"\n") > lines, "more samples")
    job.end(env={"SLURM_JOB_GPUS": "0,1"})
    assert second.wait(20) == 0
    (report,) = node.reports()
    assert len(report.gpus_before) == 2
    assert (job.record / "gpus.jsonl").read_bytes().count(b'"when":"before"') == 1
    assert len([d for d in node.documents() if isinstance(d, JobNote)]) == 1


def test_job_file_that_is_none_stops_no_other(node):
    """Garbage, a folder, a link, a file that speaks of another attempt: put aside; the good job is reported."""
    job = a_failing_job(node)
    jobs = job.base / "jobs"
    (jobs / "1.0000000000000000").write_bytes(b"\xff{")
    (jobs / "2.0000000000000000").mkdir()
    (jobs / "3.0000000000000000").symlink_to("/etc/passwd")
    (jobs / "4.0000000000000000").write_bytes((jobs / job.attempt).read_bytes())
    service = node.start()
    until(lambda: len(list((job.base / "bad").glob("*"))) == 4, "they are put aside")
    job.end()
    assert service.wait(20) == 0
    assert [r.attempt.job_id for r in node.reports()] == [42]


def test_job_of_an_earlier_boot_is_reported_and_says_so(node):
    """The node went down under it: no epilog ran, the logs are there."""
    job = a_failing_job(node, boot_id="00000000-0000-0000-0000-000000000001")
    assert node.start().wait(20) == 0
    (report,) = node.reports()
    assert report.boot_id == job.boot_id
    assert "n1: what Slurm told the node's Epilog (the node was rebooted while the job ran)" in [str(g) for g in report.gaps]
    assert any(e.says == "exception" for e in report.evidence), report.gaps


def test_hanging_nvml_costs_a_gap_and_nothing_else(node):
    """The report comes, says which counters are missing and why, and no process stays behind."""
    node.gpus(temperature="@hang=600 30")
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "before is given up")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert service.wait(30) == 0
    (report,) = node.reports()
    said = [str(g) for g in report.gaps]
    assert "n1: GPU counters before the job (NVML did not answer within 1 s)" in said
    assert any(g.startswith("n1: GPU counters after the job (NVML ") for g in said)
    assert report.gpus_before == report.gpus_after == ()
    assert any(e.says == "exception" for e in report.evidence)


def test_node_without_nvml_reports_all_the_same(node):
    """A CPU node: one gap before, one after, at once."""
    node.env.pop("LD_LIBRARY_PATH")
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "watching").exists, "taken up")
    job.end()
    until((job.record / "after").exists, "the epilog does not wait for a driver that is not there", 3)
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert {str(g) for g in report.gaps} >= {"n1: GPU counters after the job (NVML Shared Library Not Found)"}


def test_lost_card_is_named_by_its_uuid(node):
    """It was there before; after, its problem is a gap and its counters are not there."""
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "before")
    node.gpus(power_usage="!GPU_IS_LOST")
    job.end(env={"SLURM_JOB_GPUS": "0,1"})
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert (len(report.gpus_before), len(report.gpus_after)) == (2, 1)
    assert f"n1: GPU {nvml_library.healthy('n1', 0)['uuid']} (lost: GPU is lost)" in [str(g) for g in report.gaps]


def test_other_jobs_gpus_are_not_in_the_report(node):
    """Two jobs share the node: each report has its own card, and the line about the other's is a number."""
    mine, theirs = a_failing_job(node), a_failing_job(node, job_id=43)
    service = node.start()
    until(lambda: all((j.record / "gpus.jsonl").exists() for j in (mine, theirs)), "both are watched")
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 48, pid='<unknown>', name=<unknown>, DBE")
    time.sleep(0.3)
    mine.end(env={"SLURM_JOB_GPUS": "0"})
    theirs.end(env={"SLURM_JOB_GPUS": "1"})
    assert service.wait(20) == 0
    by_job = {r.attempt.job_id: r for r in node.reports()}
    assert [g.index for g in by_job[42].gpus_after] == [0]
    assert [g.index for g in by_job[43].gpus_after] == [1]
    assert [e.data["xid"] for e in by_job[42].evidence if e.says == "xid"] == [48]
    assert [e for e in by_job[43].evidence if e.says == "xid"] == []
    assert any("kernel line" in g.what and "in the job's time" in g.what for g in by_job[43].gaps)


def test_kernel_line_from_before_the_job_blames_nobody(node):
    """The card fell off the bus under the job before this one: read back from the ring, the line is not this job's."""
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 119, pid='<unknown>', name=<unknown>, Timeout waiting for RPC from GSP")
    time.sleep(0.2)
    job = a_failing_job(node)
    service = node.start()
    until((job.record / "gpus.jsonl").exists, "taken up")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert service.wait(20) == 0
    (report,) = node.reports()
    assert 119 not in [e.data.get("xid") for e in report.evidence]


def test_kernel_line_between_the_jobs_start_and_ours_is_found(node):
    """The service starts a moment after the job: what the kernel said meanwhile is read from its ring."""
    job = a_failing_job(node, started_ns=time.time_ns() - 5_000_000_000)
    write_kernel_line(f"NVRM: Xid (PCI:{node.pci}): 120, pid='<unknown>', name=<unknown>, GSP task exception")
    job.end(env={"SLURM_JOB_GPUS": "0"})
    assert node.start().wait(20) == 0
    (report,) = node.reports()
    (line,) = [e for e in report.evidence if e.data.get("xid") == 120]
    assert line.time_ns is not None
    assert line.uncertainty_ns is not None
    assert abs(line.time_ns - job.started_ns - 5_000_000_000) < line.uncertainty_ns + 100_000_000


def test_off_switch_stops_it_without_a_restart(node):
    """While the file is there nothing is touched; when it goes, the job is reported."""
    (node.root / "off").touch()
    job = a_failing_job(node)
    job.end()
    service = node.start()
    time.sleep(1.5)
    assert not (job.record / "watching").exists()
    assert node.documents() == []
    (node.root / "off").unlink()
    until(node.reports, "the report arrives")
    service.terminate()
    assert service.wait(5) == 0


def test_full_spool_folder_is_tried_again(node):
    """A folder that takes nothing: the report waits in out/ and arrives when it does."""
    node.spool.rename(node.root / "away")
    job = a_failing_job(node)
    job.end()
    service = node.start()
    until(lambda: "report: not handed over" in node.words(), "it does not go")
    (node.root / "away").rename(node.spool)
    until(node.reports, "it goes")
    assert service.wait(20) == 0


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--node", "../n1"], 1, "is no node's name"),
        (["--state-dir", "/nonexistent/state"], 1, "state_dir /nonexistent/state does not exist; make it"),
        (["--config", "/nonexistent.toml"], 2, "no such file"),
        (["--bogus"], 2, "unrecognized arguments"),
    ],
)
def test_what_cannot_start_says_why(arguments, status, words):
    """On what, why, and what to do."""
    argv = [sys.executable, "-m", "gpualert_slurm.programs.node", "--node", "n1", *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == status
    assert words in done.stderr


def test_not_root_is_refused_in_words():
    """It could neither read root's records nor become the user."""
    argv = [sys.executable, "-m", "gpualert_slurm.programs.node", "--node", "n1"]
    run = partial(subprocess.run, argv, capture_output=True, text=True, check=False, timeout=30)
    done = as_uid(DAEMON.pw_uid, run) if os.access(sys.executable, os.X_OK) else None
    assert done is not None
    assert done.returncode == 1
    assert "gpualert-node runs as root" in done.stderr


def test_state_folder_that_takes_no_more_is_tried_again(node):
    """A read-only or full disk when the job starts: the service neither ends nor spins, and goes on when it can write."""
    job = a_failing_job(node)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=1", "none", str(job.record)], check=True)
    try:
        service = node.start()
        until(lambda: "No space left on device" in node.words(), "it says so")
        spent = sum(map(int, Path(f"/proc/{service.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        time.sleep(2)
        assert service.poll() is None
        more = sum(map(int, Path(f"/proc/{service.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        assert more - spent < 0.5 * os.sysconf("SC_CLK_TCK"), "it does not spin"
    finally:
        subprocess.run(["umount", str(job.record)], check=True)
    until((job.record / "watching").exists, "it is taken up", 15)
    job.end()
    assert service.wait(20) == 0
    assert len(node.reports()) == 1


def test_off_switch_in_the_middle_of_a_job_costs_no_time(node):
    """NVML is let go, nothing is read, nothing spins; on again, the job is watched on and reported."""
    job = a_failing_job(node)
    service = node.start()
    until(lambda: (job.record / "gpus.jsonl").exists(), "watched")  # noqa: PLW0108
    (node.root / "off").touch()
    time.sleep(1)
    lines = (job.record / "gpus.jsonl").read_bytes().count(b"\n")
    spent = sum(map(int, Path(f"/proc/{service.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    write_kernel_line("gpualert: a line that nobody reads now")
    time.sleep(2)
    assert (job.record / "gpus.jsonl").read_bytes().count(b"\n") == lines
    assert Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().strip() == ""
    more = sum(map(int, Path(f"/proc/{service.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
    assert more - spent < 0.5 * os.sysconf("SC_CLK_TCK"), "it does not spin"
    job.end()
    (node.root / "off").unlink()
    assert service.wait(30) == 0
    assert len(node.reports()) == 1


def test_idle_service_with_a_running_job_uses_next_to_no_cpu(node):
    """A sample a second: below five percent of a core."""
    node.settings["sample_first_s"] = 1.0
    job = a_failing_job(node)
    service = node.start()
    until(lambda: (job.record / "gpus.jsonl").exists(), "watched")  # noqa: PLW0108
    time.sleep(1)

    def spent() -> int:
        return sum(map(int, Path(f"/proc/{service.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))

    before = spent()
    time.sleep(5)
    assert spent() - before <= 0.25 * os.sysconf("SC_CLK_TCK")
