"""Runs batch jobs on the test bed's Slurm, with gpualert in it, and keeps what its daemon knew of each as a case."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from corpus import label as labels
from corpus.case import LOGS, RECORD_NAME, log_name, without_logs
from corpus.running.acts import ACTS
from corpus.running.card.identity import card
from corpus.running.environments import CARD, ENVIRONMENTS
from corpus.running.job import SlurmJob
from corpus.running.scrub import Scrub
from corpus.running.time_left import left_s
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankLog
from tests.testbed import Cluster
from tests.testbed.daemon import wait_until
from tests.testbed.host import ALICE
from tests.testbed.nvml_library import healthy
from tests.testbed.tracking import VARIABLE, slurm_version

ROOT = Path(os.environ.get("CORPUS_BED", "/var/tmp/c-b"))
SHOWN_ROOT = "/lustre/proj"
SHOWN_USER = "alice-research"
MAX_LOG_BYTES = 96 * 1024
JOB_S = 420
AT_ONCE = int(os.environ.get("CORPUS_AT_ONCE", "8"))
"""Jobs at the same time: the bed's nodes share a small machine."""
JUDGED_S = 150
LAST_START_S = 30
"""No job is started with less time left than this."""
FIRST_JOB = os.environ.get("CORPUS_FIRST_JOB", "1")
"""The first job's number: nodes of two beds on one machine see each other's processes, and take those of an equal number for their own."""
Todo = Sequence[tuple[str, int, SlurmJob]]


class Bed(Cluster):
    """The test bed, which knows one partition, with a second one."""

    def wait_idle(self, timeout_s: float = 60) -> None:
        """Wait until every node is idle, in whatever partitions it is listed."""
        wait_until(lambda: set(self.command("sinfo", "-h", "-N", "-o", "%t").stdout.split()) == {"idle"}, "all nodes idle", timeout_s, poll_s=0.2)


def make_all(todo: Todo, to: Path) -> int:
    """Make these; how many could not be made. One bed for each way of tracking that they ask for."""
    bad = 0
    for kind in ("plain", "cgroup", "card"):
        if mine := [t for t in todo if t[2].bed == kind and ENVIRONMENTS[t[2].python].there]:
            bad += _on_a_bed(kind, mine, to)
    return bad


def _on_a_bed(kind: str, todo: Todo, to: Path) -> int:
    if kind == "cgroup":
        os.environ[VARIABLE] = "cgroup"
    else:
        os.environ.pop(VARIABLE, None)
    extra = {
        "PartitionName": "urgent Nodes=ALL PriorityTier=100 PreemptMode=off MaxTime=60 State=UP",
        "PreemptType": "preempt/partition_prio",
        "PreemptMode": "REQUEUE",
        "FirstJobId": FIRST_JOB,
    }
    if kind == "card":
        bed = Bed(ROOT, nodes=1, cpus=os.cpu_count() or 1, gpus_per_node=1, gpualert=True, real_gpu=card().kind, memory_mib=_memory_mib(), extra=extra)
    else:
        bed = Bed(ROOT, nodes=6 if kind == "plain" else 2, cpus=48, gpus_per_node=8, gpualert=True, extra=extra)
    with bed as cluster:
        cluster.gpualert.configure({"node": {"stall_min_s": 3600}, "daemon": {"report_deadline_s": 200.0, "accounting_deadline_s": 200.0}})
        cluster.smtp.stop()  # the daemon lets go of a record once its mail is out
        cluster.start_daemon()
        ran = _Ran(cluster, todo, 1 if kind == "card" else AT_ONCE)
        wrong = ran.wrong
        try:
            ran.all()
        finally:  # whoever ends us early gets what is there
            for name, number, job in todo:
                if (name, number) in ran.ids and (name, number) not in wrong:
                    try:
                        _keep(cluster, ran.ids[name, number], job, to / name / f"{number:03d}")
                    except (LookupError, OSError, ValueError) as error:
                        wrong[name, number] = f"not kept: {error}"
                    print(f"{'NOT MADE' if (name, number) in wrong else 'made':9}{name}/{number:03d}", flush=True)
    for (name, number), words in wrong.items():
        print(f"NOT MADE {name}/{number:03d} {words}", flush=True)
    return len(wrong)


