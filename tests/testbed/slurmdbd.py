"""slurmdbd, and what the bed puts into its accounts."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from .command import run
from .daemon import Daemon
from .mariadb import DATABASE, USER, MariaDb
from .munge import socket_of
from .ports import listening


def slurmdbd(root: Path, port: int, database: MariaDb, password: str, env: Mapping[str, str]) -> Daemon:
    """The accounting daemon as user slurm on ``port``; writes its configuration, which only that user can read (it holds the password)."""
    folder = root / "slurmdbd"
    folder.mkdir(mode=0o755, exist_ok=True)
    shutil.chown(folder, "slurm", "slurm")
    log = root / "log" / "slurmdbd.log"
    conf = root / "etc" / "slurmdbd.conf"
    conf.touch(mode=0o600)
    conf.write_text(
        f"AuthType=auth/munge\nAuthInfo=socket={socket_of(root)}\nDbdHost=localhost\nDbdAddr=127.0.0.1\nDbdPort={port}\nSlurmUser=slurm\n"
        f"StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\nStoragePort={database.port}\nStorageUser={USER}\n"
        f"StoragePass={password}\nStorageLoc={DATABASE}\nLogFile={log}\nPidFile={folder / 'pid'}\nDebugLevel=info\n"
        "CommunicationParameters=NoInAddrAny\n"
    )
    conf.chmod(0o600)
    shutil.chown(conf, "slurm", "slurm")
    # slurmdbd finds slurmdbd.conf beside the file that SLURM_CONF names.
    return Daemon("slurmdbd", ["slurmdbd", "-D"], log=root / "log" / "slurmdbd.out", user="slurm", env=env, cwd=folder,
                  ready=lambda: listening(port), ready_timeout_s=60, more_logs=[log])


def add_accounts(cluster: str, users: Sequence[str], env: Mapping[str, str], daemon: Daemon) -> None:
    """The cluster, one account ``research`` and the users in it."""
    for argv in (
        ["add", "cluster", cluster],
        ["add", "account", "research", f"cluster={cluster}", "Description=testbed", "Organization=testbed"],
        ["add", "user", ",".join(users), "account=research", f"cluster={cluster}", "defaultaccount=research"],
    ):
        run(["sacctmgr", "-i", *argv], env=env, timeout_s=30, logs=daemon.tail)
