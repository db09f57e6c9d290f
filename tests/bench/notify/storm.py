"""Thousands of jobs end within a minute: real sealed reports into the spool of a real gpualertd, whose questions a real slurmdbd answers.

What is real: munged and its seals, the spool, gpualertd as installed (a process of its own, as its service user, with the product's own
settings), sacct, squeue, scontrol and sacctmgr against running slurmctld and slurmdbd, the relay on loopback. What is simulated: the jobs.
A few really run and fail on the bed; each of the thousands is a copy of one of them, with an id, times and an address of its own: its
report as the node wrote it, and its rows in slurmdbd's own tables, written there by SQL, for a bed of this size cannot run so many
jobs in a minute. Each job has another address, so that no mail spares another one: it is the most mails that so many jobs can be.
"""

from __future__ import annotations

import contextlib
import email
import os
import pwd
import sqlite3
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from gpualert_slurm.config import Site, load
from gpualert_slurm.epilog.seal import SealKeys
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from gpualert_slurm.notify import stored_message
from tests.bench.compare import Progress, Row
from tests.bench.notify.storm_jobs import FIRST_JOB, Template, put_rows, sealed, templates
from tests.bench.notify.storm_watch import Commands, Watch
from tests.testbed import Cluster, host

JOBS, MINUTE_S = 5000, 60.0
BOUND_S, BOUND_MB = 120.0, 300
LONGEST_S = 480.0


@dataclass(frozen=True)
class Fed:
    """When each job's report came into the spool, by job id, seconds since the epoch."""

    at_s: dict[int, float]


def run(jobs: int, progress: Progress) -> list[Row]:
    """The bed up, a few jobs run, thousands copied, sealed and fed; ends when every mail is queued, or after eight minutes."""
    if reasons := [*host.in_the_way(), *(f"Debian package {name} is not installed" for name in host.missing_packages())]:
        return [Row(f"{jobs} jobs end within a minute", "not measured", f"≤ {BOUND_S:.0f} s", None, f"no Slurm cluster can run here: {'; '.join(reasons)}")]
    with Cluster(gpualert=True) as cluster:
        commands = Commands(cluster)
        cluster.configure({"daemon": {"poll_interval_s": 1.0, "slurm_poll_s": 2.0, "report_deadline_s": 120.0, "accounting_deadline_s": 300.0},
                           "mail": {"group_interval_s": 600.0, "address_per_hour": 30}})
        cluster.start_daemon()
        progress("a few jobs run")
        found = templates(cluster)
        site = load(cluster.gpualert.config).site
        start_s = time.time() + 10 + jobs / 100  # sealing so many takes its time, and is not what is measured
        put_rows(cluster, found, jobs, start_s, MINUTE_S)
        progress(f"{jobs} reports are sealed")
        reports = _sealed(found, jobs, start_s, site)
        progress("waits for the minute")
        return _measured(cluster, reports, max(start_s, time.time()), commands, progress)