class _Ran:
    """The jobs of one bed, each with a thread of its own that does to it what is to be done."""

    def __init__(self, cluster: Cluster, todo: Todo, at_once: int) -> None:
        self.cluster, self.todo = cluster, todo
        self.ids: dict[tuple[str, int], int] = {}
        self.wrong: dict[tuple[str, int], str] = {}
        self.keys: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        self._places = threading.Semaphore(at_once)
        self.began_s = time.time()

    def all(self) -> None:
        """Run them, those that nobody depends on first; then wait until the daemon has judged each."""
        first = ("lose_node", "lose_node_and_go_on", "slurmd_dies", "node_down", "preempt", "preempt_for_good")  # what happens to one of these happens to all of its node
        todo = sorted(self.todo, key=lambda t: t[2].act not in first)
        for follows in sorted({bool(t[2].parent) for t in todo}):
            threads = [threading.Thread(target=self._one, args=t, daemon=True) for t in todo if bool(t[2].parent) == follows]
            for thread in threads:
                thread.start()
                time.sleep(0.3)
            for thread in threads:
                thread.join(4 * JOB_S)
            self._judged()

    def _one(self, name: str, number: int, job: SlurmJob) -> None:
        with self._places:
            self._run(name, number, job)

    def _run(self, name: str, number: int, job: SlurmJob) -> None:
        try:
            if left_s() < LAST_START_S:
                raise TimeoutError("no time was left")
            folder = self._write(name, number, job)
            more = [f"--dependency=afterany:{self.keys[name, job.parent]}"] if job.parent else []
            script = job.script.replace("PYTHON", ENVIRONMENTS[job.python].python)
            env = {**ENVIRONMENTS[job.python].variables(), "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
            options = [*more, *job.options]
            if not any(o.startswith("--job-name") for o in options):
                options.append(f"--job-name={('train', 'pretrain', 'vit-b16', 'asr-base', 'rec-v2', 'lm-small')[number % 6]}")
            with self._lock:
                job_id = self.cluster.submit(
                    folder / "job.sh" if self._script(folder, script) else "",
                    "--gpualert-mail=alice@example.org",
                    f"--chdir={folder}",
                    f"--output={folder}/slurm-%j.out",
                    *options,
                    user=ALICE,
                    env=env,
                    args=job.args,
                )
            self.ids[name, number] = job_id
            if job.key:
                self.keys[name, job.key] = job_id
            if job.gpus:
                self._gpus(job, job_id)
            if job.act:
                ACTS[job.act](self.cluster, job_id, folder, job.after)
            end = self.cluster.wait(job_id, min(JOB_S, left_s()))
            if job.state and end.state != job.state:
                self.wrong[name, number] = f"it ended as {end.state}, not {job.state}: {self._said(folder)}"
        except Exception as error:  # one job's trouble is that job's
            self.wrong[name, number] = f"{type(error).__name__}: {str(error)[:400]}"
            if (name, number) in self.ids:
                self.cluster.command("scancel", str(self.ids[name, number]), check=False)

    def _said(self, folder: Path) -> str:
        return " | ".join(p.read_text(errors="replace")[-300:] for p in folder.glob("slurm-*.out"))

    def _write(self, name: str, number: int, job: SlurmJob) -> Path:
        folder = self.cluster.home(ALICE) / f"w{abs(hash((name, number))) % 10**6:06d}"
        folder.mkdir()
        for file, text in job.files.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder

    def _script(self, folder: Path, script: str) -> bool:
        path = folder / "job.sh"
        path.write_text(script if script.startswith("#!") else f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)
        self.cluster.command("chown", "-R", f"{ALICE}:{ALICE}", str(folder))
        return True

    def _gpus(self, job: SlurmJob, job_id: int) -> None:
        """What the GPUs that Slurm gave the job read from now on: the n-th of its GPUs on the n-th of its nodes."""
        self.cluster.wait_running(job_id, 120)
        said = self.cluster.scontrol("-d", "show", "job", str(job_id))
        held = [(node, _numbers(places)) for node, places in re.findall(r"Nodes=(\S+) CPU_IDs=\S+ Mem=\S+ GRES=gpu\S*\(IDX:([\d,-]+)\)", said)]
        held = [(node, places) for nodes, places in held for node in self.cluster.command("scontrol", "show", "hostnames", nodes).stdout.split()]
        with self._lock:
            shift_s = time.time() - self.began_s
            for (node, gpu), (first, later) in job.gpus.items():
                name, places = held[node]
                place = places[gpu]
                self._forget(name, place)
                self.cluster.nvml.script(name, place, dict(first), [(shift_s + at_s, place, changes) for at_s, changes in later], self.began_s)

    def _forget(self, node: str, gpu: int) -> None:
        """What was written down for the GPU's last job is not this one's."""
        timelines = self.cluster.nvml._timelines  # noqa: SLF001  # the library resets whole nodes, whose other GPUs are in use
        timelines[node] = [change for change in timelines[node] if change[1] != gpu]
        self.cluster.nvml._gpus[node][gpu] = healthy(node, gpu)  # noqa: SLF001

    def _judged(self) -> None:
        """Wait until the daemon is done with every job that ran."""
        until = time.monotonic() + min(JUDGED_S, max(10.0, left_s()))
        log = self.cluster.root / "log" / "gpualertd.log"
        while time.monotonic() < until:
            said = log.read_text(errors="replace")
            done = set(re.findall(r"(?:no_mail|queued) job=(\d+)", said))  # a task of an array is called 31_2
            left = [i for key, i in self.ids.items() if str(i) not in done and key not in self.wrong]
            if not left:
                return
            time.sleep(1)
        print(f"not judged: {left}", flush=True)


def _keep(cluster: Cluster, job_id: int, job: SlurmJob, folder: Path) -> None:
    history = History(cluster.root / "daemon" / "history.db")
    try:
        record, _ = history.newest_verdict(_runs(history, job_id)[-1])
    finally:
        history.close()
    environment = ENVIRONMENTS[job.python]
    # All nodes are one host: what runs on a bed beside this one, and outside, is seen by its nodes' watchers.
    beside = {f"{str(ROOT)[:-1]}{letter}": SHOWN_ROOT for letter in "bcdw"}
    hide = Scrub({**beside, str(cluster.root): SHOWN_ROOT, ALICE: SHOWN_USER, **environment.places(), **(card().places if job.python == CARD else {})})
    shutil.rmtree(folder, ignore_errors=True)
    (folder / LOGS).mkdir(parents=True)
    record, kept = _with_stepd_logs(record)
    for report in record.reports:
        for log in report.logs:
            path, name = Path(log.path), log_name(log)
            if not path.exists() or path.stat().st_size > MAX_LOG_BYTES:
                raise ValueError(f"{path} is absent or large")
            (folder / LOGS / name).write_bytes(hide.log(path.read_bytes()))
            if log.index_path and Path(log.index_path).exists():
                (folder / LOGS / f"{name}.idx").write_bytes(Path(log.index_path).read_bytes())
    # The bed's few nodes saw hundreds of failures within minutes: what was before on a node, or under a name, is no history of a cluster.
    past = tuple(p for p in record.past if p.relation in ("parent", "earlier_attempt"))
    lean = record.model_copy(update={"past": past, "reports": tuple(without_logs(r, kept) for r in record.reports)})
    content = hide(lean.json_bytes())
    (folder / RECORD_NAME).write_bytes(content + b"\n")
    slurm = ".".join(str(n) for n in slurm_version())
    labels.write(job.label.but(software={**environment.versions(), "slurm": slurm, **job.label.software}), folder)


def _memory_mib() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 20) * 15 // 16


