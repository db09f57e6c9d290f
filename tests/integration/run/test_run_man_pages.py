"""The man pages say what the programs do."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpualert_slurm.programs.cli import parser

MAN = Path(__file__).parents[3] / "doc" / "man"
FLAG = re.compile(r"--[a-z][a-z-]*")


@pytest.fixture(scope="module")
def program(built) -> Path:
    return built("build")


def page(name: str) -> str:
    return (MAN / name).read_text().replace("\\-", "-")


def commands() -> dict[str, argparse.ArgumentParser]:
    (subs,) = [a for a in parser()._actions if isinstance(a, argparse._SubParsersAction)]
    listed = {action.dest for action in subs._choices_actions}
    return {name: sub for name, sub in subs.choices.items() if name in listed}


def test_gpualert_runs_page_has_the_flags_of_its_help(program: Path) -> None:
    usage = subprocess.run([program, "--help"], capture_output=True, check=True, text=True).stdout
    options = page("gpualert-run.1").partition(".SH OPTIONS")[2].partition(".SH EXIT STATUS")[0]
    assert set(FLAG.findall(usage)) == set(FLAG.findall(options.replace("\\fR", "")))


def test_gpualerts_page_names_every_command_that_its_help_lists() -> None:
    named = set(re.findall(r"\\fBgpualert ([a-z-]+)\\fR", page("gpualert.1")))
    assert named - set(commands()) == set()
    missing = set(commands()) - named
    assert not missing, f"doc/man/gpualert.1 lacks {missing}"


@pytest.mark.parametrize("command", ["diagnose", "show"])
def test_gpualerts_page_has_the_flags_of_these_commands(command: str) -> None:
    flags = {o for a in commands()[command]._actions for o in a.option_strings if o.startswith("--")} - {"--help"}
    (synopsis,) = [line for line in page("gpualert.1").splitlines() if f"\\fBgpualert {command}\\fR" in line]
    assert flags == set(FLAG.findall(synopsis))


def test_what_programs_call_is_hidden_from_people() -> None:
    assert "finish" not in commands()


@pytest.mark.parametrize("name", ["gpualert-run.1", "gpualert.1"])
def test_the_page_is_well_formed(name: str) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not here to check it")
    done = subprocess.run(["groff", "-man", "-ww", "-z", MAN / name], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
