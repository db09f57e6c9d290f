"""The sendmail channel, with programs that behave as sendmails do."""

from __future__ import annotations

import asyncio
import time

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.channel import ChannelError, open_channel


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "sendmail"

    def write(script: str):
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return Mail(channel="sendmail", sendmail=path, timeout_s=1.0)

    return write


def send(mail, *recipients):
    return asyncio.run(open_channel(mail).send(b"Subject: x\r\n\r\n.\r\nbody\r\n", "gpualert@x.org", recipients or ("a@x.org",)))


def test_addresses_are_arguments_behind_a_double_dash(program, tmp_path):
    """An address that looks like an option stays an address; no shell sees it."""
    mail = program(f'for a in "$@"; do echo "$a"; done > {tmp_path}/argv; cat > {tmp_path}/body')
    assert send(mail, "-oQ/tmp$(touch${IFS}x)@x.org")[0].kind.value == "sent"
    assert (tmp_path / "argv").read_text().splitlines() == ["-i", "-f", "gpualert@x.org", "--", "-oQ/tmp$(touch${IFS}x)@x.org"]
    assert (tmp_path / "body").read_bytes() == b"Subject: x\n\n.\nbody\n"


@pytest.mark.parametrize(("status", "kind"), [(0, "sent"), (67, "refused"), (68, "refused"), (65, "refused"), (75, "retry"), (69, "retry"), (1, "retry")])
def test_exit_statuses_are_sysexits(program, status, kind):
    outcome = send(program(f"cat >/dev/null; echo because >&2; exit {status}"))[0]
    assert outcome.kind.value == kind
    assert status == 0 or "because" in outcome.reason


def test_each_recipient_has_an_answer_of_its_own(program):
    mail = program('cat >/dev/null; case "$5" in b@*) exit 67;; esac')
    assert [o.kind.value for o in send(mail, "a@x.org", "b@x.org", "c@x.org")] == ["sent", "refused", "sent"]


def test_one_that_hangs_is_killed_with_its_children(program, tmp_path):
    mail = program(f"sleep 60 & echo $! > {tmp_path}/child; wait")
    began = time.monotonic()
    assert send(mail, "a@x.org", "b@x.org")[0].kind.value == "retry"
    assert time.monotonic() - began < 4
    time.sleep(0.1)
    state = (tmp_path / "child").read_text().strip()
    try:
        with open(f"/proc/{state}/stat") as stat:  # noqa: PTH123
            assert ") Z " in stat.read()
    except FileNotFoundError:
        pass


def test_one_that_reads_nothing_does_no_harm(program):
    mail = program("exit 0")
    big = asyncio.run(open_channel(mail).send(b"x" * 3_000_000, "gpualert@x.org", ("a@x.org",)))
    assert big[0].kind.value in ("sent", "retry")


def test_a_relative_path_is_refused():
    with pytest.raises(ChannelError, match="absolute"):
        open_channel(Mail(channel="sendmail", sendmail="sendmail"))
