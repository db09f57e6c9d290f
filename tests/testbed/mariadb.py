"""mariadbd with a data folder, a socket and a port of its own, and slurmdbd's database in it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from .command import run
from .daemon import Daemon

USER = "slurm"
DATABASE = "slurm_acct_db"


class MariaDb:
    """The accounting database of one bed, below ``root/mariadb``. ``password`` is slurmdbd's."""

    def __init__(self, root: Path, port: int, password: str, env: Mapping[str, str]) -> None:
        self.folder = root / "mariadb"
        self.socket = self.folder / "socket"
        self.port = port
        self._password = password
        argv = [
            "mariadbd", "--no-defaults", f"--datadir={self.folder / 'data'}", f"--socket={self.socket}", f"--port={port}",
            "--bind-address=127.0.0.1", f"--pid-file={self.folder / 'pid'}", "--skip-name-resolve", "--skip-log-bin",
            f"--tmpdir={self.folder}",
            # Quick rather than safe: a bed's database lives for minutes. slurmdbd itself asks for the lock wait.
            "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M", "--innodb-lock-wait-timeout=900",
            "--innodb-log-file-size=32M", "--max-allowed-packet=16M",
            # MariaDB 11.6 and later; slurmdbd ends on the errors it brings. "loose": older servers don't know it.
            "--loose-innodb-snapshot-isolation=OFF",
        ]
        self.daemon = Daemon("mariadbd", argv, log=root / "log" / "mariadbd.log", user="mysql", env=env, ready=self.answers, ready_timeout_s=60)

    def start(self) -> None:
        """Make the data folder at the first start, start the server, and give slurmdbd its database."""
        first = not self.folder.exists()
        if first:
            self.folder.mkdir(mode=0o755)
            subprocess.run(["chown", "mysql:mysql", str(self.folder)], check=True)
            run(
                ["mariadb-install-db", "--no-defaults", f"--datadir={self.folder / 'data'}", "--skip-test-db",
                 "--auth-root-authentication-method=normal", f"--tmpdir={self.folder}"],
                user="mysql", timeout_s=120, cwd=self.folder,
            )
        self.daemon.start()
        if first:
            self.sql(f"CREATE DATABASE {DATABASE}")
            self.sql(f"CREATE USER '{USER}'@'127.0.0.1' IDENTIFIED BY '{self._password}'")
            self.sql(f"GRANT ALL ON {DATABASE}.* TO '{USER}'@'127.0.0.1'")

    def sql(self, statement: str) -> str:
        """One statement as the database's root; gives the rows, tab-separated without a head."""
        return run(["mariadb", "--no-defaults", f"--socket={self.socket}", "-u", "root", "-N", "-e", statement], logs=self.daemon.tail).stdout

    def answers(self) -> bool:
        """Whether ``select 1`` gives 1."""
        argv = ["mariadb", "--no-defaults", f"--socket={self.socket}", "-u", "root", "-N", "-e", "select 1"]
        done = subprocess.run(argv, capture_output=True, timeout=10, check=False)
        return done.stdout.strip() == b"1"

