"""The bed's gpualert: its gpualert.toml, its folders, the line for plugstack.conf, and its daemon."""

from __future__ import annotations

import json
import pwd
import shutil
from collections.abc import Mapping
from pathlib import Path

from .host import SERVICE
from .munge import socket_of

Settings = dict[str, dict[str, object]]


class Gpualert:
    """gpualert as installed below ``root/opt``, with everything it keeps below ``root``."""

    def __init__(self, root: Path, cluster: str, smtp_port: int) -> None:
        self.root = root
        self.prefix = root / "opt"
        self.config = root / "etc" / "gpualert.toml"
        self.off_file = root / "etc" / "gpualert-off"
        self.state_dir = root / "state"
        self.spool_dir = root / "reports"
        self.daemon_dir = root / "daemon"
        self.plugin = self.prefix / "lib" / "gpualert" / "gpualert.so"
        self.settings: Settings = {
            "site": {
                "cluster": cluster, "state_dir": str(self.state_dir), "spool_dir": str(self.spool_dir), "off_file": str(self.off_file),
                "daemon_user": SERVICE, "munge_socket": str(socket_of(root)), "archive_dir": f"{root}/home/%u/.gpualert/%j",
            },
            # Quick: jobs here last for seconds.
            "node": {"sample_first_s": 0.5, "sample_interval_s": 1.0, "idle_exit_s": 1.0},
            "daemon": {"state_dir": str(self.daemon_dir), "poll_interval_s": 0.2, "slurm_poll_s": 0.5, "report_deadline_s": 20.0,
                       "accounting_deadline_s": 60.0},
            "mail": {"host": "127.0.0.1", "port": smtp_port, "sender": "gpualert@example.org", "allowed_domains": ["example.org"],
                     # Two users fail all day long here: nothing is gathered unless a test asks for it.
                     "group_interval_s": 0, "address_per_hour": 0, "support": "ask the test bed"},
        }

    def program(self, name: str) -> Path:
        """Where an installed program lies, whether it exists or not."""
        return self.prefix / "bin" / name

    def make_folders(self) -> None:
        """The folders of a site's installation, with their owners and modes."""
        service = pwd.getpwnam(SERVICE)
        for folder, mode, owner in ((self.state_dir, 0o711, None), (self.spool_dir, 0o1733, service), (self.daemon_dir, 0o700, service)):
            folder.mkdir(exist_ok=True)
            folder.chmod(mode)
            if owner is not None:
                shutil.chown(folder, owner.pw_uid, owner.pw_gid)

    def configure(self, changes: Mapping[str, Mapping[str, object]] | None = None) -> None:
        """Change some keys and write gpualert.toml; programs read it when they start."""
        for table, keys in (changes or {}).items():
            self.settings.setdefault(table, {}).update(keys)
        lines = []
        for table, keys in self.settings.items():
            lines += [f"[{table}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items()), ""]
        self.config.write_text("\n".join(lines))
        self.config.chmod(0o644)

    def plugstack_line(self) -> str:
        """The line for plugstack.conf."""
        return f"optional {self.plugin} state_dir={self.state_dir} off_file={self.off_file}"

    def epilog(self) -> Path:
        """The Epilog= program: Slurm gives it no arguments, so a script names the bed's folders."""
        script = self.config.with_name("gpualert-epilog.sh")
        script.write_text(f"#!/bin/sh\nexec {self.program('gpualert-epilog')} --state-dir {self.state_dir} --off-file {self.off_file}\n")
        script.chmod(0o755)
        return script

    def missing(self) -> list[str]:
        """Programs that the installation lacks, one sentence each."""
        wanted = [self.plugin, *(self.program(n) for n in ("gpualert", "gpualert-node", "gpualertd", "gpualert-epilog", "gpualert-run"))]
        return [f"{path} is not installed" for path in wanted if not path.exists()]
