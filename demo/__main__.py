"""``make demo``: brings a cluster up, runs the jobs, shows the mails, takes everything down."""

from __future__ import annotations

import shutil
import signal
import sys
import time
from email.message import EmailMessage
from pathlib import Path

from tests.testbed import Cluster, host
from tests.testbed.gpu_load import GpuLoad

from . import comparison, jobs, mail_files, together, verdicts
from .scenarios import ALL, prepare

OUT = Path("demo-out")
BEGAN_S = time.monotonic()


def say(words: str) -> None:
    """One line of the demo's story, with the seconds since its start."""
    print(f"{time.monotonic() - BEGAN_S:6.1f} s  {words}", flush=True)


def main() -> int:
    """Run the demo; 0 when every mail arrived and is right, and Slurm's records are the same with and without gpualert."""
    reasons = host.in_the_way() + [f"the Debian package {name} is not installed" for name in host.missing_packages()]
    if reasons:
        print("the demo cannot run here:\n" + "\n".join(f"- {reason}" for reason in reasons), file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # as an error: everything is taken down
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    say("bringing up munged, MariaDB, slurmdbd, slurmctld and slurmd on four nodes (their GPUs are simulated: see tests/testbed/nvml)")
    with Cluster(place(), gpualert=True) as cluster, GpuLoad(cluster):
        missing = cluster.gpualert.missing()
        if missing:
            print("the demo needs all of gpualert: " + "; ".join(missing), file=sys.stderr)
            return 1
        home = cluster.root / "demo"
        home.mkdir()
        prepare(home)
        say(f"the cluster is up, below {cluster.root}")
        try:
            return story(cluster, home)
        except BaseException:
            keep_logs(cluster)
            raise
        finally:
            say("taking everything down")


def place() -> Path | None:
    """A folder of one's own with a name that reads well in the mails; None (a name by chance) where that one is taken."""
    root = Path("/var/tmp/gpualert-demo")
    try:
        root.mkdir(mode=0o755)
    except FileExistsError:
        return None
    return root


def story(cluster: Cluster, home: Path) -> int:
    """The five jobs without gpualert, then with it; then what Slurm says about both, and the mails."""
    say("without gpualert:")
    cluster.unhook()
    plain = jobs.run(cluster, home, gpualert=False, say=say)
    without = {letter: comparison.states(cluster, job) for letter, job in plain.items()}
    cluster.hook_in()
    cluster.gpualert.configure({"mail": {"group_interval_s": together.GROUP_INTERVAL_S}})
    cluster.start_daemon()
    say("with gpualert (sbatch --gpualert-mail=alice@example.org):")
    alerted = jobs.run(cluster, home, gpualert=True, say=say)
    with_it = {letter: comparison.states(cluster, job) for letter, job in alerted.items()}
    for scenario in ALL:
        show_mail(cluster, scenario.letter, scenario.title, alerted[scenario.letter])
    words, same = comparison.table(without, with_it)
    (OUT / "sacct.txt").write_text(words + "\n")
    print(f"\nsacct, State and ExitCode of every job and step:\n\n{words}\n")
    diagnoses, right = verdicts.table({letter: jobs.mail_of(cluster, job).message() for letter, job in alerted.items()})
    print(f"what the mails diagnosed:\n\n{diagnoses}\n")
    mails = len(cluster.smtp.mails())
    threads = together.run(cluster, say)
    for stem, message in together.files(threads, OUT):
        save(message, stem)
    apart = together.right(threads)
    say(f"{mails} mails for {len(ALL)} jobs, {len(threads)} about an array and a requeue; every .eml, .html and .png is in {OUT}/")
    if not same:
        print("gpualert changed what Slurm recorded: see the lines marked DIFFERENT", file=sys.stderr)
    if mails != len(ALL):
        print(f"{len(ALL)} jobs must give {len(ALL)} mails, not {mails}", file=sys.stderr)
    if not right:
        print("a mail names another cause than the one that this demo made: see the lines marked DIFFERENT", file=sys.stderr)
    print("".join(f"{words}\n" for words in apart), end="", file=sys.stderr)
    return 0 if same and right and mails == len(ALL) and not apart else 1


def show_mail(cluster: Cluster, letter: str, title: str, job_id: int) -> None:
    """Print the mail's text, and leave it as .eml, .html and .png."""
    mail = jobs.mail_of(cluster, job_id)
    message = mail.message()
    stem = OUT / f"{letter}-job-{job_id}"
    print(f"\n{'=' * 100}\n({letter}) {title}\nTo: {', '.join(mail.recipients)}\nSubject: {message['Subject']}\n{'-' * 100}")
    print(mail_files.text_of(message).rstrip())
    attached = [f"{part.get_filename()} ({len(part.get_payload(decode=True) or b'')} bytes)" for part in message.iter_attachments()]
    print(f"{'-' * 100}\nattached: {', '.join(attached) or 'nothing'}")
    save(message, stem)
    for width_px, dark in mail_files.LOOKS if letter == ALL[0].letter else ():
        look = stem.with_name(f"{stem.name}-{width_px}px-{'dark' if dark else 'light'}.png")
        mail_files.draw(stem.with_suffix(".html"), look, width_px, dark=dark)


def save(message: EmailMessage, stem: Path) -> None:
    """Leave a mail as .eml, .html and .png."""
    stem.with_suffix(".eml").write_bytes(bytes(message))
    html = mail_files.html_of(message)
    if html is not None:
        stem.with_suffix(".html").write_text(html)
        mail_files.draw(stem.with_suffix(".html"), stem.with_suffix(".png"))


def keep_logs(cluster: Cluster) -> None:
    """Leave the daemons' logs and every mail in the output folder, for who wants to know why the demo failed."""
    shutil.copytree(cluster.root / "log", OUT / "log", dirs_exist_ok=True)
    shutil.copytree(cluster.smtp.folder, OUT / "mail", dirs_exist_ok=True)
    print(f"the demo failed; the logs are in {OUT / 'log'}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