def _sealed(found: list[Template], jobs: int, start_s: float, site: Site) -> list[tuple[int, list[bytes]]]:
    keys = SealKeys(daemon_uid=pwd.getpwnam(site.daemon_user).pw_uid, munge_socket=site.munge_socket)
    parts = [range(first, min(first + 100, jobs)) for first in range(0, jobs, 100)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(sealed, [found] * len(parts), parts, [(start_s, MINUTE_S / jobs)] * len(parts), [keys] * len(parts))
        return [one for part in done for one in part]


def _feed(reports: list[tuple[int, list[bytes]]], site: Site, start_s: float, fed: Fed) -> None:
    for number, (job_id, pieces) in enumerate(reports):
        time.sleep(max(0.0, start_s + number * MINUTE_S / len(reports) - time.time()))
        TRANSPORT.send(pieces, site)
        fed.at_s[job_id] = time.time()


def _measured(cluster: Cluster, reports: list[tuple[int, list[bytes]]], start_s: float, commands: Commands, progress: Progress) -> list[Row]:
    site = load(cluster.gpualert.config).site
    time.sleep(max(0.0, start_s - time.time()))
    fed, jobs = Fed({}), len(reports)
    history = sqlite3.connect(f"file:{cluster.gpualert.daemon_dir / 'history.db'}?mode=ro", uri=True, timeout=30)
    feeder = threading.Thread(target=_feed, args=(reports, site, start_s, fed), daemon=True)
    with Watch(cluster.daemon.pid) as watch:
        feeder.start()
        queued: dict[int, int] = {}
        while len(queued) < jobs and time.time() < start_s + LONGEST_S:
            time.sleep(1.0)
            queued = dict(history.execute("SELECT run.job_id, message.queued_ns FROM message JOIN message_run USING (key) JOIN run ON run.id = message_run.run_id"
                                          " WHERE message.state != 'planned' AND run.job_id >= ?", (FIRST_JOB,)).fetchall())  # fmt: skip
            progress(f"{time.time() - start_s:.0f} s: {len(fed.at_s)} reports there, {len(queued)} mails queued")
    feeder.join()
    end_s = max(queued.values(), default=time.time_ns()) / 1e9
    waited = sorted(queued[job_id] / 1e9 - at for job_id, at in fed.at_s.items() if job_id in queued)
    modes = dict(history.execute("SELECT mode, count(*) FROM verdict WHERE job_id >= ? GROUP BY mode", (FIRST_JOB,)).fetchall())
    history.close()
    asked = commands.between(start_s, end_s)
    outbox = cluster.gpualert.daemon_dir / "outbox"
    mails: dict[str, bool | None] = {}  # by name, for they move on while we look: whether one without pictures says why
    for path in (p for state in ("queued", "active", "sent") for p in (outbox / state).glob("*.msg")):
        with contextlib.suppress(FileNotFoundError):
            mail = stored_message.read(path).message
            mails[path.name] = None if b"\nContent-Type: image/png" in mail else _says(mail, "mails were waiting")
    count, bare, said = len(mails), sum(says is not None for says in mails.values()), sum(says is True for says in mails.values())
    took_s, cpu_s = end_s - start_s, watch.cpu_s
    what = f"{jobs} jobs end within a minute"
    return [
        Row(f"{what}: from a job's report in the spool to its mail queued, the last", f"{waited[-1]:.0f} s", f"≤ {BOUND_S:.0f} s",
            len(queued) == jobs and waited[-1] <= BOUND_S if jobs >= JOBS else None,
            f"{len(queued)} mails, one a job; median {waited[len(waited) // 2]:.0f} s; the last {took_s:.0f} s after the first report; verdicts {modes}"),
        Row("the same: CPU of the daemon and all it starts, on average and in its busiest 10 s", f"{cpu_s / took_s:.2f} and {watch.busiest(10):.2f} cores", "≤ 1 core",
            cpu_s / took_s <= 1.0, f"{cpu_s:.0f} s in {took_s:.0f} s, {1000 * cpu_s / jobs:.1f} ms a job, sending included"),
        Row("the same: questions to Slurm (sacct, squeue, scontrol, sacctmgr)", f"one in {took_s / max(1, asked):.1f} s", "≤ 1 in 2 s",
            asked <= took_s / 2 + 1 if jobs >= JOBS else None, f"{asked} in {took_s:.0f} s"),
        Row("the same: memory of the daemon, and of it with all its processes (proportional)", f"{watch.rss_mib:.0f} and {watch.tree_mib:.0f} MiB", f"≤ {BOUND_MB} MB",
            watch.tree_mib * 1.048576 <= BOUND_MB, "the largest of a look a second; its own by VmHWM"),
        Row("the same: mails without pictures; of them, those that say why", f"{bare} of {count}; {said}", "all of them", bare == said, "the first come before there is a backlog"),
    ]  # fmt: skip


def _says(message: bytes, words: str) -> bool:
    texts = (part.get_payload(decode=True) for part in email.message_from_bytes(message).walk() if part.get_content_type() == "text/plain")
    return words.encode() in b" ".join(bytes(next(texts)).split())
