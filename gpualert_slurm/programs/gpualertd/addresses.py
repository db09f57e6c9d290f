"""Whom to write to about a job that did not ask: ``mail.notify`` says about which, ``mail.lookup`` where the address is from.

A job that says ``--gpualert-mail=none`` is never captured, so that nothing of it gets here; where a report of it does all the same
(its submit line says so), nobody is written to. What is found is user text as any address is, and checked like it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.config import Config, Mail
from gpualert_slurm.epilog.bounded_command import CommandError, run
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.wishes import When, Wishes

log = logging.getLogger(__name__)

LOOKUP_TIMEOUT_S = 10.0
MAIL_USER = re.compile(r"--mail-user(?:=|\s+)(\S{1,320})")
OPTED_OUT = re.compile(r"--gpualert-mail(?:=|\s+)none\b")
GPUS = re.compile(r"(?:^|,)gres/gpu(?::[^=,]+)?=[1-9]")
ADDRESS = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,253}")


class Addresses:
    """Looks addresses up, bounded: NSS may ask an LDAP server that is away."""

    def __init__(self, config: Config) -> None:
        self._mail = config.mail
        self._timeout_s = min(LOOKUP_TIMEOUT_S, config.daemon.slurm_timeout_s)
        self._sources: dict[str, Callable[[JobRecord], str | None]] = {"slurm": self._slurm, "gecos": self._gecos, "domain": self._domain}

    def of(self, record: JobRecord) -> JobRecord:
        """The record, its wishes filled in where the site writes to owners who did not ask; they hear of problems only."""
        wishes = record.wishes
        if wishes.addresses or wishes.when is When.NEVER or not self._concerned(record):
            return record
        for name in self._mail.lookup:
            address = self._sources[name](record)
            if address:
                log.info(line("address_found", job=record.attempt.label, source=name))
                return record.model_copy(update={"wishes": Wishes(addresses=(address,), when=When.PROBLEM, artifacts=wishes.artifacts)})
        log.info(line("no_address", job=record.attempt.label, looked=",".join(self._mail.lookup)))
        return record

    def _concerned(self, record: JobRecord) -> bool:
        if record.accounting and OPTED_OUT.search(record.accounting[-1].submit_line or ""):
            return False
        if any(policy_is_about(row, self._mail) for row in record.accounting):
            return True
        return self._mail.notify == "all" or (self._mail.notify == "gpu" and any(r.gpus_before or r.gpus_after for r in record.reports))

    def _slurm(self, record: JobRecord) -> str | None:
        """``--mail-user`` of the submit line, else what slurmctld still knows of the job."""
        found = MAIL_USER.search(record.accounting[-1].submit_line or "") if record.accounting else None
        text = found[1].strip("'\"") if found else self._mail_user(record.attempt.job_id)
        if not text or text == "(null)":
            return None
        if "@" in text:
            return text
        return f"{text}@{self._mail.user_domain}" if self._mail.user_domain else None

    def _mail_user(self, job_id: int) -> str | None:
        try:
            said = run(["scontrol", "--oneliner", "show", "job", str(job_id)], timeout_s=self._timeout_s).stdout
        except CommandError:  # forgotten already, or slurmctld is away: the next source is asked
            return None
        found = re.search(r"(?:^|\s)MailUser=(\S{1,320})", said)
        return found[1] if found else None

    def _gecos(self, record: JobRecord) -> str | None:
        if record.user is None:
            return None
        try:
            text = gecos(record.user, self._timeout_s)
        except CommandError as error:
            log.warning(line("address_lookup_failed", job=record.attempt.label, source="gecos", why=error))
            return None
        found = ADDRESS.search(text)
        return found[0] if found else None

    def _domain(self, record: JobRecord) -> str | None:
        return f"{record.user}@{self._mail.user_domain}" if record.user and self._mail.user_domain else None


def policy_is_about(row: AccountingRecord, mail: Mail) -> bool:
    """Whether ``mail.notify`` is about such a job although nobody asked, as far as Slurm's records can tell."""
    return mail.notify == "all" or (mail.notify == "gpu" and GPUS.search(row.tres_alloc or "") is not None)


def gecos(user: str, timeout_s: float) -> str:
    """The GECOS field by NSS (files, LDAP, sssd …), asked by ``getent``, which can be killed.

    Raises:
        CommandError: there is no such user, or no answer in time.
    """
    fields = run(["getent", "--", "passwd", user], timeout_s=timeout_s).stdout.rstrip("\n").split(":")
    return fields[4] if len(fields) >= 7 else ""
