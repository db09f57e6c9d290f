"""Every file of slurm_conf_examples/ is loaded by what reads it on a site; Slurm's own are in tests/system/test_conf_examples.py."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpualert_slurm.config import Config, load, parse

EXAMPLES = Path(__file__).parents[2] / "slurm_conf_examples"
UNITS = ("gpualert-node.path", "gpualert-node.service", "gpualertd.service")
BIN = Path(sys.executable).parent


def test_the_toml_is_ours() -> None:
    config = load(EXAMPLES / "gpualert.toml")
    assert config.mail.allowed_domains == ("example.org", ".example.org")


def test_the_toml_has_every_key_and_its_default() -> None:
    """What stands behind '#' is the default, or a value that is valid where the default is "absent"; no key is missing, none is invented."""
    text = (EXAMPLES / "gpualert.toml").read_text()
    given = parse(re.sub(r"^#(?=\w+ = )", "", text, flags=re.MULTILINE), "all of gpualert.toml")
    plain, default = parse(text, "gpualert.toml"), Config()
    for table in Config.model_fields:
        shown, defaults, used = getattr(given, table), getattr(default, table), getattr(plain, table)
        assert shown.model_fields_set == set(type(shown).model_fields), f"[{table}] lacks {set(type(shown).model_fields) - shown.model_fields_set}"
        for key in set(type(shown).model_fields) - used.model_fields_set:
            if getattr(defaults, key) is not None:
                assert getattr(shown, key) == getattr(defaults, key), f"{table}.{key}: the example shows another default"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed: apt-get install systemd")
@pytest.mark.parametrize("unit", UNITS)
def test_the_units_are_units(unit: str, tmp_path: Path) -> None:
    """Systemd itself finds nothing wrong: no unknown key, no bad value. The programs are put where the units name them."""
    shutil.copytree(EXAMPLES, tmp_path / "units")
    for name in UNITS:
        path = tmp_path / "units" / name
        path.write_text(path.read_text().replace("/opt/gpualert/bin", str(BIN)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", f"./{unit}"], cwd=tmp_path / "units", capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if unit.partition(".")[0] in line]
    assert (done.returncode, said) == (0, []), done.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed: apt-get install systemd")
def test_the_daemon_s_sandbox_is_tight() -> None:
    """Systemd's own measure of exposure, 0 (none) to 10: at most 2 for what reads strangers' reports."""
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(EXAMPLES / "gpualertd.service")], capture_output=True, text=True,
                          check=True)
    found = re.search(r"Overall exposure level for gpualertd\.service: ([0-9.]+)", done.stdout)
    assert found is not None
    assert float(found[1]) <= 2.0


@pytest.mark.parametrize("unit", ["gpualert-node.service", "gpualertd.service"])
def test_a_child_that_dies_of_its_memory_takes_nobody_along(unit: str) -> None:
    """With systemd's own OOMPolicy=stop, one job's log that fills the unit's memory would end the service again and again."""
    lines = (EXAMPLES / unit).read_text().splitlines()
    assert any(line.startswith("MemoryMax=") for line in lines)
    assert "OOMPolicy=continue" in lines


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("systemd-tmpfiles") is None, reason="needs root and systemd")
def test_the_folders_and_the_user(tmp_path: Path) -> None:
    """systemd-sysusers and systemd-tmpfiles make what the page says, below another root."""
    for folder in ("etc", "usr/lib/tmpfiles.d", "usr/lib/sysusers.d"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    (tmp_path / "etc/group").write_text("root:x:0:\n")
    shutil.copy(EXAMPLES / "gpualert.sysusers.conf", tmp_path / "usr/lib/sysusers.d/gpualert.conf")
    shutil.copy(EXAMPLES / "gpualert.tmpfiles.conf", tmp_path / "usr/lib/tmpfiles.d/gpualert.conf")
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}", "gpualert.conf"], check=True, capture_output=True)
    assert "gpualert:" in (tmp_path / "etc/passwd").read_text()
    subprocess.run(["systemd-tmpfiles", "--create", f"--root={tmp_path}", "gpualert.conf"], check=True, capture_output=True)
    modes = {name: (tmp_path / "var/spool" / name).stat() for name in ("gpualert", "gpualert-reports")}
    assert (oct(modes["gpualert"].st_mode & 0o7777), modes["gpualert"].st_uid) == ("0o711", 0)
    assert (oct(modes["gpualert-reports"].st_mode & 0o7777), modes["gpualert-reports"].st_uid == 0) == ("0o1733", False)


def script(tmp_path: Path, gpualertd: str, user: str) -> tuple[float, subprocess.CompletedProcess[str], Path]:
    """Run epilog-slurmctld.sh with a gpualertd of this text; gives seconds, result, and where that one writes."""
    program, mark = tmp_path / "gpualertd", tmp_path / "mark"
    program.write_text(f"#!/bin/sh\n{gpualertd}\n")
    program.chmod(0o755)
    begun = time.monotonic()
    process = subprocess.Popen([str(EXAMPLES / "epilog-slurmctld.sh")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={"GPUALERTD": str(program), "GPUALERT_USER": user, "MARK": str(mark)})
    process.wait(20)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # slurmctld does that when the script has ended
    seconds = time.monotonic() - begun
    said, complained = process.communicate(timeout=20)
    return seconds, subprocess.CompletedProcess(process.args, process.returncode, said, complained), mark


def test_the_epilogslurmctld_script_never_waits(tmp_path: Path) -> None:
    """It ends with 0 in milliseconds with nothing held open, whatever gpualertd does; which survives the end of the script's process group."""
    me = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    user = "nobody" if me == "root" else me
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.geteuid() and folder != Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    seconds, done, mark = script(tmp_path, 'echo "$@" > "$MARK"; sleep 30', user)
    assert (seconds < 1, done.returncode, done.stdout, done.stderr) == (True, 0, "", "")
    until = time.monotonic() + 5
    while not mark.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert mark.read_text().split()[:2] == ["--once", "--config"]
    for broken in ("exit 1", "kill -9 $$"):
        assert script(tmp_path, broken, user)[1].returncode == 0
    assert script(tmp_path, "exit 0", "no-such-user")[1].returncode == 0


def test_the_cron_line_is_one() -> None:
    """Five fields of time, the user, a command that /bin/sh understands."""
    (line,) = [ln for ln in (EXAMPLES / "gpualert.cron").read_text().splitlines() if ln.startswith("*")]
    *times, user, command = line.split(None, 6)
    assert (times, user) == (["*"] * 5, "gpualert")
    assert subprocess.run(["sh", "-n", "-c", command], check=False).returncode == 0
    assert "%" not in command


def test_the_scripts_are_clean() -> None:
    """Shellcheck has nothing to say."""
    subprocess.run([str(BIN / "shellcheck"), str(EXAMPLES / "epilog-slurmctld.sh")], check=True)


def test_every_file_is_on_the_page() -> None:
    page = (EXAMPLES / "README.md").read_text()
    assert [p.name for p in EXAMPLES.iterdir() if p.name != "README.md" and f"`{p.name}`" not in page] == []
