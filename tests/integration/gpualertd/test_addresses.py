"""Owners who did not ask: about which jobs they are written to, and where."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

import pytest

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Config, Mail
from gpualert_slurm.epilog.bounded_command import CommandError
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.programs.gpualertd import addresses as module
from gpualert_slurm.programs.gpualertd.addresses import Addresses
from gpualert_slurm.wishes import When, Wishes
from tests.unit.epilog.runs import row

ME = pwd.getpwuid(os.geteuid()).pw_name


@pytest.fixture
def scontrol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A scontrol on PATH that says this."""

    def says(text: str) -> None:
        program = tmp_path / "scontrol"
        program.write_text(f"#!/bin/sh\necho '{text}'\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    says("")
    return says


def look(record: JobRecord, **mail: object) -> Wishes:
    return Addresses(Config(mail=Mail.model_validate({"notify": "all", **mail}))).of(record).wishes


def record(submit_line: str = "sbatch x.sh", *, tres: str = "cpu=4,gres/gpu=2", wishes: Wishes = Wishes(), user: str = "alice") -> JobRecord:  # noqa: B008 - frozen
    accounting = (row(submit_line=submit_line, tres_alloc=tres),)
    return JobRecord(attempt=Attempt(cluster="c", job_id=7), uid=1000, user=user, wishes=wishes, accounting=accounting)


def test_who_asked_is_written_to_where_he_said(scontrol):
    asked = Wishes(addresses=("me@example.org",))
    assert look(record(wishes=asked), user_domain="site.org") == asked


@pytest.mark.parametrize(("notify", "tres", "told"), [("opt-in", "gres/gpu=2", False), ("gpu", "cpu=4,gres/gpu:h100=2", True), ("gpu", "cpu=4", False), ("gpu", "gres/gpu=0", False), ("all", "cpu=4", True)])
def test_the_site_s_policy(scontrol, notify, tres, told):
    found = look(record(tres=tres), notify=notify, user_domain="site.org")
    assert found.addresses == (("alice@site.org",) if told else ())
    assert not told or found.when is When.PROBLEM, "who did not ask hears of problems only"


@pytest.mark.parametrize("line", ["sbatch --gpualert-mail=none x.sh", "sbatch --gpualert-mail none x.sh"])
def test_an_opt_out_is_final_and_quiet(scontrol, line):
    assert look(record(line), user_domain="site.org").addresses == ()
    assert look(record(wishes=Wishes(when=When.NEVER)), user_domain="site.org").addresses == ()


def test_slurm_s_mail_user_comes_first(scontrol):
    assert look(record("sbatch --mail-user=a@lab.org x.sh"), user_domain="site.org").addresses == ("a@lab.org",)
    assert look(record("sbatch --mail-user bob x.sh"), user_domain="site.org").addresses == ("bob@site.org",)
    scontrol("JobId=7 JobName=x MailUser=c@lab.org MailType=END")
    assert look(record(), user_domain="site.org").addresses == ("c@lab.org",)


def getent(tmp_path: Path, script: str) -> None:
    """A getent on PATH: a directory that answers so."""
    program = tmp_path / "getent"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_gecos_by_nss(scontrol, tmp_path):
    """Where a site keeps addresses there; the machine's own directory is asked as well."""
    assert isinstance(module.gecos(ME, 10.0), str)
    with pytest.raises(CommandError):
        module.gecos("no-such-user-here", 10.0)
    assert look(record(user="no-such-user-here"), lookup=("gecos",)).addresses == ()
    getent(tmp_path, 'test "$3" = alice && echo "alice:x:1000:1000:Alice <alice@lab.org>, room 1:/home/alice:/bin/sh"')
    assert look(record(), lookup=("gecos",)).addresses == ("alice@lab.org",)


def test_a_directory_that_hangs_costs_its_deadline_and_no_more(scontrol, tmp_path, monkeypatch):
    getent(tmp_path, "sleep 60")
    monkeypatch.setattr(module, "LOOKUP_TIMEOUT_S", 0.5)
    assert look(record(), lookup=("gecos", "domain"), user_domain="site.org").addresses == ("alice@site.org",)


def test_nothing_found_is_nobody(scontrol):
    assert look(record(), lookup=("slurm", "domain")).addresses == ()
