"""``gpualert doctor`` on a real cluster: well as it stands, and each thing that is broken is named with what mends it."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.testbed import Cluster, host
from tests.testbed.daemon import wait_until

CANARY = ("--canary", "alice@example.org", "--only", "clock", "--wait", "120")
EVERYTHING = ("node", "daemon", "controller")


def doctor(cluster: Cluster, *words: str, hosts: tuple[str, ...] = EVERYTHING, user: str = "root") -> tuple[int, str]:
    """Its exit status and what it said; as root on a machine that is node, controller and daemon's host unless something else is asked for."""
    argv = [str(cluster.gpualert.program("gpualert")), "doctor", "--config", str(cluster.gpualert.config), *(w for h in hosts for w in ("--as", h)), *words]
    environment = cluster.nvml.environment("n1") if user == "root" else {}
    done = cluster.command(*argv, user=user, env=environment, timeout_s=280, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout


def mends(said: str, about: str) -> str:
    """The command that follows the line about this."""
    lines = said.splitlines()
    at = next(number for number, line in enumerate(lines) if about in line)
    return lines[at + 1].partition("mend: ")[2]


def bad(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("BAD")]


@pytest.fixture
def running(cluster: Cluster) -> Iterator[Cluster]:
    if not cluster.daemon.running:
        cluster.start_daemon()
    yield cluster
    cluster.daemon.stop()


def test_a_bed_that_is_well(running: Cluster) -> None:
    status, said = doctor(running)
    assert bad(said) == [], said
    assert status == 0
    for words in ("sbatch knows --gpualert-mail", "munge seals for", "driver", "sacct answers", "gpualertd runs", "answers", "can be read", "it was built for Slurm",
                  "and gpualert (uid", "does not open for uid 0", "reports can be put into", "slurmdbd answers", "this clock and slurmctld's agree"):
        assert words in said, f"{words!r} is not in:\n{said}"


def test_what_is_broken_is_named_and_its_command_mends_it(running: Cluster) -> None:
    running.gpualert.state_dir.chmod(0o755)
    running.smtp.stop()
    try:
        status, said = doctor(running)
        assert status == 1
        words = "\n".join(bad(said))
        assert f"{running.gpualert.state_dir} (site.state_dir): its mode is 0755, not 0711" in words
        assert "mail: 127.0.0.1" in words
        mend = next(line.partition("mend: ")[2] for line in said.splitlines() if "mend: chmod" in line)
        subprocess.run(["sh", "-c", mend], check=True)
        assert bad(doctor(running, "--only", "folders")[1]) == []
    finally:
        running.gpualert.state_dir.chmod(0o711)
        running.smtp.start()


def test_a_munged_that_is_away_is_named(running: Cluster) -> None:
    """By its socket, and the command that brings it back; afterwards all is well."""
    running.munged.stop()
    try:
        status, said = doctor(running, "--only", "seal")
        assert status == 1
        assert "munge cannot seal" in said
        assert "systemctl restart munge" in mends(said, "munge cannot seal")
    finally:
        running.munged.start()
    assert doctor(running, "--only", "seal")[0] == 0


def test_a_munged_that_hangs_costs_its_deadline(running: Cluster) -> None:
    running.munged.pause()
    try:
        status, said = doctor(running, "--only", "seal")
        assert status == 1
        assert "munge did not answer within" in said
    finally:
        running.munged.resume()


def test_a_daemon_that_does_not_run_is_named(cluster: Cluster) -> None:
    cluster.start_daemon()
    cluster.daemon.stop()
    status, said = doctor(cluster, "--only", "daemon")
    assert status == 1
    assert "systemctl start gpualertd" in mends(said, "gpualertd does not run")


def test_a_driver_that_is_not_loaded_is_named(running: Cluster) -> None:
    running.nvml.set_host("n1", {"init": "!DRIVER_NOT_LOADED"})
    try:
        status, said = doctor(running, "--only", "gpus")
        assert status == 1
        assert "NVML" in bad(said)[0]
    finally:
        running.nvml.reset("n1")


def test_a_plugin_of_another_slurm_and_one_that_is_not_named_are_found(running: Cluster) -> None:
    """Slurm leaves both out without a word: a plugin whose version word is another one, and a plugstack.conf without the line."""
    plugin = running.gpualert.plugin
    kept = plugin.with_suffix(".kept")
    shutil.copy2(plugin, kept)
    source = running.root / "other.c"
    source.write_text('const char plugin_name[] = "gpualert"; const char plugin_type[] = "spank"; const unsigned int plugin_version = 0x150800;')
    other = running.root / "other.so"
    subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-o", str(other), str(source)], check=True)
    try:
        shutil.copyfile(other, plugin.with_suffix(".new"))
        plugin.with_suffix(".new").rename(plugin)
        said = "\n".join(bad(doctor(running, "--only", "plugin")[1]))
        assert "was built for Slurm 21.08.0, here runs" in said
        assert "does not know --gpualert-mail" in said
    finally:
        kept.rename(plugin)
    running.plugstack([])
    try:
        assert "has no line with gpualert.so" in "\n".join(bad(doctor(running, "--only", "plugin")[1]))
    finally:
        running.hook_in()
    assert bad(doctor(running, "--only", "plugin")[1]) == []


def test_an_epilog_that_is_not_set_is_named_on_node_and_controller(running: Cluster) -> None:
    running.epilog(None)
    try:
        assert all("Epilog is not set" in line for line in bad(doctor(running, "--only", "controller", "--only", "node_service")[1]))
        assert len(bad(doctor(running, "--only", "controller", "--only", "node_service")[1])) == 2
    finally:
        running.hook_in()


def test_private_data_without_the_rights_to_see_is_named(running: Cluster) -> None:
    """And the command it names gives them."""
    running.reconfigure({"PrivateData": "jobs"})
    try:
        status, said = doctor(running, "--only", "accounting")
        assert status == 1
        assert "PrivateData hides jobs from gpualert" in said
        mend = mends(said, "PrivateData hides")
        running.command("sh", "-c", mend)
        assert doctor(running, "--only", "accounting")[0] == 0
        running.command("sacctmgr", "-i", "delete", "user", "gpualert")
    finally:
        running.reconfigure({"PrivateData": None})


def test_a_folder_that_reports_cannot_be_put_into_is_named(running: Cluster) -> None:
    """It is gone: the folder's own check and the way of a report both say so, and the command brings it back."""
    spool = running.gpualert.spool_dir
    aside = spool.with_name("reports-aside")
    spool.rename(aside)
    try:
        status, said = doctor(running, "--only", "transport", "--only", "folders")
        assert status == 1
        assert f"no report can be put into {spool}: No such file" in said
    finally:
        aside.rename(spool)
    assert doctor(running, "--only", "transport", "--only", "folders")[0] == 0


def test_the_canary_reaches_the_mail(running: Cluster) -> None:
    """Submitted, run, reported, judged, mailed: a line for each, and the mail is there."""
    status, said = doctor(running, *CANARY)
    assert status == 0, said
    for words in ("was submitted", "ended as FAILED", " arrived", "it was judged", "the mail is"):
        assert words in said, said
    job = next(line.split()[3] for line in said.splitlines() if "was submitted" in line)
    running.smtp.wait_mail(lambda mail: f"job {job} " in str(mail.message()["subject"]), timeout_s=60)


def test_an_ordinary_users_canary_says_where_the_rest_is_seen(running: Cluster) -> None:
    status, said = doctor(running, *CANARY, hosts=("login",), user=host.ALICE)
    assert status == 0, said
    assert "ended as FAILED" in said
    assert "as root on the daemon's host: gpualert doctor --follow" in said


def drop_refused(cluster: Cluster) -> None:
    """So that the next look at the bed finds none."""
    outbox = [str(cluster.gpualert.program("gpualert")), "outbox", "--config", str(cluster.gpualert.config)]
    for path in (cluster.gpualert.daemon_dir / "outbox" / "refused").glob("*.msg"):
        cluster.command(*outbox, "drop", path.stem, user=host.SERVICE)


@contextlib.contextmanager
def without(cluster: Cluster, what: str) -> Iterator[None]:
    """The cluster with one thing broken on the way from the job to the mail."""
    if what == "plugin":
        cluster.plugstack([])
    elif what == "node service":
        for service in cluster.node_services.values():
            service.stop()
    elif what == "relay":
        cluster.smtp.behave(refuse={"alice@example.org": "550 no such user"})
    elif what == "daemon":
        cluster.daemon.stop()
    elif what == "nodes":
        for node in cluster.nodes:
            cluster.scontrol("update", f"nodename={node}", "state=drain", "reason=testbed")
    try:
        yield
    finally:
        if what == "nodes":
            for node in cluster.nodes:
                cluster.scontrol("update", f"nodename={node}", "state=resume")
            cluster.command("scancel", "--name=gpualert-canary")
        elif what == "node service":
            for service in cluster.node_services.values():
                service.start()
        elif what == "relay":
            cluster.smtp.behave()
            drop_refused(cluster)
        elif what == "daemon":
            cluster.start_daemon()
        else:
            cluster.hook_in()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("plugin", "sbatch does not take --gpualert-mail here"),
        ("nodes", "has not started within 10 s: PENDING"),
        ("node service", "handed over, and no report was made of it: gpualert-node does not run"),
        ("daemon", "gpualertd does not run"),
        ("relay", "550 no such user"),
    ],
)
def test_the_hop_that_is_missing_is_named(running: Cluster, what: str, words: str) -> None:
    with without(running, what):
        wait = "10" if what == "nodes" else "40"
        status, said = doctor(running, *CANARY[:-1], wait)
        if what == "relay" and "the mail is queued" in said:  # it was quicker than the relay's answer
            job = next(line.split()[3] for line in said.splitlines() if "was submitted" in line)
            wait_until(lambda: words in doctor(running, "--follow", job)[1], "the relay's answer", 60)
            return
        assert status == 1, said
        assert words in "\n".join(bad(said)), said
        assert all(mends(said, line) for line in bad(said))


def test_files_of_the_bed_are_as_they_were(running: Cluster) -> None:
    """What the tests above broke is mended: else the tests after them would fail of it."""
    status, said = doctor(running)
    assert (status, bad(said)) == (0, []), said
    assert Path(running.gpualert.plugin).exists()
