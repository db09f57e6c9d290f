"""What the doctor sees on a machine that is not well, and that the command it names mends it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from gpualert_slurm.config import Config, Mail, Site
from gpualert_slurm.config import Daemon as DaemonTable
from gpualert_slurm.programs.cli import main
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, Standing
from gpualert_slurm.programs.doctor.checks import daemon, folders, gpus, mail, node_service, plugin
from gpualert_slurm.programs.doctor.examination import checks, examine
from tests.integration.notify.relay import Behaviour, Relay

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="owners are root's to change")


def patient(tmp_path: Path, *hosts: Host, facts: dict[str, str] | None = None, **mail_fields: object) -> Patient:
    site = Site(state_dir=tmp_path / "state", spool_dir=tmp_path / "spool", off_file=tmp_path / "off", daemon_user="nobody")
    config = Config(site=site, daemon=DaemonTable(state_dir=tmp_path / "daemon"), mail=Mail.model_validate(mail_fields))
    return Patient(config, tmp_path / "gpualert.toml", frozenset(hosts or {Host.NODE, Host.DAEMON}), facts or {})


def look(check: Check, who: Patient) -> list[Found]:
    return list(examine(check, who))


def bad(found: list[Found]) -> list[str]:
    return [f.what for f in found if f.standing is Standing.BAD]


@ROOT
def test_every_wrong_folder_is_mended_by_what_the_doctor_says(tmp_path):
    """Missing, of the wrong mode, of the wrong owner: the named commands, run one after the other, leave nothing wrong."""
    who = patient(tmp_path)
    (tmp_path / "state").mkdir(mode=0o755)
    (tmp_path / "daemon").mkdir(mode=0o755)
    (tmp_path / "off").touch()
    found = look(folders.CHECK, who)
    assert len(bad(found)) == 5, found
    for one in found:
        if one.standing is Standing.BAD:
            subprocess.run(["sh", "-c", one.mend], check=True)
    assert bad(look(folders.CHECK, who)) == []


@ROOT
def test_a_secret_that_others_can_read_is_named(tmp_path):
    secret = tmp_path / "pw"
    secret.write_text("x\n")
    secret.chmod(0o644)
    found = look(folders.CHECK, patient(tmp_path, Host.DAEMON, password_file=secret))
    assert any("others can read the secret" in words for words in bad(found))


def built(folder: Path, version: str) -> Path:
    """A shared object with the word that every Slurm plugin has."""
    source = folder / "p.c"
    source.write_text(f'const char plugin_name[] = "gpualert"; const unsigned int plugin_version = {version};')
    target = folder / "gpualert.so"
    subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-o", str(target), str(source)], check=True)
    return target


def test_the_version_a_plugin_was_built_for_is_read_without_loading_it(tmp_path):
    assert plugin.plugin_version(built(tmp_path, "0x160508").read_bytes()) == 0x160508
    with pytest.raises(ValueError, match="ELF"):
        plugin.plugin_version(b"#!/bin/sh")
    with pytest.raises(ValueError, match="no word plugin_version"):
        plugin.plugin_version(Path(shutil.which("ls") or "/bin/ls").read_bytes())


def test_our_own_plugin_has_a_version():
    path = Path("spank/plugin/build/gpualert.so")
    if not path.exists():
        pytest.skip("no Slurm headers here, so no plugin")
    assert plugin.plugin_version(path.read_bytes()) >> 16 >= 20


@pytest.mark.parametrize(("version", "wrong"), [("22.05.3", False), ("23.11.1", True), ("24.05.8", True)])
def test_a_plugin_of_another_slurm_is_found_because_slurm_says_nothing(tmp_path, version, wrong):
    so = built(tmp_path, "0x160508")
    conf = tmp_path / "plugstack.conf"
    parts = tmp_path / "plugstack.conf.d"
    parts.mkdir()
    conf.write_text(f"include {parts}/*.conf\n")
    (parts / "gpualert.conf").write_text(f"# ours\noptional {so} state_dir=/x\n")
    found = look(plugin.CHECK, patient(tmp_path, Host.LOGIN, facts={"PlugStackConfig": str(conf), "SLURM_VERSION": version}))
    assert any("leaves it out without a word" in words for words in bad(found)) is wrong, found
    assert any("names" in f.what for f in found if f.standing is Standing.GOOD)


def test_a_required_plugin_and_a_missing_line_are_bad(tmp_path):
    conf = tmp_path / "plugstack.conf"
    conf.write_text("optional /usr/lib/other.so\n")
    facts = {"PlugStackConfig": str(conf), "SLURM_VERSION": "22.05.8"}
    assert any("no line with gpualert.so" in words for words in bad(look(plugin.CHECK, patient(tmp_path, Host.LOGIN, facts=facts))))
    conf.write_text(f"required {built(tmp_path, '0x160508')}\n")
    assert any("drains nodes" in words for words in bad(look(plugin.CHECK, patient(tmp_path, Host.LOGIN, facts=facts))))


def test_the_relay_is_greeted_and_nothing_is_sent(tmp_path):
    with Relay() as relay:
        fields = {"host": "127.0.0.1", "port": relay.port, "allowed_domains": ("example.org",), "sender": "gpualert@example.org", "timeout_s": 2.0}
        assert bad(look(mail.CHECK, patient(tmp_path, Host.DAEMON, **fields))) == []
        assert relay.messages == []
        relay.behaviour = Behaviour(greeting="554 no mail from you")
        assert any("554" in words for words in bad(look(mail.CHECK, patient(tmp_path, Host.DAEMON, **fields))))
        relay.behaviour = Behaviour(greet=False)
        assert any("no answer within 2 s" in words for words in bad(look(mail.CHECK, patient(tmp_path, Host.DAEMON, **fields))))
    assert any("refused" in words.lower() or "connect" in words.lower() for words in bad(look(mail.CHECK, patient(tmp_path, Host.DAEMON, **fields))))


def test_nobody_may_be_written_to_by_default_and_the_doctor_says_so(tmp_path):
    words = bad(look(mail.CHECK, patient(tmp_path, Host.DAEMON, channel="file", folder=tmp_path)))
    assert any("nobody is written to" in w for w in words)
    assert any("refuse that domain" in w for w in words)


def test_a_job_that_waits_for_a_service_that_does_not_start_is_seen(tmp_path):
    job = tmp_path / "state" / "node" / "n1" / "ended" / "7.0"
    job.parent.mkdir(parents=True)
    job.write_text("x")
    os.utime(job, (time.time() - 500, time.time() - 500))
    found = look(node_service.CHECK, patient(tmp_path, Host.NODE, facts={"Epilog": "/site/epilog.sh"}))
    words = bad(found)
    assert any("has been waiting for it" in w for w in words) or any("gpualert-node runs" in f.what for f in found)
    assert any("Epilog is /site/epilog.sh" in w for w in words)


def test_an_outbox_that_nobody_looks_at_is_seen(tmp_path):
    (tmp_path / "daemon" / "outbox" / "refused").mkdir(parents=True)
    (tmp_path / "daemon" / "gpualertd.lock").touch()
    (tmp_path / "daemon" / "outbox" / "refused" / "k1.msg").write_text("x")
    words = bad(look(daemon.CHECK, patient(tmp_path, Host.DAEMON)))
    assert any("gpualertd does not run" in w for w in words)
    assert any("1 mails are refused" in w for w in words)


def test_a_node_without_a_driver_is_no_broken_one(tmp_path):
    """It is told in words for people, and as what nobody knows: not every node has GPUs."""
    with contextlib.suppress(OSError):
        ctypes.CDLL("libnvidia-ml.so.1")
        pytest.skip("there is a driver here")
    (found,) = look(gpus.CHECK, patient(tmp_path, Host.NODE))
    assert found.standing is Standing.UNKNOWN
    assert "no NVIDIA driver" in found.what


def test_an_nvml_that_fails_is_named_by_its_own_error(tmp_path, monkeypatch):
    monkeypatch.setattr(gpus, "ASK", gpus.ASK.replace("pynvml.nvmlInit()", "raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)"))
    (found,) = look(gpus.CHECK, patient(tmp_path, Host.NODE))
    assert found.standing is Standing.BAD
    assert "NVMLError_GpuIsLost: GPU is lost" in found.what
    assert "Traceback" not in found.what


def test_a_check_that_fails_or_hangs_hides_no_other(tmp_path, monkeypatch):
    from gpualert_slurm.programs.doctor import examination

    monkeypatch.setattr(examination, "LIMIT_S", 0.2)

    def broken(who):
        yield Found(Standing.GOOD, "one thing")
        raise RuntimeError("a defect")

    def hangs(who):
        time.sleep(3)
        yield Found(Standing.GOOD, "late")

    assert [f.standing for f in look(Check("x", frozenset(Host), broken), patient(tmp_path))] == [Standing.GOOD, Standing.UNKNOWN]
    assert "no answer within" in look(Check("x", frozenset(Host), hangs), patient(tmp_path))[0].what


def test_what_is_bad_has_a_command_that_mends_it(tmp_path):
    """Every BAD that this machine can show, here where nothing is set up."""
    for check in checks().values():
        for found in look(check, patient(tmp_path, *Host)):
            assert found.standing is not Standing.BAD or found.mend, found


def test_the_command_ends_with_1_when_something_is_bad(tmp_path, capsys):
    config = tmp_path / "gpualert.toml"
    config.write_text('[mail]\nchannel = "file"\n')
    assert main(["doctor", "--config", str(config), "--as", "daemon", "--only", "mail"]) == 1
    said = capsys.readouterr().out
    assert "BAD" in said
    assert "mend:" in said
    assert main(["doctor", "--config", str(config), "--only", "nothing"]) == 2
    config.write_text("[mail]\nchanel = 1\n")
    assert main(["doctor", "--config", str(config)]) == 1