def _runs(history: History, job_id: int) -> list[int]:
    database = history._db  # noqa: SLF001  # the history has no question for this, and needs none
    return [row["id"] for row in database.execute("SELECT id FROM run WHERE job_id = ? ORDER BY id", (job_id,))]


def _numbers(text: str) -> list[int]:
    """``0-2,5`` as numbers."""
    ends = [part.partition("-") for part in text.split(",")]
    return [n for first, _, last in ends for n in range(int(first), int(last or first) + 1)]


def _with_stepd_logs(record: JobRecord) -> tuple[JobRecord, frozenset[str]]:
    """Slurmstepd's own words lie in files of their own that the reports' evidence quotes: as logs of the node."""
    from gpualert_slurm.evidence import Quote

    reports = []
    for report in record.reports:
        have = {log.path for log in report.logs}
        quoted = {e.source.file for e in report.evidence if isinstance(e.source, Quote)} - have
        extra = tuple(
            RankLog(path=path, node=report.node, step=Path(path).name.partition(".")[0], stream="err", bytes_kept=Path(path).stat().st_size)
            for path in sorted(quoted)
            if path.endswith(".stepd.log") and Path(path).exists()
        )
        reports.append(report.model_copy(update={"logs": (*report.logs, *extra)}))
    kept = frozenset(log.path for report in reports for log in report.logs)
    return record.model_copy(update={"reports": tuple(reports)}), kept
