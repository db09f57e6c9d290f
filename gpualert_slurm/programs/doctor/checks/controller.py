"""What Slurm's controller must be set to: an Epilog that hands jobs over, and records that outlive slurmctld's memory."""

from __future__ import annotations

from collections.abc import Iterator

from gpualert_slurm.epilog.bounded_command import CommandError, run
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

RECORDS = "accounting_storage/slurmdbd"


def _run(who: Patient) -> Iterator[Found]:
    if not who.facts:
        yield bad("slurmctld does not answer", "scontrol ping; systemctl status slurmctld")
        return
    yield good(f"slurmctld {who.facts.get('SLURM_VERSION', '?')} answers for cluster {who.facts.get('ClusterName', '?')}")
    wanted, named = who.config.site.cluster, who.facts.get("ClusterName", "")
    if wanted is not None and wanted != named:
        what = f"site.cluster is {wanted!r}, this cluster is {named!r}: every report would be refused"
        yield bad(what, f'$EDITOR {who.config_path}   # cluster = "{named}"')
    storage = who.facts.get("AccountingStorageType", "")
    if storage != RECORDS:
        yield bad(
            f"AccountingStorageType is {storage or 'not set'}: jobs leave no records, and every mail lacks how Slurm saw the end",
            f"echo AccountingStorageType={RECORDS} >> {who.facts.get('SLURM_CONF', '/etc/slurm/slurm.conf')}   # and restart slurmctld",
        )
    else:
        yield good(f"AccountingStorageType is {storage}")
    yield from epilog(who)
    try:
        run(["sacctmgr", "--noheader", "--parsable2", "show", "cluster", "format=cluster"], timeout_s=who.config.daemon.slurm_timeout_s)
    except CommandError as error:
        yield bad(f"slurmdbd: {error}", "systemctl status slurmdbd; journalctl -u slurmdbd -n 30")
    else:
        yield good("slurmdbd answers")


def epilog(who: Patient) -> Iterator[Found]:
    """Whether slurm.conf's Epilog is ours, or a folder of programs, or a script of the site's that may call ours."""
    named = who.facts.get("Epilog", "").replace("(null)", "")
    conf = who.facts.get("SLURM_CONF", "/etc/slurm/slurm.conf")
    if not who.facts:
        yield unknown("slurm.conf's Epilog: scontrol does not answer", "scontrol ping")
    elif "gpualert-epilog" in named:
        yield good(f"Epilog is {named}")
    else:
        yield bad(f"slurm.conf's Epilog is {named or 'not set'}: jobs end, and their reports wait for the sweep",
                  f"echo 'Epilog=/opt/gpualert/bin/gpualert-epilog' >> {conf} && scontrol reconfigure")  # fmt: skip


CHECK = Check("controller", frozenset({Host.CONTROLLER}), _run, order=15)
